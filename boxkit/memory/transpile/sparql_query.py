"""Whole queries: patterns into rows, then projection, order, cuts and aggregates."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from boxkit.box import BoxSet
from boxkit.errors import UnsupportedQuery
from boxkit.memory.transpile.sparql_aggregates import aggregated
from boxkit.memory.transpile.sparql_boxes import GraphBoxes
from boxkit.memory.transpile.sparql_expressions import ExpressionReader
from boxkit.memory.transpile.sparql_gather import Gatherer
from boxkit.memory.transpile.sparql_group import Group, built
from boxkit.memory.transpile.sparql_patterns import PatternReader
from boxkit.memory.transpile.sparql_relation import Bound, Relation, named
from boxkit.memory.transpile.sparql_terms import TermReader
from boxkit.plan import Constant, Distinct, Exists, Limit, OneRow, Output, Plan, Project, Sort, SortKey

__all__ = ["QueryReader"]


class QueryReader:
    """Reads one query.

    Args:
        boxes: The graph, loaded.
    """

    def __init__(self, boxes: BoxSet) -> None:
        self.graph = GraphBoxes(boxes)
        self.patterns = PatternReader(self.graph)
        self.terms = TermReader(self.graph)
        self.expressions = ExpressionReader(self.graph, self.terms, self)
        self.gatherer = Gatherer(self)

    def read(self, algebra: Any) -> Plan:
        """The plan of a query.

        Raises:
            UnsupportedQuery: It is neither SELECT nor ASK, or names its graphs.
        """
        if algebra.name not in ("SelectQuery", "AskQuery"):
            raise UnsupportedQuery(algebra.name.removesuffix("Query").upper())
        if algebra.datasetClause:
            raise UnsupportedQuery("FROM")
        if algebra.name == "AskQuery":
            rows = self.rows(algebra.p, (), as_set=True)
            truth = Constant(True) if rows.plan is None else Exists(rows.plan)
            return Project(OneRow(), (Output(truth, "answer"),))
        rows = self.rows(algebra.p, [str(name) for name in algebra.PV], as_set=False)
        assert rows.plan is not None
        return rows.plan

    # Rows ------------------------------------------------------------------------------------------------------

    def rows(self, node: Any, needed: Collection[str], as_set: bool) -> Relation:
        """The rows of a node of the algebra.

        Args:
            node: The node.
            needed: The variables that are used above it.
            as_set: Whether doubled rows do not matter.
        """
        match node.name:
            case "Slice":
                rows = self.rows(node.p, needed, as_set=False)
                return self._over(rows, lambda plan: Limit(plan, node.length, node.start or 0))
            case "Distinct" | "Reduced":
                rows = self.rows(node.p, needed, as_set=True)
                return replace(self._over(rows, Distinct), once=True)
            case "Project":
                return self._project(node, as_set)
            case "OrderBy":
                return self._order(node, needed, as_set)
            case "AggregateJoin":
                return aggregated(self, node)
            case _:
                group = Group()
                self.gatherer.gather(node, group)
                return built(group, self.patterns, needed, as_set)

    def _over(self, rows: Relation, change: Any) -> Relation:
        if rows.plan is None:
            raise UnsupportedQuery("a query without triples")
        return replace(rows, plan=change(rows.plan))

    def _project(self, node: Any, as_set: bool) -> Relation:
        names = [str(name) for name in node.PV]
        rows = self.rows(node.p, names, as_set)
        outputs = tuple(Output(rows.bound.get(name, _UNBOUND).value, name) for name in names)
        if not outputs:
            return rows
        source = OneRow() if rows.plan is None else rows.plan
        return named(Project(source, outputs), rows.bound, self.patterns.alias("rows"), once=False)

    def _order(self, node: Any, needed: Collection[str], as_set: bool) -> Relation:
        names = {name for each in node.expr for name in self.expressions.names(each.expr)}
        rows = self.rows(node.p, {*needed, *names}, as_set)
        keys: list[SortKey] = []
        for each in node.expr:
            key = self.expressions.value(each.expr, rows.bound)
            descending = each.order == "DESC"
            if key.kind == "any":
                raise UnsupportedQuery("an order by values of several kinds")
            keys.append(SortKey(key.value, descending, not descending))
        return self._over(rows, lambda plan: Sort(plan, tuple(keys)))


_UNBOUND = Bound(Constant(None), "any", maybe=True)
