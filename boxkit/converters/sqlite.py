"""SQLite databases: the catalogue at once, the rows on first use, every cell as SQLite holds it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from boxkit.box import Box, BoxSet, Field, ForeignKey, Note
from boxkit.converters.collations import equalities, notes_on_collations
from boxkit.converters.columns import words_for_values
from boxkit.converters.combine import missing_on_both
from boxkit.converters.described import FOLDER, with_descriptions_of
from boxkit.converters.discover import with_discovered_keys
from boxkit.converters.lint import lint_values
from boxkit.converters.source import SourceFile
from boxkit.converters.sqlite_collations import collations_of
from boxkit.converters.sqlite_database import Database, Steps, affinity, quoted
from boxkit.converters.sqlite_reader import SQLiteReader
from boxkit.errors import UnreadableSource
from boxkit.naming import box_name, field_labels, is_box_name

__all__ = ["accepts", "convert", "name"]

name = "sqlite"

#: Values of a column kept as examples.
_EXAMPLES = 5
_MAGIC = b"SQLite format 3\x00"
#: Rows looked at to say what a column holds.
_SAMPLE_ROWS = 50
#: SQLite's machine steps that checking all declared keys may take while loading.
_KEY_STEPS = 200_000
#: Databases up to this size are searched for keys where they declare none.
_DISCOVERED_BYTES = 64_000_000
#: Databases up to this size are checked for damaged pages while loading.
_CHECKED_BYTES = 2_000_000
_DAMAGE = ("malformed", "corrupt", "btree", "Page ", "page ", "Tree ", "out of order", "not a database", "disk image")


def accepts(source: Any) -> float:
    """A file that begins as SQLite's do, an empty or encrypted one of such a name, or a ``sqlite3.Connection``."""
    if isinstance(source, sqlite3.Connection):
        return 1.0
    if isinstance(source, SourceFile):
        if source.head.startswith(_MAGIC):
            return 1.0
        if source.suffix not in (".sqlite", ".sqlite3", ".db", ".db3"):
            return 0.0
        # Encrypted ones have no mark; that of another kind of database is surer.
        return 0.9 if not source.head else 0.5 if source.is_binary else 0.0
    return 0.0


def convert(source: Any, *, tables: list[str] | None = None, discover: bool | None = None) -> BoxSet:
    """Every table and view of a database, with its declared keys.

    Args:
        source: The file, or an open connection.
        tables: The tables wanted, by their names in the database; all where None.
        discover: Whether to look for keys that nobody declared; where None, only in a database that declares none and
            is small enough.

    Raises:
        UnreadableSource: It is empty, locked, damaged or encrypted.
    """
    database = Database.of(source)
    with database.connect() as connection:
        catalogue = _Catalogue(database, connection, tables)
        if isinstance(source, sqlite3.Connection):
            catalogue.notes += _left_out(source)
        boxes = catalogue.boxes()
    if isinstance(source, SourceFile):
        boxes = with_descriptions_of(boxes, source.origin.parent / FOLDER)
    if discover is None:
        discover = not boxes.foreign_keys and database.size <= _DISCOVERED_BYTES
    return with_discovered_keys(boxes) if discover and len(boxes) > 1 else boxes


def _left_out(source: sqlite3.Connection) -> Iterator[Note]:
    """Notes on what a connection sees besides its main database."""
    cursor = source.cursor()
    cursor.row_factory = None
    names = [row[1] for row in cursor.execute("PRAGMA database_list")]
    attached = [name for name in names if name not in ("main", "temp")]
    if attached:
        shown = ", ".join(map(repr, attached))
        yield Note("skipped", f"databases attached to the connection are left out: {shown}; load their files besides")
    temporary = [
        row[0] for row in cursor.execute("SELECT name FROM sqlite_temp_master WHERE type IN ('table', 'view')")
    ]
    if temporary:
        shown = ", ".join(map(repr, temporary[:5])) + (" and more" if len(temporary) > 5 else "")
        yield Note("skipped", f"temporary tables and views of the connection are left out: {shown}")


class _Catalogue:
    def __init__(self, database: Database, connection: sqlite3.Connection, wanted: list[str] | None) -> None:
        self.database = database
        self.connection = connection
        self.notes: list[Note] = []
        self.wanted = None if wanted is None else {each.casefold() for each in wanted}
        #: Box by the table's name in small letters, as SQLite compares names.
        self.by_table: dict[str, Box] = {}
        self.by_right: set[str] = set()

    def boxes(self) -> BoxSet:
        found = list(self.tables())
        # A table whose name is fine keeps it, whatever another one's name would become.
        self.by_right = {table for table, _ in found if is_box_name(table)}
        for table, kind in found:
            box = self.box(table, kind)
            if box is not None:
                self.by_table[table.casefold()] = box
        keys = [key for table in list(self.by_table) for key in self.keys(table)]
        keys = list(self.verified(keys))
        self.note_damage()
        steps = Steps(self.connection, _KEY_STEPS)
        known = equalities(steps.first_row, lambda text, collation: f"'{text}' COLLATE {quoted(collation)}")
        self.notes += notes_on_collations(self.by_table.values(), known)
        return BoxSet(self.by_table.values(), keys, self.notes, [self.database.label])

    def verified(self, keys: list[ForeignKey]) -> Iterator[ForeignKey]:
        """The keys, flagged where values are missing from the parent; as far as a bounded number of steps shows."""
        steps = Steps(self.connection, _KEY_STEPS)
        for key in keys:
            if key.parent not in self or not steps.left:
                yield key
                continue
            child, parent = self.named(key.box), self.named(key.parent)
            sql = _orphans(child, key.fields, parent, key.parent_fields)
            orphan = steps.first_row(sql)
            if key.parent_fields != parent.primary_key and _both_miss(steps, child, key, parent):
                self.notes.append(missing_on_both(key))
            if orphan is None:
                yield key
                continue
            shown = ", ".join(map(repr, orphan))
            message = f"it refers to {key.parent}, where {shown} is missing"
            self.notes.append(Note("dangling key", message, key.box, key.fields[0]))
            yield replace(key, dangling=True)

    def __contains__(self, name: str) -> bool:
        return any(box.name == name for box in self.by_table.values())

    def named(self, name: str) -> Box:
        return next(box for box in self.by_table.values() if box.name == name)

    def note_damage(self) -> None:
        """Note tables whose pages are damaged, in databases small enough to check while loading."""
        if self.database.size > _CHECKED_BYTES:
            return
        known = {note.box for note in self.notes if note.kind == "unreadable"}
        for box in self.by_table.values():
            reader = box.reader
            if box.name in known or not isinstance(reader, SQLiteReader) or reader.is_view:
                continue
            try:
                found = self.connection.execute(f"PRAGMA main.quick_check({quoted(reader.table)})").fetchone()
            except sqlite3.DatabaseError as error:
                found = (str(error),)
            said = "" if found is None else str(found[0])
            if any(word in said for word in _DAMAGE):
                message = f"the table is damaged and cannot be read whole: {' '.join(said.split())[:200]}"
                self.notes.append(Note("unreadable", message, box.name))

    def tables(self) -> Iterator[tuple[str, str]]:
        shadows = {row[1] for row in self.connection.execute("PRAGMA main.table_list") if row[2] == "shadow"}
        found = self.connection.execute(
            "SELECT name, type FROM main.sqlite_master WHERE type IN ('table', 'view') ORDER BY rowid"
        ).fetchall()
        if not found:
            raise UnreadableSource("this database has no table", where=self.database.label)
        missing = (self.wanted or set()) - {table.casefold() for table, _ in found}
        if missing:
            raise UnreadableSource(
                f"there is no table {min(missing)!r}",
                where=self.database.label,
                hint=f"the tables are: {', '.join(table for table, _ in found)}",
            )
        for table, kind in found:
            if table.casefold().startswith("sqlite_") or table in shadows:
                continue
            if self.wanted is None or table.casefold() in self.wanted:
                yield table, kind

    def box(self, table: str, kind: str) -> Box | None:
        label = box_name(table, {*(box.name for box in self.by_table.values()), *self.by_right} - {table})
        try:
            columns = [
                row for row in self.connection.execute(f"PRAGMA main.table_xinfo({quoted(table)})") if row[6] != 1
            ]
        except sqlite3.DatabaseError as error:
            columns = []
            self.notes.append(Note("unreadable", f"the {kind} {table!r} cannot be read: {error}"))
            return None
        if not columns:
            self.notes.append(Note("unreadable", f"the {kind} {table!r} has no column that can be read"))
            return None
        if label != table:
            self.notes.append(Note("renamed", f"the {kind} is called {table!r} in the source", label))
        names = [row[1] for row in columns]
        labels = field_labels(names)
        self.note_renamed(label, names, labels)
        reader = SQLiteReader(self.database, table, tuple(names), labels, label, kind == "view", ())
        types, examples = self.types(reader, label, [row[2] or "" for row in columns])
        described = [Field(*each[:3], examples=each[3]) for each in zip(labels, types, names, examples, strict=True)]
        declared = [row[2] or "" for row in columns]
        affinities = tuple(map(affinity, declared))
        collations = collations_of(self.connection, table) if kind == "table" else {}
        fields = tuple(
            replace(each, declared=own, affinity=prefers, collation=collations.get(each.source_name, ""))
            for each, own, prefers in zip(described, declared, affinities, strict=True)
        )
        key = sorted((row[5], at) for at, row in enumerate(columns) if row[5])
        reader = replace(reader, types=tuple(types), affinities=affinities)
        return Box(label, fields, reader, table, tuple(labels[at] for _, at in key), "database")

    def note_renamed(self, box: str, names: list[str], labels: tuple[str, ...]) -> None:
        for source_name, label in zip(names, labels, strict=True):
            if source_name != label:
                self.notes.append(Note("renamed", f"the column is called {source_name!r} in the source", box, label))

    def types(self, reader: SQLiteReader, box: str, declared: list[str]) -> tuple[list[str], list[tuple[object, ...]]]:
        """What the columns hold, in words, and some values of each."""
        try:
            rows = reader.sample(self.connection, _SAMPLE_ROWS)
        except sqlite3.DatabaseError as error:
            self.notes.append(Note("unreadable", f"{reader.table!r} cannot be read: {error}", box))
            rows = []
        columns = list(zip(*rows, strict=True)) if rows else [()] * len(declared)
        where = "" if len(rows) < _SAMPLE_ROWS else f" (in the first {_SAMPLE_ROWS} rows)"
        for label, values in zip(reader.labels, columns, strict=True):
            self.notes += lint_values(values, box, label, where)
        types = [_type(kind, values) for kind, values in zip(declared, columns, strict=True)]
        return types, list(map(_examples, columns))

    def keys(self, table: str) -> Iterator[ForeignKey]:
        box = self.by_table[table]
        rows = self.connection.execute(f"PRAGMA main.foreign_key_list({quoted(box.source_name)})").fetchall()
        by_id: dict[int, list[Any]] = {}
        for row in rows:
            by_id.setdefault(row[0], []).append(row)
        for group in reversed(by_id.values()):
            key = self.key(box, sorted(group, key=lambda row: row[1]))
            if key is not None:
                yield key

    def key(self, box: Box, rows: list[Any]) -> ForeignKey | None:
        parent_name = rows[0][2]
        own = tuple(filter(None, (_label(box, row[3]) for row in rows)))
        parent = self.by_table.get(parent_name.casefold())
        if len(own) < len(rows):
            self.notes.append(Note("dangling key", f"a key to {parent_name!r} names a column that is gone", box.name))
            return None
        if parent is None:
            theirs = tuple(row[4] or column for row, column in zip(rows, own, strict=True))
            self.notes.append(
                Note("dangling key", f"it refers to the table {parent_name!r}, which is not there", box.name, own[0])
            )
            return ForeignKey(box.name, own, parent_name, theirs, dangling=True)
        if all(row[4] is None for row in rows):
            found: tuple[str, ...] = parent.primary_key
        else:
            found = tuple(filter(None, (_label(parent, row[4] or "") for row in rows)))
        if len(found) != len(own):
            wanted = ", ".join(repr(row[4]) for row in rows if row[4]) or "a primary key"
            self.notes.append(
                Note("dangling key", f"it refers to {wanted} of {parent.name!r}, which is not there", box.name, own[0])
            )
            return None
        return ForeignKey(box.name, own, parent.name, found)


def _orphans(child: Box, fields: tuple[str, ...], parent: Box, parent_fields: tuple[str, ...]) -> str:
    own = [quoted(child.field(label).source_name) for label in fields]
    theirs = [quoted(parent.field(label).source_name) for label in parent_fields]
    present = " AND ".join(f"{each} IS NOT NULL" for each in own)
    listed = f"SELECT {', '.join(theirs)} FROM main.{quoted(parent.source_name)}"
    if parent_fields != parent.primary_key:
        # With a NULL among them, NOT IN finds nothing; without the condition SQLite looks keys up in their index.
        listed += " WHERE " + " AND ".join(f"{each} IS NOT NULL" for each in theirs)
    return (
        f"SELECT {', '.join(own)} FROM main.{quoted(child.source_name)} "
        f"WHERE {present} AND ({', '.join(own)}) NOT IN ({listed}) LIMIT 1"
    )


def _both_miss(steps: Steps, child: Box, key: ForeignKey, parent: Box) -> bool:
    """Whether a key is NULL somewhere on both sides, which pandas, other than SQL, takes as equal."""
    return all(
        steps.first_row(
            f"SELECT 1 FROM main.{quoted(box.source_name)} WHERE "
            + " AND ".join(f"{quoted(box.field(label).source_name)} IS NULL" for label in labels)
            + " LIMIT 1"
        )
        for box, labels in ((child, key.fields), (parent, key.parent_fields))
    )


def _label(box: Box, column: str) -> str | None:
    for field in box.fields:
        if field.source_name.casefold() == column.casefold():
            return field.label
    return None


def _type(declared: str, values: tuple[Any, ...]) -> str:
    seen = words_for_values(values)
    kind = declared.upper()
    if seen:
        # REAL and NUMERIC columns may begin with whole numbers.
        is_number = any(word in kind for word in ("REAL", "FLOA", "DOUB", "NUM", "DEC"))
        return "number" if seen == "integer" and is_number else seen
    if "INT" in kind:
        return "integer"
    if any(word in kind for word in ("CHAR", "CLOB", "TEXT", "DATE", "TIME")):
        return "text"
    return "number" if any(word in kind for word in ("REAL", "FLOA", "DOUB", "NUM", "DEC")) else ""


def _examples(values: Sequence[Any]) -> tuple[object, ...]:
    """The first distinct values; none where bytes are among them, which reading may turn into text."""
    shown = [value for value in values if value is not None and value != ""]
    if any(isinstance(value, bytes) for value in shown):
        return ()
    return tuple(list({repr(value): value for value in shown}.values())[:_EXAMPLES])
