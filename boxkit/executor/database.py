"""Code that queries a database itself: `compute_result(database_path)`, with that one SQLite file to read."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

__all__ = ["companions", "only_reading"]

_WAL_VERSION_AT, _WAL_VERSION = 18, 2


def companions(database: str) -> tuple[str, ...]:
    """The database file and the files beside it that SQLite needs to read it."""
    return (database, *(database + end for end in ("-wal", "-shm", "-journal") if os.path.exists(database + end)))


def only_reading(database: str) -> Callable[..., sqlite3.Connection]:
    """``sqlite3.connect``, opening ``database`` in a way that works where nothing can be written."""
    connect: Callable[..., sqlite3.Connection] = sqlite3.connect

    def connected(name: Any, *arguments: Any, **options: Any) -> sqlite3.Connection:
        if isinstance(name, (str, Path)) and str(name) == database:
            # Without its log's index, a database in WAL mode opens only if it is said not to change.
            frozen = _logs_ahead(database) and not os.path.exists(database + "-shm")
            uri = f"file:{quote(database)}?mode=ro{'&immutable=1' if frozen else ''}"
            return connect(uri, *arguments, **{**options, "uri": True})
        return connect(name, *arguments, **options)

    return connected


def _logs_ahead(database: str) -> bool:
    with open(database, "rb") as file:
        head = file.read(_WAL_VERSION_AT + 2)
    return len(head) > _WAL_VERSION_AT and head[_WAL_VERSION_AT] == _WAL_VERSION
