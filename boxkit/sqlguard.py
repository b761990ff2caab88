"""Whether a statement is one single read-only query, told by its syntax tree, never by a list of words.

A table named ``user``, a column ``version``, ``REPLACE(a, 'x', '')`` and a literal ``'--'`` pass; ``DELETE``,
``ATTACH``, a changing ``PRAGMA``, ``SELECT … INTO`` and two statements do not. The engine must be held as well: a tree
says what is asked for, not what a database's own functions do.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from boxkit.errors import MissingExtra, UnsafeSQL

__all__ = ["check"]

#: Functions that reach outside the data or change a server's state, whatever the tree around them looks like.
_REACHING_OUT = frozenset(
    # SQLite
    "load_extension readfile writefile edit fts3_tokenizer"
    # PostgreSQL
    " pg_read_file pg_read_binary_file pg_ls_dir pg_stat_file lo_import lo_export lo_put lo_create"
    " lo_unlink lo_from_bytea"
    " dblink dblink_exec dblink_connect set_config nextval setval pg_terminate_backend pg_cancel_backend pg_reload_conf"
    " pg_rotate_logfile pg_advisory_lock pg_sleep pg_notify query_to_xml database_to_xml pg_logical_emit_message"
    # MySQL, MariaDB
    " load_file sys_exec sys_eval get_lock release_lock sleep benchmark"
    # DuckDB
    " read_csv read_csv_auto read_parquet parquet_scan read_json read_json_auto read_ndjson read_text read_blob"
    " sniff_csv glob postgres_scan postgres_query sqlite_scan mysql_query iceberg_scan delta_scan read_xlsx st_read"
    " parquet_metadata parquet_schema getenv".split()
)

#: PRAGMAs that only tell something, whatever they are given.
_TELLING_PRAGMAS = frozenset(
    "table_info table_xinfo table_list index_list index_info index_xinfo foreign_key_list database_list collation_list"
    " function_list module_list pragma_list compile_options".split()
)

#: PRAGMAs that tell a setting, and change it where a value is given.
_SETTING_PRAGMAS = frozenset("encoding user_version schema_version application_id page_count page_size".split())


def check(sql: str, dialect: str = "sqlite") -> None:
    """Let pass one read-only query, refuse everything else.

    Args:
        sql: The statement.
        dialect: sqlglot's name of the engine's dialect (``"sqlite"``, ``"postgres"``, ``"mysql"``, ``"duckdb"``).

    Raises:
        UnsafeSQL: It is no query, or more than one, or would change something; or it cannot be parsed.
    """
    statements = _parsed(sql, dialect)
    if len(statements) != 1:
        found = "nothing" if not statements else f"{len(statements)} statements"
        raise UnsafeSQL(f"{found} where one query is expected", where=_shown(sql), hint="send one SELECT")
    (statement,) = statements
    problem = _problem(statement)
    if problem:
        raise UnsafeSQL(problem, where=_shown(sql), hint="send one SELECT that only reads")


def _shown(sql: str) -> str:
    flat = " ".join(sql.split())
    return flat if len(flat) <= 80 else f"{flat[:80]}…"


def _parsed(sql: str, dialect: str) -> list[Any]:
    try:
        import sqlglot
        from sqlglot.errors import SqlglotError
    except ImportError:
        raise MissingExtra("sqlglot", "sql") from None
    if "\0" in sql:
        raise UnsafeSQL("a zero byte would end the statement early", where=_shown(sql.replace("\0", "␀")))
    try:
        return [statement for statement in sqlglot.parse(sql, dialect=dialect) if not _is_blank(statement)]
    except (SqlglotError, RecursionError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UnsafeSQL(f"this cannot be read as {dialect} SQL: {reason}", where=_shown(sql)) from None


def _is_blank(statement: Any) -> bool:
    from sqlglot import exp

    return statement is None or isinstance(statement, exp.Semicolon)


@cache
def _changing() -> tuple[type[Any], ...]:
    from sqlglot import exp

    names = (
        "Insert Update Delete Merge Create Drop Alter AlterColumn Command Attach Detach Copy Into Lock Set SetItem Use"
        " Transaction Commit Rollback Pragma Kill LoadData Export TruncateTable Analyze Cache Uncache Refresh Install"
        " PropertyEQ Grant Revoke Comment Execute"
    )
    return tuple(getattr(exp, name) for name in names.split() if hasattr(exp, name))


def _problem(statement: Any) -> str:
    """What is wrong with the tree; empty where it only reads."""
    from sqlglot import exp

    if isinstance(statement, exp.Pragma):
        return _pragma_problem(statement)
    if not isinstance(statement, (exp.Query, exp.Values, exp.Pivot)):
        return f"{_named(statement)} is no query"
    for node in statement.walk():
        if isinstance(node, exp.PropertyEQ) and isinstance(node.parent, exp.Struct):
            continue  # a struct's own fields: {'a': 1}
        if isinstance(node, _changing()):
            return f"{_named(node)} inside a query changes or locks something"
        name = _function_name(node)
        if name in _REACHING_OUT:
            return f"the function {name} reaches outside the data"
    return ""


def _named(node: Any) -> str:
    from sqlglot import exp

    if isinstance(node, exp.Command):
        return str(node.this).upper()
    return type(node).__name__.upper()


def _function_name(node: Any) -> str:
    from sqlglot import exp

    if isinstance(node, exp.Anonymous):
        return str(node.name).lower()
    if isinstance(node, exp.ReadCSV):
        return "read_csv"
    return str(node.sql_name()).lower() if isinstance(node, exp.Func) else ""


def _pragma_problem(statement: Any) -> str:
    from sqlglot import exp

    told, given = statement.this, False
    if isinstance(told, exp.EQ):  # PRAGMA name(value) is read like PRAGMA name = value, and means the same
        told, given = told.this, True
    if isinstance(told, exp.Dot):
        told = told.expression
    name = str(told.name if isinstance(told, exp.Expression) else told).lower()
    if name in _TELLING_PRAGMAS or (name in _SETTING_PRAGMAS and not given):
        return ""
    return f"PRAGMA {name or '…'} can change the database or its settings"
