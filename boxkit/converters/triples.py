"""Triples as plain data: an iterable of three-part items, tab-separated or JSON Lines files, a data set's record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from boxkit.box import BoxSet
from boxkit.converters.graph.options import takes_graph_options
from boxkit.converters.source import SourceFile

if TYPE_CHECKING:
    from boxkit.converters.graph.vocabulary import Vocabulary

__all__ = ["accepts", "convert", "name"]

name = "triples"


def accepts(source: Any) -> float:
    """A sequence or set of three-part items, a record that holds one, an iterator, a file with three fields a line."""
    if isinstance(source, SourceFile):
        if source.is_binary:
            return 0.0
        from boxkit.converters.graph.looks import looks_like_triples

        return looks_like_triples(source.head.decode("utf-8-sig", errors="replace"), source.suffix)
    if isinstance(source, Mapping):
        return 0.95 if any(_are_triples(source.get(each)) for each in ("graph", "kg_tuples", "triples")) else 0.0
    if isinstance(source, (list, tuple, set, frozenset)):
        return 0.9 if _are_triples(source) else 0.0
    return 0.3 if isinstance(source, Iterator) else 0.0


def _are_triples(value: Any) -> bool:
    is_collection = isinstance(value, (list, tuple, set, frozenset)) and len(value) > 0
    return is_collection and all(isinstance(each, (list, tuple)) and len(each) == 3 for each in value)


@takes_graph_options
def convert(source: Any, *, vocabulary: str | Vocabulary = "auto", **options: Any) -> BoxSet:
    """The boxes of plain triples.

    Args:
        source: A `SourceFile`, an iterable of triples, or a question's record that holds its triples (RoG's ``graph``,
            UnifiedSKG's ``kg_tuples``).
        vocabulary: The profile of its words: a name, a folder with Freebase's ontology, a `Vocabulary`, or ``"auto"``.
        options: As `boxkit.converters.graph.options.Options`.

    Raises:
        UnreadableSource: Something in it is no triple.
        SourceNotFound: No topic, or a listed relation, is in the graph.
        SourceError: The graph is too large to be turned into boxes whole.
    """
    from boxkit.converters.graph.convert import Graph, graph_boxes
    from boxkit.converters.graph.plain import read_text, record_triples, store_of_triples

    if isinstance(source, SourceFile):
        text = source.path.read_text(encoding="utf-8-sig", errors="replace")
        store, notes = store_of_triples(read_text(text, source.label), source.label, vocabulary)
        graph = Graph(store, source.label, tuple(notes), source.fingerprint, vocabulary=vocabulary)
    else:
        given = record_triples(source) or () if isinstance(source, Mapping) else source
        store, notes = store_of_triples(given, vocabulary=vocabulary)
        graph = Graph(store, "triples", tuple(notes), vocabulary=vocabulary)
    return graph_boxes(graph, **options)
