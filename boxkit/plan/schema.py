"""The columns that a plan gives, and the type of an expression over them, without running anything."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

from boxkit.box import Box, BoxSet
from boxkit.errors import PlanError, nearest
from boxkit.plan import algebra as pa
from boxkit.plan import expressions as ex
from boxkit.plan.functions import FUNCTIONS
from boxkit.plan.types import BOOLEAN, INTEGER, NUMBER, Kind, Type, type_of_constant, type_of_series, union_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Schema", "Slot", "columns_of", "resolve", "walk"]


@dataclass(frozen=True, slots=True)
class Slot:
    """A column of a node's rows: how plans call it, and its type."""

    name: str
    of: str
    type: Type

    def answers_to(self, column: ex.Column) -> bool:
        """Whether the column may mean this one."""
        return column.name == self.name and column.of in ("", self.of)


def resolve(column: ex.Column, slots: Sequence[Slot]) -> int:
    """The position of the slot that a column means.

    Raises:
        PlanError: None has that name, or several have.
    """
    found = [at for at, slot in enumerate(slots) if slot.answers_to(column)]
    written = f"{column.of}.{column.name}" if column.of else column.name
    if not found:
        close = nearest(column.name, (slot.name for slot in slots))
        hint = f"nearest: {', '.join(map(repr, close))}" if close else None
        raise PlanError(f"there is no column {written!r} here", hint=hint)
    if len(found) > 1:
        owners = ", ".join(repr(slots[at].of) for at in found)
        raise PlanError(f"column {written!r} is in several sources: {owners}", hint="say whose with Column(name, of)")
    return found[0]


def walk(node: Any, into_plans: bool = True) -> Iterator[Any]:
    """A plan or an expression and everything below it; ``into_plans``: also what stands in subqueries."""
    yield node
    for each in fields(node):
        value = getattr(node, each.name)
        for item in _leaves(value):
            if into_plans or not isinstance(item, PLAN_TYPES):
                yield from walk(item, into_plans)


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for item in value:
            yield from _leaves(item)
    elif is_dataclass(value) and not isinstance(value, type):
        yield value


PLAN_TYPES = (
    pa.Scan,
    pa.OneRow,
    pa.Alias,
    pa.Filter,
    pa.Join,
    pa.Derive,
    pa.Project,
    pa.Aggregate,
    pa.Sort,
    pa.Limit,
    pa.Extreme,
    pa.Distinct,
    pa.SetOperation,
)


_SCANNED: dict[int, tuple[weakref.ref[pd.DataFrame], tuple[Slot, ...]]] = {}


def columns_of(expression: Any) -> list[ex.Column]:
    """The columns that an expression names itself, not those in its subqueries; each once."""
    return list(dict.fromkeys(each for each in walk(expression, into_plans=False) if isinstance(each, ex.Column)))


class Schema:
    """Types over a BoxSet. Reads the frames of the boxes that a plan scans.

    Args:
        boxes: What plans scan.
    """

    def __init__(self, boxes: BoxSet) -> None:
        self._boxes = boxes
        self._known: dict[pa.Plan, tuple[Slot, ...]] = {}

    def slots(self, plan: pa.Plan) -> tuple[Slot, ...]:
        """The columns that a plan gives, in order."""
        if plan not in self._known:
            self._known[plan] = self._slots(plan)
        return self._known[plan]

    def _slots(self, plan: pa.Plan) -> tuple[Slot, ...]:
        match plan:
            case pa.Scan(box):
                return tuple(replace(slot, of=plan.known_as) for slot in self._scan(box))
            case pa.OneRow():
                return ()
            case pa.Alias(source, name, columns):
                inner = self.slots(source)
                names = columns or tuple(slot.name for slot in inner)
                return tuple(replace(slot, name=new, of=name) for slot, new in zip(inner, names, strict=True))
            case pa.Join():
                return self._join(plan)
            case pa.Derive(source, outputs):
                inner = self.slots(source)
                return (*inner, *(self._output(each, inner) for each in outputs))
            case pa.Project(source, outputs):
                return tuple(self._output(each, self.slots(source)) for each in outputs)
            case pa.Aggregate(source, keys, measures):
                inner = self.slots(source)
                made = [self._output(each, inner) for each in (*keys, *measures)]
                if keys:
                    # No group is empty.
                    return tuple(map(_counted, made, (*keys, *measures)))
                # Over no row at all, even a column taken from the first row is missing.
                return tuple(map(self._ungrouped, made, measures))
            case pa.SetOperation(left, right):
                pairs = zip(self.slots(left), self.slots(right), strict=True)
                return tuple(replace(ours, of="", type=_of_both(ours.type, theirs.type)) for ours, theirs in pairs)
            case pa.Filter(source, condition):
                slots = self.slots(source)
                known = {resolve(column, slots) for column in surely_known(condition) if is_among(column, slots)}
                return tuple(known_slot(slot) if at in known else slot for at, slot in enumerate(slots))
            case pa.Sort(source) | pa.Limit(source) | pa.Extreme(source) | pa.Distinct(source):
                return self.slots(source)

    def _scan(self, box: str) -> tuple[Slot, ...]:
        found = self._boxes[box]
        frame = found.frame
        known = _SCANNED.get(id(frame))
        if known is None or known[0]() is not frame:
            slots = tuple(Slot(each.label, box, typed(found, each.label)) for each in found.fields)
            # Kept for as long as the frame is: looking through every column takes time.
            known = _SCANNED[id(frame)] = (weakref.ref(frame), slots)
            weakref.finalize(frame, _SCANNED.pop, id(frame), None)
        return known[1]

    def _join(self, plan: pa.Join) -> tuple[Slot, ...]:
        left, right = self.slots(plan.left), self.slots(plan.right)
        if plan.kind in ("semi", "anti"):
            return left
        left_missing, right_missing = plan.kind in ("right", "full"), plan.kind in ("left", "full")
        return (
            *(replace(slot, type=slot.type.missing_too(left_missing)) for slot in left),
            *(replace(slot, type=slot.type.missing_too(right_missing)) for slot in right),
        )

    def _output(self, output: pa.Output, slots: Sequence[Slot]) -> Slot:
        of = ""
        if isinstance(output.value, ex.Column):
            of = slots[resolve(output.value, slots)].of
        return Slot(output.name, of, self.type_of(output.value, slots))

    @staticmethod
    def _ungrouped(slot: Slot, output: pa.Output) -> Slot:
        counts = isinstance(output.value, ex.Aggregated) and output.value.function in ("count", "total")
        return slot if counts else replace(slot, type=slot.type.missing_too())

    def type_of(self, expression: ex.Expression, slots: Sequence[Slot]) -> Type:
        """The type of an expression over these columns."""
        match expression:
            case ex.Column():
                return slots[resolve(expression, slots)].type
            case ex.Constant(value):
                return type_of_constant(value)
            case ex.Arithmetic() | ex.Negative():
                return self._arithmetic(expression, slots)
            case ex.Call(function, arguments):
                return FUNCTIONS[function].type_of([self.type_of(each, slots) for each in arguments])
            case ex.Case(branches, default):
                return union_of(self.type_of(each, slots) for each in (*(value for _, value in branches), default))
            case ex.Cast(value, to):
                inner = self.type_of(value, slots)
                return _cast(inner, to)
            case ex.Aggregated():
                return self._aggregated(expression, slots)
            case ex.ScalarPlan(plan):
                kind = self.slots(plan)[0].type.computed()
                return kind if has_one_row(plan) else kind.missing_too()
            case ex.WindowCall():
                return self._window(expression, slots)
            case ex.IsMissing() | ex.Exists() | ex.Compare(operator="is" | "is not"):
                return BOOLEAN
            case ex.InPlan(value, plan):
                return Type("boolean", self.type_of(value, slots).nullable or self.slots(plan)[0].type.nullable)
            case _:
                nullable = any(self.type_of(each, slots).nullable for each in _operands(expression))
                return Type("boolean", nullable)

    def _arithmetic(self, expression: ex.Arithmetic | ex.Negative, slots: Sequence[Slot]) -> Type:
        if isinstance(expression, ex.Negative):
            return replace(self.type_of(expression.value, slots), affinity="", values=None)
        left, right = (self.type_of(each, slots) for each in (expression.left, expression.right))
        nullable = left.nullable or right.nullable
        if "null" in (left.kind, right.kind):
            return Type("null")
        if expression.operator == "||":
            return Type("text", nullable)
        if expression.operator in ("/", "div", "%"):
            nullable = nullable or not right.never_zero
        whole = all(each.kind in ("integer", "boolean") for each in (left, right))
        if whole and expression.operator != "/":
            return Type("integer", nullable, widened=left.widened or right.widened)
        may_be_whole = all(each.kind == "integer" or each.some_whole for each in (left, right))
        return Type("number", nullable, some_whole=may_be_whole and expression.operator != "/")

    def _aggregated(self, call: ex.Aggregated, slots: Sequence[Slot]) -> Type:
        if call.function == "count" or call.argument is None:
            return replace(INTEGER, sign="not negative")
        inner = self.type_of(call.argument, slots)
        nullable = inner.nullable or call.condition is not None
        if call.function == "total":
            return NUMBER
        if call.function in ("average", "median"):
            return Type("number", nullable)
        if call.function == "sum":
            whole = inner.kind in ("integer", "boolean")
            kind: Kind = "integer" if whole else "number"
            return Type(kind, nullable, some_whole=inner.some_whole, widened=whole and inner.widened)
        if call.function == "concatenate":
            return Type("text", nullable)
        kept = replace(inner, nullable=nullable)
        return kept if call.function == "any_value" else kept.computed()

    def _window(self, call: ex.WindowCall, slots: Sequence[Slot]) -> Type:
        if call.function in ("row_number", "rank", "dense_rank", "ntile"):
            return INTEGER
        if call.function in ("percent_rank", "cume_dist"):
            return NUMBER
        if call.function in ex.AGGREGATES:
            argument = call.arguments[0] if call.arguments else None
            return self._aggregated(ex.Aggregated(call.function, argument), slots)  # type: ignore[arg-type]  # AGGREGATES has the literals of the field
        return self.type_of(call.arguments[0], slots).missing_too().computed()


def _of_both(ours: Type, theirs: Type) -> Type:
    """The type of a set operation's column: the left side declares it."""
    return replace(union_of((ours, theirs)), affinity=ours.affinity)


def _cast(inner: Type, to: ex.CastName) -> Type:
    if to == "text":
        return replace(inner, affinity="text") if inner.kind == "text" else Type("text", inner.nullable, "text")
    if to == "integer":
        return Type("integer", inner.nullable, "integer")
    if to in ("number", "numeric"):
        whole = inner.kind in ("integer", "boolean") or holds_whole_numbers(inner)
        # Text that is made of numbers may be made of whole ones here and there.
        return Type(
            "integer" if whole else "number",
            inner.nullable or to == "numeric",
            some_whole=not whole and (inner.some_whole or inner.kind in ("text", "mixed")),
        )
    if inner.is_number:
        return replace(inner, kind="number", affinity="real", some_whole=False)
    return Type("number", inner.nullable, "real")


def holds_whole_numbers(kind: Type) -> bool:
    """Whether the texts of a column are all whole numbers, or none at all."""
    import re

    if kind.values is None or kind.kind not in ("text", "mixed"):
        return False
    known = kind.values.dropna()
    return all(
        isinstance(each, int) or (isinstance(each, str) and re.match(r"\s*[+-]?\d*(?![\d.eE])", each) is not None)
        for each in known
    )


def _counted(slot: Slot, output: pa.Output) -> Slot:
    if output.value != ex.Aggregated("count"):
        return slot
    return replace(slot, type=replace(slot.type, sign="positive"))


def surely_known(condition: ex.Expression) -> list[ex.Column]:
    """The columns that are not missing in any row for which a condition is true."""
    match condition:
        case ex.And(parts):
            return [column for part in parts for column in surely_known(part)]
        case ex.IsMissing(ex.Column() as column, negated=True):
            return [column]
        case ex.Compare(operator, left, right) if operator not in ("is", "is not"):
            return [side for side in (left, right) if isinstance(side, ex.Column)]
        case ex.Between(ex.Column() as column) | ex.Like(ex.Column() as column):
            return [column]
        case ex.InValues(ex.Column() as column, negated=False) | ex.InPlan(ex.Column() as column, negated=False):
            return [column]
    return []


def is_among(column: ex.Column, slots: Sequence[Slot]) -> bool:
    """Whether a column is one of these and no other."""
    return sum(slot.answers_to(column) for slot in slots) == 1


def known_slot(slot: Slot) -> Slot:
    """A column in rows where it is not missing."""
    return replace(slot, type=replace(slot.type, nullable=False))


def has_one_row(plan: pa.Plan) -> bool:
    """Whether a plan gives exactly one row whatever the data."""
    while isinstance(plan, (pa.Project, pa.Alias, pa.Sort, pa.Derive)):
        plan = plan.source
    return isinstance(plan, pa.OneRow) or (isinstance(plan, pa.Aggregate) and not plan.keys)


def _operands(expression: Any) -> list[Any]:
    return [item for each in fields(expression) for item in _leaves(getattr(expression, each.name))]


def typed(box: Box, label: str) -> Type:
    """The type of a box's field, with the affinity that its source declares, else the one that suits its values."""
    series = box.frame[label]
    affinity = box.field(label).affinity
    if affinity:
        return type_of_series(series, affinity.lower())
    kind = type_of_series(series)
    suits = {"integer": "integer", "boolean": "integer", "number": "real", "text": "text"}.get(kind.kind, "")
    return replace(kind, affinity=suits)
