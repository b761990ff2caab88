"""What a field is for: amounts, years, dates, texts, yes or no, keys; found from its name, its values and its keys."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from boxkit.box import Box, Field
from boxkit.strategies.planner.words import name_words, stem

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FieldIndex", "Place", "describe_field"]

FieldKind = Literal["number", "year", "date", "text", "boolean", "id", "other"]

#: A description of more words is an explanation, and no other name.
MAX_SAID = 6
_ID_WORDS = frozenset("id key ssn uid uuid iri uri pk".split())
_YEAR_WORDS = frozenset(
    "year found open establish inception built build creation start release publish ascent dissolve completed".split()
)
_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}(?:[ T]\d{1,2}:\d{2}.*)?")
_AMOUNT = re.compile(r"-?(?:[1-9]\d*|0)(?:\.\d+)?")
_FIGURE = re.compile(r"\s*[-+$€£~]?\d")
_YES = frozenset(("yes", "y", "true", "t", "1", "1.0"))
_NO = frozenset(("no", "n", "false", "f", "0", "0.0"))


@dataclass(frozen=True, slots=True)
class Place:
    """A field of a box."""

    box: str
    field: str

    def __str__(self) -> str:
        return f"{self.box}[{self.field!r}]"


@dataclass(frozen=True, slots=True)
class FieldIndex:
    """What linking knows of a field.

    Attributes:
        place: Which field.
        words: Its name's words, singular and in lower case.
        stems: Their stems.
        kind: ``"id"`` for keys, ``"year"`` for whole numbers that are years, ``"boolean"`` for yes and no.
        is_text: Whether its values are texts.
        unique: Whether no two rows share a value.
        distinct: How many values there are.
        is_key: Whether it is (part of) a primary or a foreign key.
        refers: Whether it is (part of) a foreign key.
        yes: The values that mean yes, for ``"boolean"``.
        label: The field of the same box that names what this one identifies; empty where there is none.
        is_entity: Whether its values identify a thing of a graph.
        said: The words of its description, where it is short enough to be a name; and of its name in the source.
        has_figures: Whether its texts are mostly amounts in some spelling (``69,074``, ``4.1 km``) that is not read.
    """

    place: Place
    words: tuple[str, ...]
    stems: tuple[str, ...]
    kind: FieldKind
    is_text: bool
    unique: bool
    distinct: int
    is_key: bool = False
    refers: bool = False
    yes: tuple[Any, ...] = ()
    label: str = ""
    is_entity: bool = False
    has_figures: bool = False
    said: tuple[tuple[str, ...], ...] = ()

    @property
    def is_ordered(self) -> bool:
        """Whether "more than" or "before" means something for it."""
        return self.kind in ("number", "year", "date")


def describe_field(
    box: Box, described: Field, column: pd.Series[Any], *, is_foreign: bool, is_parent: bool
) -> FieldIndex:
    """Look at a field and its values."""
    words = name_words(described.label)
    is_primary = box.primary_key == (described.label,)
    try:
        distinct = int(column.nunique())
    except TypeError:
        distinct = len(column)
    kind, is_text = _kind(column, words)
    is_entity = described.type == "text, entity id"
    looks_like_id = bool(words) and (words[-1] in _ID_WORDS or words[0] in ("id", "iri", "uri"))
    if is_entity or looks_like_id or ((is_foreign or is_primary or is_parent) and kind in ("number", "year")):
        kind = "id"
    yes = _yes(column) if distinct == 2 and kind in ("boolean", "text", "number") else ()
    label = f"{described.label}_label"
    return FieldIndex(
        Place(box.name, described.label),
        words,
        tuple(map(stem, words)),
        "boolean" if yes else kind,
        is_text,
        distinct == len(column) and len(column) > 0,
        distinct,
        is_foreign or is_parent or is_primary,
        is_foreign,
        yes,
        label if label in box.labels else "",
        is_entity,
        kind == "text" and _has_figures(column),
        _said(described, words),
    )


def _said(described: Field, words: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    texts = [described.description]
    if described.source_name != described.label and "://" not in described.source_name:
        texts.append(described.source_name)
    found = (name_words(text) for text in texts if text)
    return tuple(each for each in found if 0 < len(each) <= MAX_SAID and each != words)


def _has_figures(column: pd.Series[Any]) -> bool:
    sample = [str(value) for value in column.dropna().head(200).tolist()]
    return bool(sample) and sum(map(bool, map(_FIGURE.match, sample))) > 0.6 * len(sample)


def _yes(column: pd.Series[Any]) -> tuple[Any, ...]:
    values = list(column.dropna().unique())
    texts = [str(value).casefold().strip() for value in values]
    if not all(text in _YES | _NO for text in texts) or {*texts} <= _YES or {*texts} <= _NO:
        return ()
    from boxkit.canonical import plain

    return tuple(plain(value) for value, text in zip(values, texts, strict=True) if text in _YES)


def _kind(column: pd.Series[Any], words: tuple[str, ...]) -> tuple[FieldKind, bool]:
    import pandas as pd

    if pd.api.types.is_bool_dtype(column.dtype):
        return "boolean", False
    if pd.api.types.is_numeric_dtype(column.dtype):
        return ("year" if _are_years(column, words) else "number"), False
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return "date", False
    sample = column.dropna().head(500).tolist()
    texts = [value for value in sample if isinstance(value, str)]
    if not texts:
        numbers = len(sample) and all(isinstance(value, (int, float)) for value in sample)
        return ("number" if numbers else "other"), False
    if len([text for text in texts if text.strip()]) < 0.1 * len(sample):
        # Numbers with a few empty texts among them, as SQLite allows.
        return "number", False
    if len(texts) < len(sample):
        return "text", True
    if all(map(_AMOUNT.fullmatch, texts)):
        return "number", True
    dates = sum(map(bool, map(_DATE.fullmatch, texts)))
    return ("date" if dates > 0.95 * len(texts) else "text"), True


def _are_years(column: pd.Series[Any], words: tuple[str, ...]) -> bool:
    if not _YEAR_WORDS & set(words):
        return False
    present = column.dropna()
    return bool(len(present)) and bool(((present >= 800) & (present <= 2200)).all())
