"""SQL's functions of one row's values, by the algebra's."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from boxkit.errors import UnsupportedQuery
from boxkit.memory.transpile import sql_compare as compare
from boxkit.memory.transpile.sql_collation import only_ascii
from boxkit.memory.transpile.sql_dates import read_date_function
from boxkit.plan import Call, Case, Cast, Constant, Expression

if TYPE_CHECKING:
    from boxkit.memory.transpile.sql_expressions import ExpressionReader

__all__ = ["read_function"]


def read_function(reader: ExpressionReader, node: Any) -> Expression:
    """A function's call.

    Raises:
        UnsupportedQuery: The function is not known here.
    """
    read = _READERS.get(type(node))
    if read is not None:
        return read(reader, node)
    found = read_date_function(reader, node)
    if found is not None:
        return found
    name = node.this if isinstance(node, exp.Anonymous) else type(node).__name__
    raise UnsupportedQuery(f"the function {str(name).upper()}", detail=node.sql())


def text(reader: ExpressionReader, node: Any) -> Expression:
    """An argument as text."""
    return compare.to_text(reader.read(node), reader)


def whole(reader: ExpressionReader, node: Any) -> int:
    """An argument that must be a whole number written out."""
    value = reader.read(node)
    if not isinstance(value, Constant) or not isinstance(value.value, int):
        raise UnsupportedQuery("a computed position or length", detail=node.sql())
    return value.value


def _letters(name: str) -> Callable[[ExpressionReader, Any], Expression]:
    """LOWER and UPPER: SQLite changes the letters of ASCII only."""

    def read(reader: ExpressionReader, node: Any) -> Expression:
        value = text(reader, node.this)
        return Call(name if only_ascii(value, reader) else f"{name}_ascii", (value,))

    return read


def _of_text(name: str) -> Callable[[ExpressionReader, Any], Expression]:
    return lambda reader, node: Call(name, (text(reader, node.this),))


def _of_number(name: str) -> Callable[[ExpressionReader, Any], Expression]:
    return lambda reader, node: Call(name, (compare.number(reader.read(node.this), reader),))


def _trim(reader: ExpressionReader, node: Any) -> Expression:
    if node.expression is not None:
        raise UnsupportedQuery("TRIM of other characters than spaces", detail=node.sql())
    name = {"LEADING": "trim_left", "TRAILING": "trim_right"}.get((node.args.get("position") or "").upper(), "trim")
    return Call(name, (text(reader, node.this),))


def _round(reader: ExpressionReader, node: Any) -> Expression:
    decimals = node.args.get("decimals")
    places = 0 if decimals is None else max(whole(reader, decimals), 0)
    value = compare.number(reader.read(node.this), reader)
    if reader.type_of(value).kind == "integer":
        return Cast(value, "real")
    return Call("round", (value, Constant("1" if places == 0 else f"0.{'0' * (places - 1)}1")))


def _substring(reader: ExpressionReader, node: Any) -> Expression:
    value = text(reader, node.this)
    start = whole(reader, node.args["start"])
    length = node.args.get("length")
    count = None if length is None else whole(reader, length)
    if count is not None and count < 0:
        raise UnsupportedQuery("SUBSTR of a negative length", detail=node.sql())
    if start == 0 and count is not None:
        # SQLite counts a place before the first character.
        start, count = 1, max(count - 1, 0)
    first = start - 1 if start > 0 else start
    if count is None:
        return Call("text_from", (value, Constant(max(first, 0) if start >= 0 else first)))
    if first < 0 <= first + count:
        if first + count > 0:
            raise UnsupportedQuery("SUBSTR past the end", detail=node.sql())
        return Call("text_from", (value, Constant(first)))
    return Call("text_part", (value, Constant(first), Constant(first + count)))


def _position_of(reader: ExpressionReader, node: Any) -> Expression:
    if node.args.get("position") is not None:
        raise UnsupportedQuery("a search from a position on", detail=node.sql())
    return Call("position", (text(reader, node.this), text(reader, node.args["substr"])))


def _replace(reader: ExpressionReader, node: Any) -> Expression:
    old, new = (text(reader, node.args[name]) for name in ("expression", "replacement"))
    if not isinstance(old, Constant) or not isinstance(new, Constant) or old.value == "":
        raise UnsupportedQuery("REPLACE by computed texts", detail=node.sql())
    return Call("replace", (text(reader, node.this), old, new))


def _coalesce(reader: ExpressionReader, node: Any) -> Expression:
    values = [reader.read(each) for each in (node.this, *node.expressions)]
    found = values[-1]
    for value in reversed(values[:-1]):
        kinds = {reader.type_of(each).kind for each in (value, found)} - {"null"}
        if (
            reader.type_of(value).nullable
            and len({"number" if kind in ("integer", "boolean") else kind for kind in kinds}) > 1
        ):
            raise UnsupportedQuery("COALESCE of numbers and text", detail=node.sql())
        found = Call("first_known", (value, found))
    return found


def _concatenated(reader: ExpressionReader, node: Any) -> Expression:
    from boxkit.memory.transpile.sql_expressions import joined_text

    values = [text(reader, each) for each in node.expressions]
    if reader.dialect == "postgres":
        # A missing value counts as an empty text.
        values = [
            Call("first_known", (each, Constant(""))) if reader.type_of(each).nullable else each for each in values
        ]
    return joined_text(values)


def _end(reader: ExpressionReader, node: Any) -> Expression:
    count = whole(reader, node.expression)
    if count <= 0:
        raise UnsupportedQuery("LEFT or RIGHT of a negative length", detail=node.sql())
    if isinstance(node, exp.Left):
        return Call("text_part", (text(reader, node.this), Constant(0), Constant(count)))
    return Call("text_from", (text(reader, node.this), Constant(-count)))


def _nullif(reader: ExpressionReader, node: Any) -> Expression:
    value = reader.read(node.this)
    same = reader.compare("=", value, reader.read(node.expression))
    return Case(((same, Constant(None)),), value)


def _extreme(name: str) -> Callable[[ExpressionReader, Any], Expression]:
    def read(reader: ExpressionReader, node: Any) -> Expression:
        values = [reader.read(each) for each in (node.this, *node.expressions)]
        if not all(reader.type_of(each).is_number for each in values):
            raise UnsupportedQuery(f"{name} of several texts", detail=node.sql())
        found = values[0]
        for value in values[1:]:
            found = Call(name, (found, value))
        return found

    return read


_READERS: dict[type, Callable[[Any, Any], Expression]] = {
    exp.Lower: _letters("lower"),
    exp.Upper: _letters("upper"),
    exp.Length: _of_text("length"),
    exp.Abs: _of_number("absolute"),
    exp.Sqrt: _of_number("square_root"),
    exp.Floor: _of_number("floor"),
    exp.Ceil: _of_number("ceiling"),
    exp.Trim: _trim,
    exp.Round: _round,
    exp.Substring: _substring,
    exp.StrPosition: _position_of,
    exp.Replace: _replace,
    exp.Coalesce: _coalesce,
    exp.Nullif: _nullif,
    exp.Concat: _concatenated,
    exp.Left: _end,
    exp.Right: _end,
    exp.Greatest: _extreme("greater"),
    exp.Least: _extreme("lesser"),
}
