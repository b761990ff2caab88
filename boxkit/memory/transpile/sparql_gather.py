"""The algebra's patterns gathered into groups: what is joined, and what is then done to the joined rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from boxkit.errors import UnsupportedQuery
from boxkit.memory.transpile.sparql_exists import conjunct
from boxkit.memory.transpile.sparql_group import Group, Part, Step, built
from boxkit.memory.transpile.sparql_patterns import Triple, Value, Variable
from boxkit.memory.transpile.sparql_relation import Bound, Relation, filtered, joined, named
from boxkit.memory.transpile.sparql_types import under_classes
from boxkit.memory.transpile.sparql_values import listed
from boxkit.plan import (
    Aggregate,
    Alias,
    Column,
    Constant,
    Derive,
    Output,
    Plan,
    Project,
    ScalarPlan,
    SetOperation,
    all_of,
)
from boxkit.plan.schema import Schema, has_one_row

if TYPE_CHECKING:
    from boxkit.memory.transpile.sparql_query import QueryReader

__all__ = ["Gatherer"]

_SUBQUERIES = frozenset({"Slice", "Distinct", "Reduced", "Project", "OrderBy", "AggregateJoin"})


class Gatherer:
    """Gathers one query's patterns.

    Args:
        reader: What reads the rest of the query.
    """

    def __init__(self, reader: QueryReader) -> None:
        self.reader = reader
        self.measures: dict[str, str] = {}

    def gather(self, node: Any, group: Group) -> None:
        """Add what a node says to a group.

        Raises:
            UnsupportedQuery: It asks other graphs or services.
        """
        match node.name:
            case "BGP":
                triples, parts = under_classes(node.triples, self.reader)
                group.parts.extend(parts)
                for triple in triples:
                    group.triples.extend(self.reader.terms.triples(*triple))
            case "Join":
                self.gather(node.p1, group)
                self._beside(self._inside(node.p2), group)
            case "Filter":
                own = self._inside(node.p)
                self._beside(own, group)
                group.steps.extend(self._filters(node.expr, own.names))
            case "LeftJoin":
                own = self._inside(node.p1)
                self._beside(own, group)
                group.steps.append(self._optional(node, own.names))
            case "Minus":
                own = self._inside(node.p1)
                self._beside(own, group)
                group.steps.extend(self._minus(node, own.names))
            case "Union":
                group.parts.append(self._union(self._inside(node.p1), self._inside(node.p2)))
            case "Extend":
                self._extend(node, group)
            case "ToMultiSet" | "values":
                self._multiset(node.p if node.name == "ToMultiSet" else node, group)
            case name if name in _SUBQUERIES:
                group.parts.append(self._subquery(node))
            case name:
                raise UnsupportedQuery({"Graph": "GRAPH", "ServiceGraphPattern": "SERVICE"}.get(name, name))

    def _inside(self, node: Any) -> Group:
        group = Group()
        self.gather(node, group)
        return group

    @staticmethod
    def _beside(own: Group, group: Group) -> None:
        group.triples.extend(own.triples)
        group.parts.extend(own.parts)
        for name, value in own.constants.items():
            if group.constants.setdefault(name, value) != value:
                raise UnsupportedQuery("VALUES that contradict each other", detail=f"?{name}")
        group.steps.extend(own.steps)

    # Parts -----------------------------------------------------------------------------------------------------

    def _multiset(self, node: Any, group: Group) -> None:
        if node.name != "values":
            self.gather(node, group)
            return
        rows = [{str(name): self._cell(term) for name, term in row.items()} for row in node.res]
        if len(rows) == 1 and all(value is not None for value in rows[0].values()):
            constants = {name: value for name, value in rows[0].items() if value is not None}
            self._beside(Group(constants=constants), group)
            return
        part, step = listed(rows, group.names, self.reader.patterns)
        if part is not None:
            group.parts.append(part)
        if step is not None:
            group.steps.append(step)

    def _cell(self, term: Any) -> Value | None:
        return None if str(term) == "UNDEF" else self.reader.terms.value(term)

    def _subquery(self, node: Any) -> Part:
        names = frozenset(map(str, node.PV)) if node.PV else frozenset(_projected(node))

        def build(needed: frozenset[str], as_set: bool) -> Relation:
            return _as_values(self.reader.rows(node, needed, as_set))

        return Part(names, build)

    def _union(self, left: Group, right: Group) -> Part:
        def build(needed: frozenset[str], as_set: bool) -> Relation:
            sides = [built(each, self.reader.patterns, needed & each.names, as_set) for each in (left, right)]
            names = sorted(needed) or sorted(left.names | right.names)[:1]
            return united(sides, names, self.reader.patterns.alias("either"))

        return Part(left.names | right.names, build)

    # Steps -----------------------------------------------------------------------------------------------------

    def _filters(self, expr: Any, scope: frozenset[str]) -> Iterator[Step]:
        """A filter's conjuncts, each a step of its own."""
        for part in conjuncts(expr):
            name = getattr(part, "name", "")
            if name == "TrueFilter":
                continue
            if name in ("Builtin_EXISTS", "Builtin_NOTEXISTS"):
                yield conjunct(self.reader, part, scope)
            else:
                yield self._filter(part, scope)

    def _filter(self, expr: Any, scope: frozenset[str]) -> Step:
        names = self.reader.expressions.names(expr, scope)
        if any(name not in scope for name in names):
            raise UnsupportedQuery("a filter on a variable that its group does not bind")

        def apply(rows: Relation) -> Relation:
            return filtered(rows, self.reader.expressions.condition(expr, rows))

        return Step(frozenset(names), apply, is_filter=True)

    def _extend(self, node: Any, group: Group) -> None:
        name, expr = str(node.var), node.expr
        if type(expr).__name__ == "Variable" and str(expr).startswith("__agg_"):
            self.measures[str(expr)] = name
        own = self._inside(node.p)
        self._beside(own, group)
        names = self.reader.expressions.names(expr)
        if any(each not in own.names and not each.startswith("__agg_") for each in names):
            raise UnsupportedQuery("BIND of a variable that is not bound before")

        def apply(rows: Relation) -> Relation:
            value = self.reader.expressions.value(expr, rows.bound)
            if name in rows.bound and rows.of(name).value == value.value:
                return rows
            if name in rows.bound:
                raise UnsupportedQuery("BIND to a variable that is bound elsewhere", detail=f"?{name}")
            return self._bound(rows, name, value)

        group.steps.append(Step(frozenset(names), apply, adds=frozenset({name})))

    def _bound(self, rows: Relation, name: str, value: Bound) -> Relation:
        """The rows with one more variable: a column of its own where its value is computed."""
        if rows.plan is None or isinstance(value.value, (Column, Constant)):
            return replace(rows, bound={**rows.bound, name: value})
        taken = {slot.name for slot in Schema(self.reader.graph.boxes).slots(rows.plan)}
        label = name
        while label in taken:
            label += "_"
        plan = Derive(rows.plan, (Output(value.value, label),))
        return replace(rows, plan=plan, bound={**rows.bound, name: replace(value, value=Column(label))})

    def _optional(self, node: Any, scope: frozenset[str]) -> Step:
        inner = self._inside(node.p2)
        fresh = inner.names - scope
        tests = [] if getattr(node.expr, "name", "") == "TrueFilter" else list(conjuncts(node.expr))
        tested = frozenset(name for each in tests for name in self.reader.expressions.names(each))
        if not tests and len(inner.triples) == 1 and not (inner.parts or inner.steps or inner.constants):
            only: Triple | None = inner.triples[0]
        else:
            only = None

        def apply(rows: Relation) -> Relation:
            shared = inner.names & rows.bound.keys()
            if not shared <= scope:
                raise UnsupportedQuery("OPTIONAL whose variable is bound later in another part")
            beside = self._beside_subject(rows, only, shared)
            if beside is not None:
                return replace(rows, bound={**rows.bound, **beside})
            own = built(inner, self.reader.patterns, inner.names if not fresh else fresh | shared | tested, False)
            own = replace(own, bound={name: own.of(name) for name in (fresh | shared) & own.bound.keys()})
            early = [each for each in tests if set(self.reader.expressions.names(each)) <= own.bound.keys()]
            own = filtered(own, *(self.reader.expressions.condition(each, own) for each in early))
            late = [each for each in tests if each not in early]
            both = replace(rows, bound={**own.bound, **rows.bound})
            conditions = [self.reader.expressions.condition(each, both) for each in late]
            return joined(rows, own, "left", all_of(*conditions) if conditions else None)

        return Step((inner.names | tested) & scope, apply, adds=fresh)

    def _beside_subject(self, rows: Relation, triple: Triple | None, shared: frozenset[str]) -> dict[str, Bound] | None:
        """What an optional triple binds, where it stands in a column beside its subject."""
        if triple is None or not isinstance(triple.subject, Variable) or not isinstance(triple.value, Variable):
            return None
        if triple.subject.name not in shared or triple.value.name in rows.bound:
            return None
        found = self.reader.patterns.attribute(rows.of(triple.subject.name), triple.relation)
        return None if found is None else {triple.value.name: found}

    def _minus(self, node: Any, scope: frozenset[str]) -> Iterator[Step]:
        inner = self._inside(node.p2)
        shared = inner.names & scope
        if not shared:
            return

        def apply(rows: Relation) -> Relation:
            if inner.names & rows.bound.keys() != shared:
                raise UnsupportedQuery("MINUS whose variable is bound later in another part")
            own = built(inner, self.reader.patterns, shared, as_set=True)
            return joined(rows, replace(own, bound={name: own.of(name) for name in shared}), "anti")

        yield Step(shared, apply)


def conjuncts(expr: Any) -> Iterator[Any]:
    """The parts of a conjunction."""
    if getattr(expr, "name", "") == "ConditionalAndExpression":
        yield from conjuncts(expr.expr)
        for other in expr.other:
            yield from conjuncts(other)
    else:
        yield expr


def united(sides: list[Relation], names: list[str], alias: str) -> Relation:
    """The rows of all sides; a variable that a side does not bind is unbound there."""
    unbound = Bound(Constant(None), "any", maybe=True)
    plans = []
    for side in sides:
        if side.plan is None:
            raise UnsupportedQuery("a branch of UNION without triples")
        plans.append(Project(side.plan, tuple(Output(side.bound.get(n, unbound).value, n) for n in names)))
    bound: dict[str, Bound] = {}
    for name in names:
        own = [side.bound.get(name, unbound) for side in sides]
        kinds = {each.kind for each in own if each is not unbound}
        bound[name] = Bound(
            Constant(None), next(iter(kinds)) if len(kinds) == 1 else "any", maybe=any(each.maybe for each in own)
        )
    together = SetOperation(plans[0], plans[1], "union", keep_doubles=True)
    return named(together, bound, alias, once=False, names=names)


def _as_values(rows: Relation) -> Relation:
    """Rows that are always one row become values."""
    if rows.plan is None or not has_one_row(rows.plan):
        return rows
    values = {
        name: replace(own, value=ScalarPlan(_one_column(rows.plan, own.column)))
        for name, own in rows.bound.items()
        if own.column is not None
    }
    return Relation(None, values, once=True)


def _one_column(plan: Plan, column: Column) -> Plan:
    """One column of a plan of one row: the measure itself, where it is one."""
    name, node = column.name, plan
    while isinstance(node, (Alias, Project)):
        names = node.columns if isinstance(node, Alias) else tuple(output.name for output in node.outputs)
        if name not in names:
            break
        if isinstance(node, Project):
            value = node.outputs[names.index(name)].value
            if not isinstance(value, Column):
                break
            name = value.name
        elif isinstance(node.source, Project):
            name = node.source.outputs[names.index(name)].name
        elif isinstance(node.source, Aggregate):
            return Aggregate(node.source.source, (), (node.source.measures[names.index(name)],))
        node = node.source
    return Project(plan, (Output(column, column.name),))


def _projected(node: Any) -> Iterator[str]:
    while node.name in ("Slice", "Distinct", "Reduced", "OrderBy"):
        node = node.p
    if node.name == "Project":
        yield from map(str, node.PV)
    elif node.name == "AggregateJoin":
        yield from (str(each.res) for each in node.A)
        yield from (str(each) for each in node.p.expr or () if type(each).__name__ == "Variable")
