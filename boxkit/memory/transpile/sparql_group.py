"""A group of patterns: triples and other rows to be joined, then what is done to the joined rows, in order."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from boxkit.memory.transpile.sparql_patterns import PatternReader, Triple, joined_all
from boxkit.memory.transpile.sparql_relation import Relation

__all__ = ["Group", "Step", "built"]


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
        steps: Filters, optional parts, bindings, in order.
    """

    triples: list[Triple] = field(default_factory=list)
    parts: list[Relation] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)

    @property
    def names(self) -> frozenset[str]:
        """The variables that it binds."""
        inside = {name for triple in self.triples for name in triple.variables}
        inside.update(name for part in self.parts for name in part.bound)
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
    parts = [*reader.read(group.triples, inner, as_set), *group.parts]
    steps: list[Step] = []
    for step in group.steps:
        at = next((at for at, each in enumerate(parts) if step.names <= each.bound.keys()), None)
        if step.is_filter and step.names and at is not None and parts[at].plan is not None:
            narrowed = step.apply(parts[at])
            parts[at] = Relation(narrowed.plan, narrowed.bound, narrowed.once, True)
        else:
            steps.append(step)
    inner = frozenset(needed).union(*(step.names for step in steps))
    rows = joined_all(parts, inner, as_set)
    for step in steps:
        rows = step.apply(rows)
    return rows
