"""The process that runs queries: a function of SQLite's cannot be stopped in the middle of its work, a process can.

Run as a script, so that nothing but the standard library is imported. Standard input brings, for each query, one JSON
line (database, query, limits) and, where the database is no file, its bytes. Out go values as `marshal` writes them,
which keeps every cell as it is: the columns' names, batches of rows, and what there is to say at the end.
"""

from __future__ import annotations

import contextlib
import functools
import json
import marshal
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
#: Rows sent at once.
BATCH_ROWS = 500


def main() -> None:
    """One query after the other, each over a connection of its own, until there are no more."""
    while asked := sys.stdin.buffer.readline():
        _run(json.loads(asked))
        sys.stdout.buffer.flush()


def _run(head: dict[str, Any]) -> None:
    """Open, run, send."""
    with contextlib.closing(sqlite3.connect(head["uri"] or ":memory:", uri=True, timeout=head["busy_s"])) as connection:
        _query(connection, head)


def _query(connection: sqlite3.Connection, head: dict[str, Any]) -> None:
    if not head["uri"]:
        connection.deserialize(sys.stdin.buffer.read(head["bytes"]))
    replaced: list[bool] = []
    connection.text_factory = lambda raw: _decoded(raw, replaced)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
    _confine(head["memory_mb"])
    connection.set_authorizer(authorize)
    try:
        more = _send(connection.execute(head["sql"]), head["rows"], head["result_mb"] << 20)
        _say({"more": more, "replaced": bool(replaced)})
    except (sqlite3.Error, sqlite3.Warning, OverflowError, MemoryError) as error:
        _say({"error": str(error), "type": type(error).__name__})


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
    sent = 0
    while rows := cursor.fetchmany(min(BATCH_ROWS, most + 1)):
        sent += _say(rows[:most])
        if sent > most_bytes:
            raise MemoryError
        if len(rows) > most:
            return True
        most -= len(rows)
    return False


def _decoded(raw: bytes, replaced: list[bool]) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        replaced.append(True)
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


def _say(what: Any) -> int:
    """Send a value; its length in bytes."""
    return sys.stdout.buffer.write(marshal.dumps(what))


if __name__ == "__main__":
    main()
