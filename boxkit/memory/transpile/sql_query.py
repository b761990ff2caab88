"""Queries: WITH, set operations, and the order in which the clauses of a SELECT apply."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from boxkit.box import BoxSet
from boxkit.errors import UnsupportedQuery
from boxkit.memory.transpile.sql_from import read_from
from boxkit.memory.transpile.sql_scope import Scope
from boxkit.memory.transpile.sql_select import read_select
from boxkit.plan import Alias, Column, Limit, Plan, Scan, SetOperation, Sort, SortKey
from boxkit.plan.schema import Schema

__all__ = ["QueryReader", "part"]


def part(node: Any, name: str) -> Any:
    """A clause of a node; sqlglot names some with a trailing underscore, depending on its version."""
    return node.args.get(name) or node.args.get(f"{name}_")


class QueryReader:
    """Reads one statement.

    Args:
        boxes: The tables.
        dialect: Whose semantics apply.
    """

    def __init__(self, boxes: BoxSet, dialect: str) -> None:
        self.boxes = boxes
        self.dialect = dialect
        self.schema = Schema(boxes)
        self._tables: dict[str, Plan] = {}
        by_source = {box.source_name.casefold(): name for name, box in boxes.items()}
        self._boxes = by_source | {name.casefold(): name for name in boxes}

    def read(self, tree: Any) -> Plan:
        """The plan of a statement."""
        return self.query(tree, None)

    def query(self, node: Any, outer: Scope | None) -> Plan:
        """The plan of a query; ``outer`` is the scope of the query around it."""
        while isinstance(node, (exp.Paren, exp.Subquery)) and not _has_clauses(node):
            node = node.this
        before = dict(self._tables)
        self._with(node, outer)
        try:
            if isinstance(node, exp.Select):
                return read_select(self, node, outer)
            if isinstance(node, (exp.Union, exp.Intersect, exp.Except)):
                return self._set_operation(node, outer)
            if isinstance(node, exp.Subquery):
                return self._ordered(self.query(node.this, outer), node)
            raise UnsupportedQuery(f"a {type(node).__name__.upper()} statement", detail=node.sql())
        finally:
            self._tables = before

    def _with(self, node: Any, outer: Scope | None) -> None:
        clause = part(node, "with")
        if clause is None:
            return
        if clause.args.get("recursive") and _is_recursive(clause):
            raise UnsupportedQuery("a RECURSIVE CTE", detail=clause.sql())
        for each in clause.expressions:
            plan = self.query(each.this, outer)
            alias = each.args["alias"]
            names = tuple(column.name for column in alias.args.get("columns") or ())
            self._tables[each.alias.casefold()] = Alias(plan, each.alias, names)

    def table(self, name: str) -> Plan:
        """The plan of a table or of a common table expression."""
        folded = name.casefold()
        if folded in self._tables:
            return self._tables[folded]
        if folded not in self._boxes:
            raise UnsupportedQuery(f"the unknown table {name!r}")
        return Scan(self._boxes[folded])

    def source(self, node: Any, scope: Scope) -> Plan:
        """The plan of a FROM clause and its joins; adds the sources to the scope."""
        return read_from(self, node, scope)

    def _set_operation(self, node: Any, outer: Scope | None) -> Plan:
        left, right = self.query(node.this, outer), self.query(node.expression, outer)
        if len(self.schema.slots(left)) != len(self.schema.slots(right)):
            raise UnsupportedQuery("a set operation of unequal numbers of columns", detail=node.sql())
        kind = {exp.Union: "union", exp.Intersect: "intersect", exp.Except: "except"}[type(node)]
        plan = SetOperation(left, right, kind, keep_doubles=node.args.get("distinct") is False)  # type: ignore[arg-type]  # the kinds are SetOperation's
        return self._ordered(plan, node)

    def _ordered(self, plan: Plan, node: Any) -> Plan:
        """ORDER BY and LIMIT of a set operation: by its columns' names or positions."""
        order = node.args.get("order")
        if order is not None:
            keys = tuple(self._key(each, plan) for each in order.expressions)
            plan = Sort(plan, keys)
        return limited(plan, node)

    def _key(self, ordered: Any, plan: Plan) -> SortKey:
        slots, key = self.schema.slots(plan), ordered.this
        while isinstance(key, exp.Paren):
            key = key.this
        if isinstance(key, exp.Literal) and not key.is_string:
            slot = slots[int(key.this) - 1]
        else:
            found = [
                slot for slot in slots if isinstance(key, exp.Column) and slot.name.casefold() == key.name.casefold()
            ]
            if not found:
                raise UnsupportedQuery("ORDER BY an expression over a set operation", detail=ordered.sql())
            slot = found[0]
        return sort_key(ordered, Column(slot.name, slot.of))


def sort_key(ordered: Any, value: Any) -> SortKey:
    """A key with the direction and the place of NULLs that the clause or its dialect says."""
    return SortKey(value, bool(ordered.args.get("desc")), bool(ordered.args.get("nulls_first")))


def limited(plan: Plan, node: Any) -> Plan:
    """The plan with a query's LIMIT and OFFSET."""
    limit, offset = node.args.get("limit"), node.args.get("offset")
    if limit is None and offset is None:
        return plan
    count = None if limit is None else _whole(limit)
    skipped = 0 if offset is None else _whole(offset)
    if count is not None and count < 0:
        count = None
    return plan if count is None and skipped <= 0 else Limit(plan, count, max(skipped, 0))


def _whole(clause: Any) -> int:
    value = clause.args.get("count") if isinstance(clause, exp.Fetch) else clause.expression
    sign = 1
    while isinstance(value, (exp.Paren, exp.Neg)):
        sign = -sign if isinstance(value, exp.Neg) else sign
        value = value.this
    if not isinstance(value, exp.Literal) or value.is_string or not value.this.isdigit():
        raise UnsupportedQuery("LIMIT or OFFSET by an expression", detail=clause.sql())
    return sign * int(value.this)


def _has_clauses(node: Any) -> bool:
    return any(node.args.get(name) for name in ("order", "limit", "offset", "joins")) or part(node, "with") is not None


def _is_recursive(clause: Any) -> bool:
    return any(
        table.name.casefold() == each.alias.casefold()
        for each in clause.expressions
        for table in each.this.find_all(exp.Table)
    )
