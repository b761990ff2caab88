"""Processes of our own that are killed: when their time is over, or when no one needs them."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

__all__ = ["end", "killed_after"]


@contextmanager
def killed_after(process: subprocess.Popen[bytes], seconds: float) -> Iterator[threading.Event]:
    """Kill the process when the time is over; the event, which is final once this is left, says whether it was."""
    held = _Held(process, time.monotonic() + seconds)
    watch = _watch()
    watch.add(held)
    try:
        yield held.killed
    finally:
        watch.remove(held)


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill the process, wait for its end, and close the pipes to it."""
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(BrokenPipeError):  # what it never read is lost with it
                pipe.close()


@dataclass(frozen=True, slots=True, eq=False)
class _Held:
    """A process with a time at which it is killed, by `time.monotonic`."""

    process: subprocess.Popen[bytes]
    until: float
    killed: threading.Event = field(default_factory=threading.Event)


class _Watch:
    """One thread that looks after all of them: a benchmark runs hundreds of queries a second, each with its time."""

    def __init__(self) -> None:
        self._held: set[_Held] = set()
        self._changed = threading.Condition(threading.Lock())
        self._looks_at = float("inf")
        self._thread: threading.Thread | None = None

    def add(self, held: _Held) -> None:
        """Kill it in time."""
        with self._changed:
            self._held.add(held)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="boxkit-watch", daemon=True)
                self._thread.start()
            elif held.until < self._looks_at:
                self._changed.notify()

    def remove(self, held: _Held) -> None:
        """Do not kill it any more."""
        with self._changed:
            self._held.discard(held)

    def _run(self) -> None:
        with self._changed:
            while True:
                now = time.monotonic()
                for held in [each for each in self._held if each.until <= now]:
                    self._held.discard(held)
                    held.killed.set()
                    held.process.kill()
                self._looks_at = min((each.until for each in self._held), default=float("inf"))
                # A wait has a longest time; without end it is asked for as None.
                within = min(self._looks_at - now, threading.TIMEOUT_MAX)
                self._changed.wait(None if self._looks_at == float("inf") else within)


#: By the process that watches: a forked one has no such thread, and perhaps a lock that no one gives back.
_WATCHES: dict[int, _Watch] = {}


def _watch() -> _Watch:
    owner = os.getpid()
    return _WATCHES.get(owner) or _WATCHES.setdefault(owner, _Watch())
