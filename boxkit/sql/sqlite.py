"""SQLite's own engine: opened read-only, behind an authorizer, stopped by a progress handler when its time is over."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from boxkit.box import BoxSet
from boxkit.converters.columns import column, frame_of
from boxkit.converters.sqlite_database import Database
from boxkit.converters.sqlite_reader import SQLiteReader
from boxkit.errors import SourceError
from boxkit.failure import Failure
from boxkit.naming import field_labels
from boxkit.sql.engine import Fetched, SqlLimits, guarded, sql_failure

__all__ = ["SqliteEngine", "sqlite_engine"]

_ALLOWED = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE})
_REFUSED_FUNCTIONS = frozenset({"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer"})
_TELLING_PRAGMAS = frozenset(
    {"table_info", "table_xinfo", "table_list", "foreign_key_list", "index_list", "index_info"}
)

#: SQLite's machine steps between two looks at the clock.
_STEPS = 20_000
#: The longest text or blob that a query may build, in bytes.
_MAX_VALUE_BYTES = 50_000_000


def sqlite_engine(boxes: BoxSet) -> SqliteEngine | None:
    """The engine of the one SQLite database that all boxes come from; None where they do not."""
    databases = {box.reader.database for box in boxes.values() if isinstance(box.reader, SQLiteReader)}
    every = all(isinstance(box.reader, SQLiteReader) for box in boxes.values())
    return SqliteEngine(databases.pop(), boxes) if every and len(databases) == 1 else None


@dataclass(frozen=True, slots=True)
class SqliteEngine:
    """Queries over one SQLite database, by its own names."""

    database: Database
    boxes: BoxSet

    dialect = "sqlite"
    native = True
    as_text: ClassVar[Mapping[str, Collection[str]]] = {}

    @property
    def path(self) -> str | None:
        """The database's file; None for one in memory."""
        return None if self.database.path is None else str(Path(self.database.path).absolute())

    def query(self, sql: str, limits: SqlLimits = SqlLimits()) -> Fetched | Failure:
        """Run one query; see `SqlEngine.query`."""
        refusal = guarded(sql, self.dialect)
        if refusal is not None:
            return refusal
        try:
            with self.database.connect() as connection:
                return self._run(connection, sql, limits)
        except SourceError as error:
            return Failure("exception", str(error), type=type(error).__name__, source=sql)

    def _run(self, connection: sqlite3.Connection, sql: str, limits: SqlLimits) -> Fetched | Failure:
        started = time.monotonic()
        deadline = started + limits.seconds
        replaced: list[bool] = []
        connection.text_factory = lambda raw: _decoded(raw, replaced)
        longest = connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_VALUE_BYTES)
        connection.set_authorizer(_authorize)
        connection.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)
        try:
            cursor = connection.execute(sql)
            names = field_labels(name for name, *_ in cursor.description or ())
            rows = cursor.fetchmany(limits.rows + 1)
        except (sqlite3.Error, sqlite3.Warning, OverflowError) as error:
            if time.monotonic() > deadline:
                return Failure("timeout", f"the query took longer than {limits.seconds:g} seconds", source=sql)
            return sql_failure(error, sql, self.boxes, native=True)
        except MemoryError:
            return Failure("memory", "the query's result does not fit in memory", source=sql)
        finally:
            connection.set_progress_handler(None, 0)
            connection.set_authorizer(None)
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, longest)
            connection.text_factory = str
        kept = rows[: limits.rows]
        columns = [column([row[at] for row in kept]) for at in range(len(names))]
        frame = frame_of(columns, names, len(kept))
        notes = ("texts that are no UTF-8 have \ufffd in place of what cannot be read",) if replaced else ()
        return Fetched(frame, len(rows) > limits.rows, time.monotonic() - started, notes)


def _decoded(raw: bytes, replaced: list[bool]) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        replaced.append(True)
        return raw.decode("utf-8", errors="replace")


def _authorize(action: int, first: str | None, second: str | None, _database: str | None, _trigger: str | None) -> int:
    if action in _ALLOWED:
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() not in _REFUSED_FUNCTIONS:
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_PRAGMA and (first or "").lower() in _TELLING_PRAGMAS:
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY
