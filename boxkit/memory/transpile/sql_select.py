"""SELECT: grouping, the SELECT list, DISTINCT, ORDER BY and LIMIT, in the order in which they apply."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from boxkit.errors import UnsupportedQuery
from boxkit.memory.transpile.sql_collation import check_groups, is_nocase, lowered, order_key, without_collation
from boxkit.memory.transpile.sql_expressions import ExpressionReader
from boxkit.memory.transpile.sql_order import groups_ascend
from boxkit.memory.transpile.sql_scope import Scope, free_name
from boxkit.plan import (
    Aggregate,
    Aggregated,
    Arithmetic,
    Call,
    Cast,
    Column,
    Constant,
    Derive,
    Distinct,
    Expression,
    Filter,
    Negative,
    Output,
    Plan,
    Project,
    Sort,
    SortKey,
    WindowCall,
)
from boxkit.plan.schema import PLAN_TYPES, walk

if TYPE_CHECKING:
    from boxkit.memory.transpile.sql_query import QueryReader

__all__ = ["read_select"]

#: What the result of an operation is called.
_OPERATIONS = {"+": "sum", "-": "difference", "*": "product", "/": "ratio", "div": "ratio", "%": "rest", "||": "text"}


def read_select(reader: QueryReader, node: Any, outer: Scope | None) -> Plan:
    """The plan of a SELECT."""
    for clause in ("laterals", "pivots", "qualify", "windows", "connect", "into", "distribute", "sample"):
        if node.args.get(clause):
            raise UnsupportedQuery(clause.upper(), detail=node.sql())
    scope = Scope(parent=outer)
    scope.aliases = {each.alias.casefold(): each.this for each in node.expressions if isinstance(each, exp.Alias)}
    plan = reader.source(node, scope)
    return _Select(reader, node, scope, plan).plan()


@dataclass(slots=True)
class _Select:
    """One SELECT being read.

    Attributes:
        reader: Reads subqueries.
        node: sqlglot's tree.
        scope: The sources.
        source: The rows of FROM and WHERE.
        names: The names of columns made here.
    """

    reader: QueryReader
    node: Any
    scope: Scope
    source: Plan
    names: set[str] = field(default_factory=set)

    def plan(self) -> Plan:
        expressions = ExpressionReader(self.reader, self.scope)
        outputs = self._outputs(expressions)
        if self.node.args.get("distinct") is not None:
            check_groups([each.value for each in outputs], expressions)
        keys = self._group_keys(expressions, outputs)
        having = self.node.args.get("having")
        condition = None if having is None else expressions.condition(having.this)
        order = self._order(expressions, outputs)
        plan = self.source
        read = [*(each.value for each in outputs), *(key.value for key in order), *([condition] if condition else [])]
        if keys is not None or any(_has_aggregate(each) for each in read):
            grouping = _Grouping(self, keys or [], [(each.value, each.name) for each in outputs])
            outputs = [replace(each, value=grouping.over(each.value)) for each in outputs]
            order = [replace(key, value=grouping.over(key.value)) for key in order if keys]
            condition = None if condition is None else grouping.over(condition)
            # One row has no order.
            order = grouping.ties_broken(order, plan) if keys else []
            plan = grouping.plan(plan)
            if condition is not None:
                plan = Filter(plan, condition)
        elif condition is not None:
            raise UnsupportedQuery("HAVING without groups", detail=self.node.sql())
        plan, outputs, order = self._windows(plan, outputs, order)
        return self._finished(plan, outputs, order)

    def _outputs(self, expressions: ExpressionReader) -> list[Output]:
        outputs = []
        for each in self.node.expressions:
            if isinstance(each, exp.Star):
                outputs += [Output(Column(slot.name, slot.of), slot.name) for slot in self.scope.starred()]
            elif isinstance(each, exp.Column) and isinstance(each.this, exp.Star):
                outputs += [Output(Column(slot.name, slot.of), slot.name) for slot in self.scope.starred(each.table)]
            else:
                inner = each.this if isinstance(each, exp.Alias) else each
                value = expressions.read(inner)
                outputs.append(Output(value, each.alias if isinstance(each, exp.Alias) else default_name(value)))
        names: list[str] = []
        for output in outputs:
            names.append(free_name(output.name, names))
        return [replace(output, name=name) for output, name in zip(outputs, names, strict=True)]

    def _group_keys(self, expressions: ExpressionReader, outputs: list[Output]) -> list[Expression] | None:
        group = self.node.args.get("group")
        if group is None:
            return None
        if any(group.args.get(name) for name in ("cube", "rollup", "grouping_sets", "totals")):
            raise UnsupportedQuery("GROUP BY CUBE, ROLLUP or GROUPING SETS", detail=group.sql())
        keys = []
        for each in group.expressions:
            at = _position(each)
            keys.append(expressions.read(each) if at is None else outputs[at].value)
        check_groups(keys, expressions)
        # A constant makes no groups.
        return list(dict.fromkeys(key for key in keys if not isinstance(key, Constant))) or None

    def _order(self, expressions: ExpressionReader, outputs: list[Output]) -> list[SortKey]:
        from boxkit.memory.transpile.sql_query import sort_key

        order = self.node.args.get("order")
        by_alias = {
            each.alias.casefold(): output
            for each, output in zip(self.node.expressions, outputs, strict=False)
            if isinstance(each, exp.Alias) and len(outputs) == len(self.node.expressions)
        }
        keys = []
        for each in [] if order is None else order.expressions:
            value, folds = each.this, False
            if is_nocase(value):
                value, folds = without_collation(value), True
            at = _position(value)
            if at is not None:
                read = outputs[at].value
            elif isinstance(value, exp.Column) and not value.table and value.name.casefold() in by_alias:
                read = by_alias[value.name.casefold()].value
            else:
                read = expressions.read(value)
            if isinstance(read, Constant):
                continue
            keys.append(sort_key(each, lowered(read, expressions) if folds else order_key(read, expressions)))
        return keys

    def _windows(
        self, plan: Plan, outputs: list[Output], order: list[SortKey]
    ) -> tuple[Plan, list[Output], list[SortKey]]:
        """Computed values in windows become columns first."""
        made: dict[Expression, str] = {}

        def column(value: Expression) -> Expression:
            if isinstance(value, (Column, Constant)):
                return value
            if value not in made:
                made[value] = free_name("window_value", {*self.names, *made.values()})
            return Column(made[value])

        def simple(value: Any) -> Any:
            if not isinstance(value, WindowCall):
                return value
            return replace(
                value,
                arguments=tuple(map(column, value.arguments)),
                partition=tuple(map(column, value.partition)),
                order=tuple(replace(key, value=column(key.value)) for key in value.order),
            )

        outputs = [replace(each, value=rewritten(each.value, simple)) for each in outputs]
        order = [replace(key, value=rewritten(key.value, simple)) for key in order]
        if made:
            plan = Derive(plan, tuple(Output(value, name) for value, name in made.items()))
        return plan, outputs, order

    def _finished(self, plan: Plan, outputs: list[Output], order: list[SortKey]) -> Plan:
        from boxkit.memory.transpile.sql_query import limited

        distinct = self.node.args.get("distinct")
        if distinct is not None and distinct.args.get("on"):
            raise UnsupportedQuery("DISTINCT ON", detail=self.node.sql())
        by_value = {each.value: each for each in outputs}
        computed = any(not isinstance(key.value, Column) for key in order)
        after = bool(order) and all(key.value in by_value for key in order) and (computed or distinct is not None)
        if order and not after:
            plan = Sort(plan, tuple(order))
        plan = Project(plan, tuple(outputs))
        if distinct is not None:
            plan = Distinct(plan)
        if after:
            plan = Sort(plan, tuple(replace(key, value=self._given(plan, outputs, key.value)) for key in order))
        return limited(plan, self.node)

    def _given(self, plan: Plan, outputs: list[Output], value: Expression) -> Column:
        """The column of the SELECT list that holds a value."""
        at = next(at for at, each in enumerate(outputs) if each.value == value)
        slot = self.reader.schema.slots(plan)[at]
        return Column(slot.name, slot.of)


class _Grouping:
    """The groups of a SELECT: its keys, the aggregates that it names, and columns that are neither."""

    def __init__(self, select: _Select, keys: list[Expression], named: list[tuple[Expression, str]]) -> None:
        self.select = select
        self.own = {slot.of for source in select.scope.sources for slot in source.slots}
        self.taken = {slot.name for source in select.scope.sources for slot in source.slots}
        self.wanted = {value: name for value, name in named if not isinstance(value, Column)}
        self.keys: dict[Expression, Output] = {key: Output(key, self._name(key, "key")) for key in keys}
        self.measures: dict[Expression, Output] = {}

    def _name(self, value: Expression, fallback: str) -> str:
        if isinstance(value, Column):
            return value.name
        name = free_name(self.wanted.get(value) or default_name(value) or fallback, self.taken)
        self.taken.add(name)
        return name

    def over(self, expression: Expression) -> Expression:
        """An expression over the rows, as one over the groups."""
        changed: Expression = rewritten(expression, self._replaced, descend=self._goes_on)
        return changed

    def _note_columns_in(self, plan: Plan) -> None:
        """Columns of these rows that a subquery names must outlive the grouping."""
        for each in walk(plan):
            if isinstance(each, Column) and each.of in self.own and each not in self.keys:
                self.measures.setdefault(each, Output(each, each.name))

    def _goes_on(self, value: Any) -> bool:
        if isinstance(value, PLAN_TYPES):
            self._note_columns_in(value)
            return False
        return value not in self.keys and not isinstance(value, Aggregated)

    def _replaced(self, value: Any) -> Any:
        if isinstance(value, PLAN_TYPES):
            return value
        if value in self.keys:
            output = self.keys[value]
            return value if isinstance(value, Column) else Column(output.name)
        if isinstance(value, Aggregated):
            if value not in self.measures:
                self.measures[value] = Output(value, self._name(value, "value"))
            return Column(self.measures[value].name)
        if isinstance(value, Column) and value.of in self.own:
            self.measures.setdefault(value, Output(value, value.name))
        return value

    def plan(self, source: Plan) -> Plan:
        """The groups of the source's rows."""
        extremes = [each for each in self.measures if isinstance(each, Aggregated) and each.function in ("min", "max")]
        bare = [each for each in self.measures if isinstance(each, Column)]
        if bare and extremes:
            source = self._extreme_first(source, extremes)
        return Aggregate(source, tuple(self.keys.values()), tuple(self.measures.values()))

    def ties_broken(self, order: list[SortKey], source: Plan) -> list[SortKey]:
        """Groups that tie: SQLite sorts them by their keys, in the directions of as many ORDER BY keys."""
        keys = [self.over(key) for key in self.keys]
        if self.select.reader.dialect != "sqlite" or len(keys) != len(order):
            return order
        ascend = groups_ascend(source, list(self.keys), self.select.reader.boxes)
        if ascend or not any(each.descending for each in order):
            return order
        named = {each.value for each in order}
        pairs = zip(keys, order, strict=True)
        return order + [SortKey(key, each.descending, not each.descending) for key, each in pairs if key not in named]

    def _extreme_first(self, source: Plan, extremes: list[Aggregated]) -> Plan:
        """SQLite takes a bare column's value from the row that holds the minimum or maximum, where there is one."""
        if self.select.reader.dialect != "sqlite":
            return source
        if len(extremes) > 1:
            raise UnsupportedQuery("a bare column beside several of min and max")
        extreme = extremes[0]
        assert extreme.argument is not None
        if extreme.condition is not None:
            raise UnsupportedQuery("a bare column beside min or max with FILTER")
        return Sort(source, (SortKey(extreme.argument, descending=extreme.function == "max"),))


def rewritten(
    value: Any,
    change: Callable[[Any], Any],
    descend: Callable[[Any], bool] = lambda value: not isinstance(value, PLAN_TYPES),
) -> Any:
    """A tree with ``change`` done to each node, leaves first; what ``descend`` denies is changed as a whole."""
    if isinstance(value, tuple):
        return tuple(rewritten(item, change, descend) for item in value)
    if not is_dataclass(value) or isinstance(value, type):
        return value
    if not descend(value):
        return change(value)
    changed = {each.name: rewritten(getattr(value, each.name), change, descend) for each in fields(value)}
    if any(changed[name] is not getattr(value, name) for name in changed):
        value = replace(value, **changed)
    return change(value)


def _has_aggregate(expression: Any) -> bool:
    return any(isinstance(each, Aggregated) for each in walk(expression, into_plans=False))


def _position(node: Any) -> int | None:
    """The position in the SELECT list that a number in GROUP BY or ORDER BY means."""
    while isinstance(node, exp.Paren):
        return None
    if isinstance(node, exp.Literal) and not node.is_string and node.this.isdigit():
        return int(node.this) - 1
    return None


def default_name(value: Expression) -> str:
    """A name for a column that the query does not name."""
    if isinstance(value, Column):
        return value.name
    if isinstance(value, Aggregated):
        argument = value.argument
        of = f"_{argument.name}" if isinstance(argument, Column) else ""
        return f"{value.function}{'_distinct' if value.distinct else ''}{of}"
    if isinstance(value, WindowCall):
        return value.function
    if isinstance(value, Arithmetic):
        return _OPERATIONS.get(value.operator, "value")
    if isinstance(value, Call) and value.arguments and isinstance(value.arguments[0], Column):
        return f"{value.function}_{value.arguments[0].name}"
    if isinstance(value, (Cast, Negative)):
        return default_name(value.value)
    return "value"
