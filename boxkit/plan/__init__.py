"""A small logical algebra over BOXes, and the emitter that writes it as pandas.

A plan is a tree of frozen dataclasses. The leaves are `Scan`s; columns are named by `Column(name, of)`, where ``of`` is
the box (or the scan's alias) and may be left out where only one source has that name. `col("singer.Age")` is short
for it.

    >>> from boxkit.plan import Compare, Constant, Filter, Output, Project, Scan, col, emit
    >>> old = Filter(Scan("singer"), Compare(">", col("Age"), Constant(40)))
    >>> plan = Project(old, (Output(col("Name"), "Name"),))

``emit(plan, boxes)`` is then

    filtered = singer[singer["Age"] > 40]
    answer = filtered[["Name"]]

Common questions (``out(x)`` is ``Output(col(x), x)``):

    how many            Aggregate(Filter(…), (), (Output(Aggregated("count"), "count"),))
    average, sum, …     Aggregate(scan, (), (Output(Aggregated("average", col("Age")), "average_age"),))
    distinct values     Distinct(Project(scan, (out("Country"),)))
    count distinct      Aggregated("count", col("Country"), distinct=True)
    number per group    Aggregate(scan, (out("Country"),), (Output(Aggregated("count"), "count"),))
      having            Filter(that Aggregate, Compare(">", col("count"), Constant(3)))
    the largest, first  Project(Limit(Sort(scan, (SortKey(col("Age"), descending=True),)), 1), (out("Name"),))
    the largest, ties   Project(Extreme(scan, col("Age")), (out("Name"),))
    the group with most Extreme(that Aggregate, col("count"))
    above the average   Filter(scan, Compare(">", col("Age"), ScalarPlan(average plan)))
    along a key         Join(Scan("concert"), Scan("stadium"), ((col("concert.S_ID"), col("stadium.S_ID")),))
    without a partner   Join(…, kind="anti"); with one: kind="semi"; all of the left: kind="left"
    in both, in one     SetOperation(left, right, "intersect" | "except" | "union")
    a list of values    InValues(col("Country"), (Constant("France"), Constant("Spain")))

The columns of an `Aggregate` are its keys and measures by their output names; a key that is a plain column may still be
named with its owner. Boxes may come from different sources: a join does not ask.

`skeleton` gives a plan's shape without names and values, `describe` plain sentences.
"""

from __future__ import annotations

from boxkit.box import BoxSet
from boxkit.plan.algebra import (
    Aggregate,
    Alias,
    Derive,
    Distinct,
    Extreme,
    Filter,
    Join,
    Limit,
    OneRow,
    Output,
    Plan,
    Project,
    Scan,
    SetOperation,
    Sort,
    SortKey,
)
from boxkit.plan.describe import describe
from boxkit.plan.expressions import (
    Aggregated,
    And,
    Arithmetic,
    Between,
    Call,
    Case,
    Cast,
    Column,
    Compare,
    Constant,
    Exists,
    Expression,
    InPlan,
    InValues,
    IsMissing,
    Like,
    Negative,
    Not,
    Or,
    ScalarPlan,
    WindowCall,
    all_of,
    any_of,
)
from boxkit.plan.skeleton import skeleton

__all__ = [
    "Aggregate",
    "Aggregated",
    "Alias",
    "And",
    "Arithmetic",
    "Between",
    "Call",
    "Case",
    "Cast",
    "Column",
    "Compare",
    "Constant",
    "Derive",
    "Distinct",
    "Exists",
    "Expression",
    "Extreme",
    "Filter",
    "InPlan",
    "InValues",
    "IsMissing",
    "Join",
    "Like",
    "Limit",
    "Negative",
    "Not",
    "OneRow",
    "Or",
    "Output",
    "Plan",
    "Project",
    "ScalarPlan",
    "Scan",
    "SetOperation",
    "Sort",
    "SortKey",
    "WindowCall",
    "all_of",
    "any_of",
    "col",
    "describe",
    "emit",
    "out",
    "skeleton",
]


def col(name: str) -> Column:
    """A column by its name, or by owner and name: ``col("Age")``, ``col("singer.Age")``.

    A name that itself has a dot needs ``Column(name, of)``.
    """
    owner, _, label = name.rpartition(".")
    return Column(label, owner)


def out(name: str) -> Output:
    """A column under its own name."""
    column = col(name)
    return Output(column, column.name)


def emit(plan: Plan, boxes: BoxSet) -> str:
    """The plan as pandas code over the boxes' frames; its last statement assigns ``answer``.

    The code expects the boxes as variables, and ``pd`` and ``np``. Reads the frames of the boxes that the plan scans:
    code minds missing values only where there are any. The same plan over the same data gives the same code.

    Raises:
        PlanError: The plan names a column that is not there, or asks for what cannot be written.
        UnknownBox: The plan scans a box that is not there.
    """
    from boxkit.plan.emitter.emitter import Emitter

    return Emitter(plan, boxes).program()
