"""Several BoxSets become one: names made unique, everything else kept; and what keys need to be said of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from boxkit.box import Box, BoxSet, ForeignKey, Note
from boxkit.naming import box_name

__all__ = ["combine", "with_key_notes"]


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


def with_key_notes(boxes: BoxSet) -> BoxSet:
    """The set with a note, and the cast to use, on each key whose ends have different types."""
    notes = [note for key in boxes.foreign_keys if key.parent in boxes for note in _clashes(boxes, key)]
    if not notes:
        return boxes
    return BoxSet(boxes.values(), boxes.foreign_keys, (*boxes.loading_notes, *notes), boxes.sources)


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
