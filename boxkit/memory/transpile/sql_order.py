"""The order in which SQLite visits joined tables, as far as keys tell: it decides which of tied rows comes first.

SQLite scans one table and looks the others up (sqlite.org/optoverview.html, section 8). Without statistics it prefers
the scan from which all others are found by their keys, and one that gives the groups in order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from boxkit.box import BoxSet
from boxkit.plan import Column, Compare, Expression, Filter, Join, Plan, Scan
from boxkit.plan.schema import columns_of

__all__ = ["groups_ascend", "visiting_order"]

# How a table is found: not at all by a key, by the first field of a key, by a whole key.
_SCANNED, _BY_PREFIX, _BY_KEY = range(3)


@dataclass(frozen=True, slots=True)
class _Link:
    """Two columns that a condition holds equal."""

    left: Column
    right: Column

    def own(self, name: str, joined: set[str]) -> str | None:
        """The column of a table that the link ties to tables joined before; None where it ties none."""
        for mine, theirs in ((self.left, self.right), (self.right, self.left)):
            if mine.of == name and theirs.of in joined:
                return mine.name
        return None


def visiting_order(
    scans: Sequence[Scan], conditions: Sequence[Expression], group_keys: Sequence[Expression], boxes: BoxSet
) -> list[int]:
    """The positions of the tables of an inner join, outermost loop first."""
    links = [
        _Link(each.left, each.right)
        for each in conditions
        if isinstance(each, Compare)
        and each.operator == "="
        and isinstance(each.left, Column)
        and isinstance(each.right, Column)
    ]
    tried = [_from(start, scans, links, boxes) for start in range(len(scans))]

    def price(start: int) -> tuple[int, int, int, int]:
        levels = tried[start][1]
        scanned = levels.count(_SCANNED)
        ordered = _keys_lead(scans[start], group_keys, boxes)
        return scanned, 0 if ordered else 1, levels.count(_BY_PREFIX), start

    return tried[min(range(len(scans)), key=price)][0]


def _from(start: int, scans: Sequence[Scan], links: Sequence[_Link], boxes: BoxSet) -> tuple[list[int], list[int]]:
    """The order that begins with one table, and how each next one is found."""
    order, levels = [start], []
    rest = [at for at in range(len(scans)) if at != start]
    while rest:
        joined = {scans[at].known_as for at in order}
        found = {at: _level(scans[at], joined, links, boxes) for at in rest}
        best = max(rest, key=lambda at: (found[at], -at))
        linked = [at for at in rest if any(link.own(scans[at].known_as, joined) for link in links)]
        if found[best] == _SCANNED and linked:
            best = linked[0]
        order.append(best)
        levels.append(found[best])
        rest.remove(best)
    return order, levels


def _level(scan: Scan, joined: set[str], links: Sequence[_Link], boxes: BoxSet) -> int:
    key = boxes[scan.box].primary_key
    tied = {link.own(scan.known_as, joined) for link in links} - {None}
    if key and set(key) <= tied:
        return _BY_KEY
    return _BY_PREFIX if key and key[0] in tied else _SCANNED


def _keys_lead(scan: Scan, group_keys: Sequence[Expression], boxes: BoxSet) -> bool:
    """Whether the table's key begins with just the columns that are grouped by."""
    names = [each.name for each in group_keys if isinstance(each, Column) and each.of == scan.known_as]
    key = boxes[scan.box].primary_key
    return bool(names) and len(names) == len(group_keys) and set(key[: len(names)]) == set(names)


def groups_ascend(source: Plan, group_keys: Sequence[Expression], boxes: BoxSet) -> bool:
    """Whether a key of the outermost table gives the groups, always in ascending order."""
    equal: list[tuple[Expression, Expression]] = []
    while isinstance(source, (Filter, Join)):
        equal += source.on if isinstance(source, Join) else []
        source = source.left if isinstance(source, Join) else source.source
    if not isinstance(source, Scan):
        return False
    moved = [_of_outermost(each, source.known_as, equal) for each in group_keys]
    return _keys_lead(source, moved, boxes)


def _of_outermost(key: Expression, name: str, equal: Sequence[tuple[Expression, Expression]]) -> Expression:
    """The outermost table's column that always equals a key, else the key."""
    if all(column.of == name for column in columns_of(key)):
        return key
    for pair in equal:
        for own, other in (pair, pair[::-1]):
            if other == key and isinstance(own, Column) and own.of == name:
                return own
    return key
