"""An index over a BoxSet for linking: what boxes and fields are called, which values there are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from boxkit.box import Box, BoxSet
from boxkit.strategies.planner.fields import FieldIndex, Place, describe_field
from boxkit.strategies.planner.words import name_words, normal_uncached, stem

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Index", "index_of"]

#: Longer texts name nothing that a question would repeat.
MAX_VALUE_CHARS = 80
#: A box with more rows has its first ones indexed only; the answer's details say so.
MAX_ROWS = 2_000_000
#: A field with more distinct texts is not searched by single words of them.
MAX_WORD_VALUES = 50_000

_TOTALS = ("total", "totals", "grand total", "sum", "overall", "average")


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
        parents: What a field of a foreign key of one field refers to.
        partial: Boxes too large for all their values to be indexed.
        totals: Boxes with a row of totals among their rows.
    """

    boxes: dict[str, tuple[str, ...]]
    box_stems: dict[str, tuple[str, ...]]
    fields: dict[Place, FieldIndex]
    keys: dict[str, tuple[str, ...]]
    naming: dict[str, tuple[str, ...]]
    values: dict[str, dict[Place, tuple[Any, ...]]]
    by_word: dict[str, list[str]]
    parents: dict[Place, Place]
    partial: tuple[str, ...] = ()
    totals: frozenset[str] = frozenset()

    def junctions(self) -> frozenset[str]:
        """Boxes with two foreign keys or more, and hardly anything else."""
        found = set()
        for box in self.boxes:
            fields = list(self.of_box(box))
            referring = [each for each in fields if each.refers]
            others = [each for each in fields if not each.refers and each.kind not in ("id", "boolean")]
            if len(referring) >= 2 and len(others) <= 1:
                found.add(box)
        return frozenset(found)

    def of_box(self, box: str) -> Iterator[FieldIndex]:
        """The fields of a box, in its order."""
        return (each for place, each in self.fields.items() if place.box == box)


def index_of(boxes: BoxSet) -> Index:
    """The index of a BoxSet; reads it once."""
    keys = {Place(key.box, label) for key in boxes.foreign_keys for label in key.fields}
    parents = {Place(key.parent, label) for key in boxes.foreign_keys for label in key.parent_fields}
    refers = {
        Place(key.box, key.fields[0]): Place(key.parent, key.parent_fields[0])
        for key in boxes.foreign_keys
        if len(key.fields) == 1 and key.parent in boxes
    }
    index = Index({}, {}, {}, {}, {}, {}, {}, refers)
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
            known = describe_field(box, each, frame[each.label], is_foreign=place in keys, is_parent=place in parents)
            index.fields[place] = known
            if known.is_text and not known.label:
                _add_values(index, words, place, frame[each.label], known)
        index.keys[name] = box.primary_key or _unique_field(index, name)
        index.naming[name] = _naming(box, index)
    by_word = {word: sorted(texts) for word, texts in words.items()}
    totals = {place.box for text in _TOTALS for place in index.values.get(text, {})}
    return replace(index, by_word=by_word, partial=tuple(partial), totals=frozenset(totals))


def _add_values(
    index: Index, words: defaultdict[str, set[str]], place: Place, column: pd.Series[Any], known: FieldIndex
) -> None:
    for value in column.dropna().unique().tolist():
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


def _unique_field(index: Index, box: str) -> tuple[str, ...]:
    """A field that may serve as the key of a box that declares none."""
    unique = [each for each in index.of_box(box) if each.unique and each.kind in ("id", "text")]
    return (unique[0].place.field,) if unique else ()


def _naming(box: Box, index: Index) -> tuple[str, ...]:
    """The fields that a person would call a row by."""
    texts = [each for each in index.of_box(box.name) if each.is_text and each.kind == "text"]
    own = set(index.box_stems[box.name])
    names = [each for each in texts if {"name", "title", "label"} & set(each.words)]

    def called(wanted: str) -> tuple[str, ...]:
        # ``name``, ``author_name`` in author, ``song_title`` in song
        fitting = [each for each in names if each.words[-1] == wanted and set(each.stems[:-1]) <= own]
        return (fitting[0].place.field,) if fitting else ()

    first = next((each for each in names if each.words[:2] == ("first", "name")), None)
    last = next((each for each in names if each.words[:2] == ("last", "name")), None)
    parts = tuple(each.place.field for each in (first, last) if each)
    found = called("name") or parts or called("title") or called("label")
    if found:
        return found
    same = [each for each in texts if set(each.stems) <= own]
    full = [each for each in names if each.words in (("full", "name"), ("official", "name"))]
    free = [each for each in (*same, *full, *names) if not each.is_key or each.unique]
    if free:
        return (free[0].place.field,)
    unique = [each for each in texts if each.unique and not each.is_key]
    return (unique[0].place.field,) if unique else ()
