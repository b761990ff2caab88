"""SQLite's own engine, in a process that is killed when a query's time is over: read-only, behind an authorizer."""

from __future__ import annotations

import json
import marshal
import sqlite3
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from boxkit.box import BoxSet
from boxkit.converters.columns import column, frame_of
from boxkit.converters.sqlite_database import BUSY_TIMEOUT_S, Database
from boxkit.converters.sqlite_reader import SQLiteReader
from boxkit.errors import SourceError
from boxkit.failure import Failure
from boxkit.naming import field_labels
from boxkit.process import killed_after
from boxkit.sql import spare
from boxkit.sql.engine import Fetched, SqlLimits, guarded, late, sql_failure, too_large

__all__ = ["SqliteEngine", "sqlite_engine"]

#: What a query may use beside what its process takes anyway, in MiB.
_MEMORY_MB = 2048


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
    renamed: ClassVar[Mapping[str, Mapping[str, str]]] = {}

    @property
    def path(self) -> str | None:
        """The database's file; None for one in memory."""
        return None if self.database.path is None else str(Path(self.database.path).absolute())

    def prepare(self) -> None:
        """Start the process that will run the next query."""
        spare.prepare()

    def query(self, sql: str, limits: SqlLimits = SqlLimits()) -> Fetched | Failure:
        """Run one query; see `SqlEngine.query`."""
        refusal = guarded(sql, self.dialect)
        if refusal is not None:
            return refusal
        started = time.monotonic()
        content, path = b"", self.path
        if not path:
            try:
                with self.database.connect() as connection:
                    content = connection.serialize()
            except SourceError as error:
                return _unreadable(error, sql)
        head = {
            "uri": self.database.uri if path else "",
            "path": path or "",
            "bytes": len(content),
            "sql": sql,
            "rows": limits.rows,
            "busy_s": BUSY_TIMEOUT_S,
            "memory_mb": _MEMORY_MB,
            "result_mb": limits.megabytes,
        }
        asked = json.dumps(head).encode() + b"\n" + content
        names, rows, end = _answer(asked, limits.seconds, keep=not content)
        if end is None or "error" in end:
            return self._unopened(sql) or self._failure(end, sql, limits, time.monotonic() - started)
        labels = field_labels(names)
        frame = frame_of([column([row[at] for row in rows]) for at in range(len(labels))], labels, len(rows))
        notes = ("texts that are no UTF-8 have \ufffd in place of what cannot be read",) if end["replaced"] else ()
        return Fetched(frame, end["more"], time.monotonic() - started, notes)

    def _unopened(self, sql: str) -> Failure | None:
        """The failure that a database is which cannot be opened, in boxkit's own words; None for one that can be."""
        try:
            with self.database.connect():
                return None
        except SourceError as error:
            return _unreadable(error, sql)

    def _failure(self, end: Mapping[str, Any] | None, sql: str, limits: SqlLimits, seconds: float) -> Failure:
        if end is None and seconds >= limits.seconds:
            return late(sql, limits)
        if end is None or end["type"] == "MemoryError":
            return too_large(sql, limits)
        known: type[Exception] = getattr(sqlite3, end["type"], sqlite3.Error)
        return sql_failure(known(end["error"]), sql, self.boxes, native=True)


def _unreadable(error: SourceError, sql: str) -> Failure:
    return Failure("exception", str(error), type=type(error).__name__, source=sql)


def _answer(
    asked: bytes, seconds: float, *, keep: bool
) -> tuple[list[str], list[tuple[Any, ...]], dict[str, Any] | None]:
    """The columns' names, the rows, and what the process said at its end; None where it came to none.

    The process may run another query, unless it was stopped or holds a whole database (``keep``).
    """
    process = spare.taken()
    names: list[str] | None = None
    rows: list[tuple[Any, ...]] = []
    end: dict[str, Any] | None = None
    is_well = False
    try:
        assert process.stdin is not None and process.stdout is not None
        with killed_after(process, seconds) as killed:
            with suppress(BrokenPipeError):
                process.stdin.write(asked)
                process.stdin.flush()
            while end is None:
                size = int.from_bytes(process.stdout.read(8))
                said = marshal.loads(process.stdout.read(size))  # noqa: S302 - our own code wrote it, and runs no one else's
                if isinstance(said, dict):
                    end = said
                elif names is None:
                    names = said
                else:
                    rows += said
        is_well = keep and end.get("type") != "MemoryError" and not killed.is_set()
    except (EOFError, ValueError, TypeError):
        names, rows = None, []
    finally:
        (spare.returned if is_well else spare.ended)(process)
    return names or [], rows, end
