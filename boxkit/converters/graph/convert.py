"""From a graph, and perhaps a question, to boxes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from boxkit.box import BoxSet, Note
from boxkit.converters.graph.facts import gather
from boxkit.converters.graph.keys import foreign_keys
from boxkit.converters.graph.layout import boxes_of, lay_out
from boxkit.converters.graph.lexicon import Lexicon
from boxkit.converters.graph.store import Ints, TripleStore
from boxkit.converters.graph.vocabulary import VOCABULARIES, Vocabulary, detect
from boxkit.errors import nearest

__all__ = ["Graph", "graph_boxes"]


@dataclass(frozen=True, slots=True)
class Graph:
    """A graph that has been read.

    Attributes:
        store: Its triples.
        label: What the user calls it.
        notes: What reading it brought to light.
        state: What tells whether its source has changed; None where it lives in memory.
        integer_ids: Whether every entity's name is a whole number, and its id shall be one.
    """

    store: TripleStore
    label: str
    notes: tuple[Note, ...] = ()
    state: Callable[[], str] | None = field(default=None, compare=False)
    integer_ids: bool = False


def graph_boxes(graph: Graph, *, vocabulary: str | Vocabulary = "auto", schema: bool = False) -> BoxSet:
    """The boxes of ``graph``."""
    lexicon = Lexicon(graph.store, vocabulary_of(vocabulary, graph.store), integer_ids=graph.integer_ids)
    return build(graph, lexicon, None, schema=schema)


def vocabulary_of(vocabulary: str | Vocabulary, store: TripleStore) -> Vocabulary:
    """The profile asked for, or the one that the graph's relations speak for.

    Raises:
        ValueError: No profile has that name.
    """
    if isinstance(vocabulary, Vocabulary):
        return vocabulary
    if vocabulary == "auto":
        return detect(store.text(int(relation)) for relation in store.relations)
    if vocabulary not in VOCABULARIES:
        close = nearest(vocabulary, VOCABULARIES)
        known = ", ".join(("auto", *VOCABULARIES))
        raise ValueError(
            f"no vocabulary is named {vocabulary!r}; there are {known}" + (f"; nearest: {close[0]!r}" if close else "")
        )
    return VOCABULARIES[vocabulary]


def build(
    graph: Graph, lexicon: Lexicon, triples: Ints | None, *, schema: bool = False, notes: Iterable[Note] = ()
) -> BoxSet:
    """The boxes of some of a graph's triples (all where None)."""
    facts = gather(lexicon, triples, keep_schema=schema)
    tables = lay_out(facts)
    taken = "" if triples is None else hashlib.blake2b(triples.tobytes(), digest_size=8).hexdigest()
    content = f"{graph.store.content} {lexicon.vocabulary.name} {schema} {taken}"
    boxes, found = boxes_of(facts, tables, content, graph.state)
    keys = foreign_keys(tables, lexicon)
    return BoxSet(boxes, keys, (*graph.notes, *notes, *facts.notes, *found), (graph.label,))
