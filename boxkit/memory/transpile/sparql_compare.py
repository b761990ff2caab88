"""Comparisons of what graphs hold: entities by id, numbers, text, dates as ISO text."""

from __future__ import annotations

import re
from collections.abc import Iterable

from boxkit.errors import UnsupportedQuery
from boxkit.memory.transpile.sparql_relation import Bound
from boxkit.plan import Compare, Constant, Expression

__all__ = ["compared"]

_ORDER = ("<", "<=", ">", ">=")


def compared(operator: str, left: Bound, right: Bound, *, loosely: bool = False) -> Expression:
    """A comparison as SPARQL makes it; a constant where the operands' kinds or values decide it.

    Args:
        operator: ``=``, ``!=``, ``<``, ``<=``, ``>`` or ``>=``.
        left: One side.
        right: The other.
        loosely: Whether dates of several precisions compare, as after a cast.

    Raises:
        UnsupportedQuery: The values are of kinds, or written in ways, whose order the boxes do not tell.
    """
    kinds = {left.kind, right.kind}
    if "entity" in kinds and len(kinds) > 1 and "any" not in kinds:
        return Constant(operator == "!=")
    if operator in ("=", "!=") and _apart(left, right):
        return Constant(operator == "!=")
    if "entity" in kinds and operator in _ORDER:
        raise UnsupportedQuery("an order of entities")
    if kinds == {"year", "date"}:
        left, right = _as_dates(left), _as_dates(right)
    elif len({_family(kind) for kind in kinds}) > 1:
        raise UnsupportedQuery(f"a comparison of {' and '.join(sorted(kinds))}")
    elif kinds == {"any"} and operator in _ORDER:
        raise UnsupportedQuery("an order of values of several kinds")
    if "date" in kinds:
        _check_dates(left, right, loosely)
    return Compare(operator, left.value, right.value)  # type: ignore[arg-type]  # the operator is one of Compare's, from a table of them


def _family(kind: str) -> str:
    return "number" if kind == "year" else kind


def _values(bound: Bound) -> Iterable[object] | None:
    return (bound.value.value,) if isinstance(bound.value, Constant) else bound.known


def _apart(left: Bound, right: Bound) -> bool:
    """Whether the two can never be equal, as far as the boxes tell: then a condition is not worth writing."""
    one, other = _values(left), _values(right)
    return one is not None and other is not None and left.kind == "entity" and frozenset(one).isdisjoint(other)


def _as_dates(bound: Bound) -> Bound:
    if bound.kind == "date":
        return bound
    if isinstance(bound.value, Constant) and isinstance(bound.value.value, int):
        return Bound(Constant(f"{bound.value.value:04d}"), "date")
    raise UnsupportedQuery("a comparison of years and days")


def _check_dates(left: Bound, right: Bound, loosely: bool) -> None:
    """Dates order as text where they are written alike.

    Raises:
        UnsupportedQuery: They are not.
    """
    one, other = _values(left), _values(right)
    if one is None or other is None:
        return
    texts = [[str(each) for each in side] for side in (one, other)]
    everything = [*texts[0], *texts[1]]
    if any(text.startswith("-") for text in everything):
        raise UnsupportedQuery("an order of dates before the year 1")
    zones = {
        found[0] if (found := re.search(r"(Z|[+-]\d\d:\d\d)$", text)) else "" for text in everything if "T" in text
    }
    if len(zones) > 1:
        raise UnsupportedQuery("an order of moments in several time zones")
    forms = {len(text) for text in everything}
    if len(forms) == 1:
        return
    if not loosely:
        raise UnsupportedQuery("an order of dates of several precisions")
    if any(a != b and (a.startswith(b) or b.startswith(a)) for a in texts[0] for b in texts[1]):
        raise UnsupportedQuery("an order of dates of several precisions")


def _zone(text: str) -> str:
    found = re.search(r"(Z|[+-]\d\d:\d\d)$", text)
    return found[0] if found else ""
