"""Processes of our own that are killed: when their time is over, or when no one needs them."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

__all__ = ["end", "killed_after"]


@contextmanager
def killed_after(process: subprocess.Popen[bytes], seconds: float) -> Iterator[threading.Event]:
    """Kill the process when the time is over; the event, which is final once this is left, says whether it was."""
    killed = threading.Event()

    def kill() -> None:
        killed.set()
        process.kill()

    timer = threading.Timer(seconds, kill)
    timer.daemon = True
    timer.start()
    try:
        yield killed
    finally:
        timer.cancel()
        timer.join()


def end(process: subprocess.Popen[bytes]) -> None:
    """Kill the process, wait for its end, and close the pipes to it."""
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(BrokenPipeError):  # what it never read is lost with it
                pipe.close()
