"""A database's catalogue as boxes: tables of several schemas, their comments and their keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from boxkit.box import Box, BoxSet, Field, ForeignKey, Note, Reader
from boxkit.naming import box_name, field_labels, is_box_name

__all__ = ["Column", "KeyTo", "Table", "boxes_of_catalogue"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, its type in words, its comment, its type in SQL, and its collation where it has one."""

    name: str
    type: str = ""
    comment: str = ""
    declared: str = ""
    collation: str = ""


@dataclass(frozen=True, slots=True)
class KeyTo:
    """A declared foreign key: its columns, and the schema, table and columns that it refers to."""

    columns: tuple[str, ...]
    schema: str
    table: str
    parent_columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table or view as a database describes it."""

    schema: str
    name: str
    columns: tuple[Column, ...]
    primary_key: tuple[str, ...] = ()
    comment: str = ""
    keys: tuple[KeyTo, ...] = field(default=())


def boxes_of_catalogue(
    tables: Sequence[Table],
    reader: Callable[[Table, str, tuple[str, ...]], Reader],
    default_schema: str,
    notes: list[Note],
    source: str,
) -> BoxSet:
    """The boxes of a database.

    Args:
        tables: In the order in which they are shown.
        reader: Makes the reader of a table, given the box's name and the fields' labels.
        default_schema: The schema whose tables need no schema before their name.
        notes: What is known already; added to.
        source: The database, in words.
    """
    boxes: dict[tuple[str, str], Box] = {}
    # A table whose name is fine keeps it, whatever another one's name would become.
    by_right = {table.name for table in tables if table.schema == default_schema and is_box_name(table.name)}
    for table in tables:
        plain = table.name if table.schema == default_schema else f"{table.schema}.{table.name}"
        label = box_name(plain, {*(box.name for box in boxes.values()), *by_right} - {plain})
        if label != plain:
            notes.append(Note("renamed", f"the table is called {plain!r} in the source", label))
        names = [column.name for column in table.columns]
        labels = field_labels(names)
        notes += [
            Note("renamed", f"the column is called {name!r} in the source", label, mine)
            for name, mine in zip(names, labels, strict=True)
            if name != mine
        ]
        fields = tuple(
            Field(mine, column.type, column.name, column.comment, declared=column.declared, collation=column.collation)
            for mine, column in zip(labels, table.columns, strict=True)
        )
        key = tuple(labels[names.index(name)] for name in table.primary_key if name in names)
        boxes[table.schema, table.name] = Box(
            label, fields, reader(table, label, labels), plain, key, "database", table.comment
        )
    keys = [key for table in tables for key in _keys(table, boxes, notes)]
    return BoxSet(boxes.values(), keys, notes, [source])


def _keys(table: Table, boxes: dict[tuple[str, str], Box], notes: list[Note]) -> Iterator[ForeignKey]:
    box = boxes[table.schema, table.name]
    for key in table.keys:
        own = _labels(box, key.columns)
        parent = boxes.get((key.schema, key.table))
        if parent is None:
            message = f"it refers to the table {key.table!r}, which is not there"
            notes.append(Note("dangling key", message, box.name, own[0] if own else None))
            if own:
                yield ForeignKey(box.name, own, key.table, key.parent_columns or own, dangling=True)
            continue
        theirs = _labels(parent, key.parent_columns) or parent.primary_key
        if own and len(own) == len(theirs):
            yield ForeignKey(box.name, own, parent.name, theirs)


def _labels(box: Box, names: Sequence[str]) -> tuple[str, ...]:
    by_name = {each.source_name: each.label for each in box.fields}
    return tuple(by_name[name] for name in names if name in by_name)
