"""The types and collations of a server's columns, in its own words."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from boxkit.converters.collations import Equality, equalities
from boxkit.converters.server import family_of

if TYPE_CHECKING:
    from sqlalchemy import Connection

__all__ = ["declared_columns", "server_equalities"]

_COLUMNS = {
    "postgresql": """
        SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
               CASE WHEN a.attcollation <> t.typcollation THEN o.collname END
        FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
        JOIN pg_type t ON t.oid = a.atttypid LEFT JOIN pg_collation o ON o.oid = a.attcollation
        WHERE n.nspname = :schema AND a.attnum > 0 AND NOT a.attisdropped
        """,
    "mysql": """
        SELECT table_name, column_name, column_type, collation_name FROM information_schema.columns
        WHERE table_schema = :schema
        """,
}


def declared_columns(connection: Connection, schema: str) -> dict[tuple[str, str], tuple[str, str]]:
    """By table and column, the type as the server writes it, and its collation; nothing for other servers."""
    from sqlalchemy import text

    query = _COLUMNS.get(family_of(connection.dialect.name))
    if query is None:
        return {}
    rows = connection.execute(text(query), {"schema": schema}).fetchall()
    return {(str(table), str(column)): (_text(kind), _text(collation)) for table, column, kind, collation in rows}


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value or "")


def server_equalities(connection: Connection) -> Callable[[str], Equality | None]:
    """What collations of a server do not tell apart."""
    from sqlalchemy.exc import SQLAlchemyError

    def first_row(sql: str) -> Any:
        try:
            return connection.exec_driver_sql(sql).fetchone()
        except SQLAlchemyError:
            connection.rollback()
            return None

    return equalities(first_row, _mysql_text if family_of(connection.dialect.name) == "mysql" else _text_of)


def _mysql_text(text: str, collation: str) -> str:
    return f"CONVERT('{text}' USING {collation.partition('_')[0]}) COLLATE {collation}"


def _text_of(text: str, collation: str) -> str:
    escaped = collation.replace('"', '""')
    return f"'{text}' COLLATE \"{escaped}\""
