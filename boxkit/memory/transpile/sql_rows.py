"""Comparisons of whole rows: `(a, b) = (c, d)` and `(a, b) IN (…)`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from boxkit.errors import UnsupportedQuery
from boxkit.memory.transpile.sql_scope import free_name
from boxkit.plan import (
    Alias,
    Column,
    Compare,
    Constant,
    Exists,
    Expression,
    Filter,
    Output,
    Project,
    all_of,
    any_of,
)

if TYPE_CHECKING:
    from boxkit.memory.transpile.sql_expressions import ExpressionReader

__all__ = ["rows_compared", "rows_in"]


def rows_compared(reader: ExpressionReader, node: Any) -> Expression:
    """Two rows written out, equal cell by cell."""
    sides = [each.expressions for each in (node.this, node.expression) if isinstance(each, exp.Tuple)]
    if len(sides) < 2 or not isinstance(node, exp.EQ) or len(sides[0]) != len(sides[1]):
        raise UnsupportedQuery("a comparison of rows", detail=node.sql())
    return all_of(*(reader.compare("=", reader.read(a), reader.read(b)) for a, b in zip(*sides, strict=True)))


def rows_in(reader: ExpressionReader, node: Any, query: Any) -> Expression:
    """A row among those written out, or among a subquery's."""
    values = [reader.read(each) for each in node.this.expressions]
    if query is not None:
        return _rows_in_plan(reader, values, reader.reader.query(query, reader.scope), node)
    rows = [[reader.read(cell) for cell in row.expressions] for row in node.expressions]
    return any_of(*(all_of(*(reader.compare("=", a, b) for a, b in zip(values, row, strict=True))) for row in rows))


def _rows_in_plan(reader: ExpressionReader, values: list[Expression], plan: Any, node: Any) -> Expression:
    """Rows among a subquery's: one equals them, where nothing can be missing, so that NOT IN is the opposite."""
    rows = Alias(plan, free_name("rows", reader.scope.owners))
    slots = reader.reader.schema.slots(rows)
    kinds = [*map(reader.type_of, values), *(slot.type for slot in slots)]
    if len(slots) != len(values) or any(kind.nullable for kind in kinds):
        raise UnsupportedQuery("a row in a subquery where values may be missing", detail=node.sql())
    if any(kind.affinity != slot.type.affinity for kind, slot in zip(kinds, slots, strict=False)):
        raise UnsupportedQuery("a row in a subquery of other types", detail=node.sql())
    same = [Compare("=", value, Column(slot.name, slot.of)) for value, slot in zip(values, slots, strict=True)]
    return Exists(Project(Filter(rows, all_of(*same)), (Output(Constant(1), "found"),)))
