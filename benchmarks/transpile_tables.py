"""What random queries are made of: a database's tables, their columns with some cells, and their foreign keys."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Column", "Table", "literal", "quoted", "tables_of"]

#: Larger tables are left out, so that a query takes no longer than a moment.
MOST_ROWS = 3000


@dataclass(frozen=True)
class Column:
    """A column that a query may name: how it writes it, whether it holds numbers, texts or dates, and some cells."""

    written: str
    kind: str
    cells: tuple[object, ...]


@dataclass(frozen=True)
class Table:
    """A table: its columns by name, and the foreign keys (own column, other table, its column) in both directions."""

    name: str
    columns: dict[str, Column]
    links: tuple[tuple[str, str, str], ...] = ()


def quoted(name: str) -> str:
    """A name as SQL takes any."""
    return f'"{name}"'


def literal(value: object) -> str:
    """A cell as SQL writes it."""
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return repr(value)


def tables_of(path: Path) -> dict[str, Table]:
    """The tables of a database that are not too large and have a row."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        connection.text_factory = lambda raw: raw.decode(errors="ignore")
        run = connection.execute
        names = [
            name for (name,) in run("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
        ]
        names = [each for each in names if 0 < run(f"SELECT count(*) FROM {quoted(each)}").fetchone()[0] <= MOST_ROWS]
        folded = {name.casefold(): name for name in names}
        links: dict[str, list[tuple[str, str, str]]] = {name: [] for name in names}
        for name in names:
            for row in run(f"PRAGMA foreign_key_list({quoted(name)})"):
                other, own, theirs = folded.get(row[2].casefold()), row[3], row[4]
                if other and theirs:
                    links[name].append((own, other, theirs))
                    links[other].append((theirs, name, own))
        found = {}
        for name in names:
            columns = {}
            for row in run(f"PRAGMA table_info({quoted(name)})").fetchall():
                query = f"SELECT {quoted(row[1])} FROM {quoted(name)} LIMIT 60"
                cells = tuple(cell for (cell,) in run(query) if not isinstance(cell, bytes))
                columns[row[1]] = Column(row[1], _kind(cells), cells or (None,))
            own = [link for link in links[name] if link[0] in columns]
            found[name] = Table(name, columns, tuple(own))
        return found


def _kind(cells: tuple[object, ...]) -> str:
    known = [cell for cell in cells if cell is not None]
    if known and all(isinstance(cell, (int, float)) for cell in known):
        return "number"
    if known and all(isinstance(cell, str) and cell[:4].isdigit() and cell[4:5] == "-" for cell in known):
        return "date"
    return "text"
