"""SQL to plans and to pandas: the statement is parsed by sqlglot, read into the algebra, and written by its emitter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boxkit.box import BoxSet
from boxkit.errors import MissingExtra, UnsupportedQuery
from boxkit.plan import Plan, emit

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["DIALECTS", "sql_to_pandas", "sql_to_plan"]

#: The dialects whose semantics are known here.
DIALECTS = ("sqlite", "postgres", "mysql")


def sql_to_pandas(sql: str, boxes: BoxSet, dialect: str = "sqlite") -> str:
    """A query as pandas code over the boxes; run, its ``answer`` holds the rows that the engine gives.

    Args:
        sql: One SELECT (or set operation, or WITH).
        boxes: The tables, loaded.
        dialect: Whose semantics the query has: ``"sqlite"``, ``"postgres"`` or ``"mysql"``.

    Raises:
        UnsupportedQuery: The query has a construct that is refused rather than guessed; the error names it.
        MissingExtra: sqlglot is not installed.
    """
    from boxkit.errors import PlanError

    plan = sql_to_plan(sql, boxes, dialect)
    try:
        return emit(plan, boxes)
    except UnsupportedQuery:
        raise
    except PlanError as error:
        raise UnsupportedQuery(error.what, detail=sql) from error


def sql_to_plan(sql: str, boxes: BoxSet, dialect: str = "sqlite") -> Plan:
    """A query as a plan over the boxes.

    Raises:
        UnsupportedQuery: The query has a construct that is refused rather than guessed; the error names it.
        MissingExtra: sqlglot is not installed.
    """
    if dialect not in DIALECTS:
        raise ValueError(f"unknown dialect {dialect!r}; known: {', '.join(DIALECTS)}")
    tree = parsed(sql, dialect)
    from boxkit.errors import PlanError
    from boxkit.memory.transpile.sql_query import QueryReader

    try:
        return QueryReader(boxes, dialect).read(tree)
    except UnsupportedQuery:
        raise
    except PlanError as error:
        raise UnsupportedQuery(error.what, detail=sql) from error


def parsed(sql: str, dialect: str) -> Any:
    """sqlglot's tree of one statement.

    Raises:
        UnsupportedQuery: It does not parse, or is not one statement.
    """
    try:
        import sqlglot
        from sqlglot.errors import SqlglotError
    except ImportError as error:
        raise MissingExtra("sqlglot", "sql") from error
    try:
        trees = [tree for tree in sqlglot.parse(sql, read=dialect) if tree is not None]
    except SqlglotError as error:
        first = str(error).splitlines()[0] if str(error) else "it does not parse"
        raise UnsupportedQuery("a statement that does not parse", detail=first) from error
    if len(trees) != 1:
        raise UnsupportedQuery(f"a text of {len(trees)} statements", detail=sql)
    return trees[0]


def operands(node: Any, kind: Any) -> Iterator[Any]:
    """The terms of a chain of one binary operator, parentheses around them taken off."""
    from sqlglot import exp

    while isinstance(node, exp.Paren):
        node = node.this
    if isinstance(node, kind):
        yield from operands(node.this, kind)
        yield from operands(node.expression, kind)
    else:
        yield node
