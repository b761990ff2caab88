"""The triples around topics: every triple that touches a node fewer than ``hops`` steps away, followed both ways.

A depth-first search of that depth that prunes nodes already on its path (Pandora, Algorithm 3) keeps a triple if and
only if some path without repetition reaches one of its ends in fewer steps than its depth; the shortest path never
repeats a node, so the same triples are found breadth-first, each node once.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from boxkit.box import Note
from boxkit.converters.graph.lexicon import Lexicon
from boxkit.converters.graph.store import LITERAL, Ints

__all__ = ["HUB", "MAX_TRIPLES", "Subgraph", "extract"]

#: Of one node's triples of one relation in one direction, at most so many are followed.
HUB = 5_000

#: A subgraph stops growing at this many triples.
MAX_TRIPLES = 200_000


@dataclass(frozen=True, slots=True)
class Subgraph:
    """What was found around topics.

    Attributes:
        triples: Positions in the store, ascending.
        distance: Steps from the nearest topic, by node that was followed.
        notes: Hubs that were cut, and whether the whole was.
    """

    triples: Ints
    distance: dict[int, int]
    notes: tuple[Note, ...] = ()


def extract(
    lexicon: Lexicon,
    topics: Collection[int],
    hops: int,
    *,
    relations: Collection[int] | None = None,
    hub: int = HUB,
    max_triples: int = MAX_TRIPLES,
) -> Subgraph:
    """The subgraph of ``hops`` steps around ``topics``. Types, classes and literals are not walked through.

    Args:
        lexicon: The graph's words.
        topics: Where to start.
        hops: How many steps; 1 gives the topics' own triples.
        relations: The relations to follow; all where None.
        hub: How many triples of one node, relation and direction are followed at the most.
        max_triples: Where to stop.
    """
    store = lexicon.store
    walk = _Walk(lexicon, relations, hub)
    frontier = np.array(sorted(topics), dtype=np.int64)
    distance = dict.fromkeys(frontier.tolist(), 0)
    kept: list[Ints] = []
    total = 0
    for step in range(hops):
        found = walk.around(frontier)
        room = max_triples - total
        if len(found) > room:
            walk.notes.append(
                Note("truncated", f"the subgraph is cut at {max_triples:,} triples, {step + 1} steps out")
            )
            found = found[:room]
        kept.append(found)
        total += len(found)
        ends = np.unique(np.concatenate([store.subjects[found], store.objects[found]]).astype(np.int64))
        ends = walk.with_members(ends[store.kinds[ends] != LITERAL])
        frontier = np.array(
            [node for node in ends.tolist() if node not in distance and node not in walk.barred], dtype=np.int64
        )
        distance.update(dict.fromkeys(frontier.tolist(), step + 1))
        if total >= max_triples or not len(frontier):
            break
    triples = np.unique(np.concatenate(kept)) if kept else np.empty(0, dtype=np.int64)
    return Subgraph(triples, distance, tuple(walk.notes))


class _Walk:
    """One extraction's rules and what they cut."""

    def __init__(self, lexicon: Lexicon, relations: Collection[int] | None, hub: int) -> None:
        self.lexicon = lexicon
        self.store = lexicon.store
        self.hub = hub
        self.notes: list[Note] = []
        self.barred = lexicon.schema_nodes | lexicon.type_nodes
        allowed = lexicon.store.relations if relations is None else np.array(sorted(relations), dtype=np.int64)
        self.allowed = np.setdiff1d(allowed, np.array(sorted(lexicon.hidden_relations), dtype=np.int64))

    def around(self, nodes: Ints) -> Ints:
        """The triples that leave or enter ``nodes``, hubs cut."""
        leaving = self._cut(self.store.out_of(nodes), self.store.subjects, "leave")
        entering = self._cut(self.store.into(self._with_lists(nodes)), self.store.objects, "enter")
        return np.unique(np.concatenate([leaving, entering]))

    def _with_lists(self, nodes: Ints) -> Ints:
        """``nodes`` and the lists that they are members of: what leads to these leads to them."""
        lists = self.lexicon.lists.lists
        held = {each for node in nodes.tolist() for each in lists.get(node, ())} if lists else ()
        return np.unique(np.concatenate([nodes, np.array(sorted(held), dtype=np.int64)])) if held else nodes

    def with_members(self, ends: Ints) -> Ints:
        """``ends`` and the members of the lists among them: a list is no step of its own."""
        members = self.lexicon.lists.members
        held = {each for node in ends.tolist() for each in members.get(node, ())} if members else ()
        return np.unique(np.concatenate([ends, np.array(sorted(held), dtype=np.int64)])) if held else ends

    def _cut(self, triples: Ints, ends: npt.NDArray[np.int32], way: str) -> Ints:
        """``triples`` (grouped by node, then relation) with allowed relations, at most ``hub`` a node and relation."""
        predicates = self.store.predicates[triples]
        triples = triples[np.isin(predicates, self.allowed)]
        if not len(triples):
            return triples
        nodes, predicates = ends[triples], self.store.predicates[triples]
        starts = np.flatnonzero(np.concatenate(([True], (np.diff(nodes) != 0) | (np.diff(predicates) != 0))))
        lengths = np.diff(np.concatenate((starts, [len(triples)])))
        for at in np.flatnonzero(lengths > self.hub):
            node, relation = int(nodes[starts[at]]), int(predicates[starts[at]])
            word = self.lexicon.word(self.store.text(relation))
            self.notes.append(
                Note(
                    "truncated",
                    f"of {lengths[at]:,} triples {word!r} that {way} {self.lexicon.id(node)!r},"
                    f" the first {self.hub:,} are followed",
                )
            )
        place = np.arange(len(triples)) - np.repeat(starts, lengths)
        return triples[place < self.hub]
