"""StarQA's execution match: a set of tuples, insensitive to the order of tuples and of their constituents.

The paper leaves open how numbers, texts and missing values compare; these two say it: ``starqa`` exactly,
``starqa_tolerant`` as a person would.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

from boxkit.evaluation.scorers.score import Score, as_float, as_text

__all__ = ["starqa", "starqa_tolerant"]

RELATIVE_TOLERANCE = 1e-6


def starqa(predicted: Iterable[Any], gold: Iterable[Any]) -> Score:
    """Equal as sets of unordered tuples; 1 equals 1.0, nothing else is forgiven."""
    own, theirs = {_canonical(row) for row in _rows(predicted)}, {_canonical(row) for row in _rows(gold)}
    return Score.of(own == theirs, f"{len(theirs - own)} tuples missing, {len(own - theirs)} too many")


def starqa_tolerant(predicted: Iterable[Any], gold: Iterable[Any]) -> Score:
    """The same with numbers within 1e-6 (relative), texts by letters only, and ``[]`` equal to ``[(None,)]``."""
    own, theirs = ([_loose(row) for row in _rows(rows)] for rows in (predicted, gold))
    own, theirs = ([row for row in rows if any(cell is not None for cell in row)] for rows in (own, theirs))
    missing = sum(not any(_alike(row, other) for other in own) for row in theirs)
    extra = sum(not any(_alike(row, other) for other in theirs) for row in own)
    return Score.of(not missing and not extra, f"{missing} tuples missing, {extra} too many")


def _rows(rows: Iterable[Any] | None) -> list[tuple[Any, ...]]:
    return [tuple(row) if isinstance(row, (list, tuple)) else (row,) for row in rows or ()]


def _canonical(row: Sequence[Any]) -> frozenset[tuple[tuple[str, Any], int]]:
    return frozenset(Counter(map(_typed, row)).items())


def _typed(cell: Any) -> tuple[str, Any]:
    if isinstance(cell, int):
        return ("number", cell)
    if isinstance(cell, (float, Decimal)):
        number = Decimal(cell)
        if number.is_finite() and number == number.to_integral_value():
            return ("number", number)
        return ("number", repr(as_float(cell)))
    return (type(cell).__name__, as_text(cell))


def _loose(row: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(_loose_cell(cell) for cell in row)


def _loose_cell(cell: Any) -> Any:
    if isinstance(cell, (int, float, Decimal)):
        number = as_float(cell)
        return None if math.isnan(number) else number
    if cell is None:
        return None
    text = re.sub(r"\s+", " ", as_text(cell)).strip().casefold()
    try:
        return float(text)
    except ValueError:
        return text


def _alike(one: Sequence[Any], other: Sequence[Any]) -> bool:
    """Whether the constituents pair up."""
    if len(one) != len(other):
        return False
    free = list(other)
    for cell in one:
        at = next((at for at, candidate in enumerate(free) if _equal(cell, candidate)), None)
        if at is None:
            return False
        free.pop(at)
    return True


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=RELATIVE_TOLERANCE, abs_tol=1e-12)
    return bool(one == other)
