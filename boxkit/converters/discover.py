"""Foreign keys that nobody declared, found from names, types, uniqueness and inclusion, each with its evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from boxkit.box import Box, BoxSet, ForeignKey
from boxkit.converters.keynames import is_generic, is_key_like, name_evidence, role_evidence, stem, words
from boxkit.errors import SourceError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["discover_keys", "with_discovered_keys"]

#: Rows of a box that are read to learn its values; what they suggest in longer boxes is checked in full.
_SAMPLE_ROWS = 20_000
_LEAST_CONFIDENCE = 0.75


@dataclass
class _Column:
    box: Box
    label: str
    #: The table's name without the words that all tables of the source have in theirs.
    table: str
    values: frozenset[str] = frozenset()
    cells: int = 0
    is_unique: bool = False
    is_whole: bool = True
    numeric: bool = False
    numbers: bool = False

    def read(self) -> pd.Series[Any]:
        """Every value that is there."""
        return self.box.read([self.label])[self.label].dropna()

    @property
    def is_declared_key(self) -> bool:
        return self.box.primary_key == (self.label,)


@dataclass
class _Values:
    """Columns' values, read at most once."""

    boxes: BoxSet
    names: dict[str, str]
    found: dict[tuple[str, str], _Column] = field(default_factory=dict)

    def __call__(self, box: str, label: str) -> _Column:
        if (box, label) not in self.found:
            self.found[box, label] = self._read(self.boxes[box], label)
        return self.found[box, label]

    def _read(self, box: Box, label: str) -> _Column:
        try:
            series = box.read([label], _SAMPLE_ROWS)[label]
        except SourceError:
            return _Column(box, label, self.names[box.name], is_whole=False)
        present = [value for value in series.dropna().tolist() if value != ""]
        texts = [text for value in present if (text := _text(value))]
        values = frozenset(texts)
        return _Column(
            box,
            label,
            self.names[box.name],
            values,
            len(texts),
            len(values) == len(texts) == len(series) and bool(texts),
            len(series) < _SAMPLE_ROWS,
            bool(values) and all(text.lstrip("-").isdigit() for text in values),
            bool(present) and not isinstance(present[0], str),
        )


def _text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip()


def discover_keys(
    boxes: BoxSet, known: Sequence[ForeignKey] = (), allow: Callable[[str, str], bool] | None = None
) -> tuple[ForeignKey, ...]:
    """Keys that the source does not declare.

    A column refers to another box's key where its name says so and its values are found there; each key names its
    evidence and an estimate of how likely it is.

    Args:
        boxes: Whose keys.
        known: Declared keys; their columns are left alone.
        allow: Whether keys from one box to another are looked for; all where None.
    """
    values = _Values(boxes, _telling_names(boxes))
    taken = {(key.box, label) for key in known for label in key.fields}
    single: list[ForeignKey] = []
    for name, box in boxes.items():
        for label in box.labels:
            if (name, label) in taken:
                continue
            best = _best(list(_candidates(boxes, box, label, values, allow)))
            best = best or _only(list(_roles(boxes, box, label, values, allow)))
            if best is not None:
                single.append(best)
    explained = {(key.box, key.fields[0]) for key in single}
    composite = _widest([key for key in _composite(boxes, taken, allow) if _is_needed(key, explained)])
    covered = {(key.box, label) for key in composite for label in key.fields}
    single = _one_way([key for key in single if (key.box, key.fields[0]) not in covered])
    return (*composite, *single)


def with_discovered_keys(boxes: BoxSet) -> BoxSet:
    """The set with the keys found in it."""
    found = discover_keys(boxes, boxes.foreign_keys)
    if not found:
        return boxes
    return BoxSet(boxes.values(), (*boxes.foreign_keys, *found), boxes.loading_notes, boxes.sources)


def _telling_names(boxes: BoxSet) -> dict[str, str]:
    """Tables' names without words that most of them share: ``olist_orders_dataset`` is ``order``."""
    found = {name: words(box.source_name) for name, box in boxes.items()}
    shared = {
        word
        for each in found.values()
        for word in each
        if len(found) > 2 and sum(word in other for other in found.values()) > 0.6 * len(found)
    }
    return {
        name: "_".join(word for word in each if word not in shared) or "_".join(each) for name, each in found.items()
    }


def _candidates(
    boxes: BoxSet, box: Box, label: str, values: _Values, allow: Callable[[str, str], bool] | None
) -> Iterator[tuple[float, int, float, ForeignKey]]:
    for parent_name, parent in boxes.items():
        if allow is not None and not allow(box.name, parent_name):
            continue
        for key in _key_labels(parent):
            if parent_name == box.name and key == label:
                continue
            strength, why = name_evidence(label, values.names[box.name], key, values.names[parent_name])
            if strength < 0.9 and stem(label) == words(values.names[box.name]):
                continue
            if not strength or not _may_refer(box, label, parent, key):
                continue
            found = _weigh(values(box.name, label), values(parent_name, key), strength, why)
            if found is not None:
                own = words(values.names[parent_name])
                home = int(bool(set(stem(key) or own) & set(own)))
                yield found.confidence, home, -len(own), found


def _roles(
    boxes: BoxSet, box: Box, label: str, values: _Values, allow: Callable[[str, str], bool] | None
) -> Iterator[ForeignKey]:
    for parent_name, parent in boxes.items():
        strength, why = role_evidence(label, values.names[parent_name])
        if not strength or (allow is not None and not allow(box.name, parent_name)):
            continue
        for key in _key_labels(parent):
            if (parent_name, key) == (box.name, label) or not _may_refer(box, label, parent, key):
                continue
            child, theirs = values(box.name, label), values(parent_name, key)
            if not theirs.is_unique or not child.cells or _share(child, theirs)[0] < 1.0:
                continue
            if _is_key(child) and (_counts_from_one(theirs) or not theirs.numeric):
                continue
            evidence = f"{why}; all of its {len(child.values)} values are found there"
            yield _key(child, theirs, 0.8, evidence, False)
            break


def _only(keys: list[ForeignKey]) -> ForeignKey | None:
    return keys[0] if len(keys) == 1 else None


def _key_labels(box: Box) -> Iterator[str]:
    if len(box.primary_key) == 1:
        yield box.primary_key[0]
        return
    if box.primary_key:
        return
    for at, label in enumerate(box.labels):
        if at == 0 or is_key_like(label, box.source_name):
            yield label


def _may_refer(box: Box, label: str, parent: Box, key: str) -> bool:
    one, other = box.field(label).type.split(",")[0], parent.field(key).type.split(",")[0]
    exact = {"integer", "text", "number", "mixed", ""}
    return one in exact and other in exact


def _weigh(child: _Column, parent: _Column, strength: float, why: str) -> ForeignKey | None:
    if not parent.is_declared_key and parent.cells and not parent.is_unique:
        return None
    if _is_home(child) and not _is_home(parent) and child.label.casefold() == parent.label.casefold():
        return None
    if not child.cells or not parent.cells:
        confidence = 0.8 if strength >= 0.9 else 0.0
        return _key(child, parent, confidence, f"{why}; there are no values to compare", False) if confidence else None
    found, of = _share(child, parent)
    if not of or (found < 1.0 and _is_key(child)):
        return None
    share = f"{found:.0%} of its {of} values are found there"
    confidence = _confidence(strength, found, child, parent)
    if confidence < _LEAST_CONFIDENCE:
        return None
    return _key(child, parent, confidence, f"{why}; {share}", found < 1.0)


def _share(child: _Column, parent: _Column) -> tuple[float, int]:
    """How many of the child's distinct values the parent has, of how many; 0 where the parent turns out no key."""
    if child.is_whole and parent.is_whole:
        return len(child.values & parent.values) / len(child.values), len(child.values)
    own, theirs = child.read(), parent.read()
    if not parent.is_declared_key and not theirs.is_unique:
        return 0.0, 0
    if own.dtype != theirs.dtype:
        own, theirs = own.map(_text), theirs.map(_text)
    distinct = own.drop_duplicates()
    return float(distinct.isin(theirs).mean()), len(distinct)


def _confidence(strength: float, found: float, child: _Column, parent: _Column) -> float:
    if strength >= 0.9:
        return 0.5 + 0.3 * strength + 0.19 * found if found >= 0.5 else 0.0
    if found < 0.9:
        return 0.0
    # Small whole numbers are found in any numbering.
    telling = not child.numeric or not _counts_from_one(parent)
    return strength * 0.4 + 0.5 * found + (0.1 if telling else 0.0)


def _counts_from_one(column: _Column) -> bool:
    return (
        column.numeric
        and len(column.values) > 1
        and all(str(at) in column.values for at in range(1, len(column.values)))
    )


def _is_key(column: _Column) -> bool:
    is_first = column.label == column.box.labels[0]
    return column.is_declared_key or (not column.box.primary_key and is_first and column.is_unique)


def _is_home(column: _Column) -> bool:
    """Whether the column identifies the rows of the table that is named after it."""
    return _is_key(column) and stem(column.label) == words(column.table)


def _key(child: _Column, parent: _Column, confidence: float, evidence: str, dangling: bool) -> ForeignKey:
    return ForeignKey(
        child.box.name,
        (child.label,),
        parent.box.name,
        (parent.label,),
        "inferred",
        round(min(confidence, 0.99), 2),
        evidence,
        dangling,
    )


def _best(candidates: list[tuple[float, int, float, ForeignKey]]) -> ForeignKey | None:
    return max(candidates, key=lambda each: each[:3])[3] if candidates else None


def _one_way(keys: list[ForeignKey]) -> list[ForeignKey]:
    """Of two keys that point at each other, the surer one."""
    by_ends = {(key.box, key.fields, key.parent, key.parent_fields): key for key in keys}
    kept = []
    for ends, key in by_ends.items():
        back = by_ends.get((ends[2], ends[3], ends[0], ends[1]))
        if back is None or (key.confidence, ends) > (
            back.confidence,
            (back.box, back.fields, back.parent, back.parent_fields),
        ):
            kept.append(key)
    return kept


def _composite(
    boxes: BoxSet, taken: set[tuple[str, str]], allow: Callable[[str, str], bool] | None
) -> Iterator[ForeignKey]:
    """Keys to a declared key of several fields, where a box has fields of all these names."""
    for parent in boxes.values():
        wanted = parent.primary_key
        if len(wanted) < 2:
            continue
        for box in boxes.values():
            if box.name == parent.name or (allow is not None and not allow(box.name, parent.name)):
                continue
            by_name = {label.casefold(): label for label in box.labels}
            own = tuple(by_name.get(label.casefold(), "") for label in wanted)
            if not all(own) or any((box.name, label) in taken for label in own) or not _is_part(box, own):
                continue
            share, rows = _tuples_found(box, own, parent, wanted)
            if rows and share >= 0.99:
                evidence = f"the same names; {share:.0%} of its {rows} combinations are found there"
                yield ForeignKey(box.name, own, parent.name, wanted, "inferred", 0.9, evidence, share < 1.0)


def _is_needed(key: ForeignKey, explained: set[tuple[str, str]]) -> bool:
    """Whether some field of a composite key tells something that keys of single fields do not."""
    return any((key.box, label) not in explained and not is_generic(label) for label in key.fields)


def _widest(keys: list[ForeignKey]) -> list[ForeignKey]:
    """Without those whose fields are among another's: what that refers to refers on."""
    return [key for key in keys if not any(key.box == each.box and set(key.fields) < set(each.fields) for each in keys)]


def _is_part(box: Box, own: tuple[str, ...]) -> bool:
    # Two tables with the same whole key are peers.
    return set(own) != set(box.primary_key) or len(box.labels) > len(own)


def _tuples_found(box: Box, own: tuple[str, ...], parent: Box, theirs: tuple[str, ...]) -> tuple[float, int]:
    try:
        rows = _tuples(box, own)
        known = _tuples(parent, theirs)
    except SourceError:
        return 0.0, 0
    return (len(rows & known) / len(rows) if rows else 0.0), len(rows)


def _tuples(box: Box, labels: tuple[str, ...]) -> set[tuple[str, ...]]:
    frame = box.read(list(labels), _SAMPLE_ROWS).dropna()
    return {tuple(map(_text, row)) for row in frame.itertuples(index=False, name=None)}
