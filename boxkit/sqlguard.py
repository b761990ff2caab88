"""Whether a statement is one single read-only query, told by its syntax tree, never by a list of words.

A table named ``user``, a column ``version``, ``REPLACE(a, 'x', '')`` and a literal ``'--'`` pass; ``DELETE``,
``ATTACH``, a changing ``PRAGMA``, ``SELECT … INTO`` and two statements do not. The engine must be held as well: a tree
says what is asked for, not what a database's own functions do.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

from boxkit.errors import MissingExtra, UnsafeSQL
from boxkit.sqlreach import Reach, reach_of

__all__ = ["check"]

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
    _checked(sql, dialect)


# Samples of a vote, variants of an ablation and a draft ask the same; what is refused is not kept.
@lru_cache(maxsize=256)
def _checked(sql: str, dialect: str) -> None:
    statements = _parsed(sql, dialect)
    if len(statements) != 1:
        found = "nothing" if not statements else f"{len(statements)} statements"
        raise UnsafeSQL(f"{found} where one query is expected", where=_shown(sql), hint="send one SELECT")
    (statement,) = statements
    problem = _problem(statement, dialect)
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
        spoken = sqlglot.Dialect.get_or_raise(dialect)
        tokens = spoken.tokenize(sql)
        problem = _hidden(tokens, dialect)
        if problem:
            raise UnsafeSQL(problem, where=_shown(sql), hint="write it out")
        if dialect == "mysql" and tokens and tokens[0].text.upper() == "VALUES":
            # sqlglot knows MySQL's rows of values (MariaDB's own form of them) only inside a query.
            sql = f"SELECT * FROM ({sql.rstrip().rstrip(';')}\n) AS rows_of_values"  # noqa: S608 - what is checked is the whole of it
            tokens = spoken.tokenize(sql)
        return [statement for statement in spoken.parser().parse(tokens, sql) if not _is_blank(statement)]
    except (SqlglotError, RecursionError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UnsafeSQL(f"this cannot be read as {dialect} SQL: {reason}", where=_shown(sql)) from None


def _hidden(tokens: Sequence[Any], dialect: str) -> str:
    """What these tokens are to the engine and not to sqlglot; empty where they are the same to both."""
    if dialect in ("mysql", "postgres", "duckdb"):
        for before, sign, name in zip(tokens, tokens[1:], tokens[2:], strict=False):
            together = before.end + 1 == sign.start and sign.end + 1 == name.start
            if together and before.text.upper() == "U" and sign.text == "&" and name.token_type.name == "IDENTIFIER":
                return "a name in Unicode escapes hides what is called"
    if dialect == "mysql" and any(text.startswith(("!", "M!")) for token in tokens for text in token.comments):
        return "a comment that the server executes is no comment"
    return ""


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


def _problem(statement: Any, dialect: str) -> str:
    """What is wrong with the tree; empty where it only reads."""
    from sqlglot import exp

    if isinstance(statement, exp.Pragma):
        return _pragma_problem(statement)
    if not isinstance(statement, (exp.Query, exp.Values, exp.Pivot)):
        return f"{_named(statement)} is no query"
    reach = reach_of(dialect)
    for node in statement.walk():
        if isinstance(node, exp.PropertyEQ) and dialect in ("duckdb", "postgres"):
            continue  # an argument by name, or a struct's field: only MySQL assigns so
        if isinstance(node, _changing()):
            return f"{_named(node)} inside a query changes or locks something"
        if isinstance(node, exp.Hint) and not all(isinstance(each, exp.Func) for each in node.expressions):
            return "a hint that cannot be read could lift a limit"
        if isinstance(node, exp.Table) and reach.files is not None and reach.files.fullmatch(node.name.lower()):
            return f"{node.name!r} is a file to this engine, no table"
        refused = _refused(node, reach)
        if refused:
            return f"the function {refused} reaches outside the data, or changes or locks something"
    return ""


def _refused(node: Any, reach: Reach) -> str:
    """The name of the function that a node calls and that is refused; empty where there is none."""
    from sqlglot import exp

    as_table = isinstance(node.parent, exp.Table) and node.arg_key == "this"
    return next((name for name in _function_names(node) if reach.refuses(name, as_table=as_table)), "")


def _named(node: Any) -> str:
    from sqlglot import exp

    if isinstance(node, exp.Command):
        return str(node.this).upper()
    return type(node).__name__.upper()


def _function_names(node: Any) -> Sequence[str]:
    """What a node that calls a function may have been written as, in lower case."""
    from sqlglot import exp

    if isinstance(node, exp.Anonymous):
        return (str(node.name).lower(),)
    if isinstance(node, exp.ReadCSV):
        return ("read_csv",)
    return [name.lower() for name in node.sql_names()] if isinstance(node, exp.Func) else ()


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
