"""Nested records become boxes: an object's fields go into its row, a list becomes a box with a key to its parent."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from boxkit.box import Box, BoxSet, ForeignKey, Note
from boxkit.converters.columns import all_exact, column, frame_of
from boxkit.converters.growing import GrowingColumn
from boxkit.converters.held import held_box
from boxkit.converters.lint import lint_frame
from boxkit.errors import UnreadableSource
from boxkit.naming import box_name, field_labels

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Digits", "boxes_of"]

#: Cells that are held as Python values before they go into typed columns.
_BLOCK_CELLS = 32_768

#: Types of values that hold no others.
_PLAIN = frozenset({str, int, float, bool, type(None)})


class Digits(str):
    """A number that no type of Python's holds as it is written; where one is, the whole column stays text."""

    __slots__ = ()


class _Table:
    """Rows as they come, column by column.

    Attributes:
        parent: The table in whose rows these are nested.
        children: Those nested in its own rows, by the field.
    """

    def __init__(self, path: str, parent: _Table | None = None) -> None:
        self.path = path
        self.parent = parent
        self.children: dict[str, _Table] = {}
        self.columns: dict[str, GrowingColumn] = {}
        #: For each row, that of the parent, and its place in the list there.
        self.places = (GrowingColumn(), GrowingColumn())
        self.length = 0
        self._begun = 0
        self._block: dict[str, list[Any]] = {}
        #: Rows of the same fields as the row before them, not in the block yet.
        self._alike: list[Mapping[str, Any]] = []
        self._labels: Collection[str] = ()
        self._block_places: tuple[list[Any], list[Any]] = ([], [])

    @property
    def has_rows(self) -> bool:
        """Whether there is anything in it, or in what is nested in it."""
        return bool(self.length and self.columns) or any(each.has_rows for each in self.children.values())

    def is_alike(self, record: Any) -> bool:
        """Whether a record is a row as it stands, of the same fields as the row before."""
        return type(record) is dict and record.keys() == self._labels and _PLAIN.issuperset(map(type, record.values()))

    def add(self, row: Mapping[str, Any], place: tuple[int, int] | None) -> int:
        """Add a row; its number."""
        if self._labels and row.keys() == self._labels:
            self._alike.append(row)
        else:
            self._spread()
            for label, value in row.items():
                self._values(label, self.length).append(value)
            self._labels = row.keys()
        if place is not None:
            self._block_places[0].append(place[0])
            self._block_places[1].append(place[1])
        self.length += 1
        return self.length - 1

    def _values(self, label: str, row: int) -> list[Any]:
        """The block's values of a field, up to this row."""
        values = self._block.get(label)
        if values is None:
            values = self._block[label] = []
        if len(values) < row - self._begun:
            values.extend([None] * (row - self._begun - len(values)))
        return values

    def _spread(self) -> None:
        if self._alike:
            first = self.length - len(self._alike)
            for label in self._labels:
                self._values(label, first).extend([row[label] for row in self._alike])
            self._alike = []

    def settle(self) -> None:
        """Put the rows that came since the last time into typed columns."""
        self._spread()
        for label, values in self._block.items():
            column = self.columns.setdefault(label, GrowingColumn())
            column.pad(self._begun)
            column.put(values)
        for column, values in zip(self.places, self._block_places, strict=True):
            column.put(values)
        self._begun, self._block, self._block_places = self.length, {}, ([], [])


class _Tables(list[_Table]):
    """The tables, each before those that are nested in it."""

    def __init__(self) -> None:
        super().__init__()
        self._cells = 0

    def table(self, path: str, parent: _Table | None = None) -> _Table:
        """A new table."""
        self.append(_Table(path, parent))
        return self[-1]

    def add(self, record: Any, table: _Table, place: tuple[int, int] | None = None) -> None:
        """Add a record, and what is nested in it to the tables of its lists."""
        if table.is_alike(record):
            table.add(record, place)
            self._count(len(record))
            return
        row: dict[str, Any] = {}
        lists: list[tuple[str, Any]] = []
        self._fill(row, lists, record if isinstance(record, Mapping) else {"value": record}, "")
        number = table.add(row, place)
        for label, items in lists:
            child = table.children.get(label)
            if child is None:
                child = table.children[label] = self.table(f"{table.path}_{label}", table)
            for at, item in enumerate(items):
                self.add(item, child, (number, at))
        self._count(len(row))

    def _count(self, cells: int) -> None:
        self._cells += cells + 1
        if self._cells >= _BLOCK_CELLS:
            self.settle()

    def settle(self) -> None:
        """Put the rows that came since the last time into typed columns."""
        self._cells = 0
        for each in self:
            each.settle()

    def _fill(self, row: dict[str, Any], lists: list[tuple[str, Any]], record: Mapping[Any, Any], prefix: str) -> None:
        for key, item in record.items():
            label = f"{prefix}{key}"
            is_plain = type(item) in _PLAIN
            if not is_plain and isinstance(item, Mapping):
                self._fill(row, lists, item, f"{label}.")
            elif not is_plain and isinstance(item, (list, tuple)):
                lists.append((label, item))
            elif label in row:
                # The field "b" of an object "a" beside a field "a.b".
                row[field_labels([*row, label])[-1]] = item
            else:
                row[label] = item


def boxes_of(
    roots: Iterable[tuple[str, Iterable[Any]]], notes: list[Note], source: str, state: Callable[[], str]
) -> BoxSet:
    """The boxes of nested records.

    Args:
        roots: Names of the outermost boxes, each with its records; what is no mapping is a record of one value.
        notes: What is known already; added to.
        source: For the set's sources and messages.
        state: For the fingerprint.

    Raises:
        UnreadableSource: There is no record in it.
    """
    tables = _Tables()
    for path, records in roots:
        table = tables.table(path)
        for record in records:
            tables.add(record, table)
    tables.settle()
    kept = [table for table in tables if table.has_rows]
    if not kept:
        raise UnreadableSource("there is no record in it", where=source)
    return _boxes(kept, notes, source, state)


def _boxes(tables: list[_Table], notes: list[Note], source: str, state: Callable[[], str]) -> BoxSet:
    import pandas as pd

    parents = {id(table.parent) for table in tables if table.parent}
    boxes: list[Box] = []
    keys: list[ForeignKey] = []
    names: dict[int, tuple[str, str]] = {}
    for table in tables:
        name = box_name(table.path, [box.name for box in boxes])
        headers, labels, columns = _columns(table, name, notes)
        primary: tuple[str, ...] = ()
        if id(table) in parents:
            own = field_labels([*labels, f"{name}_row"])[-1]
            labels.append(own)
            headers.append(own)
            columns.append(pd.Series(range(table.length)))
            primary = (own,)
            names[id(table)] = (name, own)
            notes.append(Note("cast", "it numbers the rows, for the lists that were nested in them", name, own))
        frame = frame_of(columns, labels, table.length)
        notes += lint_frame(frame, name, kinds=True)
        boxes.append(
            held_box(name, frame, state=state, source_name=table.path, source_names=headers, primary_key=primary)
        )
        if table.parent is not None:
            parent, parent_field = names[id(table.parent)]
            keys.append(ForeignKey(name, (labels[0],), parent, (parent_field,)))
    return BoxSet(boxes, keys, notes, [source])


def _columns(table: _Table, box: str, notes: list[Note]) -> tuple[list[str], list[str], list[pd.Series[Any]]]:
    """What the source calls the columns, their labels, and the columns; those that say where rows were nested first."""
    headers = list(table.columns)
    labels = list(field_labels(headers))
    columns = []
    for header, label in zip(headers, labels, strict=True):
        values = table.columns.pop(header)
        values.pad(table.length)
        columns.append(values.series() if values.is_typed else column(_exact(values.values(), box, label, notes)))
    if table.parent is None:
        return headers, labels, columns
    places = [f"{table.parent.path}_row", "position"]
    # A field of the records keeps its name.
    own = list(field_labels([*labels, *places])[-2:])
    return [*places, *headers], [*own, *labels], [*(each.series() for each in table.places), *columns]


def _exact(values: list[Any], box: str, label: str, notes: list[Note]) -> list[Any]:
    """The values; all numbers as text, with a note, where one column of numbers cannot hold each as it stands."""
    kinds = set(map(type, values)) - {type(None)}
    long = Digits in kinds
    if not long and (kinds != {int, float} or all_exact(values)):
        return values
    if not kinds <= {int, float, Digits}:
        return [str(value) if type(value) is Digits else value for value in values]
    if not long:
        notes.append(Note("cast", "integers past 2**53 beside decimals, which no float holds, stay text", box, label))
    return [None if value is None or value != value else str(value) for value in values]
