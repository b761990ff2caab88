"""Columns of a SQLite table without a call a cell: the file's own pages, under a lock that SQLite holds.

Other than through drivers, each cell's type is known as it is stored, so nothing is bent and nothing needs a check.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from boxkit.converters.filling import Filling
from boxkit.converters.sqlite_database import affinity
from boxkit.converters.sqlite_pages import (
    BLOB,
    FLOAT,
    NULL,
    ONE,
    TEXT,
    ZERO,
    Cells,
    NotPlain,
    Records,
    TableFile,
    big_endian,
)

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_plain"]

#: By serial type, how far eight bytes are shifted down to leave an integer's own.
_SHIFTS = np.array([63, 56, 48, 40, 32, 16, 0, 63, 63, 63, 63, 63, 63, 63], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where a table's rows and columns are stored.

    Attributes:
        root: Its first page.
        places: By column's name, its place in a record; None where the row's number is its value.
        affinities: By column's name.
        defaults: Columns whose value is another than NULL in records that were written before they were added.
    """

    root: int
    places: dict[str, int | None]
    affinities: dict[str, str]
    defaults: frozenset[str]


def read_plain(
    connection: sqlite3.Connection, path: Path, table: str, names: Sequence[str], hints: Sequence[str]
) -> tuple[dict[int, pd.Series[Any]], int] | None:
    """The columns, by position, that hold one kind of values each, and the number of rows.

    Args:
        connection: To the database, in no transaction: one is opened and ended here.
        path: The database's file, all of whose content is in it (and none in a write-ahead log).
        table: The table's name.
        names: The columns' names.
        hints: The type in words of each, for a column without any value.

    Returns:
        None where it is no plain table, or not as the file format has it.

    Raises:
        sqlite3.DatabaseError: It cannot be read at all.
    """
    connection.execute("BEGIN")
    try:
        layout = _layout(connection, table, names)
        with path.open("rb", buffering=0) as file:
            return _read(TableFile(file), layout, names, hints)
    except (NotPlain, IndexError, ValueError, OSError):
        return None
    finally:
        connection.rollback()


def _layout(connection: sqlite3.Connection, table: str, names: Sequence[str]) -> _Layout:
    found = connection.execute(
        "SELECT rootpage FROM main.sqlite_master WHERE type = 'table' AND name = ? COLLATE NOCASE", (table,)
    ).fetchone()
    columns = connection.execute("SELECT * FROM pragma_table_xinfo(?, 'main')", (table,)).fetchall()
    key = [row for row in columns if row[5]]
    indexes = connection.execute("SELECT origin FROM pragma_index_list(?, 'main')", (table,)).fetchall()
    is_numbered = len(key) == 1 and key[0][2].upper() == "INTEGER" and ("pk",) not in indexes
    known = {row[1] for row in columns}
    # Virtual tables have no page, generated columns may have no place.
    if found is None or not found[0] or not known.issuperset(names) or any(row[6] for row in columns):
        raise NotPlain
    return _Layout(
        found[0],
        {row[1]: None if is_numbered and row[5] else at for at, row in enumerate(columns)},
        {row[1]: affinity(row[2] or "") for row in columns},
        frozenset(row[1] for row in columns if row[4] is not None),
    )


def _read(
    file: TableFile, layout: _Layout, names: Sequence[str], hints: Sequence[str]
) -> tuple[dict[int, pd.Series[Any]], int]:
    leaves = file.leaves(layout.root)
    pages = file.batch_pages(len(leaves))
    length = 0
    columns: list[Filling] = []
    for records in file.records(leaves, pages):
        if not columns:
            expected = len(records.start) * len(leaves) // min(pages, len(leaves))
            columns = [Filling(expected, layout.affinities[name] == "REAL") for name in names]
        _fill(columns, records, layout, names)
        length += len(records.start)
    if not file.is_unchanged():
        raise NotPlain
    columns = columns or [Filling(0) for _ in names]
    made = {at: each.series(hints[at]) for at, each in enumerate(columns) if each.is_exact}
    return made, length


def _fill(columns: Sequence[Filling], records: Records, layout: _Layout, names: Sequence[str]) -> None:
    wanted: dict[int, list[int]] = {}
    for at, name in enumerate(names):
        place = layout.places[name]
        if place is None:
            columns[at].integers(records.rowids)
        else:
            wanted.setdefault(place, []).append(at)
    for place, cells in enumerate(records.columns(max(wanted, default=-1) + 1)):
        for at in wanted.get(place, ()):
            if cells.some_absent and names[at] in layout.defaults:
                columns[at].is_exact = False
            _put(columns[at], records.data, cells)


def _put(column: Filling, data: Any, cells: Cells) -> None:
    """Add cells to a column; they may be missing, and numbers may be of both kinds."""
    rows, counts = len(cells.codes), np.bincount(cells.codes, minlength=TEXT + 1).tolist()
    if any(counts[ONE + 1 : BLOB]):
        raise NotPlain
    texts, blobs = counts[TEXT], counts[BLOB]
    numbers = rows - counts[NULL] - texts - blobs
    if (texts > 0) + (blobs > 0) + (numbers > 0) > 1:
        column.is_exact = False
    if not column.is_exact:
        return
    missing = cells.codes == NULL if counts[NULL] else None
    if counts[NULL] == rows:
        column.nothing(rows)
    elif texts:
        column.texts(_texts(data, cells, missing))
    elif blobs:
        column.blobs(_blobs(data, cells))
    elif counts[FLOAT]:
        column.floats(*_floats(data, cells, missing, is_mixed=counts[FLOAT] < numbers))
    else:
        column.integers(_integers(data, cells), missing)


def _integers(data: Any, cells: Cells) -> Any:
    values = big_endian(data, cells.at, 8)
    values >>= _SHIFTS.take(cells.codes)
    # These two, and missing values, take no bytes.
    np.copyto(values, cells.codes - ZERO, where=cells.codes >= ZERO)
    np.copyto(values, 0, where=cells.codes == NULL)
    return values


def _floats(data: Any, cells: Cells, missing: Any, is_mixed: bool) -> tuple[Any, Any]:
    """The numbers as floats, and those among them that are integers."""
    values = big_endian(data, cells.at, 8, "f")
    integers = None
    if is_mixed:
        is_integer = (cells.codes != FLOAT) & (cells.codes != NULL)
        integers = _integers(data, cells)[is_integer]
        values[is_integer] = integers
    if missing is not None:
        values[missing] = np.nan
    return values, integers


def _texts(data: Any, cells: Cells, missing: Any) -> Any:
    """The texts as an Arrow array of their own.

    Arrow takes them, in one call, from an array of which every second value is one and the others are whatever lies
    between them.
    """
    import pyarrow as pa

    rows = len(cells.at)
    offsets = np.empty(2 * rows + 1, dtype=np.int64)
    offsets[:-1:2] = cells.at
    offsets[1::2] = cells.at + cells.sizes
    # It takes the last less the first for twice the length of what it will take.
    offsets[-1] = min(offsets[0] + 2 * int(cells.sizes.sum()), len(data))
    between = [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    taken = pa.Array.from_buffers(pa.large_binary(), 2 * rows, between).take(pa.array(np.arange(0, 2 * rows, 2)))
    valid = None if missing is None else pa.py_buffer(np.packbits(~missing, bitorder="little"))
    return pa.Array.from_buffers(pa.large_string(), rows, [valid, *taken.buffers()[1:]])


def _blobs(data: Any, cells: Cells) -> list[bytes | None]:
    view = memoryview(data)
    places = zip(cells.codes.tolist(), cells.at.tolist(), cells.sizes.tolist(), strict=True)
    return [None if code == NULL else bytes(view[at : at + size]) for code, at, size in places]
