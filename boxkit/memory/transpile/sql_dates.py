"""Date functions over dates that are kept as ISO text, as SQLite keeps them."""

from __future__ import annotations

import datetime
import re
from typing import TYPE_CHECKING, Any, TypeGuard

from sqlglot import exp

from boxkit.errors import UnsupportedQuery
from boxkit.plan import Arithmetic, Call, Cast, Constant, Expression
from boxkit.plan.schema import walk
from boxkit.plan.types import Type

if TYPE_CHECKING:
    from boxkit.memory.transpile.sql_expressions import ExpressionReader

__all__ = ["holds_dates", "is_date_text", "is_day", "read_date_function"]

_ISO = re.compile(r"\d{4}-\d{2}-\d{2}(?:[ T]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?")
#: Formats that are a piece of an ISO text: the function here, where the piece starts and ends.
_PIECES = {"%Y": (0, 4), "%m": (5, 7), "%d": (8, 10), "%Y-%m": (0, 7), "%Y-%m-%d": (0, 10)}
_DIGITS = {"%Y": "year_text", "%m": "month_text", "%d": "day_text"}
#: Functions whose text is a date again.
_GIVE_DATES = (
    "text_part",
    "formatted_date",
    "days_later",
    "formatted_days_later",
    "months_later",
    "months_later_or_more",
)
_KNOWN_CODES = set("dHjmMSwY")


def read_date_function(reader: ExpressionReader, node: Any) -> Expression | None:
    """STRFTIME, DATE, TIME, DATETIME, JULIANDAY and the like; None for any other function."""
    if reader.dialect != "sqlite" and not isinstance(node, exp.TimeToStr):
        return _extracted(reader, node)
    name, arguments = _call(node)
    if (name in ("strftime", "date", "time", "datetime") or (name and len(arguments) > 1)) and _is_constant(node):
        return _computed(node)
    if name == "strftime":
        return _formatted(reader, arguments[0], arguments[1:], node)
    if name in ("date", "time", "datetime"):
        pattern = {"date": "%Y-%m-%d", "time": "%H:%M:%S", "datetime": "%Y-%m-%d %H:%M:%S"}[name]
        return _formatted(reader, exp.Literal.string(pattern), arguments, node)
    if name == "julianday":
        moment = _moment(reader, arguments, node)
        if isinstance(moment, Call) and moment.function == "days_later":
            return Arithmetic("+", Call("julian_day", moment.arguments[:1]), moment.arguments[1])
        return Call("julian_now") if moment is None else Call("julian_day", (moment,))
    return None


def _is_constant(node: Any) -> bool:
    """Whether a date is written out and changed by what is written out."""
    leaves = [
        each for each in node.walk() if not each.args or isinstance(each, (exp.Literal, exp.Column, exp.Subquery))
    ]
    texts = [each.name.lower() for each in leaves]
    return all(isinstance(each, exp.Literal) and each.is_string for each in leaves) and not {
        "now",
        "localtime",
        "utc",
    } & set(texts)


def _computed(node: Any) -> Constant:
    """A constant date's value, as SQLite computes it."""
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(":memory:")) as connection:
        try:
            return Constant(connection.execute(f"SELECT {node.sql(dialect='sqlite')}").fetchone()[0])
        except sqlite3.Error as error:
            raise UnsupportedQuery("a date function that SQLite refuses", detail=str(error)) from error


def is_date_text(value: Expression) -> bool:
    """Whether a value is the text of a date, computed by a date function."""
    if isinstance(value, Arithmetic):
        return value.operator == "||" and is_date_text(value.left)
    return isinstance(value, Call) and value.function in _GIVE_DATES


def _call(node: Any) -> tuple[str, list[Any]]:
    """SQLite's name of a function and its arguments, however sqlglot has read it."""
    if isinstance(node, exp.TimeToStr):
        inner = node.this
        while isinstance(inner, (exp.TsOrDsToTimestamp, exp.TsOrDsToDate)):
            inner = inner.this
        return "strftime", [node.args["format"], inner]
    if isinstance(node, exp.Anonymous):
        return node.this.lower(), list(node.expressions)
    if isinstance(node, (exp.Date, exp.TsOrDsToDate)):
        return "date", [node.this, *(node.expressions or [])]
    if isinstance(node, exp.CurrentDate):
        return "date", [exp.Literal.string("now")]
    if isinstance(node, exp.CurrentTimestamp):
        return "datetime", [exp.Literal.string("now")]
    return "", []


def _moment(reader: ExpressionReader, arguments: list[Any], node: Any) -> Expression | None:
    """The moment that is meant; None for now.

    Raises:
        UnsupportedQuery: It has modifiers, or the column holds what is no ISO date.
    """
    if len(arguments) > 1:
        return _moved(reader, arguments, node)
    value = reader.read(arguments[0]) if arguments else Constant("now")
    if isinstance(value, Constant):
        if value.value == "now":
            return None
        if not isinstance(value.value, str) or not _is_iso(value.value):
            raise UnsupportedQuery("a date that is not written YYYY-MM-DD", detail=node.sql())
        return value
    if is_date_text(value):
        return value
    if not holds_dates(reader.type_of(value)):
        raise UnsupportedQuery("a date function of what is not all written YYYY-MM-DD", detail=node.sql())
    return value


_MODIFIER = re.compile(r"([+-]?\d+) (day|month|year)s?|start of (month|year)")


def _moved(reader: ExpressionReader, arguments: list[Any], node: Any) -> Expression:
    """A date after its modifiers, in order: so many days, months or years later, the start of its month or year."""
    first, *modifiers = arguments
    moment = _moment(reader, [first], node)
    if moment is None or isinstance(moment, Constant):
        raise UnsupportedQuery("a date modifier", detail=node.sql())
    days = 0
    for each in modifiers:
        found = _MODIFIER.fullmatch(each.name.lower() if isinstance(each, exp.Literal) else "")
        if found is None or (days and found[2] != "day"):
            raise UnsupportedQuery("a date modifier", detail=node.sql())
        if found[2] == "day":
            days += int(found[1])
        elif found[2]:
            months = Constant(int(found[1]) * (12 if found[2] == "year" else 1))
            moment = Call("months_later" if _is_early(moment, reader) else "months_later_or_more", (moment, months))
        else:
            end, rest = (7, "-01") if found[3] == "month" else (4, "-01-01")
            moment = Arithmetic("||", Call("text_part", (moment, Constant(0), Constant(end))), Constant(rest))
    return Call("days_later", (moment, Constant(days))) if days else moment


def _is_early(value: Expression, reader: ExpressionReader) -> bool:
    """Whether a date's day is one that every month has."""
    if isinstance(value, Arithmetic):
        return True  # the first of a month
    known = reader.type_of(value).values
    return known is not None and bool((known.dropna().str[8:10] <= "28").all())


def _loses_time(value: Expression) -> bool:
    """Whether a moment has lost its time of day on the way, which SQLite would have kept."""
    return any(
        isinstance(each, Call) and each.function.startswith("months_later") for each in walk(value, into_plans=False)
    )


def is_day(value: Expression, reader: ExpressionReader) -> TypeGuard[Call]:
    """Whether a value is the Julian day of a date without a time: the difference of two is exact."""
    if not isinstance(value, Call) or value.function != "julian_day":
        return False
    known = reader.type_of(value.arguments[0]).values
    return known is not None and bool((known.dropna().str.len() == 10).all())


def _is_about_days(value: Expression) -> bool:
    """Whether a number is computed from a Julian day: then a date function takes it for one."""
    return any(isinstance(each, Call) and each.function == "julian_day" for each in walk(value, into_plans=False))


def holds_dates(kind: Type) -> bool:
    """Whether a column's values are known and all ISO dates."""
    if kind.kind != "text" or kind.values is None:
        return False
    return all(isinstance(each, str) and _is_iso(each) for each in kind.values.dropna().unique())


def _is_iso(value: str) -> bool:
    if _ISO.fullmatch(value) is None:
        return False
    try:
        datetime.date.fromisoformat(value[:10])
    except ValueError:
        return False
    return True


def _formatted(reader: ExpressionReader, pattern_node: Any, arguments: list[Any], node: Any) -> Expression:
    pattern = pattern_node.name
    if not isinstance(pattern_node, (exp.Literal, exp.Column)) or not set(re.findall(r"%(.)", pattern)) <= _KNOWN_CODES:
        raise UnsupportedQuery(f"the date format {pattern!r}", detail=node.sql())
    if len(arguments) == 1 and not isinstance(arguments[0], exp.Literal):
        day = reader.read(arguments[0])
        if reader.type_of(day).is_number and _is_about_days(day):
            return Call("formatted_julian_day", (day, Constant(pattern)))
    moment = _moment(reader, arguments, node)
    if moment is None:
        return Call("year_now_text") if pattern == "%Y" else Call("formatted_now", (Constant(pattern),))
    if _loses_time(moment) and not set(re.findall(r"%(.)", pattern)) <= set("Ymdjw"):
        raise UnsupportedQuery("a date modifier where the time of day counts", detail=node.sql())
    if isinstance(moment, Call) and moment.function == "days_later":
        return Call("formatted_days_later", (*moment.arguments, Constant(pattern)))
    if isinstance(moment, Constant):
        return Constant(datetime.datetime.fromisoformat(str(moment.value)).strftime(pattern))
    if pattern in _DIGITS:
        return Call(_DIGITS[pattern], (moment,))
    if pattern in _PIECES:
        start, end = _PIECES[pattern]
        return Call("text_part", (moment, Constant(start), Constant(end)))
    return Call("formatted_date", (moment, Constant(pattern)))


def _extracted(reader: ExpressionReader, node: Any) -> Expression | None:
    """EXTRACT, YEAR, MONTH and DAY of other dialects."""
    unit = ""
    if isinstance(node, exp.Extract):
        unit, inner = node.name.upper(), node.expression
    elif isinstance(node, (exp.Year, exp.Month, exp.Day)):
        unit, inner = type(node).__name__.upper(), node.this
    name = {"YEAR": "year_text", "MONTH": "month_text", "DAY": "day_text"}.get(unit)
    if name is None:
        return None
    while isinstance(inner, (exp.TsOrDsToDate, exp.TsOrDsToTimestamp, exp.Cast)):
        inner = inner.this
    moment = _moment(reader, [inner], node)
    if moment is None:
        raise UnsupportedQuery("the current date", detail=node.sql())
    return Cast(Call(name, (moment,)), "integer")
