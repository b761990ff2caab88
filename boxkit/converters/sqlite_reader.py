"""Rows of one SQLite table or view, exactly as SQLite holds them."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote

from boxkit.box import Note, Reading
from boxkit.converters.columns import column, frame_of
from boxkit.converters.lint import lint_frame
from boxkit.converters.source import SourceFile
from boxkit.errors import SourceError, UnreadableSource

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Database", "SQLiteReader", "Steps", "quoted"]

T = TypeVar("T")

#: How long a locked database is waited for.
_BUSY_TIMEOUT_S = 2.0
#: SQLite's machine steps that a look at a table's first rows may take; a view that needs more is not looked at.
_SAMPLE_STEPS = 200_000
#: Files below this are read row by row: starting the fast driver would take longer.
_SMALL_BYTES = 2_000_000


def quoted(identifier: str) -> str:
    """A name as SQLite reads names in double quotes."""
    return '"' + identifier.replace('"', '""') + '"'


@dataclass(frozen=True, slots=True)
class Database:
    """A database file, or a snapshot of a connection's.

    Attributes:
        label: For messages.
        path: The file; None for a snapshot.
        origin: The user's own file, for the fingerprint.
        snapshot: A private connection to a copy of a database that is no file, and the lock that guards it.
    """

    label: str
    path: Path | None
    origin: SourceFile | None = None
    snapshot: tuple[sqlite3.Connection, threading.RLock] | None = None

    @classmethod
    def of(cls, source: SourceFile | sqlite3.Connection) -> Database:
        """The database in a file or behind a connection.

        A connection is read through its file by connections of boxkit's own; where there is no file, or changes that
        are not committed, through a copy taken now. The user's connection is left as it was.
        """
        if isinstance(source, SourceFile):
            if not source.head:
                raise UnreadableSource("this database file is empty (0 bytes)", where=source.label)
            return cls(source.label, source.path, source)
        with _translated("the sqlite3 connection"):
            cursor = source.cursor()
            cursor.row_factory = None
            files = cursor.execute("PRAGMA database_list").fetchall()
        file = next((_text(row[2]) for row in files if _text(row[1]) == "main"), "")
        if file and not source.in_transaction:
            return cls(file, Path(file), SourceFile.of(file))
        copy = sqlite3.connect(":memory:", check_same_thread=False)
        copy.deserialize(source.serialize())
        return cls(file or "an SQLite database in memory", None, None, (copy, threading.RLock()))

    @contextmanager
    def connect(self) -> Iterator[sqlite3.Connection]:
        """A read-only connection, open inside the ``with``.

        Raises:
            UnreadableSource: The database is locked, damaged, encrypted or gone.
        """
        if self.snapshot is not None:
            connection, lock = self.snapshot
            with lock, _translated(self.label):
                yield connection
            return
        with _translated(self.label):
            connection = self._open()
            try:
                yield connection
            finally:
                connection.close()

    @property
    def size(self) -> int:
        """Bytes on disk; 0 for a snapshot."""
        return self.path.stat().st_size if self.path is not None else 0

    @property
    def uri_for_speed(self) -> str | None:
        """The URI under which ADBC opens it; None where the ordinary way is as fast (small files) or the only one."""
        if self.path is None or not self.path.exists() or self.path.stat().st_size < _SMALL_BYTES:
            return None
        return self._uri()

    def _uri(self) -> str:
        assert self.path is not None
        uri = f"file:{quote(str(self.path.absolute()))}?mode=ro"
        # To open a database in WAL mode, SQLite makes two files beside it. Where nobody has it open there are none, and
        # its own file is all there is to read.
        is_wal = SourceFile.of(self.path).head[18:20] == b"\x02\x02"
        return f"{uri}&immutable=1" if is_wal and not Path(f"{self.path}-wal").exists() else uri

    def _open(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._uri(), uri=True, timeout=_BUSY_TIMEOUT_S, check_same_thread=False)
        try:
            connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
        except sqlite3.DatabaseError:
            connection.close()
            raise
        return connection

    def fingerprint(self) -> str:
        """Changes whenever the file or its write-ahead log does."""
        if self.origin is None or self.path is None:
            return f"snapshot {id(self.snapshot)}"
        try:
            log = Path(f"{self.path}-wal").stat()
        except OSError:
            return self.origin.fingerprint()
        return (
            f"{self.origin.fingerprint()} wal {log.st_size} {log.st_mtime_ns}"
            if log.st_size
            else self.origin.fingerprint()
        )


def _text(value: str | bytes) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


@contextmanager
def _translated(where: str) -> Iterator[None]:
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise _source_error(error, where) from error


def _source_error(error: sqlite3.DatabaseError, where: str) -> SourceError:
    text = str(error)
    if "locked" in text or "busy" in text:
        return UnreadableSource(
            f"the database is locked by another program ({text})",
            where=where,
            hint="close that program, or load a copy",
        )
    if "not a database" in text:
        return UnreadableSource(
            "this is no SQLite database, or an encrypted one", where=where, hint="decrypt it with the tool that made it"
        )
    if "malformed" in text or "corrupt" in text:
        return UnreadableSource(
            f"the database is damaged ({text})", where=where, hint="recover it: sqlite3 damaged.db .recover"
        )
    return UnreadableSource(f"SQLite cannot read it: {text}", where=where)


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
        found = self._fast(positions) if limit is None else {}
        careful = [at for at in range(len(positions)) if at not in found]
        if careful or not positions:
            read, length = self._careful([positions[at] for at in careful], limit, notes)
            if found and length != len(next(iter(found.values()))):
                # Another program wrote between the two readings.
                return self._read(columns, limit)
            found |= dict(zip(careful, read, strict=True))
        else:
            length = len(next(iter(found.values())))
        frame = frame_of([found[at] for at in range(len(labels))], labels, length)
        if limit is None and columns is None:
            notes += lint_frame(frame, self.box)
        return Reading(frame, tuple(notes))

    def _fast(self, positions: list[int]) -> dict[int, pd.Series[Any]]:
        uri = self.database.uri_for_speed
        if uri is None or not positions:
            return {}
        from boxkit.converters.sqlite_fast import read_columns

        columns = [quoted(self.names[at]) for at in positions]
        affinities = [self.affinities[at] for at in positions]
        before = self.fingerprint()
        found = read_columns(uri, columns, affinities, self.place, self.database.connect)
        return found if found and before == self.fingerprint() else {}

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


class Steps:
    """A bound on the work that SQLite may do for some queries, in its own machine steps: the same on every machine.

    Attributes:
        left: The steps left; 0 where they are used up.
    """

    _GRAIN = 1_000

    def __init__(self, connection: sqlite3.Connection, steps: int) -> None:
        self.connection = connection
        self.left = steps

    def run(self, query: Callable[[], T]) -> T | None:
        """What the query gives; None where it needs more steps than are left."""
        self.connection.set_progress_handler(self._tick, self._GRAIN)
        try:
            return query()
        except sqlite3.OperationalError as error:
            if "interrupted" in str(error):
                return None
            raise
        finally:
            self.connection.set_progress_handler(None, 0)

    def first_row(self, sql: str) -> tuple[Any, ...] | None:
        """The first row of a query; None where there is none, or it was not found in time or at all."""
        try:
            row: tuple[Any, ...] | None = self.run(lambda: self.connection.execute(sql).fetchone())
        except sqlite3.DatabaseError:
            return None
        return row

    def _tick(self) -> int:
        self.left = max(self.left - self._GRAIN, 0)
        return int(self.left == 0)


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
