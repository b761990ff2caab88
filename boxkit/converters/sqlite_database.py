"""A SQLite database as boxkit opens it: read-only, waited for briefly, its errors told in boxkit's own."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from boxkit.converters.source import SourceFile
from boxkit.errors import SourceError, UnreadableSource

__all__ = ["BUSY_TIMEOUT_S", "Database", "Steps", "affinity", "quoted"]

T = TypeVar("T")

#: How long a locked database is waited for, in seconds.
BUSY_TIMEOUT_S = 2.0


def quoted(identifier: str) -> str:
    """A name as SQLite reads names in double quotes."""
    return '"' + identifier.replace('"', '""') + '"'


def affinity(declared: str) -> str:
    """The affinity that SQLite gives a column declared so (sqlite.org/datatype3.html, section 3.1)."""
    kind = declared.upper()
    if "INT" in kind:
        return "INTEGER"
    if any(word in kind for word in ("CHAR", "CLOB", "TEXT")):
        return "TEXT"
    if "BLOB" in kind or not kind:
        return "BLOB"
    return "REAL" if any(word in kind for word in ("REAL", "FLOA", "DOUB")) else "NUMERIC"


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
        if cursor.execute("SELECT 1 FROM sqlite_master").fetchone():
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
    def plain_file(self) -> Path | None:
        """The file, where all of the database's content is in it: neither in memory nor in a write-ahead log."""
        if self.path is None or not self.path.exists() or Path(f"{self.path}-wal").exists():
            return None
        return self.path

    @property
    def uri(self) -> str:
        """What opens the file for reading only."""
        assert self.path is not None
        uri = f"file:{quote(os.path.abspath(self.path))}?mode=ro"
        # To open a database in WAL mode, SQLite makes two files beside it. Where nobody has it open there are none, and
        # its own file is all there is to read.
        is_alone = not os.path.exists(f"{self.path}-wal") and _is_in_wal_mode(self.path)
        return f"{uri}&immutable=1" if is_alone else uri

    def _open(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.uri, uri=True, timeout=BUSY_TIMEOUT_S, check_same_thread=False)
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


def _is_in_wal_mode(path: Path) -> bool:
    try:
        state = os.stat(path)
    except OSError:
        return False
    return _has_wal_header(path, state.st_dev, state.st_ino, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=64)
def _has_wal_header(path: Path, *_state: int) -> bool:
    """Whether a file, in that state, says that its database has a write-ahead log."""
    with path.open("rb", buffering=0) as file:
        return file.read(20)[18:] == b"\x02\x02"


def _text(value: str | bytes) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


@contextmanager
def _translated(where: str) -> Iterator[None]:
    try:
        yield
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        # Where names in a damaged catalogue are no text, SQLite's message is none either.
        raise _source_error(error, where) from error


def _source_error(error: Exception, where: str) -> SourceError:
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
    if "malformed" in text or "corrupt" in text or isinstance(error, UnicodeDecodeError):
        return UnreadableSource(
            f"the database is damaged ({text})", where=where, hint="recover it: sqlite3 damaged.db .recover"
        )
    return UnreadableSource(f"SQLite cannot read it: {text}", where=where)


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
