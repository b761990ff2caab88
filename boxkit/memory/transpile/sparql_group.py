"""A group of patterns: triples and other rows to be joined, then what is done to the joined rows, in order."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace

from boxkit.errors import UnsupportedQuery
from boxkit.memory.transpile.sparql_compare import compared
from boxkit.memory.transpile.sparql_join import joined_all
from boxkit.memory.transpile.sparql_patterns import PatternReader, Term, Triple, Value, Variable
from boxkit.memory.transpile.sparql_relation import Bound, Relation, filtered
from boxkit.plan import Constant

__all__ = ["Group", "Part", "Step", "built"]


@dataclass(frozen=True, slots=True)
class Part:
    """Rows to be joined with the triples: a subquery, a union, a list of values.

    Attributes:
        names: The variables that it binds.
        build: Its rows, given the variables that are used outside it, and whether doubled rows do not matter.
    """

    names: frozenset[str]
    build: Callable[[frozenset[str], bool], Relation]


@dataclass(frozen=True, slots=True)
class Step:
    """Something done to joined rows.

    Attributes:
        names: The variables that it reads.
        apply: From rows to rows.
        is_filter: Whether it only tests each row by itself, so that it may be done before rows are joined.
        adds: The variables that it binds.
    """

    names: frozenset[str]
    apply: Callable[[Relation], Relation]
    is_filter: bool = False
    adds: frozenset[str] = frozenset()


@dataclass(slots=True)
class Group:
    """Patterns that hold together.

    Attributes:
        triples: Triple patterns.
        parts: Rows of subqueries, unions and lists of values.
        constants: Variables with one value.
        steps: Filters, optional parts, bindings, in order.
    """

    triples: list[Triple] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    constants: dict[str, Value] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)

    @property
    def names(self) -> frozenset[str]:
        """The variables that it binds."""
        inside = {name for triple in self.triples for name in triple.variables}
        inside.update(name for part in self.parts for name in part.names)
        inside.update(self.constants)
        return frozenset(inside).union(*(step.adds for step in self.steps))


def built(group: Group, reader: PatternReader, needed: Collection[str], as_set: bool) -> Relation:
    """The rows of a group.

    Args:
        group: The patterns.
        reader: What reads triples.
        needed: The variables that are used outside.
        as_set: Whether doubled rows do not matter.
    """
    inner = frozenset(needed).union(*(step.names for step in group.steps))
    parts = reader.read([_with_constants(each, group.constants) for each in group.triples])
    for part in group.parts:
        others = (other.names for other in group.parts if other is not part)
        shared = inner.union(group.constants, *others, *(triple.variables for triple in group.triples))
        parts.append(part.build(shared & part.names, as_set))
    fixed = {name: Bound(Constant(value.value), value.kind) for name, value in group.constants.items()}
    for single in [each for each in parts if each.plan is None]:
        parts.remove(single)
        if fixed.keys() & single.bound.keys():
            raise UnsupportedQuery("a variable with two fixed values")
        fixed.update(single.bound)
    steps: list[Step] = []
    for step in group.steps:
        at = next((at for at, each in enumerate(parts) if step.names <= each.bound.keys() | fixed.keys()), None)
        if step.is_filter and at is not None and parts[at].plan is not None and not step.names <= fixed.keys():
            parts[at] = _narrowed(parts[at], step, fixed)
        else:
            steps.append(step)
    inner = frozenset(needed).union(fixed, *(step.names for step in steps))
    rows = _fixed(joined_all(parts, inner, as_set), fixed)
    for step in steps:
        rows = step.apply(rows)
    return rows


def _with_constants(triple: Triple, constants: Mapping[str, Value]) -> Triple:
    def term(each: Term) -> Term:
        return constants.get(each.name, each) if isinstance(each, Variable) else each

    return replace(triple, subject=term(triple.subject), value=term(triple.value))


def _narrowed(part: Relation, step: Step, fixed: Mapping[str, Bound]) -> Relation:
    narrowed = step.apply(replace(part, bound={**fixed, **part.bound}))
    return replace(narrowed, bound=part.bound, has_constant=True)


def _fixed(rows: Relation, fixed: Mapping[str, Bound]) -> Relation:
    """The rows whose variables have the values that they are fixed to."""
    tests = [compared("=", rows.of(name), own) for name, own in fixed.items() if name in rows.bound]
    narrowed = filtered(rows, *tests)
    return replace(narrowed, bound={**narrowed.bound, **fixed})
