"""Columns of text cells become typed columns, where typing them loses nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from boxkit.box import Note
from boxkit.converters.columns import column

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MISSING_WORDS", "is_boolean", "is_exact", "is_integer", "is_number", "typed"]

#: Words that mean "no value" among numbers; in a column of texts they stay texts.
MISSING_WORDS = frozenset({"NA", "N/A", "n/a", "na", "#N/A", "NaN", "nan", "NULL", "null", "None", "none"})

_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*|(?=\.[0-9]))(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?")
_BOOLEANS = ({"true", "false"}, {"True", "False"}, {"TRUE", "FALSE"})
_INT64 = range(-(2**63), 2**63)
#: Every decimal of that many digits comes back from a float as it was.
_SAFE_DIGITS = 15
_INTEGER_CHARS = 20


def typed(cells: Sequence[str | None], box: str, label: str, notes: list[Note]) -> pd.Series[Any]:
    """The column of these texts: integers, numbers, booleans, or text as it stands.

    Blank cells are missing. A column is numeric only if every other cell is a plain number with no leading zero,
    separator or sign of its own; words like ``NA`` are missing there, with a note. Numbers that 64 bits cannot hold
    exactly stay text.

    Args:
        cells: One text a row; None where the row ended before.
        box: For notes.
        label: For notes.
        notes: Added to.
    """
    present = {cell for cell in cells if cell is not None and cell.strip()}
    if not present:
        return column([None] * len(cells), "text")
    words = present & MISSING_WORDS
    rest = present - words
    convert = _conversion(rest)
    if convert is None:
        return column([cell if cell else None for cell in cells], "text")
    if words:
        count = sum(cell in words for cell in cells)
        shown = ", ".join(repr(word) for word in sorted(words))
        first = next(at for at, cell in enumerate(cells) if cell in words)
        notes.append(Note("cast", f"{count} cells that say {shown} among numbers are missing", box, label, first))
    known = {cell: convert(cell.strip()) for cell in rest}
    return column([None if cell is None else known.get(cell) for cell in cells])


def _conversion(texts: set[str]) -> Any:
    if not texts:
        return None
    stripped = {text.strip() for text in texts}
    if any(stripped == pair or (len(stripped) == 1 and stripped < pair) for pair in _BOOLEANS):
        return lambda text: text.lower() == "true"
    if all(map(_INTEGER.fullmatch, stripped)):
        return int if all(map(_is_int64, stripped)) else None
    if all(map(_NUMBER.fullmatch, stripped)) and all(map(is_exact, stripped)):
        return float
    return None


def _is_int64(text: str) -> bool:
    return len(text) < 19 or (len(text) <= _INTEGER_CHARS and int(text) in _INT64)


def is_integer(text: str) -> bool:
    """Whether the text is an integer, as cells of integers show it."""
    return _INTEGER.fullmatch(text) is not None


def is_number(text: str) -> bool:
    """Whether the text is a number, as cells of numbers show it."""
    return _NUMBER.fullmatch(text) is not None


def is_boolean(text: str) -> bool:
    """Whether the text says true or false."""
    return any(text in pair for pair in _BOOLEANS)


def is_exact(text: str) -> bool:
    """Whether a float holds the number: an integer as it is, a decimal so that writing it gives the same digits."""
    number = float(text)
    if repr(number) == text:
        return True
    mantissa = re.split("[eE]", text)[0].lstrip("+-").replace(".", "").strip("0")
    if abs(number) == float("inf") or (number == 0.0 and mantissa):
        return False
    if len(text) <= _SAFE_DIGITS:
        return True
    if _INTEGER.fullmatch(text):
        return Decimal(number) == Decimal(text)
    return len(mantissa) <= _SAFE_DIGITS or Decimal(f"{number:.{len(mantissa) - 1}e}") == Decimal(text)
