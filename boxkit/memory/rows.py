"""Whether two answers are the same rows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from boxkit.canonical import json_value

__all__ = ["same_rows"]

#: Two numbers that differ by less, in proportion, are one: sums of floats depend on their order.
TOLERANCE = 1e-9


def same_rows(one: Iterable[Sequence[Any]], other: Iterable[Sequence[Any]], *, ordered: bool = False) -> bool:
    """Whether two answers hold the same rows, as often; cells are compared as JSON values, numbers by value.

    >>> same_rows([(1, "a"), (2, "b")], [(2.0, "b"), (1, "a")]), same_rows([(1,), (1,)], [(1,)])
    (True, False)
    """
    left, right = ([tuple(map(_cell, row)) for row in rows] for rows in (one, other))
    if not ordered:
        left, right = sorted(left, key=_order), sorted(right, key=_order)
    return len(left) == len(right) and all(map(_same, left, right))


def _cell(value: Any) -> Any:
    value = json_value(value)
    return int(value) if isinstance(value, bool) else value


def _order(row: tuple[Any, ...]) -> list[tuple[str, Any]]:
    # Rounded, so that two sums of the same floats fall on the same place.
    return [("0", float(f"{cell:.9g}")) if isinstance(cell, (int, float)) else ("1", repr(cell)) for cell in row]


def _same(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    return len(one) == len(other) and all(map(_same_cell, one, other))


def _same_cell(one: Any, other: Any) -> bool:
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return one == other or math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return bool(one == other)
