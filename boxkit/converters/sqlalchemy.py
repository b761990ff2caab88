"""Database servers through SQLAlchemy: the catalogue at once, rows on first use, in read-only transactions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from boxkit.box import BoxSet, Note, Reading
from boxkit.converters.catalogue import Column, KeyTo, Table, boxes_of_catalogue
from boxkit.converters.collations import notes_on_collations
from boxkit.converters.columns import column, frame_of
from boxkit.converters.combine import with_notes
from boxkit.converters.lint import lint_frame
from boxkit.converters.server_columns import declared_columns, server_equalities
from boxkit.errors import MissingExtra, UnreadableSource

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
_BATCH_ROWS = 50_000
#: Where a server keeps, for each table, something that changes with its rows.
_STATES = {
    "postgresql": "SELECT n_tup_ins, n_tup_upd, n_tup_del FROM pg_stat_all_tables"
    " WHERE schemaname = :schema AND relname = :table",
    "mysql": "SELECT update_time, table_rows FROM information_schema.tables"
    " WHERE table_schema = :schema AND table_name = :table",
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
        raise MissingExtra(str(error.name or error), "servers") from error


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
    own = [default] if engine.dialect.name in ("mysql", "mariadb") else known
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
                notes.append(Note("unreadable", f"the table {table!r} cannot be read: {_first_line(error)}"))


def _table(
    inspector: Any, schema: str, table: str, default: str, declared: Mapping[tuple[str, str], tuple[str, str]]
) -> Table:
    columns = tuple(
        Column(
            each["name"],
            _words(each["type"]),
            each.get("comment") or "",
            *declared.get((table, each["name"]), (_declared(each["type"], inspector.dialect), "")),
        )
        for each in inspector.get_columns(table, schema=schema)
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


def _declared(kind: Any, dialect: Any) -> str:
    from sqlalchemy.exc import CompileError

    try:
        return str(kind.compile(dialect=dialect))
    except CompileError:
        return ""


def _words(kind: Any) -> str:
    import decimal

    try:
        python = kind.python_type
    except NotImplementedError:
        return ""
    words = {
        "int": "integer",
        "float": "number",
        "str": "text",
        "bool": "boolean",
        "bytes": "bytes",
        "datetime": "datetime",
        "timedelta": "duration",
        **dict.fromkeys(("list", "dict", "object", "UUID", "set"), "text"),
    }
    if python is decimal.Decimal:
        return "decimal" if getattr(kind, "scale", None) else "number"
    return words.get(str(python.__name__), str(python.__name__))


def _first_line(error: Exception) -> str:
    return str(getattr(error, "orig", None) or error).strip().splitlines()[0]


#: What to do by what a server says.
_HINTS = (
    (r"password|access denied|authentication|role .* does not exist", "check the user and the password in the URL"),
    (r"unknown database|database .* does not exist", "check the name of the database, the last part of the URL"),
)
_ELSE = "check the host, the port and that the server runs"


@dataclass(frozen=True, slots=True)
class Server:
    """A database server, as one user sees it."""

    engine: Engine

    @property
    def label(self) -> str:
        """Its address, without the password."""
        return str(self.engine.url.render_as_string(hide_password=True))

    @contextmanager
    def translated(self) -> Iterator[None]:
        """SQLAlchemy's errors become boxkit's inside the ``with``."""
        from sqlalchemy.exc import SQLAlchemyError

        try:
            yield
        except SQLAlchemyError as error:
            text = _first_line(error)
            hint = next((hint for words, hint in _HINTS if re.search(words, text, re.IGNORECASE)), _ELSE)
            raise UnreadableSource(
                f"the database does not answer as asked: {text}", where=self.label, hint=hint
            ) from error

    @contextmanager
    def connect(self) -> Iterator[Any]:
        """A connection in one read-only transaction."""
        with self.translated(), self.engine.connect() as connection:
            if self.engine.dialect.name == "postgresql":
                connection = connection.execution_options(postgresql_readonly=True)
            elif self.engine.dialect.name in ("mysql", "mariadb"):
                connection.exec_driver_sql("START TRANSACTION READ ONLY")
            try:
                yield connection
            finally:
                connection.rollback()


@dataclass(frozen=True, slots=True)
class ServerReader:
    """The rows of one table or view."""

    server: Server
    table: Table
    box: str
    labels: tuple[str, ...]

    def read(self, columns: Sequence[str] | None = None, limit: int | None = None) -> Reading:
        """Some fields, or the first rows only."""
        labels = self.labels if columns is None else tuple(columns)
        positions = [self.labels.index(label) for label in labels]
        cells: list[list[Any]] = [[] for _ in labels]
        length = 0
        with self.server.connect() as connection:
            result = connection.execution_options(stream_results=True).execute(self._query(positions, limit))
            for rows in result.partitions(_BATCH_ROWS):
                length += len(rows)
                for kept, values in zip(cells, zip(*rows, strict=True), strict=False):
                    kept.extend(values)
        series = []
        for at, position in enumerate(positions):
            series.append(column(list(map(plain_cell, cells[at])), self.table.columns[position].type))
            cells[at] = []
        frame = frame_of(series, labels, length)
        return Reading(frame, tuple(lint_frame(frame, self.box)) if columns is None and limit is None else ())

    def _query(self, positions: Sequence[int], limit: int | None) -> Any:
        from sqlalchemy import column as sql_column
        from sqlalchemy import literal_column, select, table

        source = table(self.table.name, schema=self.table.schema or None)
        chosen: list[Any] = [sql_column(self.table.columns[at].name) for at in positions]
        query = select(*(chosen or [literal_column("1")])).select_from(source)
        return query if limit is None else query.limit(limit)

    def count(self) -> int:
        """The number of rows."""
        from sqlalchemy import func, select, table

        source = table(self.table.name, schema=self.table.schema or None)
        with self.server.connect() as connection:
            found: int = connection.execute(select(func.count()).select_from(source)).scalar_one()
            return found

    def fingerprint(self) -> str:
        """The server's own counts of changes to the table, where it keeps them."""
        from sqlalchemy import text

        dialect = {"mariadb": "mysql"}.get(self.server.engine.dialect.name, self.server.engine.dialect.name)
        place = f"{self.server.label} {self.table.schema}.{self.table.name}"
        if dialect not in _STATES:
            return place
        with self.server.connect() as connection:
            parameters = {"schema": self.table.schema, "table": self.table.name}
            row = connection.execute(text(_STATES[dialect]), parameters).fetchone()
        return f"{place} {tuple(row) if row else ''}"


def plain_cell(value: Any) -> Any:
    """A driver's value as Python's own: documents and arrays as JSON text, identifiers as text."""
    if isinstance(value, (list, dict, tuple, set)):
        import json

        return json.dumps(sorted(value) if isinstance(value, set) else value, ensure_ascii=False, default=str)
    if isinstance(value, memoryview):
        return bytes(value)
    return (
        str(value) if type(value).__module__ in ("uuid", "ipaddress") or "psycopg" in type(value).__module__ else value
    )
