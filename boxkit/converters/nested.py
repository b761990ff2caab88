"""Nested records become boxes: an object's fields go into its row, a list becomes a box with a key to its parent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from boxkit.box import Box, BoxSet, ForeignKey, Note
from boxkit.converters.columns import column, frame_of
from boxkit.converters.held import held_box
from boxkit.errors import UnreadableSource
from boxkit.naming import box_name, field_labels

__all__ = ["boxes_of"]


@dataclass
class _Table:
    path: str
    rows: list[dict[str, Any]] = field(default_factory=list)
    parent: _Table | None = None


def boxes_of(value: Any, name: str, notes: list[Note], source: str, state: Callable[[], str]) -> BoxSet:
    """The boxes of a value as JSON gives it.

    Args:
        value: A list of records, a mapping of names to lists of records, or one record.
        name: The outermost box's name.
        notes: What is known already.
        source: For the set's sources and messages.
        state: For the fingerprint.

    Raises:
        UnreadableSource: There is no record in it.
    """
    tables: dict[str, _Table] = {}
    for path, records in _roots(value, name):
        table = tables.setdefault(path, _Table(path))
        for record in records:
            _add(record, table, tables)
    tables = {path: table for path, table in tables.items() if table.rows}
    if not tables:
        raise UnreadableSource("there is no record in it", where=source)
    return _boxes(tables, notes, source, state)


def _roots(value: Any, name: str) -> list[tuple[str, Sequence[Any]]]:
    if isinstance(value, Mapping):
        lists = {key: item for key, item in value.items() if _is_records(item)}
        if lists and len(lists) == len(value):
            return list(lists.items())
        return [(name, [value])]
    return [(name, value if isinstance(value, (list, tuple)) else [value])]


def _is_records(item: Any) -> bool:
    return isinstance(item, (list, tuple)) and bool(item) and all(isinstance(each, Mapping) for each in item)


def _add(
    record: Any, table: _Table, tables: dict[str, _Table], number: int | None = None, at: int | None = None
) -> None:
    row: dict[str, Any] = {}
    if number is not None:
        row[f"{table.parent.path if table.parent else ''}_row"], row["position"] = number, at
    table.rows.append(row)
    own = len(table.rows) - 1
    _fill(row, record if isinstance(record, Mapping) else {"value": record}, "", table, tables, own)


def _fill(
    row: dict[str, Any], record: Mapping[Any, Any], prefix: str, table: _Table, tables: dict[str, _Table], own: int
) -> None:
    for key, item in record.items():
        label = f"{prefix}{key}"
        if isinstance(item, Mapping):
            _fill(row, item, f"{label}.", table, tables, own)
        elif isinstance(item, (list, tuple)):
            child = tables.setdefault(f"{table.path}_{label}", _Table(f"{table.path}_{label}", parent=table))
            for at, each in enumerate(item):
                _add(each, child, tables, own, at)
        else:
            row[label] = item


def _boxes(tables: dict[str, _Table], notes: list[Note], source: str, state: Callable[[], str]) -> BoxSet:
    parents = {id(table.parent) for table in tables.values() if table.parent}
    boxes: list[Box] = []
    keys: list[ForeignKey] = []
    names: dict[int, tuple[str, str]] = {}
    for table in tables.values():
        label = box_name(table.path, [box.name for box in boxes])
        headers = list(dict.fromkeys(key for row in table.rows for key in row))
        labels = list(field_labels(headers))
        columns = [column([_cell(row.get(header)) for row in table.rows]) for header in headers]
        primary: tuple[str, ...] = ()
        if id(table) in parents:
            own = field_labels([*labels, f"{label}_row"])[-1]
            labels.append(own)
            columns.append(column(list(range(len(table.rows)))))
            primary = (own,)
            names[id(table)] = (label, own)
            notes.append(Note("cast", "numbers the rows, for the lists that were nested in them", label, own))
        frame = frame_of(columns, labels, len(table.rows))
        boxes.append(held_box(label, frame, state=state, source_name=table.path, primary_key=primary))
        if table.parent is not None:
            parent, parent_field = names[id(table.parent)]
            keys.append(ForeignKey(label, (labels[0],), parent, (parent_field,)))
    return BoxSet(boxes, keys, notes, [source])


def _cell(value: Any) -> Any:
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) and not value.isprintable() else value
