"""BIRD's execution accuracy and its soft F1 (mini-dev)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from boxkit.evaluation.scorers.score import INCOMPARABLE, Score

__all__ = ["bird", "bird_f1"]


def bird(predicted: Sequence[Sequence[Any]], gold: Sequence[Sequence[Any]]) -> Score:
    """BIRD's execution accuracy: equal as sets of rows; the order of columns counts, of rows and doubles does not."""
    try:
        own, theirs = {tuple(row) for row in predicted}, {tuple(row) for row in gold}
        return _sets(own, theirs)
    except INCOMPARABLE as error:
        return Score.none(f"a cell that cannot be compared ends the official comparison: {error}")


def _sets(own: set[Any], theirs: set[Any]) -> Score:
    return Score.of(own == theirs, f"{len(theirs - own)} rows missing, {len(own - theirs)} too many")


def bird_f1(predicted: Sequence[Sequence[Any]], gold: Sequence[Sequence[Any]]) -> Score:
    """BIRD's soft F1 (mini-dev): doubles dropped, rows paired by position, cells looked for in the paired row."""
    try:
        return _paired(
            list(dict.fromkeys(tuple(row) for row in predicted)), list(dict.fromkeys(tuple(row) for row in gold))
        )
    except INCOMPARABLE as error:
        return Score.none(f"a cell that cannot be compared ends the official comparison: {error}")


def _paired(own: Sequence[tuple[Any, ...]], theirs: Sequence[tuple[Any, ...]]) -> Score:
    if not own and not theirs:
        return Score.of(True, "both empty")
    matched = only_own = only_theirs = 0.0
    for expected, row in zip(theirs, own, strict=False):
        if not expected:
            return Score.none("a gold row without cells ends the official comparison")
        found = sum(cell in expected for cell in row)
        matched += found / len(expected)
        only_own += (len(row) - found) / len(expected)
        only_theirs += sum(cell not in row for cell in expected) / len(expected)
    only_theirs += max(0, len(theirs) - len(own))
    only_own += max(0, len(own) - len(theirs))
    precision = matched / (matched + only_own) if matched + only_own > 0 else 0.0
    recall = matched / (matched + only_theirs) if matched + only_theirs > 0 else 0.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0
    return Score(f1 == 1.0, f1, f"precision {precision:.4f}, recall {recall:.4f}")
