"""Commands as processes: signals, pipes, encodings, start-up."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from boxkit.examples import COUNTRIES

Start = Callable[..., subprocess.Popen[str]]

HEAVY = ("torch", "faiss", "openai", "rdflib", "pandas", "numpy", "rich")


def descendants(pid: int) -> set[int]:
    """Every process below ``pid``."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(entry.name)] = int(fields[1])
    found = {pid}
    while grown := {child for child, parent in parents.items() if parent in found} - found:
        found |= grown
    return found - {pid}


def gone(pids: set[int], within_s: float = 5.0) -> bool:
    """Whether all these processes end in time; a zombie has ended."""
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        alive = {
            pid for pid in pids if Path(f"/proc/{pid}").exists() and " Z " not in Path(f"/proc/{pid}/stat").read_text()
        }
        if not alive:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to see processes")
@pytest.mark.parametrize("whom", ["the process", "its group"])
def test_ctrl_c_ends_with_130_and_leaves_no_process(boxkit_process: Start, sales: Path, whom: str) -> None:
    process = boxkit_process("run", sales, "-c", "print('x')\nwhile True: pass")
    deadline = time.monotonic() + 30
    while len(workers := descendants(process.pid)) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(1.5)  # the code runs by then, on a busy machine too
    workers = descendants(process.pid)
    assert workers, "nothing was running"
    (os.killpg if whom == "its group" else os.kill)(process.pid, signal.SIGINT)
    stdout, stderr = process.communicate(timeout=20)
    assert process.returncode == 130
    assert stdout == ""
    assert "interrupted" in stderr
    assert "Traceback" not in stderr
    assert gone(workers)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc to see processes")
def test_a_command_that_ends_leaves_no_process(boxkit_process: Start, sales: Path) -> None:
    marks = {"BOXKIT_TEST_MARK": f"mark-{os.getpid()}-{time.monotonic_ns()}"}
    process = boxkit_process("run", sales, "-c", "sales", **marks)
    seen: set[int] = set()
    while process.poll() is None:
        seen |= descendants(process.pid)
        time.sleep(0.01)
    assert process.returncode == 0
    process.communicate()
    assert gone(seen)


def test_a_closed_pipe_is_no_traceback(sales: Path) -> None:
    command = f"{sys.executable} -m boxkit show {COUNTRIES} --json | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "{\n"
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


@pytest.mark.parametrize(
    ("stdout", "exit_code", "said"),
    [
        (">&-", 0, ""),
        pytest.param(
            "> /dev/full", 6, "No space left", marks=pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux")
        ),
    ],
)
def test_an_output_that_takes_nothing_is_no_fault_of_boxkit(stdout: str, exit_code: int, said: str) -> None:
    command = f"{sys.executable} -m boxkit show {COUNTRIES} {stdout}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == exit_code, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert "a fault in boxkit" not in done.stderr


def test_a_terminal_that_knows_only_ascii_gets_escapes(boxkit_process: Start) -> None:
    code = "countries.loc[countries['name'] == 'Brazil', 'capital']"
    process = boxkit_process("run", COUNTRIES, "-c", code, PYTHONIOENCODING="ascii")
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 0, stderr
    assert "Bras\\xedlia" in stdout


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; from boxkit.cli.app import app\n"
        "try: app(['--help'])\n"
        f"except SystemExit: print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_usage_error_is_on_stderr_and_names_the_help(boxkit_process: Start) -> None:
    process = boxkit_process("aks", "x")
    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stdout) == (2, "")
    assert "aks" in stderr
    assert "--help" in stderr


@pytest.mark.slow
def test_what_takes_over_a_second_says_so_on_the_terminal_and_only_there(sales: Path) -> None:
    pty = pytest.importorskip("pty")
    leader, follower = pty.openpty()
    code = (
        "now = datetime.datetime.now\nend = now() + datetime.timedelta(seconds=2)\nwhile now() < end: pass\nanswer = 7"
    )
    command = [sys.executable, "-m", "boxkit", "run", str(sales), "-c", code, "--csv"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=follower, stdin=subprocess.DEVNULL)
    os.close(follower)
    stdout, _ = process.communicate(timeout=60)
    told = b""
    with contextlib.suppress(OSError):
        while piece := os.read(leader, 4096):
            told += piece
    os.close(leader)
    assert process.returncode == 0
    assert stdout == b"answer\n7\n"
    assert "running …".encode() in told
