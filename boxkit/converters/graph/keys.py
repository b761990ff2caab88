"""Foreign keys of a graph's boxes: from a column of ids to the fewest boxes that hold what it points to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from boxkit.box import ForeignKey
from boxkit.converters.graph.facts import ENTITY
from boxkit.converters.graph.layout import Column, Table
from boxkit.converters.graph.lexicon import Lexicon

__all__ = ["foreign_keys"]

#: Two types share entities worth a key from this share of the smaller on.
SHARED = 0.5


def foreign_keys(tables: Sequence[Table], lexicon: Lexicon) -> tuple[ForeignKey, ...]:
    """Every key, surest first: relations' columns to the boxes of their values, then types that share entities."""
    homes = {table.name: frozenset(table.members) for table in tables if table.members}
    parents = {table.name: table for table in tables}
    sources = {table.source: table.name for table in tables if table.members}
    found: list[ForeignKey] = []
    for table in tables:
        labels = table.labels
        for at, column in enumerate(table.columns):
            if column.targets and not (table.members and at == 0):
                found.extend(_of_column(table.name, labels[at], column, homes, parents, sources))
    found.extend(_between_types(tables, homes, parents, lexicon))
    return tuple(sorted(dict.fromkeys(found), key=lambda key: (key.origin != "declared", -key.confidence)))


def _of_column(
    box: str,
    label: str,
    column: Column,
    homes: Mapping[str, frozenset[int]],
    parents: Mapping[str, Table],
    sources: Mapping[str, str],
) -> Iterator[ForeignKey]:
    """The fewest boxes that together hold the column's entities; the declared range before others."""
    targets = {target for target in column.targets if target >= 0}
    left = set(targets)
    declared = sources.get(column.range, "")
    while left:
        shares = {name: len(left & members) for name, members in homes.items() if not left.isdisjoint(members)}
        if not shares:
            return
        best = min(shares, key=lambda name: (-shares[name], name != declared, len(homes[name]), name))
        if declared in shares:
            best = declared
        share = len(targets & homes[best]) / len(targets)
        yield ForeignKey(
            box,
            (label,),
            best,
            (parents[best].labels[0],),
            origin="declared" if best == declared else "inferred",
            confidence=1.0 if best == declared else round(share, 3),
            evidence=f"{len(targets & homes[best])} of {len(targets)} values are there",
            dangling=share < 1,
        )
        left -= homes[best]


def _between_types(
    tables: Sequence[Table], homes: Mapping[str, frozenset[int]], parents: Mapping[str, Table], lexicon: Lexicon
) -> Iterator[ForeignKey]:
    """An entity of two types stands in two boxes: from the smaller to the larger, where they share enough."""
    by_entity: dict[int, list[str]] = {}
    for table in tables:
        for node in table.members:
            by_entity.setdefault(node, []).append(table.name)
    shared: dict[tuple[str, str], int] = {}
    for names in by_entity.values():
        for one in names:
            for other in names:
                if (len(homes[one]), one) < (len(homes[other]), other) and parents[other].source != ENTITY:
                    shared[one, other] = shared.get((one, other), 0) + 1
    best: dict[str, tuple[float, int, str]] = {}
    for (one, other), count in shared.items():
        share = count / len(homes[one])
        above = parents[other].source in lexicon.superclasses.get(parents[one].source, ())
        if share >= SHARED or above:
            best[one] = max(best.get(one, (0.0, 0, "")), (share, -len(homes[other]), other))
    for one, (share, _, other) in sorted(best.items()):
        yield ForeignKey(
            one,
            (parents[one].labels[0],),
            other,
            (parents[other].labels[0],),
            origin="inferred",
            confidence=round(share, 3),
            evidence=f"{round(share * len(homes[one]))} of {len(homes[one])} entities are of both types",
            dangling=share < 1,
        )
