"""Rows compared as Spider's test suite compares them; Archer likewise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from boxkit.evaluation.scorers.score import INCOMPARABLE, Score, as_text

__all__ = ["archer", "order_matters", "spider", "spider_strict"]

Row = tuple[Any, ...]

#: Partial column assignments tried before a comparison is given up; real tables need a handful.
MAX_STEPS = 200_000


def order_matters(gold_sql: str) -> bool:
    """The test suite's rule: the words "order by" anywhere in the gold query, subqueries and strings included."""
    return "order by" in gold_sql.lower()


def spider(predicted: Sequence[Sequence[Any]], gold: Sequence[Sequence[Any]], *, ordered: bool = False) -> Score:
    """Whether two results are equal as Spider's test suite says (test-suite-sql-eval, ``result_eq``).

    Some permutation of the predicted columns must make the rows equal: as lists where ``ordered``, else as bags. Python
    equality: ``1 == 1.0``, ``"1" != 1``, no tolerance. Its shortcut sorts each row's cells by text and type first, so
    that an integer beside a float can be refused although the rows are equal; this follows it, `spider_strict` does
    not.
    """
    return _compare(predicted, gold, ordered, shortcut=True)


def spider_strict(predicted: Sequence[Sequence[Any]], gold: Sequence[Sequence[Any]], *, ordered: bool = False) -> Score:
    """The same without the shortcut that refuses some equal results."""
    return _compare(predicted, gold, ordered, shortcut=False)


def archer(predicted: Sequence[Sequence[Any]], gold: Sequence[Sequence[Any]], *, ordered: bool = False) -> Score:
    """Archer's execution accuracy; its release has no script, so this is the test suite's comparison, done right."""
    return _compare(predicted, gold, ordered, shortcut=False)


def _compare(
    predicted: Sequence[Sequence[Any]], gold: Sequence[Sequence[Any]], ordered: bool, *, shortcut: bool
) -> Score:
    theirs, own = [tuple(row) for row in gold], [tuple(row) for row in predicted]
    if not theirs and not own:
        return Score.of(True, "both empty")
    if len(theirs) != len(own):
        return Score.of(False, f"{len(own)} rows, {len(theirs)} expected")
    width = len(theirs[0])
    if len(own[0]) != width:
        return Score.of(False, f"{len(own[0])} columns, {width} expected")
    try:
        if shortcut and not _shortcut(theirs, own, ordered):
            return Score.of(False, "the rows differ")
        if any(len(row) != width for row in (*theirs, *own)):
            return Score.none("rows of unequal length end the official comparison")
        equal = _equal_lists(theirs, own, width) if ordered else _equal_bags(theirs, own, width)
    except INCOMPARABLE as error:
        return Score.none(f"a cell that cannot be compared ends the official comparison: {error}")
    return Score.of(equal, "" if equal else "no permutation of the columns makes the rows equal")


def _shortcut(gold: Sequence[Row], predicted: Sequence[Row], ordered: bool) -> bool:
    theirs, own = [_unordered(row) for row in gold], [_unordered(row) for row in predicted]
    return theirs == own if ordered else set(theirs) == set(own)


def _unordered(row: Row) -> Row:
    return tuple(sorted(row, key=lambda cell: f"{'None' if cell is None else as_text(cell)}{type(cell)}"))


def _equal_lists(gold: Sequence[Row], predicted: Sequence[Row], width: int) -> bool:
    """Rows in order: equality of columns is transitive, so that matching them greedily is exact."""
    for row in (*gold, *predicted):
        hash(row)
    free = [[row[at] for row in predicted] for at in range(width)]
    for at in range(width):
        column = [row[at] for row in gold]
        if column not in free:
            return False
        free.remove(column)
    return True


def _equal_bags(gold: Sequence[Row], predicted: Sequence[Row], width: int) -> bool:
    """Rows as a multiset: columns are assigned one by one, and what the bags of prefixes rule out is not tried."""
    theirs = [Counter(row[at] for row in gold) for at in range(width)]
    own = [Counter(row[at] for row in predicted) for at in range(width)]
    candidates = [[to for to in range(width) if own[to] == theirs[at]] for at in range(width)]
    order = sorted(range(width), key=lambda at: len(candidates[at]))
    steps = iter(range(MAX_STEPS))
    return _assign(gold, predicted, order, candidates, (), steps)


def _assign(
    gold: Sequence[Row],
    predicted: Sequence[Row],
    order: Sequence[int],
    candidates: Sequence[Sequence[int]],
    chosen: tuple[int, ...],
    steps: Iterator[int],
) -> bool:
    if len(chosen) == len(order):
        return True
    upto = order[: len(chosen) + 1]
    wanted = Counter(tuple(row[at] for at in upto) for row in gold)
    tried: list[list[Any]] = []
    for to in candidates[order[len(chosen)]]:
        if to in chosen:
            continue
        column = [row[to] for row in predicted]
        if column in tried:  # a copy of a column that failed fails as well
            continue
        tried.append(column)
        if next(steps, None) is None:
            return False
        path = (*chosen, to)
        if Counter(tuple(row[at] for at in path) for row in predicted) == wanted and _assign(
            gold, predicted, order, candidates, path, steps
        ):
            return True
    return False
