"""DuckDB databases: tables, views, comments and keys of every schema; rows through Arrow."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from boxkit.box import BoxSet, Note, Reading
from boxkit.converters.catalogue import Column, KeyTo, Table, boxes_of_catalogue
from boxkit.converters.collations import equalities, notes_on_collations
from boxkit.converters.columns import column
from boxkit.converters.combine import with_notes
from boxkit.converters.parquet import arrow_reading
from boxkit.converters.source import SourceFile
from boxkit.converters.sqlite_database import quoted
from boxkit.errors import MissingExtra, UnreadableSource

__all__ = ["accepts", "convert", "name"]

name = "duckdb"

_COLUMNS = """
SELECT schema_name, table_name, column_name, data_type, comment FROM duckdb_columns()
WHERE NOT internal AND database_name = current_database() ORDER BY table_oid, column_index
"""
_TABLES = """
SELECT schema_name, table_name, comment FROM duckdb_tables() WHERE NOT internal AND database_name = current_database()
UNION ALL
SELECT schema_name, view_name, comment FROM duckdb_views() WHERE NOT internal AND database_name = current_database()
"""
_COLLATED = """
SELECT schema_name, table_name, sql FROM duckdb_tables()
WHERE NOT internal AND database_name = current_database() AND contains(sql, ' COLLATE ')
"""
_KEYS = """
SELECT schema_name, table_name, constraint_type, constraint_column_names, referenced_table, referenced_column_names
FROM duckdb_constraints() WHERE database_name = current_database() ORDER BY constraint_index
"""
_WORDS = (
    ("BOOLEAN", "boolean"),
    ("DECIMAL", "decimal"),
    ("FLOAT", "number"),
    ("DOUBLE", "number"),
    ("TIMESTAMP", "datetime"),
    ("DATE", "date"),
    ("TIME", "time"),
    ("BLOB", "bytes"),
    ("VARCHAR", "text"),
    ("ENUM", "text"),
    ("UUID", "text"),
    ("JSON", "text"),
)

#: What to do by what DuckDB says.
_HINTS = (
    (r"\block\b", "close the program that has it open"),
    (r"(?i)corrupt|checksum|read enough bytes", "take a whole copy, or one from a backup"),
)
#: Types of whole numbers that come as decimals.
_WHOLE = re.compile(r"U?HUGEINT|DECIMAL\(\d+,0\)")
#: Types whose values Arrow or pandas would change.
_CHANGED = re.compile(r"UHUGEINT|\bBIT\b|TIME WITH TIME ZONE|\bTIMETZ|BIGNUM|VARINT|INTERVAL|^UNION")
_FAR = "NOT isfinite({0}) OR year({0}) NOT BETWEEN 1 AND 9999"
#: When a column of the type has values that Python has not.
_UNHELD = {
    **dict.fromkeys(("DATE", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE", "TIMESTAMP_S", "TIMESTAMP_MS"), _FAR),
    "TIMESTAMP_NS": "NOT isfinite({0}::TIMESTAMP)",
    "TIME": "{0} = '24:00:00'::TIME",
}


def accepts(source: Any) -> float:
    """A file with DuckDB's mark, or an open connection of its."""
    if isinstance(source, SourceFile):
        return 1.0 if source.head[8:12] == b"DUCK" else 0.0
    return 1.0 if type(source).__name__ == "DuckDBPyConnection" else 0.0


def convert(source: Any) -> BoxSet:
    """Every table and view of a database.

    Args:
        source: The file, or an open connection (which must stay open).

    Raises:
        UnreadableSource: It is locked, damaged, or of another version.
    """
    database = _Database(
        source if isinstance(source, SourceFile) else None, None if isinstance(source, SourceFile) else source
    )
    notes: list[Note] = []
    with database.connect() as connection:
        tables = list(_tables(connection))
        if not tables:
            raise UnreadableSource("this database has no table", where=database.label)
        boxes = boxes_of_catalogue(
            tables, lambda table, box, labels: _Reader(database, table, box, labels), "main", notes, database.label
        )
        known = equalities(
            lambda sql: connection.execute(sql).fetchone(), lambda text, collation: f"('{text}' COLLATE {collation})"
        )
        notes = list(notes_on_collations(boxes.values(), known))
    return with_notes(boxes, notes)


@dataclass(frozen=True, slots=True)
class _Database:
    file: SourceFile | None
    connection: Any = None

    @property
    def label(self) -> str:
        return self.file.label if self.file else "a DuckDB connection"

    @contextmanager
    def connect(self) -> Iterator[Any]:
        try:
            import duckdb
        except ImportError as error:
            raise MissingExtra("duckdb", "sql") from error
        try:
            if self.file is None:
                yield self.connection.cursor()
                return
            connection = duckdb.connect(str(self.file.path), read_only=True)
            try:
                yield connection
            finally:
                connection.close()
        except duckdb.Error as error:
            hint = next((hint for words, hint in _HINTS if re.search(words, str(error))), None)
            raise UnreadableSource(
                f"DuckDB cannot read it: {str(error).splitlines()[0]}", where=self.label, hint=hint
            ) from error


def _tables(connection: Any) -> Iterator[Table]:
    collated = {(schema, table): sql for schema, table, sql in connection.execute(_COLLATED).fetchall()}
    columns: dict[tuple[str, str], list[Column]] = {}
    for schema, table, each, kind, comment in connection.execute(_COLUMNS).fetchall():
        collation = _collation(collated.get((schema, table), ""), each)
        columns.setdefault((schema, table), []).append(Column(each, _words(kind), comment or "", kind, collation))
    primary: dict[tuple[str, str], tuple[str, ...]] = {}
    keys: dict[tuple[str, str], list[KeyTo]] = {}
    for schema, table, kind, names, parent, parent_names in connection.execute(_KEYS).fetchall():
        if kind == "PRIMARY KEY":
            primary[schema, table] = tuple(names)
        elif kind == "FOREIGN KEY":
            keys.setdefault((schema, table), []).append(KeyTo(tuple(names), schema, parent, tuple(parent_names)))
    for schema, table, comment in connection.execute(_TABLES).fetchall():
        place = schema, table
        if place in columns:
            yield Table(
                schema, table, tuple(columns[place]), primary.get(place, ()), comment or "", tuple(keys.get(place, ()))
            )


def _collation(statement: str, column: str) -> str:
    """The collation that a statement, as DuckDB writes it, gives a column."""
    names = "|".join(map(re.escape, (quoted(column), column)))
    found = re.search(rf"[(,]\s*(?:{names}) VARCHAR COLLATE ([\w.]+)", statement)
    return found[1] if found else ""


def _words(kind: str) -> str:
    if kind.endswith("]") or kind.startswith(("STRUCT", "MAP", "UNION")) or _CHANGED.search(kind):
        return "text"
    if "INT" in kind or _WHOLE.fullmatch(kind):
        return "integer"
    return next((words for start, words in _WORDS if kind.startswith(start)), "text")


@dataclass(frozen=True, slots=True)
class _Reader:
    database: _Database
    table: Table
    box: str
    labels: tuple[str, ...]

    def read(self, columns: Sequence[str] | None = None, limit: int | None = None) -> Reading:
        """Some fields, or the first rows only."""
        labels = self.labels if columns is None else tuple(columns)
        names = [self.table.columns[self.labels.index(label)].name for label in labels]
        cells = [quoted(each) for each in names]
        place = f"{self._place}" + ("" if limit is None else f" LIMIT {int(limit)}")
        with self.database.connect() as connection:
            notes = self._as_text(connection, cells, labels, place)
            chosen = ", ".join(f"{each} AS c{at}" for at, each in enumerate(cells)) or "1"
            result = connection.sql(f"SELECT {chosen} FROM {place}")
            table = result.to_arrow_table() if hasattr(result, "to_arrow_table") else result.fetch_arrow_table()
        reading = arrow_reading([table.column(at) for at in range(len(labels))], labels, self.box, table.num_rows)
        frame = reading.frame
        for label in labels:
            if frame[label].dtype == object and _WHOLE.fullmatch(self.table.columns[self.labels.index(label)].declared):
                frame[label] = column([int(each) if isinstance(each, Decimal) else each for each in frame[label]])
        return Reading(frame, (*notes, *reading.notes))

    def _as_text(self, connection: Any, cells: list[str], labels: Sequence[str], place: str) -> list[Note]:
        """Replace, among the cells to select, those whose values would change on the way, by their text."""
        if not cells:
            return []
        types = list(map(str, connection.sql(f"SELECT {', '.join(cells)} FROM {self._place} LIMIT 0").types))
        tests = {at: _UNHELD[kind].format(cells[at]) for at, kind in enumerate(types) if kind in _UNHELD}
        odd = set()
        if tests:
            asked = ", ".join(f"coalesce(bool_or({test}), false)" for test in tests.values())
            found = connection.execute(f"SELECT {asked} FROM (FROM {place})").fetchall()[0]
            odd = {at for at, is_odd in zip(tests, found, strict=True) if is_odd}
        notes = []
        for at, kind in enumerate(types):
            nested = kind.endswith("]") or kind.startswith(("STRUCT", "MAP"))
            if nested and not _CHANGED.search(kind) and ("DATE" in kind or "TIME" in kind):
                notes.append(Note("cast", "nested values became JSON text", self.box, labels[at]))
                cells[at] = f"CAST(to_json({cells[at]}) AS VARCHAR)"
            elif at in odd or _CHANGED.search(kind):
                why = "some of its values have" if at in odd else "it has"
                message = f"{why} no counterpart in pandas ({kind[:80]}), so it became {'JSON ' * nested}text"
                notes.append(Note("cast", message, self.box, labels[at]))
                cells[at] = f"CAST(to_json({cells[at]}) AS VARCHAR)" if nested else f"CAST({cells[at]} AS VARCHAR)"
        return notes

    @property
    def _place(self) -> str:
        return f"{quoted(self.table.schema)}.{quoted(self.table.name)}"

    def count(self) -> int:
        """The number of rows."""
        with self.database.connect() as connection:
            found: int = connection.execute(f"SELECT count(*) FROM {self._place}").fetchone()[0]
            return found

    def fingerprint(self) -> str:
        """The file's; for a connection, the number of rows."""
        if self.database.file:
            return self.database.file.fingerprint()
        try:
            return f"{self.table.name} {self.count()}"
        except UnreadableSource:
            # A view over what is gone is an error where it is used, and hides no other table.
            return f"{self.table.name} unreadable"
