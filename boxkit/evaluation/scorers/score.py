"""A verdict on one answer, and the table of scorers by name."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib import import_module
from typing import Any

from boxkit.errors import nearest
from boxkit.evaluation.scorers.inputs import check_inputs

__all__ = ["INCOMPARABLE", "SCORERS", "Score", "as_float", "as_text", "cells", "score", "scorer"]


#: What comparing or hashing cells raises where there is no telling whether they are equal (a signalling NaN, an array).
INCOMPARABLE = (TypeError, ValueError, ArithmeticError)


@dataclass(frozen=True, slots=True)
class Score:
    """What a scorer says of one answer.

    Attributes:
        correct: Whether the answer counts as right.
        value: The score in [0, 1]: an F1 where the scorer has one (RoG's may pass 1), else 1 or 0.
        detail: Why, or the parts of the score, in words.
        error: Why there is no verdict (the official code crashes on such input, or leaves the question out); empty
            where there is one.
    """

    correct: bool
    value: float
    detail: str = ""
    error: str = ""

    @classmethod
    def of(cls, correct: bool, detail: str = "") -> Score:
        """A score of one or nothing."""
        return cls(correct, float(correct), detail)

    @classmethod
    def none(cls, error: str) -> Score:
        """No verdict, and why."""
        return cls(False, 0.0, "", error)


#: Scorer name → module and function. Official names follow the official code to the letter; ``_strict`` twins do right
#: what it does plainly wrong.
SCORERS: dict[str, str] = {
    "wikitq": "wikitq:wikitq",
    "spider": "spider:spider",
    "spider_strict": "spider:spider_strict",
    "spider_exec": "spider_exec:spider_exec",
    "bird": "bird:bird",
    "bird_f1": "bird:bird_f1",
    "grailqa": "kgqa:grailqa",
    "webqsp": "kgqa:webqsp",
    "qald": "kgqa:qald",
    "wikisql": "wikisql:wikisql",
    "starqa": "starqa:starqa",
    "starqa_tolerant": "starqa:starqa_tolerant",
    "archer": "spider:archer",
    "dabench": "dabench:dabench",
    "rog": "lenient:rog",
    "structgpt": "lenient:structgpt",
    "structgpt_webqsp": "lenient:structgpt_webqsp",
    "readi": "lenient:readi",
    "trustuqa": "lenient:trustuqa",
    "unifiedskg": "lenient:unifiedskg",
    "pandora_release": "lenient:pandora_release",
}


def scorer(name: str) -> Callable[..., Score]:
    """The scorer of that name.

    Raises:
        ValueError: There is none; the message names the nearest.
    """
    if name not in SCORERS:
        close = nearest(str(name), SCORERS)
        raise ValueError(
            f"no scorer {name!r}; " + (f"nearest: {', '.join(close)}" if close else f"there are {', '.join(SCORERS)}")
        )
    return _imported(SCORERS[name])


@cache
def _imported(place: str) -> Callable[..., Score]:
    module, _, function = place.partition(":")
    found: Callable[..., Score] = getattr(import_module(f"boxkit.evaluation.scorers.{module}"), function)
    return found


def score(name: str, predicted: Any, gold: Any, **context: Any) -> Score:
    """Judge one answer.

    Args:
        name: One of `SCORERS`.
        predicted: The answer's rows.
        gold: What the scorer compares with; see the scorer.
        **context: What else the scorer takes (``ordered``, ``canon``…).

    Raises:
        ValueError: There is no such scorer.
        TypeError: It takes no such setting, or rows or gold are of another kind; the message says what it takes.
    """
    judged = scorer(name)
    check_inputs(name, judged, predicted, gold, context)
    return judged(predicted, gold, **context)


def as_float(number: int | float | Decimal) -> float:
    """A number as a float: infinite where none is as large, NaN for every NaN.

    >>> as_float(-(10**400)), as_float(Decimal("sNaN"))
    (-inf, nan)
    """
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf
    except ValueError:
        return math.nan


def as_text(cell: Any) -> str:
    """A cell as text, empty where it is missing; a whole number with more digits than Python writes is in hex."""
    try:
        return "" if cell is None else str(cell)
    except ValueError:
        return hex(cell) if isinstance(cell, int) else f"<{type(cell).__name__}>"


def cells(rows: Iterable[Any]) -> list[Any]:
    """The cells of rows of one cell each; bare cells pass as they are, wider rows give all their cells."""
    found: list[Any] = []
    for row in rows:
        if isinstance(row, Sequence) and not isinstance(row, (str, bytes)):
            found.extend(row)
        else:
            found.append(row)
    return found
