"""What reaches the screen: answers on stdout, all else on stderr, and every text as the data that it is.

A cell is never markup; a control character in one (a colour, a cleared screen, a reversed line) shows as its escape.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.text import Text

__all__ = ["complain", "forgiving_streams", "harmless", "print_json", "say", "screen", "show", "text", "waiting"]

#: Seconds after which something that is still going on is worth a word.
PATIENCE_S = 1.0

_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def forgiving_streams() -> None:
    """Let a character that the terminal cannot encode be printed as its escape, not end the command.

    A stream that was closed when the command began (``>&-``) takes everything and keeps nothing.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - as long as the process lives
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # a stream without it, or none, is let be


@cache
def _is_harmful(char: str) -> bool:
    import unicodedata

    # Controls, surrogates, line separators, and the marks that reorder what follows them.
    return unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") or unicodedata.bidirectional(char) in (
        *("LRE", "RLE", "LRO", "RLO", "PDF"),
        *("LRI", "RLI", "FSI", "PDI"),
    )


def harmless(content: str, *, lines: bool = False) -> str:
    """``content`` with every control character written as its escape; line ends and tabs stay where ``lines`` is set.

    >>> harmless("a\\x1b[31mb\\n"), harmless("a\\nb", lines=True)
    ('a\\\\x1b[31mb\\\\n', 'a\\nb')
    """
    if content.isascii() and content.isprintable():
        return content
    kept = "\n\t" if lines else ""
    return "".join(_escape(char) if char not in kept and _is_harmful(char) else char for char in content)


def _escape(char: str) -> str:
    code = ord(char)
    return _ESCAPES.get(char) or (f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}")


def text(content: str, style: str = "", *, lines: bool = False) -> Text:
    """A piece of data for the screen: harmless, and never read as markup."""
    from rich.text import Text

    return Text(harmless(content, lines=lines), style)


def screen(*, stderr: bool = False) -> Console:
    """The console of stdout (or stderr), with neither markup, emoji codes nor highlighting in data.

    Where the output is no terminal it is as wide as its content, so that no cell is wrapped or cut.
    """
    from rich.console import Console

    file = sys.stderr if stderr else sys.stdout
    width = None if file.isatty() else 10_000
    return Console(file=file, width=width, markup=False, emoji=False, highlight=False, soft_wrap=False)


def show(content: RenderableType) -> None:
    """Print something on stdout."""
    _print(screen(), content)


def say(content: RenderableType) -> None:
    """Print something about the answer on stderr."""
    sys.stdout.flush()
    _print(screen(stderr=True), content)


def _print(console: Console, content: RenderableType) -> None:
    # Without a terminal a wide console would pad plain text to its width: crop only what rich draws itself.
    console.print(content, soft_wrap=isinstance(content, str) or not console.is_terminal)


def complain(message: str) -> None:
    """Print a message about what went wrong on stderr."""
    say(text(f"Error: {message}", "red", lines=True))


def print_json(value: Any) -> None:
    """Print a JSON value on stdout, indented."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2) + "\n")


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Say on stderr, where that is a terminal, what is going on if it takes longer than a second."""
    if not sys.stderr.isatty():
        yield
        return
    import threading

    console = screen(stderr=True)
    status = console.status(text(f"{what} …"))
    timer = threading.Timer(PATIENCE_S, status.start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        status.stop()
