"""Rows of one SQLite table or view, exactly as SQLite holds them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from boxkit.box import Note, Reading
from boxkit.converters.columns import column, frame_of
from boxkit.converters.lint import lint_frame
from boxkit.converters.sqlite_database import Database, Steps, quoted

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SQLiteReader"]

#: SQLite's machine steps that a look at a table's first rows may take; a view that needs more is not looked at.
_SAMPLE_STEPS = 200_000
#: Files below this are read row by row: to load what reads faster would take longer.
_SMALL_BYTES = 200_000


@dataclass(frozen=True, slots=True)
class SQLiteReader:
    """Reads one table or view.

    Attributes:
        database: Where it is.
        table: Its name there.
        names: Its columns' names there.
        labels: The fields' labels, pairwise with ``names``.
        box: The box's name, for notes.
        is_view: Whether it is a view.
        types: The types of columns in words, for columns without any value.
        affinities: The columns' affinities.
    """

    database: Database
    table: str
    names: tuple[str, ...]
    labels: tuple[str, ...]
    box: str
    is_view: bool
    types: tuple[str, ...]
    affinities: tuple[str, ...] = ()

    def read(self, columns: Sequence[str] | None = None, limit: int | None = None) -> Reading:
        """Some fields, or the first rows only."""
        before = self.fingerprint()
        reading = self._read(columns, limit)
        # An immutable database that somebody began to write to meanwhile is read again the ordinary way.
        return reading if before == self.fingerprint() else self._read(columns, limit)

    def _read(self, columns: Sequence[str] | None, limit: int | None) -> Reading:
        labels = self.labels if columns is None else tuple(columns)
        positions = [self.labels.index(label) for label in labels]
        notes: list[Note] = []
        fast = self._fast(positions) if limit is None and positions else None
        found, length = fast or ({}, 0)
        careful = [at for at in range(len(positions)) if at not in found]
        if careful or not positions:
            read, rows = self._careful([positions[at] for at in careful], limit, notes)
            if found and length != rows:
                # Another program wrote between the two readings.
                return self._read(columns, limit)
            found |= dict(zip(careful, read, strict=True))
            length = rows
        frame = frame_of([found[at] for at in range(len(labels))], labels, length)
        if limit is None and columns is None:
            notes += lint_frame(frame, self.box)
        return Reading(frame, tuple(notes))

    def _fast(self, positions: list[int]) -> tuple[dict[int, pd.Series[Any]], int] | None:
        """Columns that can be read many rows at a time, by their place among ``positions``, and the number of rows."""
        if self.database.path is None or self.database.size < _SMALL_BYTES:
            return None
        names, hints = [self.names[at] for at in positions], [self.types[at] for at in positions]
        file = None if self.is_view else self.database.plain_file
        if file is not None:
            from boxkit.converters.sqlite_direct import read_plain

            with self.database.connect() as connection:
                plain = read_plain(connection, file, self.table, names, hints)
            if plain is not None:
                return plain
        return self._through_driver(positions, hints)

    def _through_driver(self, positions: list[int], hints: list[str]) -> tuple[dict[int, pd.Series[Any]], int] | None:
        from boxkit.converters.sqlite_fast import read_columns

        columns = [quoted(self.names[at]) for at in positions]
        affinities = [self.affinities[at] for at in positions]
        before = self.fingerprint()
        found = read_columns(self.database.uri, columns, affinities, self.place, hints, self.database.connect)
        if not found or before != self.fingerprint():
            return None
        return found, len(next(iter(found.values())))

    def _careful(self, positions: list[int], limit: int | None, notes: list[Note]) -> tuple[list[pd.Series[Any]], int]:
        with self.database.connect() as connection:
            rows = self._rows(connection, positions, limit, notes)
        length = len(rows)
        cells = list(zip(*rows, strict=True)) if rows else [()] * len(positions)
        del rows
        series: list[pd.Series[Any]] = []
        for at, position in enumerate(positions):
            values, cells[at] = cells[at], ()
            series.append(column(values, self.types[position]))
            if series[-1].dtype == object:
                notes.extend(_mixture(values, self.box, self.labels[position]))
        return series, length

    def _rows(
        self, connection: sqlite3.Connection, positions: list[int], limit: int | None, notes: list[Note]
    ) -> list[tuple[Any, ...]]:
        sql = self.sql(positions, limit)
        cursor = connection.cursor()
        try:
            return cursor.execute(sql).fetchall()
        except sqlite3.OperationalError as error:
            if "decode" not in str(error).lower():
                raise
        with _text_as_bytes(connection):
            rows = connection.execute(self.sql(positions, limit, as_typed=True)).fetchall()
        return [tuple(row) for row in self._decoded(rows, positions, notes)]

    def _decoded(self, rows: list[Any], positions: list[int], notes: list[Note]) -> list[list[Any]]:
        width = len(positions)
        first_bad: dict[int, tuple[int, int]] = {}
        decoded = []
        for number, row in enumerate(rows):
            cells = list(row[:width])
            for at in range(width):
                if row[width + at] != b"text":
                    continue
                try:
                    cells[at] = cells[at].decode("utf-8")
                except UnicodeDecodeError:
                    cells[at] = cells[at].decode("utf-8", "replace")
                    first, count = first_bad.get(at, (number, 0))
                    first_bad[at] = first, count + 1
            decoded.append(cells)
        for at, (first, count) in first_bad.items():
            cells_text = "1 cell is" if count == 1 else f"{count} cells are"
            message = f"{cells_text} not valid UTF-8 in {self.table!r}; each bad byte became \ufffd"
            notes.append(Note("undecodable", message, self.box, self.labels[positions[at]], first))
        return decoded

    @property
    def place(self) -> str:
        """SQL for what it reads from; an index that covers the columns would change the order of rows."""
        return f"main.{quoted(self.table)}" + ("" if self.is_view else " NOT INDEXED")

    def sql(self, positions: Sequence[int], limit: int | None = None, as_typed: bool = False) -> str:
        """The query for these columns; rows come in the table's own order, whatever is asked for."""
        columns = [quoted(self.names[at]) for at in positions]
        if as_typed:
            columns += [f"typeof({each})" for each in columns]
        chosen = ", ".join(columns) or "NULL"
        return f"SELECT {chosen} FROM {self.place}" + ("" if limit is None else f" LIMIT {int(limit)}")

    def sample(self, connection: sqlite3.Connection, rows: int) -> list[tuple[Any, ...]]:
        """The first rows for a look, or none where that would take long."""
        steps = Steps(connection, _SAMPLE_STEPS)
        return steps.run(lambda: self._rows(connection, list(range(len(self.names))), rows, [])) or []

    def count(self) -> int:
        """The number of rows."""
        with self.database.connect() as connection:
            found: int = connection.execute(f"SELECT count(*) FROM main.{quoted(self.table)}").fetchone()[0]
            return found

    def fingerprint(self) -> str:
        """The database's."""
        return self.database.fingerprint()


@contextmanager
def _text_as_bytes(connection: sqlite3.Connection) -> Iterator[None]:
    before: Callable[[bytes], Any] = connection.text_factory
    connection.text_factory = bytes
    try:
        yield
    finally:
        connection.text_factory = before


def _mixture(values: Sequence[Any], box: str, label: str) -> Iterator[Note]:
    """A note on a column whose cells are of several types, with the first cell of the rarer ones."""
    counts: dict[type, int] = {}
    first: dict[type, int] = {}
    for at, value in enumerate(values):
        kind = type(value)
        if kind is type(None):
            continue
        counts[kind] = counts.get(kind, 0) + 1
        first.setdefault(kind, at)
    if len(counts) < 2:
        return
    words = {str: "text", int: "integer", float: "number", bytes: "bytes"}
    parts = sorted(counts.items(), key=lambda item: -item[1])
    said = ", ".join(f"{count} {words.get(kind, kind.__name__)}" for kind, count in parts)
    odd = parts[-1][0]
    fix = None
    if str in counts and (int in counts or float in counts):
        fix = f'pd.to_numeric({box}[{label!r}], errors="coerce")'
    yield Note("lint", f"cells of several types: {said}", box, label, first[odd], fix)
