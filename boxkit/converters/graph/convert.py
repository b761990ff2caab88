"""From a graph, and perhaps a question, to boxes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from boxkit.box import BoxSet, Note
from boxkit.converters.graph.facts import gather
from boxkit.converters.graph.keys import foreign_keys
from boxkit.converters.graph.layout import boxes_of, lay_out
from boxkit.converters.graph.lexicon import Lexicon
from boxkit.converters.graph.options import Options
from boxkit.converters.graph.origin import Origin, Source, plain_namespace
from boxkit.converters.graph.relations import choose
from boxkit.converters.graph.store import Ints, TripleStore
from boxkit.converters.graph.subgraph import HUB, Subgraph, extract
from boxkit.converters.graph.topics import Topic, TopicFinder
from boxkit.converters.graph.vocabulary import VOCABULARIES, Vocabulary, detect, freebase
from boxkit.errors import SourceError, SourceNotFound, nearest

__all__ = ["MAX_WHOLE", "Graph", "graph_boxes", "vocabulary_of"]

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
        source: Where the whole graph can be had: a file to be read anew, or a service; the store itself where None.
    """

    store: TripleStore
    label: str
    notes: tuple[Note, ...] = ()
    state: Callable[[], str] | None = field(default=None, compare=False)
    integer_ids: bool = False
    vocabulary: str | Vocabulary = "auto"
    declared: Mapping[str, Sequence[str]] = field(default_factory=dict)
    source: Source | None = field(default=None, compare=False, repr=False)

    @cached_property
    def origin(self) -> Origin | None:
        """What SPARQL asks; None for a graph of nodes and edges with attributes, which has no IRIs."""
        words = self.lexicon.vocabulary
        if words.name == "attributed":
            return None
        types, labels = (
            tuple(map(self.store.text, known)) for known in (self.lexicon.type_relations, self.lexicon.label_relations)
        )
        is_whole = self.source is None or callable(self.source)
        return Origin(
            self.label,
            self.source or self.store,
            types,
            labels,
            self.store.prefixes,
            plain_namespace(words.name),
            self.lexicon.superclasses if is_whole else None,
        )

    @cached_property
    def lexicon(self) -> Lexicon:
        """Its words, read with its vocabulary."""
        store = self.store
        words = vocabulary_of(self.vocabulary, lambda: (store.text(int(relation)) for relation in store.relations))
        return Lexicon(store, words, integer_ids=self.integer_ids)

    @cached_property
    def finder(self) -> TopicFinder:
        """What finds entities in it."""
        return TopicFinder(self.lexicon)

    def boxes(self, **options: Any) -> BoxSet:
        """The boxes around a question, or of the whole graph; parameters as `graph_boxes`."""
        asked = Options(**options)
        small = asked.whole_if_small and len(self.store) <= MAX_WHOLE and len(self.store.relations) <= FEW_RELATIONS
        found, notes = self._topics(None if small else asked.question, asked.topics)
        if not found:
            if len(self.store) > MAX_WHOLE:
                raise self._too_large(asked.question)
            chosen, how = choose(self.lexicon, asked, dict.fromkeys(self.store.relations.tolist(), 0))
            if how:
                notes.append(Note("truncated", f"the graph{how}; others make no columns"))
            return self._build(self._with_relations(chosen), notes, asked.schema)
        nodes = [topic.node for topic in found]
        hub = asked.hub or HUB
        around = extract(self.lexicon, nodes, asked.hops, hub=hub)
        chosen, how = choose(self.lexicon, asked, self._near(around))
        if chosen is not None:
            around = extract(self.lexicon, nodes, asked.hops, relations=chosen, hub=hub)
        notes = [*notes, *around.notes, self._cut_note(found, asked.hops, around, how)]
        return self._build(around.triples, notes, asked.schema, nodes)

    def _topics(self, question: str | None, topics: Sequence[str] | None) -> tuple[list[Topic], list[Note]]:
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

    def _cut_note(self, found: Sequence[Topic], hops: int, around: Subgraph, how: str) -> Note:
        names = [self.lexicon.id(topic.node) for topic in found[:5]]
        listed = ", ".join(names) + (f" and {len(found) - 5} more" if len(found) > 5 else "")
        return Note(
            "truncated",
            f"{len(around.triples):,} of {len(self.store):,} triples, {hops} steps around {listed}{how}; entities at "
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
        boxes, found = boxes_of(facts, tables, content, self.state, self.origin)
        keys = foreign_keys(tables, self.lexicon)
        empty = () if len(self.store) else (Note("lint", "the graph holds no triples"),)
        return BoxSet(boxes, keys, (*self.notes, *notes, *empty, *facts.notes, *found), (self.label,))


def graph_boxes(graph: Graph, **options: Any) -> BoxSet:
    """The boxes of ``graph``: around the topics that are given or that the question names, else of all of it.

    Args:
        graph: What was read.
        options: As `boxkit.converters.graph.options.Options`.

    Raises:
        SourceNotFound: No topic, or a listed relation, is in the graph.
        SourceError: The graph is too large to be turned into boxes whole.
    """
    return graph.boxes(**options)


def vocabulary_of(vocabulary: str | Vocabulary, relations: Callable[[], Iterable[str]]) -> Vocabulary:
    """The profile asked for, or the one that a graph's relations speak for.

    Args:
        vocabulary: A profile, the name of one, a folder with Freebase's ontology, or ``"auto"``.
        relations: What finds the graph's relations, where they are needed.

    Raises:
        ValueError: No profile has that name.
    """
    if isinstance(vocabulary, Vocabulary):
        return vocabulary
    if vocabulary == "auto":
        return detect(relations())
    if vocabulary in VOCABULARIES:
        return VOCABULARIES[vocabulary]
    if Path(vocabulary).is_dir():
        return freebase(vocabulary)
    close = nearest(vocabulary, VOCABULARIES)
    known = ", ".join(("auto", *VOCABULARIES))
    near = f"; nearest: {close[0]!r}" if close else ""
    raise ValueError(f"no vocabulary is named {vocabulary!r}; there are {known}, and folders with an ontology{near}")
