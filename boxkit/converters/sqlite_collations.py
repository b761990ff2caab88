"""The collations of a SQLite table's columns, which no PRAGMA tells of columns but of indexes."""

from __future__ import annotations

import re
import sqlite3

from boxkit.converters.sqlite_database import quoted

__all__ = ["collations_of"]

#: The first is the one of a column that has none of its own.
_BUILT_IN = ("BINARY", "NOCASE", "RTRIM")


def collations_of(connection: sqlite3.Connection, table: str) -> dict[str, str]:
    """The collation of each column that has one of its own, by its name.

    The table is made once more, empty and in memory, with an index over each column: SQLite itself reads the statement.
    """
    row = connection.execute("SELECT sql FROM main.sqlite_master WHERE name = ?", (table,)).fetchone()
    sql = row[0] if row else None
    if not sql or not re.match(r"create\s+table\b", sql, re.IGNORECASE) or "collate" not in sql.lower():
        return {}
    copy = sqlite3.connect(":memory:")
    try:
        # What a program defines itself is unknown here, but its name is all that is asked.
        for named in re.findall(r"collate\s+[\"'`\[]?(\w+)", sql, re.IGNORECASE):
            if named.upper() not in _BUILT_IN:
                copy.create_collation(named, lambda one, other: (one > other) - (one < other))
        copy.execute(sql)
        found = {}
        for at, row in enumerate(copy.execute(f"PRAGMA table_xinfo({quoted(table)})").fetchall()):
            copy.execute(f"CREATE INDEX i{at} ON {quoted(table)}({quoted(row[1])})")
            collation = copy.execute(f"PRAGMA index_xinfo(i{at})").fetchone()[4]
            if collation.upper() != _BUILT_IN[0]:
                found[row[1]] = collation.upper() if collation.upper() in _BUILT_IN else collation
        return found
    except sqlite3.Error:
        return {}
    finally:
        copy.close()
