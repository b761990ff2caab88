"""A line typed at a prompt, or read from a pipe; Ctrl-C at the prompt raises ``KeyboardInterrupt``, always."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["heed_ctrl_c", "read_line"]

#: Seconds after which a Ctrl-C that did not reach the prompt is sent on once more.
AGAIN_S = 0.05


def heed_ctrl_c() -> None:
    """On a terminal, take Ctrl-C even where the shell that began the conversation ignored it for its children."""
    if sys.stdin.isatty() and signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def read_line(prompt: str) -> str | None:
    """The next line, stripped; None at the end of the input. The prompt is shown on a terminal only.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed.
    """
    if not sys.stdin.isatty():
        line = sys.stdin.readline()
        return line.strip() if line else None
    try:
        import readline  # noqa: F401 - gives input() its line editing and history, where the system has it
    except ImportError:
        return _typed(prompt)
    with _no_ctrl_c_lost():
        return _typed(prompt)


def _typed(prompt: str) -> str | None:
    try:
        return input(prompt).strip()
    except EOFError:
        return None


@contextmanager
def _no_ctrl_c_lost() -> Iterator[None]:
    """Send Ctrl-C on until it is heeded.

    CPython's readline looks for signals only where one breaks off its wait for a key: one that comes after the prompt
    is shown and before the wait begins would lie until the next key.
    """
    heard, told = os.pipe()
    os.set_blocking(told, False)
    before = signal.set_wakeup_fd(told, warn_on_full_buffer=False)
    over = threading.Event()
    watch = threading.Thread(target=_send_on, args=(heard, over, threading.get_ident()), daemon=True)
    watch.start()
    try:
        yield
    finally:
        over.set()
        signal.set_wakeup_fd(before)
        os.close(told)
        watch.join()
        os.close(heard)


def _send_on(heard: int, over: threading.Event, thread: int) -> None:
    while came := os.read(heard, 1):
        while came[0] == signal.SIGINT and not over.wait(AGAIN_S):
            signal.pthread_kill(thread, signal.SIGINT)
