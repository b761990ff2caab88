"""InfiAgent-DABench's closed-form comparison: named answers, as text or as numbers within 1e-6."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from boxkit.evaluation.scorers.score import Score, as_text

__all__ = ["dabench"]

TOLERANCE = 1e-6

_NAMED = re.compile(r"@(\w+)\[(.*?)\]")


def dabench(predicted: str | Iterable[Sequence[Any]], gold: Iterable[Sequence[Any]]) -> Score:
    """Whether every named answer is right; ``value`` is the share that is.

    A response without any answer has no verdict: the official script leaves it out of the denominator. Rows that are
    not a name and a value each are an answer all the same, and a wrong one.

    Args:
        predicted: The response's text, in which ``@name[value]`` is looked for (the last of a name counts, a value ends
            at the first ``]`` and holds no newline), or rows of name and value.
        gold: ``common_answers``: rows of name and value.
    """
    if isinstance(predicted, str):
        own = dict(_NAMED.findall(predicted))
    else:
        rows = [tuple(row) for row in predicted]
        own = {as_text(row[0]): _written(row[1]) for row in rows if len(row) == 2}
        if len(own) < len(rows) and not own:
            return Score(False, 0.0, "wrong: no row is a name and a value")
    if not own:
        return Score.none("left out: the response names no answer")
    wanted = list(gold)
    wrong = [name for name, value in wanted if not _equal(own.get(name), as_text(value))]
    total = len(wanted) or 1
    return Score(not wrong, 1 - len(wrong) / total, f"wrong: {', '.join(wrong)}" if wrong else "")


def _written(value: Any) -> str:
    return as_text(value)


def _equal(own: str | None, gold: str) -> bool:
    if own is None:
        return False
    if own == gold:
        return True
    try:
        return abs(float(own) - float(gold)) < TOLERANCE
    except ValueError:
        return False
