"""EXISTS and NOT EXISTS: a test of a column beside, a look into a list, or a join that only keeps or drops."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from boxkit.errors import UnsupportedQuery
from boxkit.memory.transpile.sparql_group import Group, Step, built
from boxkit.memory.transpile.sparql_patterns import Variable
from boxkit.memory.transpile.sparql_relation import Relation, filtered, joined
from boxkit.plan import (
    Exists,
    Expression,
    Filter,
    InPlan,
    IsMissing,
    Not,
    OneRow,
    Output,
    Project,
    all_of,
    any_of,
)

if TYPE_CHECKING:
    from boxkit.memory.transpile.sparql_query import QueryReader

__all__ = ["condition", "conjunct"]


def conjunct(reader: QueryReader, node: Any, scope: frozenset[str]) -> Step:
    """A step for an EXISTS that stands by itself in a filter."""
    inner = _inner(reader, node)
    shared = inner.names & scope

    def apply(rows: Relation) -> Relation:
        if len(shared) <= 1:
            return filtered(rows, condition(reader, node, rows))
        own = built(inner, reader.patterns, shared, as_set=True)
        own = replace(own, bound={name: own.of(name) for name in shared})
        return joined(rows, own, "anti" if node.name == "Builtin_NOTEXISTS" else "semi")

    return Step(shared, apply, is_filter=True)


def condition(reader: QueryReader, node: Any, rows: Relation) -> Expression:
    """An EXISTS as a condition on one row.

    Raises:
        UnsupportedQuery: It shares several variables with the row.
    """
    negated = node.name == "Builtin_NOTEXISTS"
    inner = _inner(reader, node)
    shared = inner.names & rows.bound.keys()
    if len(shared) > 1:
        raise UnsupportedQuery("EXISTS with several variables of its query inside another condition")
    if not shared:
        found = built(inner, reader.patterns, (), as_set=True)
        if found.plan is None:
            raise UnsupportedQuery("EXISTS without triples")
        return Exists(found.plan, negated)
    name = next(iter(shared))
    if rows.of(name).maybe:
        raise UnsupportedQuery("EXISTS with a variable that may be unbound", detail=f"?{name}")
    beside = _beside(reader, inner, name, rows)
    if beside is not None:
        value, tests = beside
        there = all_of(IsMissing(value, negated=True), *tests) if not tests else all_of(*tests)
        if not negated:
            return there
        return any_of(IsMissing(value), *(Not(each) for each in ([all_of(*tests)] if tests else [])))
    found = built(inner, reader.patterns, {name}, as_set=True)
    if found.plan is None:
        raise UnsupportedQuery("EXISTS without triples")
    return InPlan(rows.of(name).value, Project(found.plan, (Output(found.of(name).value, name),)), negated)


def _inner(reader: QueryReader, node: Any) -> Group:
    group = Group()
    reader.gatherer.gather(node.graph, group)
    return group


def _beside(reader: QueryReader, inner: Group, name: str, rows: Relation) -> tuple[Expression, list[Expression]] | None:
    """The column that a pattern's only triple stands in beside its subject, and what is asked of its value."""
    if len(inner.triples) != 1 or inner.parts or inner.constants or not all(step.is_filter for step in inner.steps):
        return None
    triple = inner.triples[0]
    if triple.subject != Variable(name) or not isinstance(triple.value, Variable) or triple.value.name == name:
        return None
    found = reader.patterns.attribute(rows.of(name), triple.relation)
    if found is None or found.column is None:
        return None
    own = Relation(OneRow(), {triple.value.name: replace(found, maybe=False)})
    if any(not step.names <= own.bound.keys() for step in inner.steps):
        return None
    for step in inner.steps:
        own = step.apply(own)
    tests = [own.plan.condition] if isinstance(own.plan, Filter) else []
    return found.value, tests
