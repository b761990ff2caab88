"""Expressions of the algebra: what a filter tests, what a column holds.

Conditions have SQL's three-valued logic: a comparison with a missing value is neither true nor false, and a filter
keeps what is true.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from boxkit.plan.algebra import Plan, SortKey

__all__ = [
    "AGGREGATES",
    "Aggregated",
    "And",
    "Arithmetic",
    "Between",
    "Call",
    "Case",
    "Cast",
    "Column",
    "Compare",
    "Constant",
    "Exists",
    "Expression",
    "InPlan",
    "InValues",
    "IsMissing",
    "Like",
    "Negative",
    "Not",
    "Or",
    "ScalarPlan",
    "WindowCall",
    "all_of",
    "any_of",
]

#: ``count`` without an argument counts rows; with one, the values that are not missing.
AGGREGATES = ("count", "sum", "total", "average", "median", "min", "max", "concatenate", "any_value")

ComparisonName = Literal["=", "!=", "<", "<=", ">", ">=", "is", "is not"]
ArithmeticName = Literal["+", "-", "*", "/", "div", "%", "||"]
AggregateName = Literal["count", "sum", "total", "average", "median", "min", "max", "concatenate", "any_value"]
CastName = Literal["integer", "number", "real", "numeric", "text"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column by name; ``of`` is the box, or the alias, that it belongs to where the name alone is not enough."""

    name: str
    of: str = ""


@dataclass(frozen=True, slots=True)
class Constant:
    """A value: text, number, truth value, date or datetime; None is SQL's NULL."""

    value: object


@dataclass(frozen=True, slots=True)
class Compare:
    """A comparison. ``is`` and ``is not`` hold two missing values for equal; the others have no answer there."""

    operator: ComparisonName
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Between:
    """``low <= value <= high``."""

    value: Expression
    low: Expression
    high: Expression
    negated: bool = False


@dataclass(frozen=True, slots=True)
class And:
    """True where all are true."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """True where one is true."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """True where the condition is false, unknown where it is unknown."""

    condition: Expression


@dataclass(frozen=True, slots=True)
class IsMissing:
    """Whether a value is missing (or, negated, is not)."""

    value: Expression
    negated: bool = False


@dataclass(frozen=True, slots=True)
class InValues:
    """Whether a value is one of those listed."""

    value: Expression
    values: tuple[Expression, ...]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class InPlan:
    """Whether a value is in the only column of a plan's rows."""

    value: Expression
    plan: Plan
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Exists:
    """Whether a plan has a row. A plan may name columns of the query around it."""

    plan: Plan
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Like:
    """A text pattern: ``%`` any text, ``_`` one character, ``escape`` in front takes either as it stands."""

    value: Expression
    pattern: Expression
    case_sensitive: bool = False
    negated: bool = False
    escape: str = ""


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """An operation on two values.

    ``/`` is true division, ``div`` is SQL's: whole, towards zero, where both sides are integers. A zero divisor gives a
    missing value. ``||`` joins texts.
    """

    operator: ArithmeticName
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Negative:
    """A number with its sign turned."""

    value: Expression


@dataclass(frozen=True, slots=True)
class Call:
    """A function of one row's values, by its name here (`boxkit.plan.pandas.functions` lists them)."""

    function: str
    arguments: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """The value beside the first condition that is true, else ``default``."""

    branches: tuple[tuple[Expression, Expression], ...]
    default: Expression = Constant(None)


@dataclass(frozen=True, slots=True)
class Cast:
    """A value as another type.

    ``number`` is the number that a text begins with, else 0; ``real`` the same, never a whole number; ``integer`` is
    cut towards zero; ``numeric`` is missing where a text is not a number through and through.
    """

    value: Expression
    to: CastName


@dataclass(frozen=True, slots=True)
class Aggregated:
    """One value for many rows; stands in the measures of an `Aggregate` only.

    Attributes:
        function: One of `AGGREGATES`.
        argument: What is aggregated; None counts rows.
        distinct: Whether each value counts once.
        condition: Which rows count; None for all.
        separator: Between the texts of ``concatenate``.
    """

    function: AggregateName
    argument: Expression | None = None
    distinct: bool = False
    condition: Expression | None = None
    separator: str = ","


@dataclass(frozen=True, slots=True)
class ScalarPlan:
    """The first row's only value; missing where the plan has no row. It may name columns of the query around it."""

    plan: Plan


@dataclass(frozen=True, slots=True)
class WindowCall:
    """A value for each row, computed over the rows of its partition.

    Attributes:
        function: ``row_number``, ``rank``, ``dense_rank``, ``percent_rank``, ``cume_dist``, ``ntile``, ``lag``,
            ``lead``, ``first_value``, ``last_value``, or one of `AGGREGATES`.
        arguments: What it is computed of.
        partition: What rows of one partition share.
        order: The order within a partition.
        running: For an aggregate: up to the current ``"row"``, up to the current row's ``"peers"``, or over ``"all"``.
        span: For an aggregate, instead: over so many rows before and after the current one.
    """

    function: str
    arguments: tuple[Expression, ...] = ()
    partition: tuple[Expression, ...] = ()
    order: tuple[SortKey, ...] = ()
    running: Literal["row", "peers", "all"] = "all"
    span: tuple[int, int] | None = None


Expression: TypeAlias = (
    Column
    | Constant
    | Compare
    | Between
    | And
    | Or
    | Not
    | IsMissing
    | InValues
    | InPlan
    | Exists
    | Like
    | Arithmetic
    | Negative
    | Call
    | Case
    | Cast
    | Aggregated
    | ScalarPlan
    | WindowCall
)


def all_of(*conditions: Expression) -> Expression:
    """The conditions joined by AND, without needless nesting; no condition at all is true."""
    parts = [part for each in conditions for part in (each.parts if isinstance(each, And) else (each,))]
    if not parts:
        return Constant(True)
    return parts[0] if len(parts) == 1 else And(tuple(parts))


def any_of(*conditions: Expression) -> Expression:
    """The conditions joined by OR, without needless nesting; no condition at all is false."""
    parts = [part for each in conditions for part in (each.parts if isinstance(each, Or) else (each,))]
    if not parts:
        return Constant(False)
    return parts[0] if len(parts) == 1 else Or(tuple(parts))
