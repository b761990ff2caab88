"""The conversions that SQL does silently: SQLite's affinities before comparing, text as numbers in arithmetic.

SQLite's rules: sqlite.org/datatype3.html, sections 3 and 4.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from boxkit.errors import UnsupportedQuery
from boxkit.memory.transpile.sql_collation import folded
from boxkit.memory.transpile.sql_dates import is_date_text
from boxkit.plan import Call, Cast, Compare, Constant, Expression, InPlan, InValues, ScalarPlan, any_of
from boxkit.plan.types import Type

if TYPE_CHECKING:
    from boxkit.memory.transpile.sql_expressions import ExpressionReader

__all__ = ["cast", "compared", "in_plan", "in_values", "may_be_whole", "number", "to_integer", "to_text"]

_NUMERIC = ("integer", "real", "numeric")
_NUMBER = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)")


def affinity(expression: Expression, kind: Type) -> str:
    """The affinity of an operand; empty where it has none."""
    if isinstance(expression, Cast):
        return {"number": "real"}.get(expression.to, expression.to)
    if isinstance(expression, ScalarPlan):
        return kind.affinity
    return kind.affinity


def compared(operator: str, left: Expression, right: Expression, reader: ExpressionReader) -> Expression:
    """A comparison with the operands as the dialect converts them."""
    left, right = folded([left, right], reader)
    types = [reader.type_of(each) for each in (left, right)]
    affinities = [_affinity_in(reader, each, kind) for each, kind in zip((left, right), types, strict=True)]
    numeric = [each in _NUMERIC for each in affinities]
    if numeric[0] != numeric[1]:
        left = left if numeric[0] else as_numeric(left, types[0], operator)
        right = right if numeric[1] else as_numeric(right, types[1], operator)
    elif all(numeric):
        left, right = (_cleaned(each, kind, operator) for each, kind in zip((left, right), types, strict=True))
    elif "text" in affinities and not any(numeric):
        left = as_text(left, types[0]) if affinities[0] != "text" and affinities[1] == "text" else left
        right = as_text(right, types[1]) if affinities[1] != "text" and affinities[0] == "text" else right
    return Compare(operator, left, right)  # type: ignore[arg-type]  # the operator is one of Compare's, from a table of them


def _cleaned(value: Expression, kind: Type, operator: str) -> Expression:
    """A column of declared numbers into which a set operation has brought text."""
    if kind.kind != "mixed" or kind.values is not None:
        return value
    if operator != "=":
        raise UnsupportedQuery("a comparison of a column that is partly numbers, partly text")
    return Cast(value, "numeric")


def _affinity_in(reader: ExpressionReader, expression: Expression, kind: Type) -> str:
    """The affinity; for stricter dialects the kind decides."""
    found = affinity(expression, kind)
    if found or reader.dialect == "sqlite":
        return found
    return {"integer": "integer", "number": "real", "boolean": "integer", "text": "text"}.get(kind.kind, "")


def as_numeric(value: Expression, kind: Type, operator: str = "=") -> Expression:
    """Text that is a number through and through becomes one; other values stay."""
    if isinstance(value, Constant):
        return Constant(_numeric(value.value)) if isinstance(value.value, str) else value
    if kind.kind not in ("text", "mixed") or is_date_text(value):
        return value
    if operator not in ("=", "in"):
        known = None if kind.values is None else kind.values.dropna()
        if known is None or any(isinstance(each, str) and isinstance(_numeric(each), str) for each in known):
            if kind.kind == "mixed":
                return value
            raise UnsupportedQuery("an order between numbers and text that is not all numbers")
    return Cast(value, "numeric") if kind.kind == "text" else value


def as_text(value: Expression, kind: Type) -> Expression:
    """A number becomes its text."""
    if isinstance(value, Constant):
        if isinstance(value.value, bool) or value.value is None or isinstance(value.value, str):
            return value
        return Constant(str(value.value))
    return value if kind.kind in ("text", "null") else Cast(value, "text")


def _numeric(text: str) -> object:
    """The number that a text is, else the text."""
    found = _NUMBER.fullmatch(text.rstrip())
    if found is None:
        return text
    digits = found[1]
    value: object = int(digits) if re.fullmatch(r"[+-]?\d+", digits) else float(digits)
    return value


def number(value: Expression, reader: ExpressionReader) -> Expression:
    """A value as arithmetic sees it: of a text, the number that it begins with, else 0."""
    kind = reader.type_of(value)
    if isinstance(value, Constant):
        if not isinstance(value.value, str):
            return value
        found = _NUMBER.match(value.value)
        return Constant(_numeric(found[1]) if found else 0)
    if kind.kind not in ("text", "mixed"):
        return value
    if value == Call("year_now_text"):
        return Call("year_now")
    return Cast(value, "integer" if _gives_digits(value) else "number")


def _gives_digits(value: Expression) -> bool:
    """Whether a text is always a whole number's (a year taken from a date)."""
    return isinstance(value, Call) and value.function in ("year_text", "month_text", "day_text")


def to_integer(value: Expression, reader: ExpressionReader) -> Expression:
    """A number cut to a whole one, towards zero."""
    if isinstance(value, Constant) and isinstance(value.value, (int, float)):
        return Constant(int(value.value))
    return value if reader.type_of(value).kind == "integer" else Cast(value, "integer")


def to_text(value: Expression, reader: ExpressionReader) -> Expression:
    """A value as text.

    Raises:
        UnsupportedQuery: Decimal numbers, in a dialect that writes them otherwise than SQLite.
    """
    if isinstance(value, Constant):
        return value if value.value is None else Constant(str(value.value))
    kind = reader.type_of(value).kind
    if kind == "number" and reader.dialect != "sqlite":
        raise UnsupportedQuery("decimal numbers as text")
    return value if kind == "text" else Cast(value, "text")


def may_be_whole(kind: Type) -> bool:
    """Whether a value is a whole number to SQLite, or may be one in a column that holds decimals too."""
    return kind.kind == "integer" or kind.some_whole


def cast(value: Expression, to: Any, reader: ExpressionReader) -> Expression:
    """CAST, with the types' names as the dialect takes them."""
    name = to.this.name if hasattr(to.this, "name") else str(to.this)
    kinds = {
        **dict.fromkeys(("INT", "BIGINT", "SMALLINT", "TINYINT", "MEDIUMINT", "UBIGINT", "UINT"), "integer"),
        **dict.fromkeys(("DOUBLE", "FLOAT"), "number"),
        **dict.fromkeys(("TEXT", "VARCHAR", "CHAR", "NVARCHAR", "NCHAR"), "text"),
    }
    if name in ("DECIMAL", "UNKNOWN", "NUMERIC") and not to.expressions:
        kinds[name] = "number"
    if name not in kinds:
        raise UnsupportedQuery(f"CAST AS {name}", detail=exp.DataType.sql(to))
    target = kinds[name]
    kind = reader.type_of(value)
    if reader.dialect != "sqlite" and target == "integer" and kind.kind != "integer":
        raise UnsupportedQuery("CAST to a whole number, which rounds in this dialect")
    if isinstance(value, Constant):
        return _cast_constant(value, target, reader)
    if target == "text":
        # A text of another affinity is a text from here on.
        return Cast(value, "text") if kind.kind == "text" and kind.affinity != "text" else to_text(value, reader)
    if target == "number" and kind.kind in ("text", "mixed") and name in ("DECIMAL", "NUMERIC"):
        return number(value, reader)
    if target == "number" and kind.kind == "integer" and name in ("DECIMAL", "NUMERIC"):
        return value
    return Cast(value, "real" if target == "number" else target)  # type: ignore[arg-type]  # the targets are Cast's, from a table of them


def _cast_constant(value: Constant, target: str, reader: ExpressionReader) -> Constant:
    if value.value is None:
        return value
    if target == "text":
        return Constant(str(value.value))
    found = number(value, reader)
    assert isinstance(found, Constant) and isinstance(found.value, (int, float))
    return Constant(int(found.value) if target == "integer" else float(found.value))


def in_values(value: Expression, members: list[Expression], reader: ExpressionReader) -> Expression:
    """IN a list: the value's affinity applies to each member."""
    value, *members = folded([value, *members], reader)
    kind = reader.type_of(value)
    own = _affinity_in(reader, value, kind)
    if not all(isinstance(each, Constant) for each in members):
        return any_of(*(reader.compare("=", value, each) for each in members))
    if own in _NUMERIC:
        members = [as_numeric(each, reader.type_of(each)) for each in members]
    elif own == "text":
        members = [as_text(each, reader.type_of(each)) for each in members]
    return InValues(value, tuple(members))


def in_plan(value: Expression, plan: Any, reader: ExpressionReader) -> Expression:
    """IN a subquery: compared as `=` would compare the two."""
    from boxkit.memory.transpile.sql_expressions import column_of, single_column

    column, kind = column_of(plan, reader.reader)
    own = reader.type_of(value)
    sides = [_affinity_in(reader, value, own), _affinity_in(reader, column, kind)]
    numeric = [each in _NUMERIC for each in sides]
    changed: Expression = column
    if numeric[0] and not numeric[1]:
        changed = as_numeric(column, kind, "in")
    elif numeric[1] and not numeric[0]:
        value = as_numeric(value, own, "in")
    elif all(numeric):
        value, changed = _cleaned(value, own, "="), _cleaned(column, kind, "=")
    elif sides[0] == "text" and sides[1] != "text":
        changed = as_text(column, kind)
    elif sides[1] == "text" and sides[0] != "text":
        value = as_text(value, own)
    if changed != column:
        plan = single_column(plan, changed, column.name)
    return InPlan(value, plan)
