"""Subqueries that name columns of the query around them become joins and groups.

``EXISTS`` and ``IN`` become semi and anti joins; one value per outer row becomes a group per key, joined back to the
rows.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from boxkit.errors import PlanError
from boxkit.plan import algebra as pa
from boxkit.plan import expressions as ex
from boxkit.plan.schema import PLAN_TYPES, Schema, columns_of, walk

__all__ = ["unnested"]

_SUBQUERIES = (ex.ScalarPlan, ex.Exists, ex.InPlan)


def unnested(plan: pa.Plan, schema: Schema) -> pa.Plan:
    """The plan without correlated subqueries.

    Raises:
        PlanError: One has a form that cannot be turned into a join.
    """
    if not any(isinstance(node, _SUBQUERIES) and free_columns(node.plan) for node in walk(plan)):
        return plan
    found: pa.Plan = _Unnesting(schema).plan(plan)
    return found


def free_columns(plan: pa.Plan) -> list[ex.Column]:
    """The columns that a plan names and that none of its own sources has."""
    owners = {node.known_as if isinstance(node, pa.Scan) else node.name for node in walk(plan) if _owns(node)}
    found = (node for node in walk(plan) if isinstance(node, ex.Column))
    return list(dict.fromkeys(column for column in found if column.of and column.of not in owners))


def _owns(node: Any) -> bool:
    return isinstance(node, (pa.Scan, pa.Alias))


@dataclass(frozen=True, slots=True)
class _Inner:
    """A subquery's rows without what ties them to the rows around it.

    Attributes:
        rows: The rows.
        pairs: Equal values: of the outer row, of the inner row.
        rest: What else a pair of rows must fulfil.
    """

    rows: pa.Plan
    pairs: tuple[tuple[ex.Expression, ex.Expression], ...] = ()
    rest: tuple[ex.Expression, ...] = ()


class _Unnesting:
    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.made = 0

    def plan(self, plan: Any) -> Any:
        """A plan or expression with every correlated subquery below it turned into a join."""
        if isinstance(plan, tuple):
            return tuple(self.plan(item) for item in plan)
        if not is_dataclass(plan) or isinstance(plan, type):
            return plan
        plan = replace(plan, **{each.name: self.plan(getattr(plan, each.name)) for each in fields(plan)})
        if not isinstance(plan, PLAN_TYPES) or not any(_correlated(plan)):
            return plan
        if isinstance(plan, pa.Filter):
            return self._filter(plan)
        if isinstance(plan, (pa.Project, pa.Derive, pa.Aggregate, pa.Sort)):
            return self._around(plan)
        raise PlanError(f"a correlated subquery in a {type(plan).__name__} cannot be written")

    def _filter(self, plan: pa.Filter) -> pa.Plan:
        condition = plan.condition
        parts = condition.parts if isinstance(condition, ex.And) else (condition,)
        source, rest = plan.source, []
        for part in parts:
            joined = self._half_join(source, part)
            if joined is None:
                rest.append(part)
            else:
                source = joined
        if not rest:
            return source
        kept = pa.Filter(source, ex.all_of(*rest))
        return self._around(kept) if any(_correlated(kept)) else kept

    def _half_join(self, source: pa.Plan, part: ex.Expression) -> pa.Plan | None:
        """The rows with (or without) a partner, where a condition asks for just that."""
        if not isinstance(part, (ex.Exists, ex.InPlan)) or not free_columns(part.plan):
            return None
        inner = self._tied(part.plan)
        pairs = inner.pairs
        if isinstance(part, ex.InPlan):
            output = _only_output(part.plan)
            types = (self.schema.type_of(part.value, self.schema.slots(source)), self.schema.slots(part.plan)[0].type)
            if part.negated and any(kind.nullable for kind in types):
                raise PlanError("a correlated NOT IN over missing values cannot be written")
            pairs = ((part.value, output), *pairs)
        condition = ex.all_of(*inner.rest) if inner.rest else None
        return pa.Join(source, inner.rows, pairs, "anti" if part.negated else "semi", condition)

    def _around(self, plan: Any) -> pa.Plan:
        """A node whose expressions have correlated subqueries, over a source that has their values as columns."""
        before = self.schema.slots(plan) if not isinstance(plan, pa.Aggregate) else ()
        source = plan.source
        values: dict[ex.Expression, ex.Expression] = {}
        for found in dict.fromkeys(_correlated(plan)):
            scalar = _counted(found)
            source, values[found] = self._joined_value(source, scalar)
            if scalar is not found:
                values[found] = ex.Compare("=" if found.negated else ">", values[found], ex.Constant(0))
        changed: pa.Plan = replace(_replaced(plan, values), source=source)
        if not isinstance(plan, (pa.Filter, pa.Sort, pa.Derive)):
            return changed
        return pa.Project(changed, tuple(pa.Output(ex.Column(slot.name, slot.of), slot.name) for slot in before))

    def _joined_value(self, source: pa.Plan, scalar: ex.ScalarPlan) -> tuple[pa.Plan, ex.Expression]:
        """The source with a subquery's value for each row, and the expression of that value."""
        self.made += 1
        name = "per_row" if self.made == 1 else f"per_row_{self.made}"
        inner, measures, value = self._measured(scalar.plan)
        measures, value = _apart(measures, value, {slot.name for slot in self.schema.slots(source)})
        if inner.rest:
            inner = self._spread(source, inner, name)
        keys = tuple(
            pa.Output(own, f"key_{at}" if not isinstance(own, ex.Column) else own.name)
            for at, (_, own) in enumerate(inner.pairs, start=1)
        )
        groups = pa.Alias(pa.Aggregate(inner.rows, keys, measures), name)
        on = tuple((outer, ex.Column(key.name, name)) for (outer, _), key in zip(inner.pairs, keys, strict=True))
        given = {}
        for measure in measures:
            column: ex.Expression = ex.Column(measure.name, name)
            if isinstance(measure.value, ex.Aggregated) and measure.value.function in ("count", "total"):
                column = ex.Call("first_known", (column, ex.Constant(0)))
            given[ex.Column(measure.name)] = column
        return pa.Join(source, groups, on, "left"), _replaced(value, given)

    def _measured(self, plan: pa.Plan) -> tuple[_Inner, tuple[pa.Output, ...], ex.Expression]:
        """A subquery of one value: its rows, what is taken of each group of them, and the value made of that."""
        limited = isinstance(plan, pa.Limit) and plan.count is not None and plan.count >= 1 and not plan.offset
        node: Any = plan.source if isinstance(plan, pa.Limit) and limited else plan
        if not isinstance(node, pa.Project) or len(node.outputs) != 1:
            raise PlanError("a correlated subquery of this form cannot be written")
        value, below = node.outputs[0].value, node.source
        if isinstance(below, pa.Aggregate) and not below.keys:
            return self._tied(below.source), below.measures, value
        inner = self._tied(below)
        rows = pa.Derive(inner.rows, (pa.Output(value, "first_value"),))
        measure = pa.Output(ex.Column("first_value"), "first_value")
        return replace(inner, rows=rows), (measure,), ex.Column("first_value")

    def _spread(self, source: pa.Plan, inner: _Inner, name: str) -> _Inner:
        """The inner rows beside every outer value that they are compared with: each pair that fulfils the rest."""
        if any(not _is_strict(each) for each in inner.rest):
            raise PlanError("a correlated subquery that compares missing values cannot be written")
        own = {slot.of for slot in self.schema.slots(inner.rows)}
        named = [column for each in inner.rest for column in columns_of(each) if column.of not in own]
        named += [column for outer, _ in inner.pairs for column in columns_of(outer)]
        outer = list(dict.fromkeys(named))
        values = pa.Distinct(pa.Project(source, tuple(pa.Output(column, column.name) for column in outer)))
        alias = f"{name}_values"
        moved = {column: ex.Column(column.name, alias) for column in outer}
        rest = ex.all_of(*(_replaced(each, moved) for each in inner.rest))
        on = tuple((_replaced(a, moved), b) for a, b in inner.pairs)
        rows = pa.Join(pa.Alias(values, alias), inner.rows, on, "inner" if on else "cross", rest)
        return _Inner(rows, tuple((column, moved[column]) for column in outer))

    def _tied(self, plan: pa.Plan) -> _Inner:
        """A subquery's rows without the conditions that name outer columns."""
        if not free_columns(plan):
            return _Inner(plan)
        match plan:
            case pa.Project(source) | pa.Distinct(source):
                return self._tied(source)
            case pa.Limit(source, count, 0) if count is None or count > 0:
                return self._tied(source)
            case pa.Sort(source, keys):
                inner = self._tied(source)
                return replace(inner, rows=pa.Sort(inner.rows, keys))
            case pa.Filter(source, condition):
                return self._filtered(self._tied(source), condition)
        raise PlanError("a correlated subquery of this form cannot be written")

    def _filtered(self, inner: _Inner, condition: ex.Expression) -> _Inner:
        own = {slot.of for slot in self.schema.slots(inner.rows)}
        kept, pairs, rest = [], list(inner.pairs), list(inner.rest)
        for part in condition.parts if isinstance(condition, ex.And) else (condition,):
            if all(column.of in own or not column.of for column in _every_column(part)):
                kept.append(part)
                continue
            pair = _pair(part, own)
            if pair is not None:
                pairs.append(pair)
            else:
                rest.append(part)
        rows = pa.Filter(inner.rows, ex.all_of(*kept)) if kept else inner.rows
        return _Inner(rows, tuple(pairs), tuple(rest))


def _apart(
    measures: tuple[pa.Output, ...], value: ex.Expression, taken: set[str]
) -> tuple[tuple[pa.Output, ...], ex.Expression]:
    """Measures under names that no column of the outer rows has, and the value made of them."""
    names: dict[ex.Expression, str] = {}
    for measure in measures:
        name, number = measure.name, 2
        while name in taken:
            name, number = f"{measure.name}_{number}", number + 1
        names[ex.Column(measure.name)] = name
    renamed = tuple(replace(each, name=names[ex.Column(each.name)]) for each in measures)
    return renamed, _replaced(value, {column: ex.Column(name) for column, name in names.items()})


def _correlated(node: Any) -> list[Any]:
    """The correlated subqueries in a node's own expressions."""
    found = []
    for each in fields(node):
        value = getattr(node, each.name)
        if isinstance(value, PLAN_TYPES):
            continue
        for item in value if isinstance(value, tuple) else (value,):
            if is_dataclass(item) and not isinstance(item, type):
                found += [sub for sub in walk(item, into_plans=False) if isinstance(sub, _SUBQUERIES)]
    return [each for each in found if free_columns(each.plan)]


def _counted(subquery: Any) -> ex.ScalarPlan:
    """EXISTS and IN as the number of rows found."""
    if isinstance(subquery, ex.ScalarPlan):
        return subquery
    rows = subquery.plan
    if isinstance(subquery, ex.InPlan):
        raise PlanError("a correlated IN beside OR cannot be written")
    while isinstance(rows, (pa.Project, pa.Distinct, pa.Sort)) or (isinstance(rows, pa.Limit) and rows.count):
        rows = rows.source
    count = pa.Aggregate(rows, (), (pa.Output(ex.Aggregated("count"), "rows"),))
    return ex.ScalarPlan(pa.Project(count, (pa.Output(ex.Column("rows"), "rows"),)))


def _only_output(plan: pa.Plan) -> ex.Expression:
    """The expression of a plan's only column, over the rows below its Project."""
    while isinstance(plan, (pa.Distinct, pa.Sort)):
        plan = plan.source
    if not isinstance(plan, pa.Project) or len(plan.outputs) != 1:
        raise PlanError("a correlated IN of this form cannot be written")
    return plan.outputs[0].value


def _every_column(expression: Any) -> list[ex.Column]:
    """The columns that an expression names, and the free ones of its subqueries."""
    nested = [
        column
        for node in walk(expression, into_plans=False)
        if isinstance(node, _SUBQUERIES)
        for column in free_columns(node.plan)
    ]
    return [*columns_of(expression), *nested]


def _pair(part: ex.Expression, own: set[str]) -> tuple[ex.Expression, ex.Expression] | None:
    """An equality of an outer with an inner value, as (outer, inner)."""
    if not isinstance(part, ex.Compare) or part.operator != "=":
        return None
    for outer, inner in ((part.left, part.right), (part.right, part.left)):
        theirs, ours = ([column.of for column in _every_column(each)] for each in (outer, inner))
        if theirs and ours and not any(of in own for of in theirs) and all(of in own for of in ours):
            return outer, inner
    return None


def _is_strict(condition: ex.Expression) -> bool:
    """Whether a missing value makes the condition unknown, so that rows with one drop out."""
    return isinstance(condition, (ex.Compare, ex.Between, ex.Like)) and (
        not isinstance(condition, ex.Compare) or condition.operator not in ("is", "is not")
    )


def _replaced(value: Any, given: dict[Any, Any]) -> Any:
    """A tree with some of its nodes exchanged; plans in it stay."""
    if isinstance(value, tuple):
        return tuple(_replaced(item, given) for item in value)
    if not is_dataclass(value) or isinstance(value, type):
        return value
    if value in given:
        return given[value]
    changed = {
        each.name: _replaced(getattr(value, each.name), given)
        for each in fields(value)
        if not isinstance(getattr(value, each.name), PLAN_TYPES)
    }
    return replace(value, **changed)
