"""A query: a draft whose words are tied to boxes and fields. What plans are made of, and what the rationale tells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from boxkit.plan.expressions import ComparisonName
from boxkit.strategies.planner.fields import Place
from boxkit.strategies.planner.joins import Joins, Tree

__all__ = ["Absence", "Measure", "Output", "Query", "Ranking", "Test", "Via", "is_apart", "join_tree", "needed_boxes"]

Function = Literal["", "count", "sum", "average", "median", "min", "max"]

_SIGNS: dict[str, ComparisonName] = {"=": "=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


@dataclass(frozen=True, slots=True)
class Measure:
    """A field's value, or what is made of it over rows.

    Attributes:
        function: Empty for the value itself.
        box: The box.
        field: The field; empty where rows are counted.
        distinct: Whether each value counts once.
    """

    function: Function
    box: str
    field: str = ""
    distinct: bool = False

    @property
    def place(self) -> Place:
        """Its field."""
        return Place(self.box, self.field)


@dataclass(frozen=True, slots=True)
class Output:
    """Something shown.

    Attributes:
        measure: What.
        kind: ``plain``, ``difference`` (largest minus smallest), ``share`` of the rows, ``year`` of a date.
        style: A share's unit.
    """

    measure: Measure
    kind: Literal["plain", "difference", "share", "year"] = "plain"
    style: str = ""


@dataclass(frozen=True, slots=True)
class Via:
    """A relation between rows of one box: a box with two foreign keys to it.

    Attributes:
        box: The relation's box.
        near: Its field that is the row shown.
        far: Its field that is the row tested.
    """

    box: str
    near: str
    far: str


@dataclass(frozen=True, slots=True)
class Test:
    """A condition on a field, or on a group's figure.

    Attributes:
        measure: What is tested.
        operator: ``=``, ``<``, ``<=``, ``>``, ``>=``, ``between``, ``in``, ``contains``, ``starts``, ``ends``,
            ``average`` and ``exceed`` (compared, as ``comparison`` says, with the average or with another row's value).
        values: What it is compared with; for ``exceed``, the values that name the other row.
        negated: Whether it must not hold.
        comparison: The sign for ``average`` and ``exceed``.
        other: For ``exceed``: the field that names the other row.
        alternative: Tests of one number are alternatives; 0 stands alone.
        both: Whether it must hold in a row of its own.
        yearly: Whether a date is compared with a year.
        via: The relation that leads from the row shown to the row of the same box that is tested.
    """

    measure: Measure
    operator: str
    values: tuple[Any, ...] = ()
    negated: bool = False
    comparison: str = ""
    other: Place | None = None
    alternative: int = 0
    both: bool = False
    yearly: bool = False
    via: Via | None = None

    @property
    def sign(self) -> ComparisonName:
        """What it compares by, where it does not only look for values."""
        return _SIGNS[self.comparison or self.operator]


@dataclass(frozen=True, slots=True)
class Absence:
    """No row of a box may belong to the row shown."""

    box: str


@dataclass(frozen=True, slots=True)
class Ranking:
    """An order: by what, which end first, and how many; None for the one with all its ties, 0 for all rows in order.

    ``shared`` says that it finds a thing to which all that is shown belongs: ``the guests of the largest room``.
    """

    measure: Measure
    descending: bool
    count: int | None = 0
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """What is asked, in terms of boxes and fields.

    Attributes:
        root: The box whose rows are counted, aggregated or shown.
        outputs: What is shown.
        tests: Conditions on rows.
        havings: Conditions on groups.
        absences: What must not be there.
        groups: The fields whose values make a group.
        entities: Boxes each of whose rows is a group.
        rankings: Superlatives and orders, in turn.
        present: Boxes that a row must have a partner in.
        limit: How many rows at most.
        distinct: Whether equal rows are shown once.
        counts_groups: Whether the groups that are left are counted.
    """

    root: str
    outputs: tuple[Output, ...]
    tests: tuple[Test, ...] = ()
    havings: tuple[Test, ...] = ()
    absences: tuple[Absence, ...] = ()
    groups: tuple[Place, ...] = ()
    entities: tuple[str, ...] = ()
    rankings: tuple[Ranking, ...] = ()
    present: tuple[str, ...] = ()
    limit: int | None = None
    distinct: bool = False
    counts_groups: bool = False

    @property
    def is_grouped(self) -> bool:
        """Whether rows are grouped."""
        return bool(self.groups or self.entities)

    def measures(self) -> Iterator[Measure]:
        """Every measure in it."""
        yield from (output.measure for output in self.outputs)
        yield from (test.measure for test in (*self.tests, *self.havings))
        yield from (ranking.measure for ranking in self.rankings)


def is_apart(test: Test, root: str, joins: Joins) -> bool:
    """Whether a test holds of some row of its own: "both", or a "not" about one of many."""
    if test.both or not test.negated or test.measure.box == root:
        return test.both
    tree = joins.tree(root, frozenset((test.measure.box,)))
    return tree is not None and tree.multiplies


def join_tree(query: Query, joins: Joins) -> Tree | None:
    """How the boxes of a query are joined; None where no keys tie them."""
    counted = frozenset(measure.place for measure in query.measures() if measure.function == "count" and measure.field)
    return joins.tree(query.root, needed_boxes(query, joins), counted)


def needed_boxes(query: Query, joins: Joins) -> frozenset[str]:
    """The boxes that must be joined; those that are only looked up apart are left out."""
    needed = {output.measure.box for output in query.outputs} | {ranking.measure.box for ranking in query.rankings}
    needed |= {test.measure.box for test in query.tests if not is_apart(test, query.root, joins)}
    needed |= {test.measure.box for test in query.havings} | {place.box for place in query.groups}
    return frozenset(needed | set(query.entities) | {query.root} | set(query.present))
