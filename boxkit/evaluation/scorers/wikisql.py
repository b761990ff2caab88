"""WikiSQL's execution match, for answers that are no SQL."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from boxkit.evaluation.scorers.score import Score, as_float, as_text, cells

__all__ = ["wikisql"]


def wikisql(predicted: Iterable[Any], gold: Iterable[Any]) -> Score:
    """WikiSQL's execution accuracy: equal lists, order and doubles included; numbers by value, texts in lower case.

    The official script runs both queries over tables in lower case, where 1 equals 1.0 and "1" does not; a number is
    taken from text here as well, since a table in a file has only text.
    """
    own, theirs = [_item(cell) for cell in cells(predicted)], [_item(cell) for cell in cells(gold)]
    return Score.of(own == theirs, "" if own == theirs else f"{len(own)} items, {len(theirs)} expected")


def _item(cell: Any) -> Any:
    if cell is None or isinstance(cell, (int, float)):
        return None if cell is None else as_float(cell)
    text = as_text(cell).lower().strip()
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return text
