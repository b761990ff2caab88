"""Processes that wait for a SQLite query: started while a model still writes it, so that the query need not wait."""

from __future__ import annotations

import atexit
import contextlib
import os
import subprocess
import sys
import threading
from pathlib import Path

__all__ = ["ended", "prepare", "taken"]

#: Processes that wait at the most: as many as samples of one vote are usually asked for at once.
MOST = 4

#: By the process that started them: a forked one shares their pipes and must not use them. No lock guards them, as one
#: held during a fork would stay locked in the child; taking from a list and adding to it are single steps.
_WAITING: dict[int, list[subprocess.Popen[bytes]]] = {}


def prepare() -> None:
    """Start a process that waits, unless enough do; it does so behind the caller's back, who asks a model meanwhile."""
    waiting = _waiting()
    if len(waiting) < MOST:
        with contextlib.suppress(RuntimeError):  # the interpreter is about to end
            threading.Thread(target=lambda: waiting.append(_started()), name="boxkit-sql", daemon=True).start()


def taken() -> subprocess.Popen[bytes]:
    """A process for one query: one that waits, else a new one. Whoever takes it ends it."""
    with contextlib.suppress(IndexError):
        while True:
            process = _waiting().pop()
            if process.poll() is None:
                return process
            ended(process)
    return _started()


def ended(process: subprocess.Popen[bytes]) -> None:
    """Kill the process, and wait for its end."""
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
