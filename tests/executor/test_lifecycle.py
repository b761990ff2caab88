"""Workers die, hosts die, hosts fork, callers cancel: no wrong answer, and nothing left behind."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import boxkit
from boxkit.box import BoxSet
from boxkit.errors import ExecutorError
from boxkit.executor import Limits, aexecute, execute
from boxkit.executor.pool import Pool, pool
from boxkit.executor.session import Session, ZygoteLost

SUM = "answer = int(author.id.sum())"


def children(pid: int) -> list[int]:
    """All processes below ``pid``, itself included."""
    found = [pid]
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                found += children(int(child))
    return found


def alive(pids: list[int]) -> list[int]:
    """Those that run still (a zombie does not)."""
    running = []
    for pid in pids:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX":
                running.append(pid)
    return running


def gone(pids: list[int], within_s: float = 10) -> bool:
    end = time.monotonic() + within_s
    while alive(pids) and time.monotonic() < end:
        time.sleep(0.05)
    return not alive(pids)


def nursery_pid() -> int:
    return pool().nursery().process.pid


def test_a_killed_nursery_costs_one_retry_and_no_wrong_answer(library: BoxSet) -> None:
    assert execute(SUM, library).answer == 6
    first = nursery_pid()
    below = children(first)
    os.kill(first, signal.SIGKILL)
    assert execute(SUM, library).answer == 6
    assert nursery_pid() != first and gone(below)


def test_a_killed_zygote_costs_one_retry_and_no_wrong_answer(library: BoxSet) -> None:
    assert execute(SUM, library).answer == 6
    worker = nursery_pid()
    for pid in reversed(children(worker)):
        # Leave the process that was started and the nursery itself: below these are zygotes and children.
        if pid not in children(worker)[:2]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    assert [execute(SUM, library).answer for _ in range(3)] == [6, 6, 6]
    assert nursery_pid() == worker


def test_a_worker_killed_in_the_middle_of_a_run_is_replaced(library: BoxSet) -> None:
    runs: list[Any] = []
    thread = threading.Thread(
        target=lambda: runs.append(execute("x = 0\nfor i in range(3 * 10**6): x += 1\n" + SUM, library))
    )
    thread.start()
    time.sleep(0.2)
    os.kill(nursery_pid(), signal.SIGKILL)
    thread.join(30)
    assert runs[0].answer == 6


def test_a_worker_that_dies_twice_is_the_sandboxs_failure(library: BoxSet, monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(*_: Any) -> Any:
        raise ZygoteLost("it is gone")

    monkeypatch.setattr(Session, "run", lost)
    with pytest.raises(ExecutorError, match="died twice"):
        execute(SUM, library)


def test_a_worker_that_misses_the_deadline_is_killed_and_started_anew(library: BoxSet) -> None:
    assert execute(SUM, library).answer == 6
    worker = nursery_pid()
    zygotes = [pid for pid in children(worker) if pid not in children(worker)[:2]]
    for pid in zygotes:
        os.kill(pid, signal.SIGSTOP)
    started = time.perf_counter()
    assert execute(SUM, library, limits=Limits(seconds=0.5)).answer == 6
    assert time.perf_counter() - started < 15 and gone(zygotes)


def test_a_pool_that_closes_waits_for_no_worker_that_is_starting() -> None:
    # A command that ends while its worker still imports pandas would keep its user waiting for that.
    workers = Pool()
    told: list[BaseException] = []

    def wait() -> None:
        try:
            workers.nursery()
        except ExecutorError as error:
            told.append(error)

    waiting = threading.Thread(target=wait)
    waiting.start()
    while workers._nursery is None:
        time.sleep(0.001)
    below = children(workers._nursery.process.pid)
    workers.close()
    waiting.join()
    assert gone(below)
    assert len(told) == 1 and "did not start" in str(told[0])


def test_a_worker_whose_host_is_gone_before_it_is_ready_ends() -> None:
    code = "from boxkit.executor.launch import Nursery, Layers; print(Nursery.start(Layers()).process.pid, flush=True)"
    host = subprocess.run([sys.executable, "-c", f"{code}; import os; os._exit(0)"], capture_output=True, check=True)
    assert gone([int(host.stdout)])


HOST = """
import sys, time
import pandas as pd
import boxkit
frame = pd.DataFrame({"a": [1, 2]})
class Reader:
    def read(self, columns=None, limit=None): return Reading(frame)
    def count(self): return 2
    def fingerprint(self): return "x"
from boxkit.box import Box, BoxSet, Field, Reading
boxes = BoxSet([Box("t", (Field("a"),), Reader())])
print(boxkit.execute("int(t.a.sum())", boxes).answer, flush=True)
"""


def host(code: str, **options: Any) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(boxkit.__file__).parent.parent)}
    return subprocess.Popen(
        [sys.executable, "-c", HOST + textwrap.dedent(code)],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        **options,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "code", ["time.sleep(60)", "boxkit.execute('while True: pass', boxes)"], ids=["idle", "in a run"]
)
def test_a_killed_host_leaves_nothing_behind(code: str) -> None:
    with host(code) as process:
        assert process.stdout is not None and process.stdout.readline() == "3\n"
        time.sleep(0.7)
        below = children(process.pid)[1:]
        assert len(alive(below)) >= 2
        process.kill()
    assert gone(below)


@pytest.mark.slow
def test_an_ending_host_leaves_nothing_behind_and_says_nothing() -> None:
    with host("import os\nprint(os.getpid(), flush=True)", stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline() == "3\n"
        below = children(process.pid)[1:]
        assert process.wait(20) == 0
        assert process.stderr is not None and process.stderr.read() == ""
    assert gone(below)


@pytest.mark.slow
def test_an_interrupted_caller_ends_its_run_and_can_go_on() -> None:
    code = """
    try:
        boxkit.execute("while True: pass", boxes)
    except KeyboardInterrupt:
        print("interrupted", boxkit.execute("int(t.a.max())", boxes).answer, flush=True)
    """
    with host(code) as process:
        assert process.stdout is not None and process.stdout.readline() == "3\n"
        time.sleep(0.7)
        process.send_signal(signal.SIGINT)
        started = time.perf_counter()
        assert process.stdout.readline() == "interrupted 2\n"
        assert time.perf_counter() - started < 10
        below = children(process.pid)[1:]
        assert process.wait(20) == 0
    assert gone(below)


async def test_a_cancelled_coroutine_ends_its_run(library: BoxSet) -> None:
    task = asyncio.create_task(aexecute("while True: pass", library))
    await asyncio.sleep(0.5)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    started = time.perf_counter()
    assert (await aexecute(SUM, library)).answer == 6
    assert time.perf_counter() - started < 10


def _in_fork(boxes: BoxSet, parent: int, answers: Any) -> None:
    run = execute(SUM, boxes)
    answers.put((run.answer, nursery_pid() != parent))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_a_forked_host_starts_workers_of_its_own(library: BoxSet) -> None:
    assert execute(SUM, library).answer == 6
    parent = nursery_pid()
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    forks = [context.Process(target=_in_fork, args=(library, parent, answers)) for _ in range(2)]
    for fork in forks:
        fork.start()
    assert [answers.get(timeout=60) for _ in forks] == [(6, True), (6, True)]
    for fork in forks:
        fork.join(20)
        assert fork.exitcode == 0
    assert nursery_pid() == parent and execute(SUM, library).answer == 6
    answers.close()


def _descriptors(pid: int | str = "self") -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))


def _memory_kb(pid: int) -> int:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_hundreds_of_runs_leak_nothing(library: BoxSet) -> None:
    pool().close()
    codes = [SUM, "1 / 0", "answer = author", "pd.io.common.os._exit(1)", "print('x' * 100_000)"]
    for code in codes * 4:
        execute(code, library)
    time.sleep(0.5)
    gc.collect()
    worker = children(nursery_pid())[:3]
    before = _descriptors(), [_descriptors(pid) for pid in worker], sum(map(_memory_kb, worker))
    for number in range(400):
        execute(codes[number % len(codes)] if number % 10 else codes[0], library)
    time.sleep(1)
    gc.collect()
    after = _descriptors(), [_descriptors(pid) for pid in worker], sum(map(_memory_kb, worker))
    assert after[0] <= before[0] and all(now <= then + 4 for then, now in zip(before[1], after[1], strict=True))
    assert after[2] < before[2] + 8_000
    assert len(children(nursery_pid())) <= len(worker) + 10


def test_many_boxsets_do_not_keep_as_many_workers(boxset: Callable[..., BoxSet]) -> None:
    sets = [boxset(t=pd.DataFrame({"a": [number]})) for number in range(12)]
    assert [execute("int(t.a.sum())", boxes).answer for boxes in sets] == list(range(12))
    time.sleep(0.3)
    assert len(pool()._shelves) <= 8
    assert execute("int(t.a.sum())", sets[0]).answer == 0


def test_one_boxset_never_sees_anothers_data(boxset: Callable[..., BoxSet]) -> None:
    assert execute("len(t)", boxset(t=pd.DataFrame({"a": ["a very secret text"]}))).answer == 1
    look = """
    import_ = pd.io.common.os.sys.modules["builtins"].__import__
    found = [f for f in import_("gc").get_objects() if isinstance(f, pd.DataFrame)]
    answer = any("very secret" in f.to_string() for f in found)
    """
    assert execute(textwrap.dedent(look), boxset(u=pd.DataFrame({"a": [1]}))).answer is False


def test_the_worker_has_no_keys_in_its_environment(library: BoxSet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    from boxkit.executor.launch import environment

    assert not [name for name in environment() if "KEY" in name or "TOKEN" in name or "PROXY" in name.upper()]
    assert execute("dict(pd.io.common.os.environ).get('OPENAI_API_KEY', 'none')", library).answer == "none"
