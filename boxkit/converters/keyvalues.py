"""What values say about a foreign key: uniqueness, inclusion, and whether chance alone would explain an inclusion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, reduce
from itertools import pairwise
from math import gcd
from typing import TYPE_CHECKING, Any

from boxkit.box import Box, BoxSet, Field, ForeignKey
from boxkit.converters.columns import python_values
from boxkit.converters.keynames import clues, telling_labels, telling_names
from boxkit.converters.keywords import is_key_like, is_named_after
from boxkit.errors import SourceError

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "SAMPLE_ROWS",
    "Column",
    "Values",
    "counts_from_one",
    "inferred",
    "is_beyond_chance",
    "is_comparable",
    "key_labels",
    "may_refer",
    "share",
    "text",
]

#: Rows of a box that are read to learn its values; what they suggest in longer boxes is checked in full.
SAMPLE_ROWS = 20_000
#: How likely an inclusion may be by chance and still be evidence.
_CHANCE = 1e-4
_LEAST_TEXTS = 5
#: Characters of a text that is not just a code.
_TELLING_CHARS = 4
_EXACT = frozenset({"integer", "text", "number", "mixed", ""})


@dataclass
class Column:
    """A field's values as texts, as far as they were read.

    Attributes:
        table: The table's name without the words that all tables of the source have in theirs.
        plain: The field's name without what all fields of its box begin with.
        cells: How many values are there.
        is_unique: Whether every row has a value of its own.
        is_whole: Whether all rows were read.
        numeric: Whether all values are whole numbers, be they held as text.
        numbers: Whether they are held as numbers.
    """

    box: Box
    label: str
    table: str
    plain: str
    values: frozenset[str] = frozenset()
    cells: int = 0
    is_unique: bool = False
    is_whole: bool = True
    numeric: bool = False
    numbers: bool = False

    @cached_property
    def fullness(self) -> float:
        """The share of the places between the least and the greatest number that are taken, in steps; 0 of texts."""
        if not self.numeric:
            return 0.0
        numbers = sorted(map(int, self.values))
        step = reduce(gcd, (other - one for one, other in pairwise(numbers)), 0)
        return len(numbers) / ((numbers[-1] - numbers[0]) // step + 1) if step else 1.0

    def read(self) -> pd.Series[Any]:
        """Every value that is there."""
        return self.box.read([self.label])[self.label].dropna()

    @property
    def is_declared_key(self) -> bool:
        """Whether the source says that it alone is the key."""
        return self.box.primary_key == (self.label,)

    @property
    def is_key(self) -> bool:
        """Whether it is the key of its box, declared or by its looks."""
        is_first = self.label == self.box.labels[0]
        return self.is_declared_key or (not self.box.primary_key and is_first and self.is_unique)


@dataclass
class Values:
    """Columns' values, read at most once, and what boxes and fields are called without what tells nothing.

    Attributes:
        names: Each box's telling name.
        labels: Each box's fields' telling names.
    """

    boxes: BoxSet
    names: Mapping[str, str]
    labels: Mapping[str, Mapping[str, str]]
    found: dict[tuple[str, str], Column] = field(default_factory=dict)
    rows: dict[str, pd.DataFrame] = field(default_factory=dict)
    clues: dict[tuple[tuple[str, str], ...], dict[str, set[int]]] = field(default_factory=dict)

    @classmethod
    def of(cls, boxes: BoxSet) -> Values:
        """The values of these boxes; none is read yet."""
        labels = {name: telling_labels(box.labels) for name, box in boxes.items()}
        plain = [each for of_box in labels.values() for each in of_box.values()]
        return cls(boxes, telling_names({name: box.source_name for name, box in boxes.items()}, plain), labels)

    def plain(self, box: str, label: str) -> str:
        """A field's telling name."""
        return self.labels[box][label]

    def __call__(self, box: str, label: str) -> Column:
        """The column ``label`` of ``box``."""
        if (box, label) not in self.found:
            self.found[box, label] = self._read(self.boxes[box], label)
        return self.found[box, label]

    @cached_property
    def keys(self) -> tuple[tuple[str, str], ...]:
        """Boxes and their fields that may be another's parent."""
        return tuple((name, label) for name, box in self.boxes.items() for label in key_labels(box))

    @cached_property
    def comparable(self) -> frozenset[tuple[str, str]]:
        """Fields whose types can be a key's end."""
        return frozenset(
            (name, each.label) for name, box in self.boxes.items() for each in box.fields if is_comparable(each)
        )

    @cached_property
    def other_keys(self) -> tuple[tuple[str, str], ...]:
        """Fields that identify rows beside the declared key: ``team_api_id`` of a team, ``model`` of models."""
        return tuple(
            (name, label)
            for name, box in self.boxes.items()
            for label in box.labels
            if len(box.primary_key) == 1
            and label not in box.primary_key
            and is_named_after(self.plain(name, label), self.names[name])
        )

    @cached_property
    def sparse_keys(self) -> tuple[tuple[str, str], ...]:
        """Keys whose values are not just a numbering, so that finding others among them says something."""
        return tuple(end for end in self.keys if self(*end).is_unique and self(*end).fullness < 1.0)

    def sparse_keys_with(self, child: Column) -> list[tuple[str, str]]:
        """Of the sparse keys, those that may hold all of a column's values."""
        if not child.is_whole or not child.values:
            return list(self.sparse_keys)
        found = self._holders.get(next(iter(child.values)), set()) | self._holders.get("", set())
        return [self.sparse_keys[at] for at in sorted(found)]

    @cached_property
    def _holders(self) -> dict[str, set[int]]:
        """The places of the sparse keys that hold a value; under the empty text those that were not read whole."""
        holders: dict[str, set[int]] = {}
        for at, end in enumerate(self.sparse_keys):
            column = self(*end)
            for value in column.values if column.is_whole else ("",):
                holders.setdefault(value, set()).add(at)
        return holders

    def near(self, plain: str, ends: tuple[tuple[str, str], ...]) -> list[tuple[str, str]]:
        """Of ``ends``, those whose names have something in common with a field's."""
        if ends not in self.clues:
            index: dict[str, set[int]] = {}
            for at, (box, label) in enumerate(ends):
                for clue in clues(self.names[box]) | clues(self.plain(box, label)):
                    index.setdefault(clue, set()).add(at)
            self.clues[ends] = index
        found = {at for clue in clues(plain) for at in self.clues[ends].get(clue, ())}
        return [ends[at] for at in sorted(found)]

    def _series(self, box: Box, label: str) -> pd.Series[Any]:
        """The first rows of a field; all that can be a key's end are read at once, and kept."""
        if label not in self.rows.get(box.name, ()):
            wanted = [each.label for each in box.fields if is_comparable(each)]
            self.rows[box.name] = box.read(wanted if label in wanted else [label], SAMPLE_ROWS)
        return self.rows[box.name][label]

    def _read(self, box: Box, label: str) -> Column:
        try:
            series = self._series(box, label)
        except SourceError:
            return Column(box, label, self.names[box.name], self.plain(box.name, label), is_whole=False)
        present = [value for value in python_values(series) if value is not None and value != ""]
        texts = [found for value in present if (found := text(value))]
        values = frozenset(texts)
        return Column(
            box,
            label,
            self.names[box.name],
            self.plain(box.name, label),
            values,
            len(texts),
            len(values) == len(texts) == len(series) and bool(texts),
            len(series) < SAMPLE_ROWS,
            bool(values) and all(each.lstrip("-").isdigit() for each in values),
            bool(present) and not isinstance(present[0], str),
        )


def text(value: Any) -> str:
    """What is compared: ``7``, ``7.0`` and ``"7 "`` are one."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip()


def share(child: Column, parent: Column) -> tuple[float, int]:
    """How many of the child's distinct values the parent has, of how many; 0 where the parent turns out no key."""
    if child.is_whole and parent.is_whole:
        return len(child.values & parent.values) / len(child.values), len(child.values)
    own, theirs = child.read(), parent.read()
    if not parent.is_declared_key and not theirs.is_unique:
        return 0.0, 0
    if own.dtype != theirs.dtype:
        own, theirs = own.map(text), theirs.map(text)
    distinct = own.drop_duplicates()
    return float(distinct.isin(theirs).mean()), len(distinct)


def counts_from_one(column: Column) -> bool:
    """Whether its values are 1, 2, 3 and so on, as in any numbering."""
    return (
        column.numeric
        and len(column.values) > 1
        and all(str(at) in column.values for at in range(1, len(column.values)))
    )


def is_beyond_chance(child: Column, parent: Column, chance: float = _CHANCE) -> bool:
    """Whether values that are all found in the parent's can hardly be there by chance.

    Numbers drawn from the parent's range would hit its values as often as these fill the range, each time; ranges in
    steps (10, 20, 30) are full. Texts tell where there are several and they are no mere codes.

    Args:
        child: Whose values are all found in ``parent``.
        parent: Whose values are all different.
        chance: How likely it may be by chance.
    """
    if child.numeric and parent.numeric:
        return bool(parent.fullness ** len(child.values) <= chance)
    if child.numeric or parent.numeric:
        return False
    lengths = sorted(map(len, child.values))
    return len(lengths) >= _LEAST_TEXTS and lengths[len(lengths) // 2] >= _TELLING_CHARS


def key_labels(box: Box) -> Iterator[str]:
    """The fields that may be another's parent: the declared key of one field, or what looks like a key."""
    if box.primary_key:
        yield from box.primary_key if len(box.primary_key) == 1 else ()
        return
    for at, label in enumerate(box.labels):
        if at == 0 or is_key_like(label, box.source_name):
            yield label


def may_refer(box: Box, label: str, parent: Box, key: str) -> bool:
    """Whether the two fields' types can be compared as a key's ends."""
    return is_comparable(box.field(label)) and is_comparable(parent.field(key))


def is_comparable(field: Field) -> bool:
    """Whether a field's type can be a key's end."""
    return field.type.split(",")[0] in _EXACT


def inferred(child: Column, parent: Column, confidence: float, evidence: str, dangling: bool = False) -> ForeignKey:
    """The key from one column to another, as inferred."""
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
