"""Ctrl-C ends what is going on, whatever that is: one that is lost on its way is sent again, at last the process ends.

Python raises `KeyboardInterrupt` between any two steps of the main thread. Where these belong to a callback of the
import system's or to a ``__del__`` it is printed and dropped; other code may catch it, or make another error of it; C
code that does not return never raises it.
"""

from __future__ import annotations

import atexit
import math
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["INTERRUPTED", "dropped_are_told", "leave", "leave_at_once", "none_lost"]

#: The exit code.
INTERRUPTED = 130

#: Seconds after which a Ctrl-C that nothing came of is sent again: what is interrupted may have to clear up.
AGAIN_S = 2.0
#: Seconds after which a process that heeds none is left.
LEAVE_S = 10.0
#: Seconds that clearing up may take on the way out.
CLEAR_UP_S = 3.0
#: Seconds after which one that was dropped is sent again: by then the callback that dropped it is over.
DROPPED_S = 0.01


#: Written to a watch: Python has dropped one.
_DROPPED = b"\xff"


class _Watch:
    """A thread that sends Ctrl-C again to the main thread until it is heeded. No locks: it is told from anywhere."""

    def __init__(self, again_s: float, leave_s: float | None) -> None:
        self.again_s, self.leave_s = again_s, leave_s
        self.has_come = self.is_over = False
        self.heard, self.told = os.pipe()
        os.set_blocking(self.told, False)
        self.main = threading.get_ident()
        self.thread = threading.Thread(target=self._listen, name="boxkit-interrupt", daemon=True)

    def end(self) -> None:
        """Send it no more; whether one has come is final now."""
        self.is_over = True
        os.close(self.told)
        self.thread.join()
        os.close(self.heard)

    def _listen(self) -> None:
        """Read what came; where nothing comes of it in time, send it again."""
        poll = select.poll()
        poll.register(self.heard, select.POLLIN)
        since = due = math.inf
        while True:
            is_told = poll.poll(None if due == math.inf else max(0.0, due - time.monotonic()) * 1000)
            now = time.monotonic()
            if not is_told:
                self._send_again(now - since)
                due = now + self.again_s
                continue
            came = os.read(self.heard, 1)
            if not came:
                return
            if came == _DROPPED:
                since, due = min(since, now), now + DROPPED_S
            elif came[0] == signal.SIGINT and not self.has_come:
                self.has_come = True
                since, due = min(since, now), min(due, now + self.again_s)

    def _send_again(self, after_s: float) -> None:
        if self.is_over:
            return
        if self.leave_s is not None and after_s > self.leave_s:
            leave()
        signal.pthread_kill(self.main, signal.SIGINT)


#: The watches that are on, the innermost last.
_WATCHES: list[_Watch] = []


@contextmanager
def none_lost(again_s: float = AGAIN_S, leave_s: float | None = LEAVE_S) -> Iterator[None]:
    """Until this is left, Ctrl-C raises `KeyboardInterrupt`, again and again until something comes of it.

    In the main thread, on systems that can send a signal to a thread; elsewhere it changes nothing.

    Args:
        again_s: Seconds until it is sent again.
        leave_s: Seconds after which the process ends where nothing came of it; None for never.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed, also where what went on inside ended well or with an error.
    """
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        yield
        return
    watch = _Watch(again_s, leave_s)
    watch.thread.start()
    fd = signal.set_wakeup_fd(watch.told, warn_on_full_buffer=False)
    handler = signal.getsignal(signal.SIGINT)
    _WATCHES.append(watch)
    try:
        if handler is _left:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        yield
    finally:
        watch.is_over = True
        _WATCHES.remove(watch)
        signal.set_wakeup_fd(fd)
        signal.signal(signal.SIGINT, handler)
        watch.end()
        if watch.has_come:
            raise KeyboardInterrupt


def dropped_are_told() -> None:
    """From now on, a Ctrl-C that Python drops (``Exception ignored in …``) is sent again at once, and not printed."""
    before: Callable[[Any], Any] = sys.unraisablehook

    def told(args: Any) -> None:
        if not issubclass(args.exc_type, KeyboardInterrupt):
            before(args)
        elif _WATCHES:
            with suppress(OSError):
                os.write(_WATCHES[-1].told, _DROPPED)

    sys.unraisablehook = told


def leave_at_once() -> None:
    """From now on, outside of `none_lost`, Ctrl-C ends the process; unless the shell has it ignored, or on Windows."""
    if sys.platform != "win32" and signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
        signal.signal(signal.SIGINT, _left)


def _left(*_: object) -> NoReturn:
    leave()


def leave() -> NoReturn:
    """End the process as interrupted: its workers and files are cleared up, its threads are not waited for."""
    last = threading.Timer(CLEAR_UP_S, os._exit, (INTERRUPTED,))
    last.daemon = True
    last.start()
    with suppress(OSError):
        os.write(2, b"Error: interrupted\n")
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):  # closed, full, or gone: there is no one to tell
            stream.flush()
    atexit._run_exitfuncs()
    os._exit(INTERRUPTED)
