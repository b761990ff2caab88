"""An index over a BoxSet for linking: what boxes and fields are called, which values there are, and what each field is for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from boxkit.box import Box, BoxSet, Field
from boxkit.strategies.planner.words import name_words, normal_uncached, stem

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FieldIndex", "Index", "Place", "index_of"]

FieldKind = Literal["number", "year", "date", "text", "boolean", "id", "other"]

#: Longer texts name nothing that a question would repeat.
MAX_VALUE_CHARS = 80
#: A box with more rows has its first ones indexed only; the answer's details say so.
MAX_ROWS = 2_000_000
#: A field with more distinct texts is not searched by single words of them.
MAX_WORD_VALUES = 50_000

_ID_WORDS = frozenset("id key ssn uid uuid iri uri pk".split())
_AMOUNT = r"-?(?:[1-9]\d*|0)(?:\.\d+)?"
_DATE = r"\d{4}-\d{1,2}-\d{1,2}(?:[ T]\d{1,2}:\d{2}.*)?"


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
        kind: ``"id"`` for keys of any type, ``"year"`` for whole numbers that are years.
        is_text: Whether its values are texts.
        unique: Whether no two rows share a value.
        distinct: How many values there are.
        is_key: Whether it is (part of) a primary or a foreign key.
        refers: Whether it is (part of) a foreign key.
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

    @property
    def is_ordered(self) -> bool:
        """Whether "more than" or "before" means something for it."""
        return self.kind in ("number", "year", "date")


@dataclass(frozen=True, slots=True)
class Index:
    """Everything linking looks things up in.

    Attributes:
        boxes: The boxes' name words.
        box_stems: Their stems.
        fields: What is known of each field.
        keys: The fields that identify a box's row.
        naming: The fields that name a box's rows; several where a name is in parts, none where nothing names them.
        values: Where a normal text is a value, and how it is written there.
        by_word: Normal texts of several words, by each of their words.
        partial: Boxes too large for all their values to be indexed.
    """

    boxes: dict[str, tuple[str, ...]]
    box_stems: dict[str, tuple[str, ...]]
    fields: dict[Place, FieldIndex]
    keys: dict[str, tuple[str, ...]]
    naming: dict[str, tuple[str, ...]]
    values: dict[str, dict[Place, tuple[Any, ...]]]
    by_word: dict[str, list[str]]
    partial: tuple[str, ...] = ()

    def of_box(self, box: str) -> Iterator[FieldIndex]:
        """The fields of a box, in its order."""
        return (each for place, each in self.fields.items() if place.box == box)


def index_of(boxes: BoxSet) -> Index:
    """The index of a BoxSet; reads it once."""
    keys = {Place(key.box, label) for key in boxes.foreign_keys for label in key.fields}
    parents = {Place(key.parent, label) for key in boxes.foreign_keys for label in key.parent_fields}
    index = Index({}, {}, {}, {}, {}, {}, {})
    partial = []
    words: defaultdict[str, set[str]] = defaultdict(set)
    for name, box in boxes.items():
        index.boxes[name] = name_words(box.name)
        index.box_stems[name] = tuple(map(stem, index.boxes[name]))
        cut = box.count() > MAX_ROWS
        frame = box.read(limit=MAX_ROWS) if cut else box.frame
        if cut:
            partial.append(name)
        for each in box.fields:
            place = Place(name, each.label)
            known = _field(box, each, frame[each.label], place in keys, place in parents)
            index.fields[place] = known
            if known.is_text:
                _add_values(index, words, place, frame[each.label], known)
        index.keys[name] = box.primary_key
        index.naming[name] = _naming(box, index)
    by_word = {word: sorted(texts) for word, texts in words.items()}
    return replace(index, by_word=by_word, partial=tuple(partial))


def _add_values(
    index: Index, words: defaultdict[str, set[str]], place: Place, column: pd.Series[Any], known: FieldIndex
) -> None:
    for value in column.dropna().unique():
        if not isinstance(value, str) or len(value) > MAX_VALUE_CHARS:
            continue
        text = normal_uncached(value)
        if not text:
            continue
        there = index.values.setdefault(text, {})
        there[place] = (*there.get(place, ()), value)
        if " " in text and known.distinct <= MAX_WORD_VALUES and known.kind == "text":
            for word in text.split():
                words[word].add(text)


def _field(box: Box, described: Field, column: pd.Series[Any], is_foreign: bool, is_parent: bool) -> FieldIndex:
    words = name_words(described.label)
    is_primary = box.primary_key == (described.label,)
    try:
        distinct = int(column.nunique())
    except TypeError:
        distinct = len(column)
    kind, is_text = _kind(column, words)
    looks_like_id = bool(words) and (words[-1] in _ID_WORDS or words[0] in ("id", "iri", "uri"))
    if (is_foreign or is_primary or is_parent or looks_like_id) and (kind in ("number", "year") or looks_like_id):
        kind = "id"
    unique = distinct == len(column) and len(column) > 0
    is_key = is_foreign or is_parent or is_primary
    place = Place(box.name, described.label)
    return FieldIndex(place, words, tuple(map(stem, words)), kind, is_text, unique, distinct, is_key, is_foreign)


def _kind(column: pd.Series[Any], words: tuple[str, ...]) -> tuple[FieldKind, bool]:
    import pandas as pd

    if pd.api.types.is_bool_dtype(column.dtype):
        return "boolean", False
    if pd.api.types.is_numeric_dtype(column.dtype):
        return ("year" if _are_years(column, words) else "number"), False
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return "date", False
    present = column.dropna()
    sample = present.head(500)
    texts = [value for value in sample if isinstance(value, str)]
    if not texts:
        return (
            "number" if len(sample) and all(isinstance(value, (int, float)) for value in sample) else "other"
        ), False
    if len([text for text in texts if text.strip()]) < 0.1 * len(sample):
        # Numbers with a few empty texts among them, as SQLite allows.
        return "number", False
    if len(texts) == len(sample) and sample.astype("str").str.fullmatch(_AMOUNT).all():
        return "number", True
    if len(texts) == len(sample) and sample.astype("str").str.fullmatch(_DATE).mean() > 0.95:
        return "date", True
    return "text", True


def _are_years(column: pd.Series[Any], words: tuple[str, ...]) -> bool:
    if not {"year", "found", "open", "establish", "inception", "built", "build", "creation", "start", "release"} & set(
        words
    ):
        return False
    present = column.dropna()
    return bool(len(present)) and bool(((present >= 800) & (present <= 2200)).all())


def _naming(box: Box, index: Index) -> tuple[str, ...]:
    """The fields that a person would call a row by."""
    texts = [each for each in index.of_box(box.name) if each.is_text and each.kind == "text"]
    own = set(index.box_stems[box.name])
    names = [each for each in texts if {"name", "title", "label"} & set(each.words)]
    for wanted in ("name", "title", "label"):
        for each in names:
            # ``name``, ``author_name`` in author, ``song_title`` in song
            if each.words[-1] == wanted and set(each.stems[:-1]) <= own:
                return (each.place.field,)
    first = next((each for each in names if each.words[:2] == ("first", "name")), None)
    last = next((each for each in names if each.words[:2] == ("last", "name")), None)
    if first and last:
        return (first.place.field, last.place.field)
    if last:
        return (last.place.field,)
    same = [each for each in texts if set(each.stems) <= own]
    full = [each for each in names if each.words in (("full", "name"), ("official", "name"))]
    free = [each for each in (*same, *full, *names) if not each.is_key or each.unique]
    if free:
        return (free[0].place.field,)
    unique = [each for each in texts if each.unique and not each.is_key]
    return (unique[0].place.field,) if unique else ()
