"""Foreign keys that nobody declared, found from names, types, uniqueness and inclusion, each with its evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from boxkit.box import BoxSet, ForeignKey
from boxkit.converters.keynames import name_evidence
from boxkit.converters.keypairs import composite_keys
from boxkit.converters.keyvalues import Column, Values, counts_from_one, inferred, is_beyond_chance, may_refer, share
from boxkit.converters.keywords import core_words, is_about, is_of, is_reference, stem, words
from boxkit.converters.unnamed_keys import unnamed_keys

__all__ = ["discover_keys", "with_discovered_keys"]

_LEAST_CONFIDENCE = 0.75
#: What a key to something beside the declared key needs.
_SURE = 0.95
#: How many values must be found where the same name stands in two tables, neither of them its home: both may refer to
#: a third.
_SIBLINGS = 0.9


def discover_keys(
    boxes: BoxSet, known: Sequence[ForeignKey] = (), allow: Callable[[str, str], bool] | None = None
) -> tuple[ForeignKey, ...]:
    """Keys that the source does not declare.

    A column refers to another box's key where its name says so and its values are found there, or where its values
    alone leave no other explanation; each key names its evidence and an estimate of how likely it is.

    Args:
        boxes: Whose keys.
        known: Declared keys; their columns are left alone.
        allow: Whether keys from one box to another are looked for; all where None.
    """
    values = Values.of(boxes)
    taken = {(key.box, label) for key in known for label in key.fields}
    free = [(name, label) for name, box in boxes.items() for label in box.labels if (name, label) not in taken]
    found = {each: key for each in free if (key := _named(values, *each, allow)) is not None}
    found = _one_way(found, boxes)
    rest = [each for each in free if each not in found]
    unnamed = unnamed_keys(values, rest, [*known, *found.values()], allow)
    found |= {each: key for each, key in unnamed.items() if not _are_parts(boxes, key.box, key.parent)}
    composite = [
        key for key in composite_keys(boxes, taken, set(found), allow) if not _are_parts(boxes, key.box, key.parent)
    ]
    covered = {(key.box, label) for key in composite for label in key.fields}
    single = _one_way({each: found[each] for each in free if each in found and each not in covered}, boxes)
    return (*composite, *single.values())


def _are_parts(boxes: BoxSet, one: str, other: str) -> bool:
    """Whether two boxes have the same fields, as the parts of one table have: a file a month, say."""
    labels = boxes[one].labels
    return one != other and len(labels) > 1 and set(labels) == set(boxes[other].labels)


def with_discovered_keys(boxes: BoxSet) -> BoxSet:
    """The set with the keys found in it."""
    found = discover_keys(boxes, boxes.foreign_keys)
    if not found:
        return boxes
    return BoxSet(boxes.values(), (*boxes.foreign_keys, *found), boxes.loading_notes, boxes.sources)


@dataclass(frozen=True, slots=True)
class _Candidate:
    key: ForeignKey
    #: Whether the parent's key is named after the parent.
    is_home: bool
    #: Words in the parent's name.
    words: int
    #: Fields of the parent.
    width: int

    @property
    def rank(self) -> tuple[float, bool, int, int]:
        return self.key.confidence, self.is_home, -self.words, self.width


def _named(values: Values, box: str, label: str, allow: Callable[[str, str], bool] | None) -> ForeignKey | None:
    """The best key that the column's name suggests, to parents' keys first, then to what else is unique there."""
    plain = values.plain(box, label)
    for keys, least in ((values.keys, _LEAST_CONFIDENCE), (values.other_keys, _SURE)):
        ends = [end for end in values.near(plain, keys) if end[0] != box and (allow is None or allow(box, end[0]))]
        if allow is None or allow(box, box):
            ends += [end for end in keys if end[0] == box and end[1] != label]
        found = [each for each in _candidates(values, box, label, ends) if each.key.confidence >= least]
        if found:
            return max(found, key=lambda each: each.rank).key
    return None


def _candidates(values: Values, box: str, label: str, ends: list[tuple[str, str]]) -> Iterator[_Candidate]:
    name, own = values.names[box], values.plain(box, label)
    for parent, key in ends:
        parent_name = values.names[parent]
        strength, why = name_evidence(own, name, values.plain(parent, key), parent_name)
        if not strength or (strength < 0.9 and stem(own) == words(name)):
            continue
        is_named = is_about(own, parent_name) or is_about(values.plain(parent, key), parent_name)
        if not is_named and _are_parts(values.boxes, box, parent):
            continue
        if not may_refer(values.boxes[box], label, values.boxes[parent], key):
            continue
        if _has_it_too(values, parent, key, box, label):
            continue
        found = _weigh(values(box, label), values(parent, key), strength, why)
        if found is not None:
            is_home = is_about(values.plain(parent, key), parent_name)
            yield _Candidate(found, is_home, len(words(parent_name)), len(values.boxes[parent].fields))


def _has_it_too(values: Values, parent: str, key: str, box: str, label: str) -> bool:
    """Whether the parent, beside its key, has the column too and more than once a value: both refer to a third."""
    name, same = values.names[parent], "".join(words(values.plain(box, label)))
    if parent == box:
        return False
    for each in values.boxes[parent].labels:
        plain = values.plain(parent, each)
        if each != key and ("".join(words(plain)) == same or is_of(plain, name)):
            column = values(parent, each)
            if column.cells and not column.is_unique:
                return True
    return False


def _weigh(child: Column, parent: Column, strength: float, why: str) -> ForeignKey | None:
    if not parent.is_declared_key and parent.cells and not parent.is_unique:
        return None
    if _is_home(child) and not _is_home(parent) and words(child.plain) == words(parent.plain):
        return None
    if not child.cells or not parent.cells:
        return _unseen(child, parent, strength, why)
    found, of = share(child, parent)
    if not of or (found < 1.0 and child.is_key):
        return None
    if found < _SIBLINGS and not parent.is_declared_key and not is_about(parent.plain, parent.table):
        return None
    if _is_any_name(child, parent) and not is_beyond_chance(child, parent):
        return None
    shares = f"{found:.0%} of its {of} values are found there"
    confidence = _confidence(strength, found, child, parent)
    if confidence < _LEAST_CONFIDENCE:
        return None
    return inferred(child, parent, confidence, f"{why}; {shares}", found < 1.0)


def _is_any_name(child: Column, parent: Column) -> bool:
    """Whether all that speaks for a key is a name that two tables share and that says nothing of identity."""
    says_so = parent.is_declared_key or is_about(parent.plain, parent.table) or is_reference(child.plain)
    return not says_so and words(child.plain) == words(parent.plain)


def _unseen(child: Column, parent: Column, strength: float, why: str) -> ForeignKey | None:
    """The key where there are no values to compare: only if the name leaves no doubt, and means the parent's key."""
    own, theirs = words(child.plain), words(parent.plain)
    if strength < 1.0 and not (strength >= 0.9 and is_reference(child.plain)):
        return None
    means_key = parent.is_declared_key and (own[-len(theirs) :] == theirs or stem(child.plain) == stem(parent.plain))
    if not means_key and stem(parent.plain) not in ((), core_words(parent.table), stem(parent.table)):
        return None
    return inferred(child, parent, 0.8 if strength >= 1.0 else 0.76, f"{why}; there are no values to compare")


def _confidence(strength: float, found: float, child: Column, parent: Column) -> float:
    if strength >= 0.9:
        return 0.5 + 0.3 * strength + 0.19 * found if found >= 0.5 else 0.0
    if found < 0.9:
        return 0.0
    # Small whole numbers are found in any numbering.
    telling = not child.numeric or not counts_from_one(parent)
    return strength * 0.4 + 0.5 * found + (0.1 if telling else 0.0)


def _is_home(column: Column) -> bool:
    """Whether the column identifies the rows of the table that is named after it."""
    return column.is_key and stem(column.plain) == words(column.table)


def _one_way(keys: dict[tuple[str, str], ForeignKey], boxes: BoxSet) -> dict[tuple[str, str], ForeignKey]:
    """Of two keys that point at each other, the surer one, or that to the box that more refer to, or of more fields."""
    referring = Counter(key.parent for key in keys.values())

    def rank(key: ForeignKey) -> tuple[float, int, int, str]:
        return key.confidence, referring[key.parent], len(boxes[key.parent].fields), key.box

    def is_kept(key: ForeignKey) -> bool:
        back = keys.get((key.parent, key.parent_fields[0]))
        points_back = back is not None and (back.parent, back.parent_fields) == (key.box, key.fields)
        return back is None or not points_back or rank(key) > rank(back)

    return {each: key for each, key in keys.items() if is_kept(key)}
