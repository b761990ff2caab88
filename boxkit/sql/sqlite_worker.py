"""The process that runs queries: a function of SQLite's cannot be stopped in the middle of its work, a process can.

Run as a script, so that nothing but the standard library is imported. Standard input brings, for each query, one JSON
line (database, query, limits) and, where the database is no file, its bytes. Out go values as `marshal` writes them,
which keeps every cell as it is, each after its length (8 bytes): the columns' names, batches of rows, and what there
is to say at the end.
"""

from __future__ import annotations

import contextlib
import functools
import json
import marshal
import os
import select
import sqlite3
import sys
from typing import Any

ALLOWED = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE})
REFUSED_FUNCTIONS = frozenset({"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer"})
TELLING_PRAGMAS = frozenset(
    "table_info table_xinfo table_list foreign_key_list index_list index_info index_xinfo database_list collation_list"
    " function_list module_list pragma_list compile_options encoding user_version schema_version application_id"
    " page_count page_size data_version".split()
)

#: The longest text or blob that a query may build, in bytes.
MAX_VALUE_BYTES = 50_000_000
#: Rows fetched at first, and at the most at once: of wide ones fewer, to hold about so many bytes beyond the limit.
FIRST_ROWS, BATCH_ROWS, BATCH_BYTES = 4, 500, 16 << 20
#: Seconds for which a connection waits for the next query.
KEPT_S = 1.0

#: The connection of the last query, by its address and its file's state.
_KEPT: dict[tuple[str, tuple[int, ...]], sqlite3.Connection] = {}
#: Whether a text of this query's was no UTF-8.
_REPLACED: list[bool] = []


def main() -> None:
    """One query after the other until there are no more.

    Queries of one file that come soon after each other share a connection, as long as the file stays as it is.
    """
    while asked := _asked():
        _run(json.loads(asked))
        sys.stdout.buffer.flush()


def _asked() -> bytes:
    """The next line, however long it takes."""
    if _KEPT and not select.select([sys.stdin], [], [], KEPT_S)[0]:
        _forget()
    return sys.stdin.buffer.readline()


def _run(head: dict[str, Any]) -> None:
    """Open, run, send."""
    state = _state(head["path"])
    connection = _KEPT.pop((head["uri"], state), None)
    _forget()
    try:
        connection = connection or _opened(head)
        with contextlib.closing(connection.cursor()) as cursor:
            more = _send(cursor.execute(head["sql"]), head["rows"], head["result_mb"] << 20)
        _say({"more": more, "replaced": bool(_REPLACED)})
    except (sqlite3.Error, sqlite3.Warning, OverflowError, MemoryError, ValueError) as error:
        # A ValueError is a text that is no Unicode: in the query, or as a column's name in the file.
        _say({"error": str(error), "type": type(error).__name__})
    if connection is not None and state:
        _KEPT[head["uri"], state] = connection
    elif connection is not None:
        connection.close()


def _opened(head: dict[str, Any]) -> sqlite3.Connection:
    connection = sqlite3.connect(head["uri"] or ":memory:", uri=True, timeout=head["busy_s"])
    if not head["uri"]:
        connection.deserialize(sys.stdin.buffer.read(head["bytes"]))
    connection.text_factory = _decoded
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
    _confine(head["memory_mb"])
    connection.set_authorizer(authorize)
    return connection


def _state(path: str) -> tuple[int, ...]:
    """What tells a file from a later one of its name; empty where its connection is not kept.

    An open file may not be deleted on Windows, and one with a write-ahead log may not be put in order by its writer.
    """
    if not path or os.name != "posix" or os.path.exists(f"{path}-wal"):
        return ()
    try:
        state = os.stat(path)
    except OSError:
        return ()
    return state.st_dev, state.st_ino, state.st_mtime_ns, state.st_size


def _forget() -> None:
    _REPLACED.clear()
    while _KEPT:
        _KEPT.popitem()[1].close()


@functools.cache
def _confine(memory_mb: int) -> None:
    """No more than so much memory, from the first query on."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        with open("/proc/self/statm") as file:
            held = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (held + (memory_mb << 20),) * 2)


def _send(cursor: sqlite3.Cursor, most: int, most_bytes: int) -> bool:
    """Send the names and the first rows; whether there are more."""
    _say([name for name, *_ in cursor.description or ()])
    sent, count = 0, FIRST_ROWS
    while rows := cursor.fetchmany(min(count, most + 1)):
        said = marshal.dumps(rows[:most])
        sent += len(said)
        if sent > most_bytes:
            raise MemoryError
        _write(said)
        if len(rows) > most:
            return True
        most -= len(rows)
        count = min(BATCH_ROWS, 4 * count, max(1, len(rows) * BATCH_BYTES // len(said)))
    return False


def _decoded(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        _REPLACED.append(True)
        return raw.decode("utf-8", errors="replace")


def authorize(action: int, first: str | None, second: str | None, _database: str | None, _trigger: str | None) -> int:
    """SQLite's question whether a statement may do that: only reading."""
    name = (first or "").lower()
    if action in ALLOWED:
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() not in REFUSED_FUNCTIONS:
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_PRAGMA and name in TELLING_PRAGMAS:
        # Given a value, a setting would change; the others take one to say what to tell of.
        is_setting = name in ("encoding", "user_version", "schema_version", "application_id", "page_count", "page_size")
        return sqlite3.SQLITE_DENY if is_setting and second is not None else sqlite3.SQLITE_OK
    # What SQLite itself asks when it opens a virtual table (a search index, a table-valued PRAGMA). A query's own
    # UPDATE of this table SQLite refuses, and the file is open for reading only.
    if action == sqlite3.SQLITE_UPDATE and name == "sqlite_master":
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def _say(what: Any) -> None:
    """Send a value."""
    _write(marshal.dumps(what))


def _write(said: bytes) -> None:
    """Send what `marshal` made after its length, for it reads slowly from a pipe."""
    sys.stdout.buffer.write(len(said).to_bytes(8) + said)


if __name__ == "__main__":
    main()
