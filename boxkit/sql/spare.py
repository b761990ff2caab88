"""Processes that wait for a SQLite query: started while a model still writes it, so that the query need not wait.

One that has run a query well waits for the next: a benchmark asks hundreds a second, and a process is slow to start.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import subprocess
import sys
import threading
from pathlib import Path

__all__ = ["ended", "prepare", "returned", "taken"]

#: Processes that wait at the most: as many as samples of one vote are usually asked for at once.
MOST = 4

#: By the process that started them: a forked one shares their pipes and must not use them. No lock guards them, as one
#: held during a fork would stay locked in the child; taking from a list and adding to it are single steps.
_WAITING: dict[int, list[subprocess.Popen[bytes]]] = {}
_BUSY: dict[int, list[subprocess.Popen[bytes]]] = {}

#: Those that have run a query, and wait, at the most.
KEPT = 8


def prepare() -> None:
    """Start a process that waits, unless there are enough; behind the caller's back, who asks a model meanwhile."""
    waiting = _waiting()
    if len(waiting) + len(_busy()) < MOST:
        with contextlib.suppress(RuntimeError):  # the interpreter is about to end
            threading.Thread(target=lambda: waiting.append(_started()), name="boxkit-sql", daemon=True).start()


def taken() -> subprocess.Popen[bytes]:
    """A process for one query: one that waits, else a new one. Whoever takes it ends or returns it."""
    process = _alive() or _started()
    _busy().append(process)
    return process


def _alive() -> subprocess.Popen[bytes] | None:
    with contextlib.suppress(IndexError):
        while True:
            process = _waiting().pop()
            if process.poll() is None:
                return process
            ended(process)
    return None


def returned(process: subprocess.Popen[bytes]) -> None:
    """Let a process that has run its query well wait for the next, unless enough do."""
    if len(_waiting()) >= KEPT:
        ended(process)
        return
    with contextlib.suppress(ValueError):
        _busy().remove(process)
    _waiting().append(process)


def ended(process: subprocess.Popen[bytes]) -> None:
    """Kill the process, and wait for its end."""
    with contextlib.suppress(ValueError):
        _busy().remove(process)
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(BrokenPipeError):  # what it never read is lost with it
                pipe.close()


def _waiting() -> list[subprocess.Popen[bytes]]:
    owner = os.getpid()
    if owner not in _WAITING:
        atexit.register(_end_all, owner)
    return _WAITING.setdefault(owner, [])


def _busy() -> list[subprocess.Popen[bytes]]:
    return _BUSY.setdefault(os.getpid(), [])


def _end_all(owner: int) -> None:
    if owner == os.getpid():
        for process in _WAITING.pop(owner, []):
            ended(process)


def _started() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-I", "-S", str(Path(__file__).with_name("sqlite_worker.py"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={"PATH": os.defpath, "LANG": "C.UTF-8"},
        start_new_session=True,  # Ctrl-C is for the host
    )
