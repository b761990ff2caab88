"""A relation: the rows of a graph pattern, and what each variable is in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from boxkit.errors import UnsupportedQuery
from boxkit.memory.transpile.sparql_boxes import Kind
from boxkit.plan import (
    Alias,
    And,
    Arithmetic,
    Call,
    Cast,
    Column,
    Compare,
    Constant,
    Expression,
    Filter,
    InValues,
    IsMissing,
    Join,
    Like,
    Negative,
    Plan,
    Project,
    ScalarPlan,
    all_of,
)
from boxkit.plan.algebra import JoinKind
from boxkit.plan.schema import columns_of, walk

__all__ = ["Bound", "Relation", "calculable", "filtered", "joined", "named"]


@dataclass(frozen=True, slots=True)
class Bound:
    """What a variable is bound to.

    Attributes:
        value: The column, or a value that is the same in every row.
        kind: What it is.
        maybe: Whether it may be unbound.
        known: All values that it can take, where the boxes tell; None where not.
    """

    value: Expression
    kind: Kind
    maybe: bool = False
    known: frozenset[Any] | None = field(default=None, compare=False)

    @property
    def column(self) -> Column | None:
        """The column, if it is one."""
        return self.value if isinstance(self.value, Column) else None


@dataclass(frozen=True, slots=True)
class Relation:
    """Rows and their variables.

    Attributes:
        plan: The rows; None for one row of no columns.
        bound: The variables by name.
        once: Whether no two rows have the same values in all variables.
        has_constant: Whether a constant narrows it (where reading starts).
    """

    plan: Plan | None
    bound: Mapping[str, Bound]
    once: bool = False
    has_constant: bool = False

    def of(self, name: str) -> Bound:
        """What a variable is bound to."""
        return self.bound[name]


def calculable(value: Bound) -> Bound:
    """A number that can be calculated with: Decimals, which keep digits that floats do not hold, become floats."""
    has_decimals = value.known is not None and any(isinstance(each, Decimal) for each in value.known)
    return Bound(Cast(value.value, "numeric"), value.kind, value.maybe) if has_decimals else value


def filtered(relation: Relation, *conditions: Expression) -> Relation:
    """The rows for which all conditions hold."""
    condition = all_of(*(each for each in conditions if each != Constant(True)))
    if condition == Constant(True) or relation.plan is None:
        return relation
    plan = relation.plan
    if isinstance(plan, Filter):
        return replace(relation, plan=Filter(plan.source, _concise(all_of(plan.condition, condition))))
    return replace(relation, plan=Filter(plan, _concise(condition)))


def _concise(condition: Expression) -> Expression:
    """A conjunction without tests for a value that another of its tests needs anyway."""
    parts = condition.parts if isinstance(condition, And) else (condition,)
    strict = [each for each in parts if isinstance(each, (Compare, InValues, Like)) and _is_strict(each)]
    there = {column for each in strict for column in columns_of(each)}
    kept = [each for each in parts if not (isinstance(each, IsMissing) and each.negated and each.value in there)]
    return all_of(*dict.fromkeys(kept))


def _is_strict(condition: Expression) -> bool:
    """Whether a condition is not true where one of its columns is missing."""
    allowed = (Compare, InValues, Like, Column, Constant, Arithmetic, Negative, Cast, ScalarPlan)
    return all(
        isinstance(each, allowed) or (isinstance(each, Call) and each.function != "first_known")
        for each in walk(condition, into_plans=False)
    ) and getattr(condition, "operator", "=") not in ("is", "is not")


def joined(left: Relation, right: Relation, kind: JoinKind = "inner", condition: Expression | None = None) -> Relation:
    """Rows of both that agree on the variables that they share."""
    if left.plan is None:
        if kind != "inner":
            raise UnsupportedQuery("OPTIONAL, MINUS or EXISTS beside nothing")
        return replace(right, bound={**left.bound, **right.bound})
    if right.plan is None:
        return replace(left, bound={**right.bound, **left.bound})
    shared = [name for name in left.bound if name in right.bound]
    for name in shared:
        _check(name, left.of(name), right.of(name))
    on = tuple((left.of(name).value, right.of(name).value) for name in shared)
    if not on and kind in ("semi", "anti", "left"):
        raise UnsupportedQuery(f"a pattern that shares no variable with the rest ({kind} join)")
    plan = Join(left.plan, right.plan, on, kind if on else "cross", condition)
    if kind in ("semi", "anti"):
        return replace(left, plan=plan, has_constant=True)
    theirs = {name: replace(each, maybe=each.maybe or kind == "left") for name, each in right.bound.items()}
    return Relation(plan, {**theirs, **left.bound}, left.once and right.once, left.has_constant or right.has_constant)


def _check(name: str, left: Bound, right: Bound) -> None:
    if left.maybe or right.maybe:
        raise UnsupportedQuery("a join on a variable that may be unbound", detail=f"?{name}")
    kinds = {left.kind, right.kind}
    if "entity" in kinds and len(kinds - {"any"}) > 1:
        raise UnsupportedQuery("a variable that is an entity here and a value there", detail=f"?{name}")


def named(
    plan: Plan, bound: Mapping[str, Bound], alias: str, *, once: bool, names: Sequence[str] | None = None
) -> Relation:
    """A plan's columns as variables.

    Args:
        plan: The rows.
        bound: What is known of the variables.
        alias: What the columns are known by from now on.
        once: Whether no two rows are the same.
        names: The variables, column by column; the plan's own names where None.
    """
    if names is None:
        assert isinstance(plan, Project)
        names = [output.name for output in plan.outputs]
    unknown = Bound(Constant(None), "any", maybe=True)
    columns = {name: replace(bound.get(name, unknown), value=Column(name, alias)) for name in names}
    return Relation(Alias(plan, alias, tuple(names)), columns, once)
