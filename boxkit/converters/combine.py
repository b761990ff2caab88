"""Several BoxSets become one: names made unique, everything else kept; and what keys need to be said of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from boxkit.box import Box, BoxSet, ForeignKey, Note
from boxkit.converters.held import FrameReader
from boxkit.naming import box_name

__all__ = ["combine", "with_key_notes", "with_notes"]


def combine(sets: Sequence[BoxSet]) -> tuple[BoxSet, list[list[str]]]:
    """One set of all boxes, and each set's boxes by their new names; a name that is taken gets a number and a note."""
    groups: list[list[str]] = []
    boxes: dict[str, Box] = {}
    keys: list[ForeignKey] = []
    notes: list[Note] = []
    for each in sets:
        names = {}
        for name, box in each.items():
            names[name] = box_name(name, boxes)
            boxes[names[name]] = replace(box, name=names[name])
            if names[name] != name:
                message = f"another source has a {name!r} too; this one is from {', '.join(each.sources)}"
                notes.append(Note("renamed", message, names[name]))
        groups.append(list(names.values()))
        keys += [
            replace(key, box=names[key.box], parent=names.get(key.parent, key.parent)) for key in each.foreign_keys
        ]
        notes += [replace(note, box=names[note.box]) if note.box in names else note for note in each.loading_notes]
    return BoxSet(boxes.values(), keys, notes, [source for each in sets for source in each.sources]), groups


def with_notes(boxes: BoxSet, notes: Sequence[Note]) -> BoxSet:
    """The set with more to say."""
    return BoxSet(boxes.values(), boxes.foreign_keys, (*boxes.loading_notes, *notes), boxes.sources) if notes else boxes


def with_key_notes(boxes: BoxSet) -> BoxSet:
    """The set with a note, and the cast to use, on each key whose ends have different types."""
    there = [key for key in boxes.foreign_keys if key.parent in boxes]
    notes = [note for key in there for note in _clashes(boxes, key)]
    notes += [
        missing_on_both(key)
        for key in there
        if _misses(boxes[key.box], key.fields) and _misses(boxes[key.parent], key.parent_fields)
    ]
    return with_notes(boxes, notes)


def missing_on_both(key: ForeignKey) -> Note:
    """The note on a key that is missing somewhere on both sides."""
    message = f"it is missing in some rows here and in {key.parent}; pandas merges missing with missing, SQL does not"
    labels = list(key.fields)
    return Note("lint", message, key.box, key.fields[0], None, f"{key.box}.dropna(subset={labels!r})")


def _misses(box: Box, labels: Sequence[str]) -> bool:
    """Whether a box in memory has rows without the key."""
    if not isinstance(box.reader, FrameReader):
        return False
    return bool(box.reader.frame[list(labels)].isna().any(axis=1).any())


def _clashes(boxes: BoxSet, key: ForeignKey) -> Iterator[Note]:
    for label, parent_label in zip(key.fields, key.parent_fields, strict=True):
        own = boxes[key.box].field(label).type.split(",")[0]
        theirs = boxes[key.parent].field(parent_label).type.split(",")[0]
        numeric = {"integer", "number", "decimal"}
        if (own == "text" and theirs in numeric) or (own in numeric and theirs == "text"):
            text_box, text_label = (key.box, label) if own == "text" else (key.parent, parent_label)
            message = f"it is {own} but {key.parent}[{parent_label!r}] is {theirs}: cast before merging"
            fix = f'pd.to_numeric({text_box}[{text_label!r}], errors="coerce")'
            yield Note("lint", message, key.box, label, None, fix)
