"""SPARQL's functions and casts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from boxkit.errors import UnsupportedQuery
from boxkit.memory.transpile.sparql_compare import compared
from boxkit.memory.transpile.sparql_relation import Bound
from boxkit.plan import Arithmetic, Call, Cast, Constant, Expression, IsMissing, Like, any_of
from boxkit.plan.expressions import CastName

if TYPE_CHECKING:
    from boxkit.memory.transpile.sparql_expressions import ExpressionReader

__all__ = ["BUILTINS", "cast", "is_date_cast"]

Bindings = Mapping[str, Bound]
_XSD = "http://www.w3.org/2001/XMLSchema#"
_NUMBERS = ("decimal", "double", "float")
_DATES = ("dateTime", "date")
_ISO = re.compile(r"\d{4}-\d\d-\d\d(T.*)?")


def is_date_cast(expr: Any) -> bool:
    """Whether an expression is made a date by a cast: then dates of several precisions compare."""
    return getattr(expr, "name", "") == "Function" and str(expr.iri) in {_XSD + name for name in _DATES}


def cast(reader: ExpressionReader, expr: Any, bound: Bindings) -> Bound:
    """``xsd:…(value)``."""
    iri = str(expr.iri)
    name = iri.removeprefix(_XSD)
    arguments = expr.expr if isinstance(expr.expr, list) else [expr.expr]
    if not iri.startswith(_XSD) or len(arguments) != 1:
        raise UnsupportedQuery("a function of another vocabulary", detail=iri)
    value = reader.value(arguments[0], bound)
    if name in _DATES:
        return _as_date(value)
    if name == "string":
        return _as_text(reader, value)
    if name in ("integer", *_NUMBERS):
        return _as_number(value, "integer" if name == "integer" else "numeric")
    # Others, xsd:int among them, are no casts of SPARQL 1.1: engines refuse them, or give nothing.
    raise UnsupportedQuery(f"the cast xsd:{name}")


def _as_date(value: Bound) -> Bound:
    if value.kind in ("date", "year"):
        return value
    is_iso = value.known is not None and all(_ISO.fullmatch(str(each)) for each in value.known)
    if value.kind == "text" and is_iso:
        return replace(value, kind="date")
    raise UnsupportedQuery(f"{value.kind} values as dates")


def _as_number(value: Bound, to: CastName) -> Bound:
    if value.kind in ("number", "year"):
        whole = to != "integer" or value.kind == "year" or _all_whole(value)
        return replace(value, kind="number") if whole else Bound(Cast(value.value, to), "number", value.maybe)
    if value.kind == "text":
        return Bound(Cast(value.value, "numeric"), "number", maybe=_misses_numbers(value))
    raise UnsupportedQuery(f"{value.kind} values as numbers")


def _all_whole(value: Bound) -> bool:
    return value.known is not None and all(isinstance(each, int) or float(each).is_integer() for each in value.known)


def _misses_numbers(value: Bound) -> bool:
    """Whether a text may be no number."""
    if value.known is None or value.maybe:
        return True
    return not all(re.fullmatch(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", str(each)) for each in value.known)


def _as_text(reader: ExpressionReader, value: Bound) -> Bound:
    """STR: a text itself, an entity's IRI, a whole number's digits."""
    if value.kind in ("text", "date"):
        return replace(value, kind="text")
    if isinstance(value.value, Constant) and value.kind == "entity":
        from boxkit.converters.graph.entities import iri_of

        return Bound(Constant(iri_of(str(value.value.value), reader.graph.boxes)), "text")
    if value.kind == "entity":
        space = reader.graph.namespace_of(value.known)
        if space is None:
            raise UnsupportedQuery("STR of entities of several namespaces")
        if not space:
            return replace(value, kind="text")
        return Bound(Arithmetic("||", Constant(space), value.value), "text", value.maybe)
    if value.kind in ("number", "year") and value.known is not None and all(isinstance(v, int) for v in value.known):
        return Bound(Cast(value.value, "text"), "text", value.maybe)
    raise UnsupportedQuery(f"STR of {value.kind} values")


def _str(reader: ExpressionReader, expr: Any, bound: Bindings) -> Bound:
    return _as_text(reader, reader.value(expr.arg, bound))


# Texts -------------------------------------------------------------------------------------------------------------


def _of_text(function: str, kind: Any = "text") -> Any:
    def read(reader: ExpressionReader, expr: Any, bound: Bindings) -> Bound:
        value = reader.text(expr.arg, bound)
        if isinstance(value.value, Constant):
            text = str(value.value.value)
            known: object = {"lower": text.lower, "upper": text.upper, "length": text.__len__}[function]()
            return Bound(Constant(known), kind)
        return Bound(Call(function, (value.value,)), kind, value.maybe)

    return read


def _pattern(form: str) -> Any:
    def read(reader: ExpressionReader, expr: Any, bound: Bindings) -> Bound:
        value, part = reader.text(expr.arg1, bound), reader.text(expr.arg2, bound)
        if not isinstance(part.value, Constant):
            raise UnsupportedQuery(f"{expr.name.removeprefix('Builtin_')} of a computed text")
        return Bound(_like(value, form.format(_escaped(str(part.value.value)))), "boolean", value.maybe)

    return read


def _like(value: Bound, pattern: str, case_sensitive: bool = True) -> Expression:
    return Like(value.value, Constant(pattern), case_sensitive=case_sensitive, escape="\\" if "\\" in pattern else "")


def _escaped(text: str) -> str:
    return re.sub(r"([\\%_])", r"\\\1", text)


def _regex(reader: ExpressionReader, expr: Any, bound: Bindings) -> Bound:
    """A pattern that is plain texts between bars, perhaps tied to an end."""
    value, pattern = reader.text(expr.text, bound), reader.text(expr.pattern, bound)
    flags = "" if expr.flags is None else str(expr.flags)
    if not isinstance(pattern.value, Constant) or flags not in ("", "i"):
        raise UnsupportedQuery("REGEX with a computed pattern or other flags than i")
    tests = [_plain(part, value, not flags) for part in str(pattern.value.value).split("|")]
    return Bound(any_of(*tests), "boolean", value.maybe)


def _plain(part: str, value: Bound, case_sensitive: bool) -> Expression:
    found = re.fullmatch(r"(\^?)((?:[^\\.^$*+?()\[\]{}]|\\[^\w\s])*)(\$?)", part)
    if found is None or (not found[2].isascii() and not case_sensitive):
        raise UnsupportedQuery("REGEX with a pattern", detail=part)
    text = _escaped(re.sub(r"\\(.)", r"\1", found[2]))
    return _like(value, ("" if found[1] else "%") + text + ("" if found[3] else "%"), case_sensitive)


def _part(reader: ExpressionReader, expr: Any, bound: Bindings) -> Bound:
    value = reader.text(expr.arg, bound)
    start, length = (None if each is None else reader.value(each, bound).value for each in (expr.start, expr.length))
    first = start.value if isinstance(start, Constant) else None
    count = length.value if isinstance(length, Constant) else None
    if not isinstance(first, int) or first < 1 or (length is not None and not isinstance(count, int)):
        raise UnsupportedQuery("SUBSTR at a computed place")
    if not isinstance(count, int):
        return Bound(Call("text_from", (value.value, Constant(first - 1))), "text", value.maybe)
    return Bound(
        Call("text_part", (value.value, Constant(first - 1), Constant(first - 1 + count))), "text", value.maybe
    )


def _concat(reader: ExpressionReader, expr: Any, bound: Bindings) -> Bound:
    parts = [reader.text(each, bound) for each in expr.arg]
    joined: Expression = parts[0].value
    for part in parts[1:]:
        joined = Arithmetic("||", joined, part.value)
    return Bound(joined, "text", any(part.maybe for part in parts))


def _replace(reader: ExpressionReader, expr: Any, bound: Bindings) -> Bound:
    value = reader.text(expr.arg, bound)
    old, new = (reader.text(each, bound).value for each in (expr.pattern, expr.replacement))
    plain = isinstance(old, Constant) and re.fullmatch(r"[^\\.^$*+?()\[\]{}|]+", str(old.value))
    if not plain or not isinstance(new, Constant) or "$" in str(new.value) or expr.flags is not None:
        raise UnsupportedQuery("REPLACE with a pattern")
    return Bound(Call("replace", (value.value, old, new)), "text", value.maybe)


# Numbers and dates -------------------------------------------------------------------------------------------------


def _of_number(function: str) -> Any:
    def read(reader: ExpressionReader, expr: Any, bound: Bindings) -> Bound:
        value = reader.number(expr.arg, bound)
        return Bound(Call(function, (value.value,)), "number", value.maybe)

    return read


def _of_date(function: str) -> Any:
    def read(reader: ExpressionReader, expr: Any, bound: Bindings) -> Bound:
        value = reader.value(expr.arg, bound)
        if value.kind == "year" and function == "year_text":
            return replace(value, kind="number")
        wanted = {"year_text": 4, "month_text": 7, "day_text": 10}[function]
        precise = value.known is not None and all(len(str(each)) >= wanted for each in value.known)
        if value.kind != "date" or not precise or any(str(each).startswith("-") for each in value.known or ()):
            raise UnsupportedQuery(f"{expr.name.removeprefix('Builtin_')} of {value.kind} values")
        return Bound(Cast(Call(function, (value.value,)), "integer"), "number", value.maybe)

    return read


# Tests -------------------------------------------------------------------------------------------------------------


def _is_bound(_reader: ExpressionReader, expr: Any, bound: Bindings) -> Bound:
    own = bound.get(str(expr.arg))
    if own is None:
        return Bound(Constant(False), "boolean")
    return Bound(IsMissing(own.value, negated=True) if own.maybe else Constant(True), "boolean")


def _is_kind(*kinds: str) -> Any:
    def read(reader: ExpressionReader, expr: Any, bound: Bindings) -> Bound:
        value = reader.value(expr.arg, bound)
        blank = value.kind == "entity" and (value.known is None or any(str(v).startswith("_:") for v in value.known))
        if value.kind == "any" or value.maybe or (blank and "literal" not in kinds):
            raise UnsupportedQuery(f"{expr.name.removeprefix('Builtin_')} of what may be several things")
        return Bound(Constant(value.kind in kinds or ("literal" in kinds and value.kind != "entity")), "boolean")

    return read


def _same(reader: ExpressionReader, expr: Any, bound: Bindings) -> Bound:
    left, right = reader.value(expr.arg1, bound), reader.value(expr.arg2, bound)
    if {left.kind, right.kind} - {"entity", "text"}:
        raise UnsupportedQuery("sameTerm of numbers or dates")
    return Bound(compared("=", left, right), "boolean", left.maybe or right.maybe)


def _coalesce(reader: ExpressionReader, expr: Any, bound: Bindings) -> Bound:
    parts = [reader.value(each, bound) for each in expr.arg if not _never_bound(each, bound)]
    kinds = {part.kind for part in parts}
    if len(kinds) != 1:
        raise UnsupportedQuery("COALESCE of values of several kinds")
    value = parts[-1]
    for part in reversed(parts[:-1]):
        value = Bound(Call("first_known", (part.value, value.value)), part.kind, part.maybe and value.maybe)
    return value


def _never_bound(expr: Any, bound: Bindings) -> bool:
    return type(expr).__name__ == "Variable" and str(expr) not in bound


BUILTINS: dict[str, Callable[[ExpressionReader, Any, Bindings], Bound]] = {
    "Builtin_STR": _str,
    "Builtin_LCASE": _of_text("lower"),
    "Builtin_UCASE": _of_text("upper"),
    "Builtin_STRLEN": _of_text("length", "number"),
    "Builtin_CONTAINS": _pattern("%{}%"),
    "Builtin_STRSTARTS": _pattern("{}%"),
    "Builtin_STRENDS": _pattern("%{}"),
    "Builtin_REGEX": _regex,
    "Builtin_SUBSTR": _part,
    "Builtin_CONCAT": _concat,
    "Builtin_REPLACE": _replace,
    "Builtin_ABS": _of_number("absolute"),
    "Builtin_CEIL": _of_number("ceiling"),
    "Builtin_FLOOR": _of_number("floor"),
    "Builtin_ROUND": _of_number("nearest_whole"),
    "Builtin_YEAR": _of_date("year_text"),
    "Builtin_MONTH": _of_date("month_text"),
    "Builtin_DAY": _of_date("day_text"),
    "Builtin_BOUND": _is_bound,
    "Builtin_isIRI": _is_kind("entity"),
    "Builtin_isURI": _is_kind("entity"),
    "Builtin_isLITERAL": _is_kind("literal"),
    "Builtin_isNUMERIC": _is_kind("number"),
    "Builtin_sameTerm": _same,
    "Builtin_COALESCE": _coalesce,
}
