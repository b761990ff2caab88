"""Connections to a benchmark's SQLite files, kept open between queries: hundreds are run on each."""

from __future__ import annotations

import atexit
import os
import re
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISREG
from typing import Any, TypeAlias

from boxkit.converters.source import SourceFile
from boxkit.converters.sqlite_database import Database

__all__ = ["Results", "close_idle", "connected", "one_look", "stamp"]

Rows: TypeAlias = list[tuple[Any, ...]]

#: Connections that wait for the next query, at the most; Windows lets no one delete a file that is open.
_IDLE_AT_MOST = 16 if os.name == "posix" else 0
#: Results that are kept at the most, and rows of each.
_RESULTS_KEPT, _ROWS_KEPT = 4096, 1000
#: What may give something else the next time: SQLite's functions of time and chance, and ``now`` and the like.
_CHANGING = re.compile(
    r"now|current_|random|last_insert|changes|julianday|strftime|epoch|\bdate\s*\(|time\s*\(|timediff", re.IGNORECASE
)
#: By process, file and its state. No lock guards it, for one held during a fork would stay locked in the child; adding
#: and taking are single steps.
_IDLE: list[tuple[tuple[object, ...], sqlite3.Connection]] = []
#: A thread's own look at files, while it judges.
_LOOKS = threading.local()


def stamp(path: str | Path) -> tuple[int, ...]:
    """What changes when a file does, which may be another one under the same name; empty where there is none."""
    name = os.fspath(path)
    seen: dict[str, tuple[int, ...]] | None = getattr(_LOOKS, "seen", None)
    if seen is None:
        return _stamp(name)
    if name not in seen:
        seen[name] = _stamp(name)
    return seen[name]


def _stamp(name: str) -> tuple[int, ...]:
    try:
        state = os.stat(name)
    except OSError:
        return ()
    is_file = S_ISREG(state.st_mode)
    return (state.st_dev, state.st_ino, state.st_mtime_ns, state.st_size) if is_file else ()


@contextmanager
def one_look() -> Iterator[None]:
    """Look at each file once, as often as this thread asks for its state: what is judged together is of one moment."""
    _LOOKS.seen = {}
    try:
        yield
    finally:
        del _LOOKS.seen


@contextmanager
def connected(path: Path, text_factory: Callable[[bytes], Any] = str) -> Iterator[sqlite3.Connection]:
    """A read-only connection to a file, that no one else uses meanwhile.

    Raises:
        SourceError: It cannot be opened.
        sqlite3.Error: Likewise.
        OSError: There is no such file.
    """
    key = _key(path)
    connection = _idle(key) or sqlite3.connect(Database.of(SourceFile.of(path)).uri, uri=True, check_same_thread=False)
    connection.text_factory = text_factory
    try:
        yield connection
    except BaseException:
        connection.close()
        raise
    connection.set_progress_handler(None, 0)
    _IDLE.append((key, connection))
    if len(_IDLE) > _IDLE_AT_MOST:
        with suppress(IndexError):
            _IDLE.pop(0)[1].close()


def _key(path: Path) -> tuple[object, ...]:
    return os.getpid(), str(path), stamp(path), stamp(f"{path}-wal")


def _idle(key: tuple[object, ...]) -> sqlite3.Connection | None:
    for each in reversed(_IDLE):
        if each[0] == key:
            with suppress(ValueError):  # another thread was faster
                _IDLE.remove(each)
                return each[1]
    return None


class Results:
    """The rows of queries, each run once for all who ask for them: the variants of an ablation share their gold.

    A query that may give something else the next time, because of the time or of chance, is run each time, as is one of
    a file that has changed.
    """

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[object, ...], Future[Rows]] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, path: Path, sql: str, run: Callable[[], Rows]) -> Rows:
        """The rows; ``run`` gives them where they are not known, and what it raises is raised."""
        if _CHANGING.search(sql):
            return run()
        key, own = (*_key(path), sql), Future[Rows]()
        with self._lock:
            known = self._known.setdefault(key, own)
            self._known.move_to_end(key)
        if known is not own:
            return list(known.result())
        try:
            rows = run()
        except BaseException as error:
            own.set_exception(error)
            self._forget(key)
            raise
        own.set_result(rows)
        if len(rows) > _ROWS_KEPT:
            self._forget(key)
        while len(self._known) > _RESULTS_KEPT:
            self._forget(next(iter(self._known)))
        return list(rows)

    def _forget(self, key: tuple[object, ...]) -> None:
        with self._lock:
            self._known.pop(key, None)


@atexit.register
def close_idle() -> None:
    """Close what waits for a next query."""
    while _IDLE:
        with suppress(IndexError):  # another thread was faster
            _IDLE.pop()[1].close()
