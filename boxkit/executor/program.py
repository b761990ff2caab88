"""One run inside the worker: code in, the reply out. Everything here may be in the hands of the code it runs."""

from __future__ import annotations

import ast
import io
import json
import linecache
import sqlite3
import sys
import traceback
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pandas.errors import ChainedAssignmentError  # type: ignore[attr-defined,unused-ignore]  # pandas 2's stubs lack it

from boxkit.executor import codec, database, environment, figures, filters, hints, state
from boxkit.executor.claims import Unsupported
from boxkit.executor.emptiness import is_empty

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
    scope = environment.names(frames, packages, environment.DATABASE_IMPORTS if call else frozenset())
    program = _Program(code, ast.parse(code, FILE_NAME), scope, frozenset(frames), frozenset(scope), call)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", ChainedAssignmentError)
            program.execute()
            reply = program.answer()
    except BaseException as error:  # the border: generated code may raise anything
        reply = Reply({"error": program.describe(error)})
    reply.head.update(stdout=printed.text(), cut=printed.cut)
    return reply


@dataclass(frozen=True, slots=True)
class _Program:
    """Code, and the variables it runs with.

    Attributes:
        code: Its text.
        tree: The same, parsed.
        scope: Its global variables.
        boxes: Which of these are boxes.
        known: Which of these were there before.
        call: The argument of ``compute_result``, if that is to be called.
    """

    code: str
    tree: ast.Module
    scope: dict[str, Any]
    boxes: frozenset[str]
    known: frozenset[str]
    call: str

    def execute(self) -> None:
        """Run it; the value of a last expression is kept."""
        if self.call:
            sqlite3.connect = database.only_reading(self.call)  # type: ignore[assignment]  # replaced for the code that runs here, on purpose
        linecache.cache[FILE_NAME] = (len(self.code), None, self.code.splitlines(keepends=True), FILE_NAME)
        body = list(self.tree.body)
        if body and isinstance(body[-1], ast.Expr):
            target = ast.copy_location(ast.Name(_LAST, ast.Store()), body[-1])
            body[-1] = ast.copy_location(ast.Assign([target], body[-1].value), body[-1])
        tree = ast.fix_missing_locations(ast.Module(body, []))
        exec(compile(tree, FILE_NAME, "exec"), self.scope)  # noqa: S102 - what this process is for; it is confined by now
        if self.call:
            if not callable(self.scope.get("compute_result")):
                raise NoFunction("the code defines no function compute_result(database_path)")
            self.scope["answer"] = self.scope["compute_result"](self.call)

    def answer(self) -> Reply:
        """The answer, encoded, and the figures; or that there is none."""
        drawn = figures.take()
        if "answer" in self.scope:
            value = self.scope["answer"]
        elif self.scope.get(_LAST) is not None and not _is_drawing(self.scope[_LAST]):
            value = self.scope[_LAST]
        else:
            return Reply({"none": {"state": self.state()}, "figures": len(drawn)}, list(drawn))
        head, parts = codec.encode(value)
        reply = Reply({"value": head, "figures": len(drawn)}, [*drawn, *parts])
        if is_empty(value):
            reply.head["empty"] = {"hint": self.unmet(), "state": self.state()}
        return reply

    def describe(self, error: BaseException) -> dict[str, Any]:
        """What is said of an exception."""
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == FILE_NAME]
        kind = next((kind for types, kind in _KINDS if isinstance(error, types)), "exception")
        line = lines[-1] if lines else None
        place = hints.Place(self.tree, line, self.scope, self.boxes)
        hint = _guarded(lambda: hints.hint(error, place))
        if kind == "exception" and isinstance(error, (IndexError, ValueError, StopIteration, KeyError, AttributeError)):
            hint = "; ".join(filter(None, (hint, _guarded(self.unmet))))
        said = {"kind": kind, "type": type(error).__name__, "message": _message(error), "line": line}
        return {**said, "hint": hint, "state": self.state()}

    def unmet(self) -> str:
        """The filters that left nothing."""
        return _guarded(lambda: filters.unmet(self.tree, self.scope, self.boxes))

    def state(self) -> str:
        """The variables so far."""
        return _guarded(lambda: state.state(self.scope, self.known))


class NoFunction(NameError):
    """The function that was to be called is not there."""


_KINDS: tuple[tuple[tuple[type[BaseException], ...], str], ...] = (
    ((MemoryError,), "memory"),
    ((NoFunction,), "no answer"),
    ((environment.RefusedImport, OSError), "refused"),
    ((ChainedAssignmentError,), "policy"),
    ((Unsupported,), "unsupported"),
)


def _guarded(advise: Callable[[], str]) -> str:
    """Advice, or none: what is said of a failure must never be a failure of its own."""
    try:
        return advise()
    except Exception:
        return ""


def _is_drawing(value: Any) -> bool:
    first = value[0] if isinstance(value, (list, tuple)) and value else value
    return type(first).__module__.startswith("matplotlib.")


def _message(error: BaseException) -> str:
    if isinstance(error, ChainedAssignmentError):
        return "a chained assignment changes a copy, not the frame"
    text = _guarded(lambda: str(error))
    return text if len(text) <= _MAX_MESSAGE_CHARS else text[:_MAX_MESSAGE_CHARS] + " …"
