"""Denotation accuracy of WikiTableQuestions, as its official evaluator 1.0.2 (Python 2) computes it."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from boxkit.evaluation.scorers.score import Score, as_text, cells

__all__ = ["normalize", "wikitq"]

TOLERANCE = 1e-6

_SINGLE_QUOTES = re.compile("[‘’´`]")
_DOUBLE_QUOTES = re.compile("[“”]")
_DASHES = re.compile("[‐‑‒–—−]")
_CITATIONS = re.compile(r"(?:(?<!^)\[[^\]]*\]|\[[0-9]+\]|[•♦†‡*#+])*$")
_DETAILS = re.compile(r"(?<!^)(?: \([^)]*\))*$")
_WHOLE = re.compile(r"\s*[+-]?\d+\s*")
#: More digits than these make no float, and perhaps no integer of Python 3's.
_LONGEST = 400
_QUOTED = re.compile(r'^"([^"]*)"$')


def normalize(text: str) -> str:
    """The form in which two strings are compared.

    >>> normalize("“Café” [1] (in Paris)."), normalize("A–B†")
    ('"cafe" [1] (in paris)', 'a-b')
    """
    text = "".join(char for char in unicodedata.normalize("NFKD", text) if unicodedata.category(char) != "Mn")
    text = _DASHES.sub("-", _DOUBLE_QUOTES.sub('"', _SINGLE_QUOTES.sub("'", text)))
    while True:
        before = text
        text = _CITATIONS.sub("", text.strip())
        text = _DETAILS.sub("", text.strip())
        text = _QUOTED.sub(r"\1", text.strip())
        if text == before:
            break
    if text.endswith("."):
        text = text[:-1]
    return re.sub(r"\s+", " ", text).lower().strip()


@dataclass(frozen=True, slots=True)
class _Value:
    """A typed value. ``key`` is what makes two values one in a set; ``text`` is the normal form of the raw text."""

    kind: str
    key: Any
    text: str

    def matches(self, other: _Value) -> bool:
        if self.text == other.text:
            return True
        if self.kind != other.kind:
            return False
        if self.kind == "number":
            return bool(abs(self.key - other.key) < TOLERANCE)
        return self.kind == "date" and self.key == other.key


def _number(text: str) -> int | float | None:
    """As Python 2 reads one: no underscores, no infinity, any script's digits."""
    if "_" in text:
        return None
    try:
        return int(text)
    except ValueError:
        if len(text) > _LONGEST and _WHOLE.fullmatch(text):
            raise OverflowError(f"{len(text)} digits") from None
    try:
        amount = float(text)
    except ValueError:
        return None
    return amount if math.isfinite(amount) else None


def _date(text: str) -> tuple[int, int, int] | None:
    parts = text.lower().split("-")
    if len(parts) != 3:
        return None
    year_text, month_text, day_text = parts
    try:
        year = -1 if year_text in ("xx", "xxxx") else _integer(year_text)
        month = -1 if month_text == "xx" else _integer(month_text)
        day = -1 if day_text == "xx" else _integer(day_text)
    except ValueError:
        return None
    if year == month == day == -1:
        return None
    if month != -1 and not 1 <= month <= 12:
        return None
    if day != -1 and not 1 <= day <= 31:
        return None
    return year, month, day


def _integer(text: str) -> int:
    if "_" in text:
        raise ValueError(text)
    return int(text)


def _typed(raw: str, canonical: str) -> _Value:
    text = normalize(raw)
    amount = _number(canonical)
    if amount is not None:
        return _Value("number", _near_integer(amount), text)
    date = _date(canonical)
    if date is None:
        return _Value("string", text, text)
    if date[1] == date[2] == -1:
        return _Value("number", _near_integer(date[0]), text)
    return _Value("date", date, text)


def _near_integer(amount: int | float) -> int | float:
    # Python 2 rounds to a float, so that a long integer differs from it by nothing, and fails where none is as large.
    return int(amount) if abs(amount - float(round(float(amount)))) < TOLERANCE else float(amount)


def _distinct(values: Iterable[_Value]) -> list[_Value]:
    kept: dict[tuple[str, Any], _Value] = {}
    for value in values:
        kept.setdefault((value.kind, value.key), value)
    return list(kept.values())


def wikitq(predicted: Iterable[Any], gold: Sequence[str], *, canon: Sequence[str] | None = None) -> Score:
    """Whether the predicted items denote the target values.

    Args:
        predicted: One item a row.
        gold: ``targetValue``, split and unescaped.
        canon: ``targetCanon`` (CoreNLP's reading of each); the targets' own text where None.
    """
    canon = list(gold) if canon is None else canon
    if len(canon) != len(gold):
        return Score.none(f"{len(gold)} target values stand against {len(canon)} canonical ones")
    try:
        targets = _distinct(_typed(raw, form or raw) for raw, form in zip(gold, canon, strict=True))
        answers = _distinct(_typed(text, text) for text in map(as_text, cells(predicted)))
    except OverflowError as error:
        return Score.none(f"a number beyond floating point ends the official evaluator: {error}")
    if len(targets) != len(answers):
        return Score.of(False, f"{len(answers)} distinct items, {len(targets)} expected")
    missing = [target.text for target in targets if not any(target.matches(answer) for answer in answers)]
    return Score.of(not missing, f"not found: {', '.join(missing)}" if missing else "")
