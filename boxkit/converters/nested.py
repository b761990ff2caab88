"""Nested records become boxes: an object's fields go into its row, a list becomes a box with a key to its parent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from boxkit.box import Box, BoxSet, ForeignKey, Note
from boxkit.converters.columns import all_exact, column, frame_of
from boxkit.converters.held import held_box
from boxkit.converters.lint import lint_frame
from boxkit.errors import UnreadableSource
from boxkit.naming import box_name, field_labels

__all__ = ["Digits", "boxes_of"]

#: Texts of which one copy is kept, however often they occur.
_KNOWN_TEXTS = 20_000


class Digits(str):
    """A number that no type of Python's holds as it is written; where one is, the whole column stays text."""

    __slots__ = ()


class _Table:
    """Rows as they come, column by column."""

    def __init__(self, path: str, parent: _Table | None = None) -> None:
        self.path = path
        self.parent = parent
        self.columns: dict[str, list[Any]] = {}
        self.length = 0

    def add(self, row: Mapping[str, Any]) -> int:
        """Add a row; its number."""
        for label, value in row.items():
            values = self.columns.setdefault(label, [])
            if len(values) < self.length:
                values.extend([None] * (self.length - len(values)))
            values.append(value)
        self.length += 1
        return self.length - 1

    def column(self, label: str) -> list[Any]:
        """A column's values; emptied here, so that no more is held than is needed."""
        values = self.columns[label]
        self.columns[label] = []
        return values + [None] * (self.length - len(values))


class _Tables(dict[str, _Table]):
    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    def add(self, record: Any, table: _Table, lead: Mapping[str, Any]) -> None:
        row: dict[str, Any] = dict(lead)
        lists: list[tuple[str, Any]] = []
        self._fill(row, lists, record if isinstance(record, Mapping) else {"value": record}, "")
        number = table.add(row)
        for label, items in lists:
            path = f"{table.path}_{label}"
            child = self.setdefault(path, _Table(path, table))
            for at, item in enumerate(items):
                self.add(item, child, {f"{table.path}_row": number, "position": at})

    def _fill(self, row: dict[str, Any], lists: list[tuple[str, Any]], record: Mapping[Any, Any], prefix: str) -> None:
        for key, item in record.items():
            label = f"{prefix}{key}"
            if isinstance(item, Mapping):
                self._fill(row, lists, item, f"{label}.")
            elif isinstance(item, (list, tuple)):
                lists.append((label, item))
            else:
                row[label] = self._kept(item)

    def _kept(self, value: Any) -> Any:
        if type(value) is not str:
            return value
        if len(self.texts) < _KNOWN_TEXTS:
            return self.texts.setdefault(value, value)
        return self.texts.get(value, value)


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
        table = tables.setdefault(path, _Table(path))
        for record in records:
            tables.add(record, table, {})
    kept = [table for table in tables.values() if table.length and table.columns]
    if not kept:
        raise UnreadableSource("there is no record in it", where=source)
    return _boxes(kept, notes, source, state)


def _boxes(tables: list[_Table], notes: list[Note], source: str, state: Callable[[], str]) -> BoxSet:
    parents = {id(table.parent) for table in tables if table.parent}
    boxes: list[Box] = []
    keys: list[ForeignKey] = []
    names: dict[int, tuple[str, str]] = {}
    for table in tables:
        label = box_name(table.path, [box.name for box in boxes])
        headers = list(table.columns)
        labels = list(field_labels(headers))
        columns = [
            column(_exact(table.column(header), label, own, notes)) for header, own in zip(headers, labels, strict=True)
        ]
        primary: tuple[str, ...] = ()
        if id(table) in parents:
            own = field_labels([*labels, f"{label}_row"])[-1]
            labels.append(own)
            headers.append(own)
            columns.append(column(list(range(table.length))))
            primary = (own,)
            names[id(table)] = (label, own)
            notes.append(Note("cast", "it numbers the rows, for the lists that were nested in them", label, own))
        frame = frame_of(columns, labels, table.length)
        notes += lint_frame(frame, label, kinds=True)
        boxes.append(
            held_box(label, frame, state=state, source_name=table.path, source_names=headers, primary_key=primary)
        )
        if table.parent is not None:
            parent, parent_field = names[id(table.parent)]
            keys.append(ForeignKey(label, (labels[0],), parent, (parent_field,)))
    return BoxSet(boxes, keys, notes, [source])


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
