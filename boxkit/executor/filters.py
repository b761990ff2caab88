"""Why a filter left nothing: the conditions that no row meets, and the values that do exist. Runs beside the code."""

from __future__ import annotations

import ast
import operator
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from boxkit.errors import nearest

__all__ = ["unmet"]

_MAX_VALUES = 8
_MAX_COMPARED = 20_000
_MAX_CHARS = 60
_ORDER = {ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Lt: operator.lt, ast.LtE: operator.le}
_SIGNS = {ast.Gt: ">", ast.GtE: ">=", ast.Lt: "<", ast.LtE: "<="}


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on one column, as found in the code.

    Attributes:
        frame: The name of the frame; empty inside a query string.
        column: The column's label.
        how: ``"=="``, ``"in"``, ``"contains"``, or a sign of order.
        values: What the column is compared with.
    """

    frame: str
    column: Any
    how: str
    values: tuple[Any, ...]

    def __str__(self) -> str:
        value = repr(self.values[0]) if self.how != "in" else repr(list(self.values))
        return f"[{self.column!r}] {self.how} {value}"


def unmet(tree: ast.AST, scope: Mapping[str, Any], boxes: frozenset[str]) -> str:
    """The conditions that no row of its box meets, each with values that do exist; empty where all are met."""
    told = []
    for condition in dict.fromkeys(_conditions(tree)):
        for name in _owners(condition, scope, boxes):
            text = _against(condition, name, scope[name][condition.column])
            if text:
                told.append(text)
    return "; ".join(dict.fromkeys(told[:5]))


def _conditions(tree: ast.AST) -> Iterator[Condition]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            yield from _compared(node)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            yield from _called(node.func, node.args[0])


def _compared(node: ast.Compare) -> Iterator[Condition]:
    left, right = node.left, node.comparators[0]
    if isinstance(left, ast.Constant):
        left, right = right, left
    place, value = _column(left), _constant(right)
    if place is None or value is None:
        return
    kind = type(node.ops[0])
    if kind is ast.Eq:
        yield Condition(*place, "==", (value,))
    elif kind in _ORDER and left is node.left:
        yield Condition(*place, _SIGNS[kind], (value,))


def _called(function: ast.Attribute, argument: ast.expr) -> Iterator[Condition]:
    if function.attr == "query" and isinstance(argument, ast.Constant) and isinstance(argument.value, str):
        try:
            inner = ast.parse(argument.value.strip().replace("@", ""), mode="eval")
        except SyntaxError:
            return
        for node in ast.walk(inner):
            if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.left, ast.Name):
                value = _constant(node.comparators[0])
                if value is not None and isinstance(node.ops[0], ast.Eq):
                    yield Condition("", node.left.id, "==", (value,))
        return
    place = _column(function.value)
    if place is None:
        return
    if function.attr == "isin" and isinstance(argument, (ast.List, ast.Tuple, ast.Set)):
        values = tuple(each.value for each in argument.elts if isinstance(each, ast.Constant))
        if values:
            yield Condition(*place, "in", values)
    elif function.attr in ("eq", "contains", "startswith", "endswith", "match", "fullmatch"):
        value = _constant(argument)
        if value is not None:
            yield Condition(*place, "==" if function.attr in ("eq", "fullmatch") else "contains", (value,))


def _constant(node: ast.expr) -> Any:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        return -node.operand.value if isinstance(node.operand.value, (int, float)) else None
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, (str, int, float, bool)) else None


def _column(node: ast.AST) -> tuple[str, Any] | None:
    """Frame and column of ``frame["column"]``, ``frame.column`` and of methods chained behind these."""
    while isinstance(node, (ast.Call, ast.Attribute, ast.Subscript)):
        if isinstance(node, ast.Call):
            node = node.func
        elif isinstance(node, ast.Subscript):
            if isinstance(node.slice, ast.Constant):
                return (node.value.id if isinstance(node.value, ast.Name) else ""), node.slice.value
            node = node.value
        else:
            if isinstance(node.value, ast.Name):
                return node.value.id, node.attr
            node = node.value
    return None


def _owners(condition: Condition, scope: Mapping[str, Any], boxes: frozenset[str]) -> list[str]:
    """The frame that the condition names, if it still has rows; else the boxes that have such a column."""

    def has(name: str) -> bool:
        frame = scope.get(name)
        return isinstance(frame, pd.DataFrame) and len(frame) > 0 and list(frame.columns).count(condition.column) == 1

    if has(condition.frame) and condition.frame in boxes:
        return [condition.frame]
    holders = [name for name in sorted(boxes) if has(name)]
    return holders or ([condition.frame] if has(condition.frame) else [])


def _against(condition: Condition, name: str, column: Any) -> str:
    present = column.dropna()
    if present.empty:
        return f"{name}[{condition.column!r}] has no values at all"
    if condition.how in _SIGNS.values():
        return _out_of_range(condition, name, present)
    if _any_match(condition, present):
        return ""
    where = f"no row of {name} has {condition}"
    if pd.api.types.is_numeric_dtype(present.dtype) and all(isinstance(value, str) for value in condition.values):
        return f"{where}: the column is {present.dtype}, compare it with a number ({_shown(present.unique()[:3])} …)"
    if not pd.api.types.is_numeric_dtype(present.dtype) and not any(
        isinstance(value, str) for value in condition.values
    ):
        return f"{where}: the column is {present.dtype}, compare it with text ({_shown(present.unique()[:3])} …)"
    return f"{where}; {_existing(condition, present)}"


def _any_match(condition: Condition, present: Any) -> bool:
    if condition.how == "contains":
        texts = present.astype(str).str.casefold()
        return bool(texts.str.contains(str(condition.values[0]).casefold(), regex=False).any())
    try:
        return bool(present.isin(list(condition.values)).any())
    except TypeError:
        return True


def _out_of_range(condition: Condition, name: str, present: Any) -> str:
    compare = next(_ORDER[kind] for kind, sign in _SIGNS.items() if sign == condition.how)
    try:
        if bool(compare(present, condition.values[0]).any()):
            return ""
        return f"no row of {name} has {condition}: it runs from {_cell(present.min())} to {_cell(present.max())}"
    except TypeError:
        return ""


def _existing(condition: Condition, present: Any) -> str:
    counts = present.astype(str).value_counts()
    known = list(counts.index[:_MAX_COMPARED])
    if len(known) <= _MAX_VALUES:
        return f"the values are {_shown(known)}"
    close = [value for wanted in condition.values for value in _close(str(wanted), known)]
    rest = [value for value in known if value not in close]
    shown = close[:_MAX_VALUES] + rest[: max(3, _MAX_VALUES - len(close))]
    lead = f"nearest: {_shown(close[:_MAX_VALUES])}; " if close else ""
    return f"{lead}of {len(counts)} values the most frequent are {_shown([v for v in shown if v not in close])}"


def _close(wanted: str, known: list[str]) -> list[str]:
    """Values alike in letters, in words, or in initials ('USA' and 'United States')."""
    folded = wanted.casefold()
    within = [value for value in known if folded in value.casefold() or (value and value.casefold() in folded)]
    initials = [
        value for value in known if len(folded) > 1 and _initials(value) and folded.startswith(_initials(value))
    ]
    return list(dict.fromkeys([*nearest(wanted, known), *initials, *within]))[:5]


def _initials(value: str) -> str:
    words = value.split()
    return "".join(word[0] for word in words).casefold() if len(words) > 1 else ""


def _shown(values: Any) -> str:
    return ", ".join(_cell(value) for value in values)


def _cell(value: Any) -> str:
    text = repr(value.item() if hasattr(value, "item") else value)
    return text if len(text) <= _MAX_CHARS else text[:_MAX_CHARS] + "…"
