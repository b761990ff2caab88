"""One run inside the worker: code in, the reply out. Everything here may be in the hands of the code it runs."""

from __future__ import annotations

import ast
import io
import json
import linecache
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from boxkit.executor import codec, environment

__all__ = ["FILE_NAME", "Printed", "run"]

FILE_NAME = "<answer>"
_LAST = "_last_expression"
_MAX_MESSAGE_CHARS = 2000


class Printed(io.TextIOBase):
    """What the code prints, up to a limit."""

    def __init__(self, limit: int) -> None:
        self._left = limit
        self._pieces: list[str] = []
        self.cut = False

    def writable(self) -> bool:
        """True."""
        return True

    def write(self, text: str) -> int:
        """Keep as much of ``text`` as there is room for."""
        if len(text) > self._left:
            self.cut = True
        if self._left > 0:
            piece = text[: self._left]
            self._pieces.append(piece)
            self._left -= len(piece)
        return len(text)

    def text(self) -> str:
        """What was kept."""
        return "".join(self._pieces)


@dataclass(slots=True)
class Reply:
    """What goes back: a JSON head and the parts it refers to."""

    head: dict[str, Any]
    parts: list[Any] = field(default_factory=list)

    def write(self, write: Callable[[Any], int]) -> None:
        """Write length, head and parts with ``write``, which may take less than it is given."""
        self.head["parts"] = [memoryview(part).nbytes for part in self.parts]
        head = json.dumps(self.head, separators=(",", ":"), allow_nan=False).encode()
        for part in (len(head).to_bytes(8, "little"), head, *self.parts):
            left = memoryview(part).cast("B") if memoryview(part).nbytes else b""
            while len(left):
                left = left[write(left) :]


def run(code: str, frames: Mapping[str, Any], *, output_chars: int, packages: tuple[str, ...], call: str = "") -> Reply:
    """Run ``code`` and return what came of it.

    Args:
        code: Generated code; it parses.
        frames: The boxes' frames.
        output_chars: How much printed text is kept.
        packages: Analytics packages that the code names.
        call: Where given, the answer is ``compute_result(call)``.
    """
    printed = Printed(output_chars)
    sys.stdout = sys.stderr = printed
    more = frozenset({"sqlite3"}) if call else frozenset()
    scope = environment.names(frames, packages, more)
    known = set(scope)
    try:
        _execute(code, scope)
        if call:
            scope["answer"] = scope["compute_result"](call)
        reply = _answer(scope)
    except BaseException as error:  # the border: generated code may raise anything
        reply = Reply({"error": _describe(error, code)})
    reply.head.update(stdout=printed.text(), cut=printed.cut)
    return reply


def _execute(code: str, scope: dict[str, Any]) -> None:
    linecache.cache[FILE_NAME] = (len(code), None, code.splitlines(keepends=True), FILE_NAME)
    tree = ast.parse(code, FILE_NAME)
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr):
        target = ast.copy_location(ast.Name(_LAST, ast.Store()), last)
        tree.body[-1] = ast.copy_location(ast.Assign([target], last.value), last)
    exec(compile(ast.fix_missing_locations(tree), FILE_NAME, "exec"), scope)  # noqa: S102


def _answer(scope: dict[str, Any]) -> Reply:
    if "answer" in scope:
        value = scope["answer"]
    elif scope.get(_LAST) is not None:
        value = scope[_LAST]
    else:
        return Reply({"none": True})
    head, parts = codec.encode(value)
    return Reply({"value": head}, parts)


def _describe(error: BaseException, code: str) -> dict[str, Any]:
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == FILE_NAME]
    if isinstance(error, SyntaxError) and error.filename == FILE_NAME:
        lines = [error.lineno]
    kind = "exception"
    if isinstance(error, MemoryError):
        kind = "memory"
    elif isinstance(error, environment.RefusedImport):
        kind = "refused"
    elif isinstance(error, codec.Unsupported):
        kind = "unsupported"
    message = _message(error)
    line = lines[-1] if lines else None
    return {"kind": kind, "type": type(error).__name__, "message": message, "line": line}


def _message(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:  # an exception whose own text fails
        text = ""
    return text if len(text) <= _MAX_MESSAGE_CHARS else text[:_MAX_MESSAGE_CHARS] + " …"
