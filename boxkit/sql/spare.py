"""Processes that wait for a query: started while a model still writes it, so that the query need not wait.

One that has run a query well waits for the next: a benchmark asks hundreds a second, and a process is slow to start.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib.util
import os
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

from boxkit.process import end

__all__ = ["DUCKDB", "SQLITE", "Program", "ended", "forgotten", "prepare", "returned", "taken"]


@dataclass(frozen=True, slots=True)
class Program:
    """What a process runs.

    Attributes:
        script: A file beside this one.
        packages: What it imports beside the standard library.
        ahead: Processes at the most that wait for their first query.
        kept: Those at the most that have run a query, and wait for the next.
    """

    script: str
    packages: tuple[str, ...]
    ahead: int
    kept: int


#: Processes at the most that are started ahead: as many as samples of one vote are usually asked for at once.
MOST = 4

SQLITE = Program("sqlite_worker.py", (), ahead=MOST, kept=8)
#: Slower to start and larger: another one is started when none waits.
DUCKDB = Program("duck_worker.py", ("duckdb", "pyarrow", "numpy", "pytz"), ahead=1, kept=4)


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A process that waits.

    Attributes:
        process: It.
        holds: What data it holds already, by a name of its owner's; empty for none.
        megabytes: How much they are.
    """

    process: subprocess.Popen[bytes]
    holds: str = ""
    megabytes: int = 0


#: By the process that started them: a forked one shares their pipes and must not use them. No lock guards them, as one
#: held during a fork would stay locked in the child; taking from a list and adding to it are single steps.
_WAITING: dict[tuple[int, Program], list[_Waiting]] = {}
_BUSY: dict[tuple[int, Program], list[subprocess.Popen[bytes]]] = {}

#: A process that holds more for an owner that is gone is worth less than its memory, in MiB.
_WORTH_MB = 64


def prepare(program: Program = SQLITE) -> None:
    """Start a process that waits, unless there are enough; behind the caller's back, who asks a model meanwhile."""
    waiting = _waiting(program)
    if len(waiting) < program.ahead and len(waiting) + len(_busy(program)) < MOST:

        def start() -> None:
            waiting.append(_Waiting(_started(program)))

        with contextlib.suppress(RuntimeError):  # the interpreter is about to end
            threading.Thread(target=start, name="boxkit-sql", daemon=True).start()


def taken(program: Program = SQLITE, holds: str = "") -> subprocess.Popen[bytes]:
    """A process for one query: one that waits, best with these data, else a new one.

    Whoever takes it ends or returns it.
    """
    process = _alive(program, holds) or _started(program)
    _busy(program).append(process)
    return process


def _alive(program: Program, holds: str) -> subprocess.Popen[bytes] | None:
    waiting = _waiting(program)
    # Best one that holds them, then one that holds nothing of another's; of equals the last that ran.
    order = list(reversed(waiting))
    order.sort(key=lambda each: (each.holds != holds, each.holds != ""))
    for each in order:
        try:
            waiting.remove(each)
        except ValueError:  # another thread was faster
            continue
        if each.process.poll() is None:
            return each.process
        ended(each.process)
    return None


def returned(
    process: subprocess.Popen[bytes], program: Program = SQLITE, *, holds: str = "", megabytes: int = 0
) -> None:
    """Let a process that has run its query well wait for the next, unless enough do."""
    if len(_waiting(program)) >= program.kept:
        ended(process)
        return
    with contextlib.suppress(ValueError):
        _busy(program).remove(process)
    _waiting(program).append(_Waiting(process, holds, megabytes))


def forgotten(program: Program, holds: str) -> None:
    """End the processes that hold many data that no one will ask for any more."""
    waiting = _waiting(program)
    for each in list(waiting):
        if each.holds == holds and each.megabytes > _WORTH_MB:
            with contextlib.suppress(ValueError):
                waiting.remove(each)
                ended(each.process)


def ended(process: subprocess.Popen[bytes]) -> None:
    """Kill the process, and wait for its end."""
    for busy in list(_BUSY.values()):
        with contextlib.suppress(ValueError):
            busy.remove(process)
    end(process)


def _waiting(program: Program = SQLITE) -> list[_Waiting]:
    owner = os.getpid()
    if (owner, program) not in _WAITING:
        atexit.register(_end_all, owner, program)
    return _WAITING.setdefault((owner, program), [])


def _busy(program: Program) -> list[subprocess.Popen[bytes]]:
    return _BUSY.setdefault((os.getpid(), program), [])


def _end_all(owner: int, program: Program) -> None:
    if owner == os.getpid():
        for each in _WAITING.pop((owner, program), []):
            ended(each.process)
        for process in _BUSY.pop((owner, program), []):  # a thread's that no one waits for
            process.kill()


def _started(program: Program) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-I", "-S", str(Path(__file__).with_name(program.script)), *_folders(program.packages)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={"PATH": os.defpath, "LANG": "C.UTF-8"},
        start_new_session=True,  # Ctrl-C is for the host
    )


def _folders(packages: tuple[str, ...]) -> list[str]:
    """Where these lie, for a process that has the standard library only."""
    specs = [importlib.util.find_spec(package) for package in packages]
    origins = [Path(spec.origin).resolve() for spec in specs if spec is not None and spec.origin]
    return list(dict.fromkeys(str(origin.parent.parent) for origin in origins))
