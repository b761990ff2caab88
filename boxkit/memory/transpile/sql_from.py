"""FROM: tables, subqueries and joins; conditions that say which rows belong together become the joins' keys."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from boxkit.errors import UnsupportedQuery
from boxkit.memory.transpile.sql import operands
from boxkit.memory.transpile.sql_expressions import ExpressionReader
from boxkit.memory.transpile.sql_order import visiting_order
from boxkit.memory.transpile.sql_scope import Scope, Source, free_name
from boxkit.plan import Alias, Column, Compare, Expression, Filter, Join, OneRow, Plan, Scan, all_of
from boxkit.plan.schema import columns_of

if TYPE_CHECKING:
    from boxkit.memory.transpile.sql_query import QueryReader

__all__ = ["read_from"]


@dataclass(slots=True)
class _Joined:
    """What has been joined so far, and the conditions that no join has used yet."""

    plan: Plan
    owners: set[str]
    pending: list[Expression] = field(default_factory=list)


def read_from(reader: QueryReader, select: Any, scope: Scope) -> Plan:
    """The plan of a SELECT's FROM, joins and WHERE; adds its sources to the scope."""
    clause = select.args.get("from") or select.args.get("from_")
    if clause is None:
        plan: Plan = OneRow()
        where = select.args.get("where")
        if where is None:
            return plan
        return Filter(plan, ExpressionReader(reader, scope).condition(where.this))
    chain = _chain(clause.this, select.args.get("joins") or [])
    for node, join in chain:
        scope.sources.append(_source(reader, node, scope))
        if join is not None:
            _merge_using(join, scope)
            _mark_missing(scope, _side(join))
    return _joined(reader, select, scope, chain)


def _chain(first: Any, joins: list[Any]) -> list[tuple[Any, Any]]:
    """Sources in order, each with the join that brings it; parentheses around a chain of joins are taken off."""
    if isinstance(first, exp.Paren) or (isinstance(first, exp.Subquery) and isinstance(first.this, exp.Table)):
        inner = first.this
        return _chain(inner, [*(inner.args.get("joins") or []), *(first.args.get("joins") or []), *joins])
    own = first.args.get("joins") or [] if isinstance(first, exp.Table) else []
    chain: list[tuple[Any, Any]] = [(first, None)]
    for join in [*[each for each in own if each not in joins], *joins]:
        node = join.this
        if isinstance(node, exp.Subquery) and isinstance(node.this, exp.Table):
            raise UnsupportedQuery("a join in parentheses", detail=join.sql())
        chain.append((node, join))
    return chain


def _source(reader: QueryReader, node: Any, scope: Scope) -> Source:
    if isinstance(node, exp.Table):
        if isinstance(node.this, exp.Func):
            raise UnsupportedQuery("a table function", detail=node.sql())
        name = node.alias or node.name
        plan = reader.table(node.name)
    elif isinstance(node, exp.Subquery):
        name = node.alias
        plan = reader.query(node, scope.parent)
    else:
        raise UnsupportedQuery(f"{type(node).__name__.upper()} in FROM", detail=node.sql())
    plan = _known_as(plan, name, scope)
    labels = {}
    if isinstance(plan, Scan):
        fields = reader.boxes[plan.box].fields
        labels = {each.source_name.casefold(): each.label for each in fields if each.source_name != each.label}
    return _PlannedSource(name or "", reader.schema.slots(plan), labels=labels, plan=plan)


@dataclass(slots=True)
class _PlannedSource(Source):
    plan: Plan = field(default_factory=OneRow)


def _known_as(plan: Plan, name: str, scope: Scope) -> Plan:
    """The source under a name that no other source here or further out has: the box's own where it is free."""
    taken = scope.owners
    if isinstance(plan, Scan):
        box = plan.box
        if box not in taken:
            return plan
        return Scan(box, free_name(name if name.casefold() != box.casefold() else box, taken))
    if isinstance(plan, Alias):
        return Alias(plan.source, free_name(name or plan.name, taken), plan.columns)
    return Alias(plan, free_name(name or "subquery", taken))


def _merge_using(join: Any, scope: Scope) -> None:
    """USING and NATURAL: the columns stand once, as the left's."""
    *before, last = scope.sources
    names = [each.name for each in join.args.get("using") or []]
    if join.method == "NATURAL":
        known = {slot.name.casefold() for source in before for slot in source.slots}
        names = [slot.name for slot in last.slots if slot.name.casefold() in known]
    last.merged |= {name.casefold() for name in names}
    if _brings_back(join):
        scope.mended |= last.merged


def _joined(reader: QueryReader, select: Any, scope: Scope, chain: list[tuple[Any, Any]]) -> Plan:
    expressions = ExpressionReader(reader, scope)
    where = select.args.get("where")
    pool = [] if where is None else [expressions.condition(each) for each in operands(where.this, exp.And)]
    waiting = list(zip(scope.sources[1:], (join for _, join in chain[1:]), strict=True))
    # A right or full join brings rows back: what comes before it must be done, and what WHERE says must wait.
    late = pool if any(_brings_back(join) for _, join in waiting) else []
    pending = [*([] if late else pool), *_inner_conditions(expressions, waiting, scope)]
    first, waiting = _visited(reader, select, scope, waiting, pending)
    joined = _Joined(first.plan, {slot.of for slot in first.slots}, pending)
    while waiting:
        at = _next(joined, waiting)
        source, join = waiting.pop(at)
        assert isinstance(source, _PlannedSource)
        _add(expressions, joined, source, join, scope)
        if _brings_back(join):
            joined.pending += _inner_conditions(expressions, waiting, scope)
    joined.pending += late
    return _settled(joined).plan


def _brings_back(join: Any) -> bool:
    """Whether a join has rows that no row before it matches."""
    return _side(join) in ("right", "full")


def _inner_conditions(
    expressions: ExpressionReader, waiting: list[tuple[Source, Any]], scope: Scope
) -> list[Expression]:
    """What the inner joins demand that come before the next right or full join."""
    found = []
    for source, join in waiting:
        if _brings_back(join):
            break
        if _side(join) == "":
            found += _conditions(expressions, source, join, scope)
    return found


def _settled(joined: _Joined) -> _Joined:
    """The same with every condition that waited fulfilled."""
    if joined.pending:
        joined.plan = Filter(joined.plan, all_of(*joined.pending))
        joined.pending = []
    return joined


def _visited(
    reader: QueryReader, select: Any, scope: Scope, waiting: list[tuple[Source, Any]], pending: list[Expression]
) -> tuple[_PlannedSource, list[tuple[Source, Any]]]:
    """The first source and the others: SQLite's own order where only tables are joined, and only inner."""
    sources = [source for source in scope.sources if isinstance(source, _PlannedSource)]
    scans = [source.plan for source in sources if isinstance(source.plan, Scan)]
    inner = all(_side(join) == "" for _, join in waiting)
    if reader.dialect != "sqlite" or not inner or len(scans) < len(sources) or len(scans) < 2:
        return sources[0], waiting
    group = select.args.get("group")
    named = [each for each in (group.expressions if group is not None else []) if isinstance(each, exp.Column)]
    keys = [column for each in named if (column := scope.column(each.name, each.table)) is not None]
    order = visiting_order(scans, pending, keys, reader.boxes)
    joins = [None, *(join for _, join in waiting)]
    return sources[order[0]], [(sources[at], joins[at] or joins[1]) for at in order[1:]]


def _side(join: Any) -> str:
    """``left``, ``right``, ``full``, or nothing for inner and cross joins."""
    side = (join.side or "").lower()
    if side not in ("", "left", "right", "full"):
        raise UnsupportedQuery(f"a {join.side} join", detail=join.sql())
    if (join.kind or "") not in ("", "INNER", "OUTER", "CROSS"):
        raise UnsupportedQuery(f"a {join.kind} join", detail=join.sql())
    return side


def _next(joined: _Joined, waiting: list[tuple[Source, Any]]) -> int:
    """The first source that a condition links to what is joined already, unless an outer join stands before it."""
    for at, (source, join) in enumerate(waiting):
        if _side(join):
            return 0
        if _keys(joined, source)[0]:
            return at
    return 0


def _conditions(expressions: ExpressionReader, source: Source, join: Any, scope: Scope) -> list[Expression]:
    """What a join demands, part by part."""
    on = join.args.get("on")
    parts = [] if on is None else [expressions.condition(each) for each in operands(on, exp.And)]
    position = scope.sources.index(source)
    for name in sorted(source.merged):
        earlier = Scope(scope.sources[:position], None).column(name)
        own = source.find(name)
        if earlier is None or own is None:
            raise UnsupportedQuery(f"USING the unknown column {name!r}")
        parts.append(expressions.compare("=", earlier, Column(own.name, own.of)))
    return parts


def _keys(joined: _Joined, source: Source) -> tuple[list[tuple[Expression, Expression]], list[Expression]]:
    """The pairs of equal values that link a source to what is joined, and the conditions that they come from."""
    own = {slot.of for slot in source.slots}
    pairs, used = [], []
    for condition in joined.pending:
        pair = _pair(condition, joined.owners, own)
        if pair is not None:
            pairs.append(pair)
            used.append(condition)
    return pairs, used


def _pair(condition: Expression, left: set[str], right: set[str]) -> tuple[Expression, Expression] | None:
    if not isinstance(condition, Compare) or condition.operator != "=":
        return None
    sides = [{column.of for column in columns_of(each)} for each in (condition.left, condition.right)]
    if not all(sides):
        return None
    if sides[0] <= left and sides[1] <= right:
        return condition.left, condition.right
    if sides[1] <= left and sides[0] <= right:
        return condition.right, condition.left
    return None


def _add(expressions: ExpressionReader, joined: _Joined, source: _PlannedSource, join: Any, scope: Scope) -> None:
    own = {slot.of for slot in source.slots}
    side = _side(join)
    if side == "":
        pairs, used = _keys(joined, source)
        joined.plan = Join(joined.plan, source.plan, tuple(pairs), "inner" if pairs else "cross")
        joined.pending = [each for each in joined.pending if each not in used]
    else:
        if _brings_back(join):
            _settled(joined)
        joined.plan = _outer(expressions, joined, source, join, side, scope)
    joined.owners |= own


def _outer(
    expressions: ExpressionReader, joined: _Joined, source: _PlannedSource, join: Any, side: str, scope: Scope
) -> Plan:
    """A left, right or full join: what its ON says of one side alone is that side's filter before the join."""
    own = {slot.of for slot in source.slots}
    parts = _conditions(expressions, source, join, scope)
    pairs: list[tuple[Expression, Expression]] = []
    left_only: list[Expression] = []
    right_only: list[Expression] = []
    rest: list[Expression] = []
    for each in parts:
        pair = _pair(each, joined.owners, own)
        owners = {column.of for column in columns_of(each)}
        if pair is not None:
            pairs.append(pair)
        elif side == "left" and owners and owners <= own:
            right_only.append(each)
        elif side == "right" and owners and owners <= joined.owners:
            left_only.append(each)
        else:
            rest.append(each)
    if side == "full" and (rest or not pairs):
        raise UnsupportedQuery("a full join on something else than equal columns", detail=join.sql())
    left = Filter(joined.plan, all_of(*left_only)) if left_only else joined.plan
    right: Plan = Filter(source.plan, all_of(*right_only)) if right_only else source.plan
    condition = all_of(*rest) if rest or not pairs else None
    return Join(left, right, tuple(pairs), side, condition)  # type: ignore[arg-type]  # the side is one of Join's


def _mark_missing(scope: Scope, side: str) -> None:
    """The columns that an outer join, to the last source, can leave missing."""
    *before, last = scope.sources
    for source in ([last] if side in ("left", "full") else []) + (before if side in ("right", "full") else []):
        source.slots = tuple(replace(slot, type=slot.type.missing_too()) for slot in source.slots)
