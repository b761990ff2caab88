"""A line typed at a prompt, or read from a pipe; Ctrl-C at the prompt raises ``KeyboardInterrupt``, always."""

from __future__ import annotations

import signal
import sys

from boxkit.cli.interrupt import none_lost

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
    # CPython's readline looks for signals only where one breaks off its wait for a key: one that comes after the prompt
    # is shown and before the wait begins would lie until the next key.
    with none_lost(AGAIN_S, None):
        return _typed(prompt)


def _typed(prompt: str) -> str | None:
    try:
        return input(prompt).strip()
    except EOFError:
        return None
