"""The smallest set of foreign keys that ties boxes together. Boxes that no key ties are never crossed."""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from dataclasses import dataclass, field

from boxkit.box import ForeignKey
from boxkit.strategies.planner.fields import Place

__all__ = ["Joins", "Step", "Tree"]


@dataclass(frozen=True, slots=True)
class Step:
    """One join: from a box already there to a new one.

    Attributes:
        key: The key that ties them.
        box: The new box.
        multiplies: Whether one row already there may find several in the new box.
    """

    key: ForeignKey
    box: str
    multiplies: bool


@dataclass(frozen=True, slots=True)
class Tree:
    """Joins in order, from a root.

    Attributes:
        root: The first box.
        steps: The joins.
        choices: How many equally short trees there are.
    """

    root: str
    steps: tuple[Step, ...]
    choices: int = 1

    @property
    def boxes(self) -> tuple[str, ...]:
        """All boxes, the root first."""
        return (self.root, *(step.box for step in self.steps))

    @property
    def multiplies(self) -> bool:
        """Whether a row of the root may stand in several rows of the join."""
        return any(step.multiplies for step in self.steps)


@dataclass(slots=True)
class Joins:
    """Looks for join trees and remembers what it found.

    Attributes:
        keys: The foreign keys.
        primary: Each box's primary key.
        junctions: Boxes that do nothing but tie others together.
        unique: Fields of which each row has a value of its own.
    """

    keys: tuple[ForeignKey, ...]
    primary: Mapping[str, tuple[str, ...]]
    junctions: frozenset[str] = frozenset()
    unique: frozenset[Place] = frozenset()
    _edges: dict[str, list[tuple[ForeignKey, str, bool]]] = field(default_factory=dict)
    _trees: dict[tuple[str, frozenset[str], frozenset[Place]], Tree | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._edges = {name: [] for name in self.primary}
        for key in self.keys:
            if key.box == key.parent or key.parent not in self.primary:
                continue
            self._edges[key.box].append((key, key.parent, False))
            # Boxes tied across sources have no primary key there, but one row each.
            tied = key.origin == "linked" and {Place(key.box, field) for field in key.fields} <= self.unique
            unique = tied or self.primary[key.box] == key.fields
            self._edges[key.parent].append((key, key.box, not unique))

    def tree(self, root: str, needed: frozenset[str], avoid: frozenset[Place] = frozenset()) -> Tree | None:
        """The smallest tree from ``root`` over all ``needed`` boxes; None where no keys tie them.

        Where two keys lead the same way, one whose field is not among those to avoid is taken.
        """
        asked = (root, needed - {root}, avoid)
        if asked not in self._trees:
            self._trees[asked] = self._grow(*asked)
        return self._trees[asked]

    def _grow(self, root: str, needed: frozenset[str], avoid: frozenset[Place]) -> Tree | None:
        steps: list[Step] = []
        reached = {root}
        choices = 1
        while missing := needed - reached:
            found = [path for box in sorted(missing) if (path := self._path(reached, box, avoid)) is not None]
            if len(found) < len(missing):
                return None
            _, ways, way = min(found, key=lambda each: (each[0], [str(step.key) for step in each[2]]))
            choices *= ways
            steps += way
            reached |= {step.box for step in way}
        return Tree(root, tuple(steps), choices)

    def _path(self, reached: set[str], goal: str, avoid: frozenset[Place]) -> tuple[float, int, list[Step]] | None:
        """The shortest way from any box reached, its length, and how many ways are as short."""
        queue: list[tuple[float, int, str, list[Step]]] = [(0.0, at, box, []) for at, box in enumerate(sorted(reached))]
        heapq.heapify(queue)
        counter = len(queue)
        done: dict[str, float] = {}
        arrived: list[tuple[float, list[Step]]] = []
        while queue:
            length, _, box, path = heapq.heappop(queue)
            if arrived and length > arrived[0][0]:
                break
            if box == goal:
                arrived.append((length, path))
                continue
            if done.get(box, length) < length:
                continue
            done[box] = length
            for key, other, multiplies in self._edges[box]:
                if other in reached or any(step.box == other for step in path):
                    continue
                counter += 1
                # A doubtful key is a long way round.
                cost = length + 4 * (1 - key.confidence)
                cost += 0.7 if self.junctions & {box, other} else 1.0
                cost += 0.1 if multiplies and other not in self.junctions else 0.0
                heapq.heappush(queue, (cost, counter, other, [*path, Step(key, other, multiplies)]))
        if not arrived:
            return None
        # Linked keys between the same boxes say the same thing twice.
        free = [
            path for _, path in arrived if not any(Place(step.key.box, step.key.fields[0]) in avoid for step in path)
        ]
        if free:
            arrived = [(arrived[0][0], path) for path in free]
        ways = {tuple(_way(step) for step in path) for _, path in arrived}
        return arrived[0][0], len(ways), arrived[0][1]


def _way(step: Step) -> str:
    return str(step.key) if step.key.origin != "linked" else f"{step.key.box} {step.key.parent}"
