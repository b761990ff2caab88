"""The functions of one row's values: their types, and how pandas writes them for a column and for a single value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from boxkit.plan.types import Kind, Type, union_of

__all__ = ["FUNCTIONS", "Function"]


@dataclass(frozen=True, slots=True)
class Function:
    """A function.

    Attributes:
        kind: The kind of its result; None: that of its arguments.
        column: pandas code for a column, with ``{0}``, ``{1}`` … for its arguments.
        single: Python code for one value; None where the column's code serves.
        text: Whether its first argument must be text.
        can_miss: Whether the result can be missing where no argument is.
        never_misses: Whether the result is there even where an argument is missing.
    """

    kind: Kind | None
    column: str
    single: str | None = None
    text: bool = False
    can_miss: bool = False
    never_misses: bool = False

    def type_of(self, arguments: Sequence[Type]) -> Type:
        """The type of the result."""
        nullable = (self.can_miss or any(each.nullable for each in arguments)) and not self.never_misses
        kind = self.kind or union_of(arguments).kind
        return Type(kind, nullable)


def _first(kind: Kind | None, column: str, single: str | None = None, *, text: bool = False) -> Function:
    return Function(kind, column, single, text)


FUNCTIONS: dict[str, Function] = {
    "lower": _first("text", "{0}.str.lower()", "{0}.lower()", text=True),
    "upper": _first("text", "{0}.str.upper()", "{0}.upper()", text=True),
    "length": _first("integer", "{0}.str.len()", "len({0})", text=True),
    "trim": _first("text", '{0}.str.strip(" ")', '{0}.strip(" ")', text=True),
    "trim_left": _first("text", '{0}.str.lstrip(" ")', '{0}.lstrip(" ")', text=True),
    "trim_right": _first("text", '{0}.str.rstrip(" ")', '{0}.rstrip(" ")', text=True),
    "absolute": _first(None, "{0}.abs()", "abs({0})"),
}
