"""Database servers through SQLAlchemy: the catalogue at once, rows on first use, in read-only transactions."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boxkit.box import BoxSet, Note
from boxkit.converters.catalogue import Column, KeyTo, Table, boxes_of_catalogue
from boxkit.converters.collations import notes_on_collations
from boxkit.converters.combine import with_notes
from boxkit.converters.server import Server, family_of, first_line
from boxkit.converters.server_cells import plain_cell, type_in_words
from boxkit.converters.server_columns import declared_columns, server_equalities
from boxkit.converters.server_reader import ServerReader
from boxkit.errors import MissingExtra, SourceNotFound, UnreadableSource

if TYPE_CHECKING:
    from sqlalchemy import Engine

__all__ = ["Server", "ServerReader", "accepts", "convert", "name", "plain_cell"]

name = "sqlalchemy"

_URL = re.compile(
    r"(postgresql|postgres|mysql|mariadb|mssql|oracle|sqlite|duckdb|snowflake|bigquery|redshift|trino)(\+\w+)?://"
)
_INNER_SCHEMAS = frozenset({"information_schema", "pg_catalog", "pg_toast", "performance_schema", "mysql", "sys"})
#: Drivers taken where a URL names none, for servers whose default driver is seldom installed.
_DRIVERS = {
    "postgres": "postgresql+psycopg",
    "postgresql": "postgresql+psycopg",
    "mysql": "mysql+pymysql",
    "mariadb": "mariadb+pymysql",
}


def accepts(source: Any) -> float:
    """A database URL, or SQLAlchemy's URL or Engine."""
    if isinstance(source, str):
        return 0.95 if _URL.match(source) else 0.0
    kinds = {(kind.__module__.split(".")[0], kind.__name__) for kind in type(source).__mro__}
    return 1.0 if kinds & {("sqlalchemy", "Engine"), ("sqlalchemy", "URL"), ("sqlalchemy", "Connection")} else 0.0


def convert(source: Any, *, schemas: list[str] | None = None, tables: list[str] | None = None) -> BoxSet:
    """Every table and view that the user of the URL can see.

    Args:
        source: A URL, an Engine or a Connection (its engine is used).
        schemas: The schemas wanted; all but the server's own where None.
        tables: The tables wanted, in any schema; all where None.

    Raises:
        UnreadableSource: The server cannot be reached, or refuses.
        MissingExtra: SQLAlchemy or the driver is not installed.
    """
    engine = _engine(source)
    if engine.dialect.name == "sqlite":
        return _of_sqlite(engine, source, tables)
    server = Server(engine)
    notes: list[Note] = []
    with server.translated():
        found = list(_tables(engine, schemas, tables, notes))
        default = _default_schema(engine)
    if not found:
        raise UnreadableSource("there is no table that this user can see", where=server.label)
    boxes = boxes_of_catalogue(
        found, lambda table, box, labels: ServerReader(server, table, box, labels), default, notes, server.label
    )
    if not any(field.collation for box in boxes.values() for field in box.fields):
        return boxes
    with server.connect() as connection:
        return with_notes(boxes, list(notes_on_collations(boxes.values(), server_equalities(connection))))


def _engine(source: Any) -> Engine:
    try:
        from sqlalchemy import create_engine, make_url
        from sqlalchemy.exc import ArgumentError, NoSuchModuleError
        from sqlalchemy.pool import NullPool
    except ImportError as error:
        raise MissingExtra("sqlalchemy", "sql") from error
    if hasattr(source, "dialect") and not hasattr(source, "render_as_string"):
        engine: Engine = getattr(source, "engine", source)
        return engine
    try:
        url = make_url(source)
        url = url.set(drivername=_DRIVERS.get(url.drivername, url.drivername))
        return create_engine(url, poolclass=NullPool)
    except (ArgumentError, NoSuchModuleError) as error:
        raise UnreadableSource(f"this is no database address: {error}") from error
    except ImportError as error:
        package = str(error.name or error)
        raise MissingExtra(package, "servers" if package in ("psycopg", "pymysql") else None) from error


def _of_sqlite(engine: Engine, source: Any, tables: list[str] | None) -> BoxSet:
    """What SQLite's own converter makes of it, which reads each cell as it is stored and never makes a file."""
    from boxkit.converters import sqlite
    from boxkit.converters.source import SourceFile

    file = str(engine.url.database or "")
    if hasattr(source, "connection"):  # a Connection, whose changes may not be committed
        return sqlite.convert(source.connection.driver_connection, tables=tables)
    if file in ("", ":memory:") or file.startswith("file:"):
        held = engine.raw_connection()
        try:
            return sqlite.convert(held.driver_connection, tables=tables)
        finally:
            held.close()
    if not Path(file).is_file():
        raise SourceNotFound("there is no such database file", where=file)
    return sqlite.convert(SourceFile.of(file), tables=tables)


def _default_schema(engine: Engine) -> str:
    from sqlalchemy import inspect

    return str(inspect(engine).default_schema_name or "")


def _tables(engine: Engine, schemas: list[str] | None, wanted: list[str] | None, notes: list[Note]) -> Iterator[Table]:
    from sqlalchemy import inspect
    from sqlalchemy.exc import SQLAlchemyError

    inspector = inspect(engine)
    default = inspector.default_schema_name or ""
    known = [each for each in inspector.get_schema_names() if each not in _INNER_SCHEMAS and not each.startswith("pg_")]
    # Elsewhere a schema is a database of its own, which the URL did not name.
    own = [default] if family_of(engine.dialect.name) == "mysql" else known
    for schema in sorted(own if schemas is None else schemas, key=lambda each: (each != default, each)):
        with engine.connect() as connection:
            declared = declared_columns(connection, schema)
        views = inspector.get_view_names(schema=schema)
        if engine.dialect.name == "postgresql":
            views = [*views, *inspector.get_materialized_view_names(schema=schema)]
        for table in [*inspector.get_table_names(schema=schema), *views]:
            if wanted is not None and table not in wanted:
                continue
            try:
                yield _table(inspector, schema, table, default, declared)
            except SQLAlchemyError as error:
                notes.append(Note("unreadable", f"the table {table!r} cannot be read: {first_line(error)}"))


def _table(
    inspector: Any, schema: str, table: str, default: str, declared: Mapping[tuple[str, str], tuple[str, str]]
) -> Table:
    columns = tuple(
        Column(
            each["name"],
            type_in_words(each["type"]),
            each.get("comment") or "",
            *declared.get((table, each["name"]), (_declared(each["type"], inspector.dialect), "")),
        )
        for each in _columns(inspector, schema, table)
    )
    keys = tuple(
        KeyTo(
            tuple(each["constrained_columns"]),
            each["referred_schema"] or default,
            each["referred_table"],
            tuple(each["referred_columns"]),
        )
        for each in inspector.get_foreign_keys(table, schema=schema)
    )
    try:
        comment = inspector.get_table_comment(table, schema=schema).get("text") or ""
    except NotImplementedError:
        comment = ""
    primary = tuple(inspector.get_pk_constraint(table, schema=schema).get("constrained_columns") or ())
    return Table(schema, table, columns, primary, comment, keys)


def _columns(inspector: Any, schema: str, table: str) -> list[Any]:
    """The columns; a type that SQLAlchemy does not know is no matter for a warning: its cells come as text."""
    from sqlalchemy.exc import SAWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SAWarning)
        return list(inspector.get_columns(table, schema=schema))


def _declared(kind: Any, dialect: Any) -> str:
    from sqlalchemy.exc import CompileError

    try:
        return str(kind.compile(dialect=dialect))
    except CompileError:
        return ""
