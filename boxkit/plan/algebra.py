"""The plan's nodes: each takes rows and gives rows with named columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from boxkit.plan.expressions import Expression

__all__ = [
    "Aggregate",
    "Alias",
    "Derive",
    "Distinct",
    "Extreme",
    "Filter",
    "Join",
    "JoinKind",
    "Limit",
    "OneRow",
    "Output",
    "Plan",
    "Project",
    "Scan",
    "SetOperation",
    "Sort",
    "SortKey",
]

JoinKind = Literal["inner", "left", "right", "full", "cross", "semi", "anti"]


@dataclass(frozen=True, slots=True)
class Output:
    """A column that a node gives: its value and its name."""

    value: Expression
    name: str


@dataclass(frozen=True, slots=True)
class SortKey:
    """One key of an order.

    Attributes:
        value: What rows are ordered by.
        descending: Whether the largest come first.
        nulls_first: Where missing values stand; None: last.
    """

    value: Expression
    descending: bool = False
    nulls_first: bool | None = None


@dataclass(frozen=True, slots=True)
class Scan:
    """All rows of a box. Its columns are known by the ``alias``, or by the box's name where there is none."""

    box: str
    alias: str = ""

    @property
    def known_as(self) -> str:
        """What its columns' ``of`` says."""
        return self.alias or self.box


@dataclass(frozen=True, slots=True)
class OneRow:
    """One row of no columns: what a query without a source computes on."""


@dataclass(frozen=True, slots=True)
class Alias:
    """A plan whose columns are known by a name (a subquery, a common table expression)."""

    source: Plan
    name: str
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Filter:
    """The rows for which the condition is true, in their order."""

    source: Plan
    condition: Expression


@dataclass(frozen=True, slots=True)
class Join:
    """Rows of two plans side by side. A missing key matches nothing.

    Attributes:
        left: The rows that decide the order.
        right: The rows looked up.
        on: Pairs of equal values: of the left, of the right. Empty for ``cross``.
        kind: ``semi`` and ``anti`` keep the left's columns only, and each left row at most once.
        condition: What a pair must fulfil besides.
    """

    left: Plan
    right: Plan
    on: tuple[tuple[Expression, Expression], ...] = ()
    kind: JoinKind = "inner"
    condition: Expression | None = None


@dataclass(frozen=True, slots=True)
class Derive:
    """The same rows with more columns."""

    source: Plan
    outputs: tuple[Output, ...]


@dataclass(frozen=True, slots=True)
class Project:
    """The same rows with these columns only."""

    source: Plan
    outputs: tuple[Output, ...]


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One row a group, in the keys' order; without keys, one row for all (also for no rows at all).

    Attributes:
        source: The rows.
        keys: What the rows of a group share. Missing values are a group of their own.
        measures: Each value is an `Aggregated`, or a column, whose value is then taken from the group's first row.
    """

    source: Plan
    keys: tuple[Output, ...] = ()
    measures: tuple[Output, ...] = ()


@dataclass(frozen=True, slots=True)
class Sort:
    """The same rows in order; rows that tie keep their order."""

    source: Plan
    keys: tuple[SortKey, ...]


@dataclass(frozen=True, slots=True)
class Limit:
    """The first ``count`` rows (None: all) after ``offset`` rows."""

    source: Plan
    count: int | None
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Extreme:
    """Every row that has the largest (or smallest) value: a superlative with all its ties."""

    source: Plan
    value: Expression
    smallest: bool = False


@dataclass(frozen=True, slots=True)
class Distinct:
    """Each row once, where it first stood."""

    source: Plan


@dataclass(frozen=True, slots=True)
class SetOperation:
    """Rows of two plans with as many columns each. Two missing values are equal here.

    Attributes:
        left: Names the columns.
        right: The other rows.
        kind: Which rows.
        keep_doubles: SQL's ALL.
    """

    left: Plan
    right: Plan
    kind: Literal["union", "intersect", "except"]
    keep_doubles: bool = False


Plan: TypeAlias = (
    Scan
    | OneRow
    | Alias
    | Filter
    | Join
    | Derive
    | Project
    | Aggregate
    | Sort
    | Limit
    | Extreme
    | Distinct
    | SetOperation
)
