"""Boxes shown with the fields that their foreign keys lead to, and the merges that make it so.

A small model seldom writes a merge, but finds ``book["author_name"]`` where it is shown. The merges are put in front of
its code, so that the code stays whole: it runs over the plain boxes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from boxkit.box import Box, BoxSet, Field, ForeignKey
from boxkit.boxcode import literal

__all__ = ["JoinedBoxes", "join_parents"]

_KEY_ENDINGS = re.compile(r"(?i)(?:[_ ]?(?:id|key|code|ref|no|nr|number))$")

#: A box with more fields than this, its parents' included, would hide what it says.
MAX_FIELDS = 40


@dataclass(frozen=True, slots=True)
class _Join:
    """One merge, and the fields it brings."""

    key: ForeignKey
    prefix: str
    labels: tuple[str, ...]

    @property
    def added(self) -> tuple[str, ...]:
        return tuple(self.prefix + label for label in self.labels)

    def code(self) -> str:
        wanted = _listed([*self.key.parent_fields, *self.labels])
        right = f"{self.key.parent}[{wanted}].add_prefix({literal(self.prefix)})"
        right_on = _listed([self.prefix + label for label in self.key.parent_fields])
        on = f'how="left", left_on={_listed(self.key.fields)}, right_on={right_on}'
        return f"{self.key.box} = {self.key.box}.merge({right}, {on})"


def _listed(labels: Sequence[str]) -> str:
    return "[" + ", ".join(literal(label, max_chars=len(label)) for label in labels) + "]"


@dataclass(frozen=True, slots=True)
class JoinedBoxes:
    """A BoxSet to show, and what code written for it needs in front.

    Attributes:
        boxes: To be shown, not to be run on: the joined fields are described, not read.
        joins: For each box, its merges.
    """

    boxes: BoxSet
    joins: Mapping[str, tuple[_Join, ...]]

    def complete(self, code: str) -> str:
        """The code with the merges it counts on in front: those whose fields it names."""
        needed = [
            join
            for name, joins in self.joins.items()
            if re.search(rf"\b{re.escape(name)}\b", code)
            for join in joins
            if any(label in code for label in join.added)
        ]
        # A box is merged before it is itself extended, so that only its own fields come along.
        return "\n".join([*(join.code() for join in needed), code])


def join_parents(boxes: BoxSet) -> JoinedBoxes:
    """Each box with its parents' fields, one step up, as ``<key's stem>_<field>``.

    Left as they are: fields whose label would be taken, keys to a missing parent or to fields that are not the parent's
    primary key, and boxes that would grow past `MAX_FIELDS`.
    """
    joins: dict[str, tuple[_Join, ...]] = {}
    shown: list[Box] = []
    for name, box in boxes.items():
        own: list[_Join] = []
        taken = set(box.labels)
        fields = list(box.fields)
        for key in boxes.foreign_keys:
            if key.box != name or key.parent == name or not _is_plain(key, boxes):
                continue
            parent = boxes[key.parent]
            join = _join(key, parent, taken)
            if not join.labels or len(taken) + len(join.labels) > MAX_FIELDS:
                continue
            own.append(join)
            taken.update(join.added)
            fields += [_shown(parent.field(label), join.prefix, key.parent) for label in join.labels]
        joins[name] = tuple(own)
        shown.append(replace(box, fields=tuple(fields)) if own else box)
    return JoinedBoxes(BoxSet(shown, boxes.foreign_keys, boxes.loading_notes, boxes.sources), joins)


def _is_plain(key: ForeignKey, boxes: BoxSet) -> bool:
    return key.parent in boxes and set(key.parent_fields) == set(boxes[key.parent].primary_key)


def _join(key: ForeignKey, parent: Box, taken: set[str]) -> _Join:
    stem = _KEY_ENDINGS.sub("", key.fields[0]) if len(key.fields) == 1 else key.parent
    prefix = f"{stem or key.parent}_"
    labels = tuple(label for label in parent.labels if label not in key.parent_fields and prefix + label not in taken)
    return _Join(key, prefix, labels)


def _shown(each: Field, prefix: str, parent: str) -> Field:
    return replace(each, label=prefix + each.label, source_name="", description=each.description or f"from {parent}")
