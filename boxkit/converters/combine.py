"""Several BoxSets become one: names made unique, everything else kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from boxkit.box import Box, BoxSet, ForeignKey, Note
from boxkit.naming import box_name

__all__ = ["combine"]


def combine(sets: Sequence[BoxSet]) -> BoxSet:
    """One set of all boxes; a name that is taken gets a number, with a note."""
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
        keys += [
            replace(key, box=names[key.box], parent=names.get(key.parent, key.parent)) for key in each.foreign_keys
        ]
        notes += [replace(note, box=names[note.box]) if note.box in names else note for note in each.notes]
    return BoxSet(boxes.values(), keys, notes, [source for each in sets for source in each.sources])
