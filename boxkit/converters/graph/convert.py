"""From a graph, and perhaps a question, to boxes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from boxkit.box import BoxSet, Note
from boxkit.converters.graph.facts import gather
from boxkit.converters.graph.keys import foreign_keys
from boxkit.converters.graph.layout import boxes_of, lay_out
from boxkit.converters.graph.lexicon import Lexicon
from boxkit.converters.graph.relations import Relations, Similarity, choose
from boxkit.converters.graph.store import Ints, TripleStore
from boxkit.converters.graph.subgraph import HUB, Subgraph, extract
from boxkit.converters.graph.topics import Topic, TopicFinder
from boxkit.converters.graph.vocabulary import VOCABULARIES, Vocabulary, detect, freebase
from boxkit.errors import SourceError, SourceNotFound, nearest

__all__ = ["MAX_WHOLE", "Graph", "graph_boxes"]

#: A graph of more triples is not turned into boxes whole.
MAX_WHOLE = 200_000

#: The names of so many relations fit into any prompt.
FEW_RELATIONS = 60


@dataclass(frozen=True)
class Graph:
    """A graph that has been read; keep it to ask many questions of it.

    Attributes:
        store: Its triples.
        label: What the user calls it.
        notes: What reading it brought to light.
        state: What tells whether its source has changed; None where it lives in memory.
        integer_ids: Whether every entity's name is a whole number, and its id shall be one.
        vocabulary: The profile of its words: a name, a folder with Freebase's ontology, a `Vocabulary`, or ``"auto"``.
        declared: For each type, relations that its entities have, be it without any value.
    """

    store: TripleStore
    label: str
    notes: tuple[Note, ...] = ()
    state: Callable[[], str] | None = field(default=None, compare=False)
    integer_ids: bool = False
    vocabulary: str | Vocabulary = "auto"
    declared: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @cached_property
    def lexicon(self) -> Lexicon:
        """Its words, read with its vocabulary."""
        return Lexicon(self.store, _vocabulary(self.vocabulary, self.store), integer_ids=self.integer_ids)

    @cached_property
    def finder(self) -> TopicFinder:
        """What finds entities in it."""
        return TopicFinder(self.lexicon)

    def boxes(
        self,
        *,
        question: str | None = None,
        topics: Sequence[str] | None = None,
        hops: int = 2,
        relations: Relations = None,
        similarity: Similarity | None = None,
        hub: int = HUB,
        schema: bool = False,
        whole_if_small: bool = False,
    ) -> BoxSet:
        """The boxes around a question, or of the whole graph; parameters as `graph_boxes`."""
        if hops < 1:
            raise ValueError(f"hops must be 1 or more, not {hops!r}")
        small = whole_if_small and len(self.store) <= MAX_WHOLE and len(self.store.relations) <= FEW_RELATIONS
        found, notes = self._topics(None if small else question, topics)
        if not found:
            if len(self.store) > MAX_WHOLE:
                raise self._too_large(question)
            chosen = choose(
                self.lexicon, relations, question, dict.fromkeys(self.store.relations.tolist(), 0), similarity
            )
            return self._build(self._with_relations(chosen), notes, schema)
        nodes = [topic.node for topic in found]
        around = extract(self.lexicon, nodes, hops, hub=hub)
        chosen = choose(self.lexicon, relations, question, self._near(around), similarity)
        if chosen is not None:
            around = extract(self.lexicon, nodes, hops, relations=chosen, hub=hub)
        return self._build(
            around.triples, [*notes, *around.notes, self._cut_note(found, hops, around, chosen)], schema, nodes
        )

    def _topics(self, question: str | None, topics: Sequence[str] | None) -> tuple[list[Topic], list[Note]]:
        if isinstance(topics, str):
            raise TypeError(f"topics must be a list of texts, not the text {topics!r}")
        if topics:
            found, missing = self.finder.given(topics)
            close = {name: self.finder.nearest(name) for name in missing}
            if not found:
                hints = [f"{name!r}: nearest {', '.join(map(repr, names))}" for name, names in close.items() if names]
                raise SourceNotFound(
                    f"the graph holds no entity {', '.join(map(repr, missing))}",
                    where=self.label,
                    hint="; ".join(hints) or None,
                )
            return found, [Note("skipped", f"the graph holds no topic {name!r}") for name in missing]
        if question:
            found = self.finder.in_question(question)
            notes = (
                []
                if found
                else [Note("skipped", "the question names no entity of the graph, so that all of it stands here")]
            )
            return found, notes
        return [], []

    def _near(self, around: Subgraph) -> Mapping[int, int]:
        """The relations of a subgraph, each with its distance from the topics."""
        store, triples = self.store, around.triples
        near: dict[int, int] = {}
        ends = zip(
            store.subjects[triples].tolist(),
            store.predicates[triples].tolist(),
            store.objects[triples].tolist(),
            strict=True,
        )
        for subject, relation, value in ends:
            steps = min(around.distance.get(subject, 99), around.distance.get(value, 99))
            near[relation] = min(steps, near.get(relation, 99))
        return near

    def _cut_note(self, found: Sequence[Topic], hops: int, around: Subgraph, chosen: frozenset[int] | None) -> Note:
        names = [self.lexicon.id(topic.node) for topic in found[:5]]
        listed = ", ".join(names) + (f" and {len(found) - 5} more" if len(found) > 5 else "")
        only = f" along {len(chosen)} relations" if chosen is not None else ""
        return Note(
            "truncated",
            f"{len(around.triples):,} of {len(self.store):,} triples, {hops} steps around {listed}{only}; entities at "
            "the edge show less than the graph holds",
        )

    def _with_relations(self, chosen: frozenset[int] | None) -> Ints | None:
        if chosen is None:
            return None
        kept = np.array(sorted({*chosen, *self.lexicon.type_relations, *self.lexicon.label_relations}), dtype=np.int64)
        return np.flatnonzero(np.isin(self.store.predicates, kept)).astype(np.int64)

    def _too_large(self, question: str | None) -> SourceError:
        why = "and the question names no entity of it" if question else "too many to turn into boxes whole"
        return SourceError(
            f"the graph has {len(self.store):,} triples, {why}",
            where=self.label,
            hint='name what the question is about: topics=["…"] with labels, ids or IRIs',
        )

    def _build(self, triples: Ints | None, notes: Iterable[Note], schema: bool, topics: Sequence[int] = ()) -> BoxSet:
        facts = gather(self.lexicon, triples, keep_schema=schema, topics=topics)
        tables = lay_out(facts, self.declared if triples is None else {})
        taken = "" if triples is None else hashlib.blake2b(triples.tobytes(), digest_size=8).hexdigest()
        content = f"{self.store.content} {self.lexicon.vocabulary.name} {schema} {taken}"
        boxes, found = boxes_of(facts, tables, content, self.state)
        keys = foreign_keys(tables, self.lexicon)
        return BoxSet(boxes, keys, (*self.notes, *notes, *facts.notes, *found), (self.label,))


def graph_boxes(
    graph: Graph,
    *,
    question: str | None = None,
    topics: Sequence[str] | None = None,
    hops: int = 2,
    relations: Relations = None,
    similarity: Similarity | None = None,
    hub: int = HUB,
    schema: bool = False,
    whole_if_small: bool = False,
) -> BoxSet:
    """The boxes of ``graph``: around the topics that are given or that the question names, else of all of it.

    Args:
        graph: What was read.
        question: What will be asked.
        topics: IRIs, ids or labels of the entities it is about; found in the question where None.
        hops: How many steps from the topics the graph is followed, both ways.
        relations: All (None), the k most similar to the question (a whole number), those over a threshold (a float),
            or a list of IRIs or names.
        similarity: How alike a question and relations are; by shared words where None.
        hub: How many triples of one node, relation and direction are followed at the most.
        schema: Whether classes, properties and the like make rows too.
        whole_if_small: Whether a graph of few triples and relations is taken whole although the question names topics:
            leaving rows out would shorten no prompt, and might make a count wrong.

    Raises:
        SourceNotFound: No topic, or a listed relation, is in the graph.
        SourceError: The graph is too large to be turned into boxes whole.
    """
    return graph.boxes(
        question=question,
        topics=topics,
        hops=hops,
        relations=relations,
        similarity=similarity,
        hub=hub,
        schema=schema,
        whole_if_small=whole_if_small,
    )


def _vocabulary(vocabulary: str | Vocabulary, store: TripleStore) -> Vocabulary:
    """The profile asked for, or the one that the graph's relations speak for.

    Raises:
        ValueError: No profile has that name.
    """
    if isinstance(vocabulary, Vocabulary):
        return vocabulary
    if vocabulary == "auto":
        return detect(store.text(int(relation)) for relation in store.relations)
    if vocabulary in VOCABULARIES:
        return VOCABULARIES[vocabulary]
    if Path(vocabulary).is_dir():
        return freebase(vocabulary)
    close = nearest(vocabulary, VOCABULARIES)
    known = ", ".join(("auto", *VOCABULARIES))
    near = f"; nearest: {close[0]!r}" if close else ""
    raise ValueError(f"no vocabulary is named {vocabulary!r}; there are {known}, and folders with an ontology{near}")
