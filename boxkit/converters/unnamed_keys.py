"""Foreign keys that no name gives away: a column that names a role, or whose values only one table explains."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from boxkit.box import BoxSet, ForeignKey
from boxkit.converters.keynames import name_evidence, names_a_role, role_evidence
from boxkit.converters.keyvalues import (
    Column,
    Values,
    counts_from_one,
    inferred,
    is_beyond_chance,
    share,
)
from boxkit.converters.keywords import is_reference, words

__all__ = ["unnamed_keys"]

#: Rows from which two tables that are numbered alike are halves of one; round numbers of rows are what samples have.
_HALVES = 50
_CONFIDENCE = 0.8
#: How likely an inclusion may be by chance where the column's name says that it refers to something, and where not.
_CHANCE = 1e-4
_TINY_CHANCE = 1e-8
#: From what strength on a name says what a column refers to, be its values there or not.
_NAMED = 0.9

_End = tuple[str, str]


def unnamed_keys(
    values: Values,
    fields: Sequence[_End],
    known: Sequence[ForeignKey],
    allow: Callable[[str, str], bool] | None = None,
) -> dict[_End, ForeignKey]:
    """Keys of some fields, each the only one that roles or values suggest.

    Where one candidate refers to another, the latter is meant: candidates are students, students are persons.

    Args:
        values: What is in the boxes.
        fields: Boxes and their fields that are looked at.
        known: Keys that are there already.
        allow: Whether keys from one box to another are looked for; all where None.
    """
    refers = {(key.box, key.fields[0]): (key.parent, key.parent_fields[0]) for key in known if len(key.fields) == 1}
    found: dict[_End, ForeignKey] = {}
    for look in (_roles, _inclusions, _halves):
        open_fields = [each for each in fields if each not in found]
        candidates = {each: list(look(values, *each, allow)) for each in open_fields}
        for _ in range(2):
            for each, keys in candidates.items():
                chosen = _only(keys, refers)
                if each in found or chosen is None or _says_it_already(values.boxes, chosen, refers):
                    continue
                found[each] = chosen
                refers[each] = (chosen.parent, chosen.parent_fields[0])
    return found


def _says_it_already(boxes: BoxSet, key: ForeignKey, refers: dict[_End, _End]) -> bool:
    """Whether a table's own key would link two tables that another field links already."""
    box = boxes[key.box]
    own = box.primary_key == key.fields or (not box.primary_key and key.fields[0] == box.labels[0])
    return own and any({end[0], to[0]} == {key.box, key.parent} for end, to in refers.items())


def _only(keys: list[ForeignKey], refers: dict[_End, _End]) -> ForeignKey | None:
    """The one key, of those whose parents do not refer to another's; of several, the one that shares a name."""
    parents = {(key.parent, key.parent_fields[0]) for key in keys}
    left = [key for key in keys if refers.get((key.parent, key.parent_fields[0])) not in parents]
    if len(left) > 1:
        left = [key for key in left if set(words(key.parent)) & set(words(key.box))]
    return left[0] if len(left) == 1 else None


def _parents(
    values: Values, box: str, label: str, allow: Callable[[str, str], bool] | None, keys: Iterable[_End]
) -> Iterator[_End]:
    if (box, label) not in values.comparable:
        return
    for end in keys:
        if end[0] != box and (allow is None or allow(box, end[0])) and end in values.comparable:
            yield end


def _roles(values: Values, box: str, label: str, allow: Callable[[str, str], bool] | None) -> Iterator[ForeignKey]:
    plain = values.plain(box, label)
    if not names_a_role(plain):
        return
    seen = set()
    for parent, key in _parents(values, box, label, allow, values.keys):
        strength, why = role_evidence(plain, values.names[parent])
        if not strength or parent in seen:
            continue
        child, theirs = values(box, label), values(parent, key)
        if not _holds(child, theirs) or (child.is_key and (counts_from_one(theirs) or not theirs.numeric)):
            continue
        seen.add(parent)
        yield inferred(child, theirs, _CONFIDENCE, f"{why}; all of its {len(child.values)} values are found there")


def _inclusions(values: Values, box: str, label: str, allow: Callable[[str, str], bool] | None) -> Iterator[ForeignKey]:
    """Keys that the values alone suggest: all are found in a key that is not full of such values."""
    ends = values.sparse_keys if len(values.boxes) > 1 else ()
    if not any(True for _ in _parents(values, box, label, allow, ends)) or _is_named_for_another(values, box, label):
        return
    child = values(box, label)
    refers = is_reference(values.plain(box, label))
    # Texts of several sources are compared by `links`, with what they share.
    if not refers and (child.is_key or (allow is not None and not child.numeric)):
        return
    for parent, key in _parents(values, box, label, allow, values.sparse_keys_with(child)):
        theirs = values(parent, key)
        if not is_beyond_chance(child, theirs, _CHANCE if refers else _TINY_CHANCE):
            continue
        if not child.values.isdisjoint(theirs.values) and _holds(child, theirs):
            evidence = f"all of its {len(child.values)} values are found there, and hardly by chance"
            yield inferred(child, theirs, _CONFIDENCE, evidence)


def _is_named_for_another(values: Values, box: str, label: str) -> bool:
    plain = values.plain(box, label)
    return any(
        name_evidence(plain, values.names[box], values.plain(parent, key), values.names[parent])[0] >= _NAMED
        for parent, key in values.near(plain, values.keys)
        if parent != box
    )


def _holds(child: Column, parent: Column) -> bool:
    return bool(parent.is_unique and child.cells and share(child, parent)[0] == 1.0)


def _halves(values: Values, box: str, label: str, allow: Callable[[str, str], bool] | None) -> Iterator[ForeignKey]:
    """Keys between tables whose names share a word and whose many rows are numbered alike: the later one's."""
    order, own = list(values.boxes), values.boxes[box]
    if own.primary_key not in ((), (label,)) or (not own.primary_key and label != own.labels[0]):
        return
    for parent, key in _parents(values, box, label, allow, values.keys):
        if not set(words(values.names[parent])) & set(words(values.names[box])):
            continue
        child, theirs = values(box, label), values(parent, key)
        if (
            child.is_key
            and theirs.is_key
            and len(child.values) >= _HALVES
            and len(child.values) % 10
            and child.values == theirs.values
            and order.index(parent) < order.index(box)
        ):
            evidence = f"the tables' names are alike, and so are all of their {len(child.values)} keys"
            yield inferred(child, theirs, _CONFIDENCE, evidence)
