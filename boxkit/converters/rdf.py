"""RDF files in every common syntax, and rdflib's graphs and datasets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boxkit.box import BoxSet
from boxkit.converters.source import SourceFile

if TYPE_CHECKING:
    from boxkit.converters.graph.relations import Relations, Similarity
    from boxkit.converters.graph.vocabulary import Vocabulary

__all__ = ["accepts", "convert", "name"]

name = "rdf"

_CLASSES = frozenset({"Graph", "ConjunctiveGraph", "Dataset", "ReadOnlyGraphAggregate"})


def accepts(source: Any) -> float:
    """By content for files; an rdflib graph by its class."""
    if isinstance(source, SourceFile):
        from boxkit.converters.graph.looks import guess_syntax

        found = None if source.is_binary else guess_syntax(source.head, source.suffix)
        return found[1] if found else 0.0
    is_graph = any(kind.__module__.startswith("rdflib.") and kind.__name__ in _CLASSES for kind in type(source).__mro__)
    return 1.0 if is_graph else 0.0


def convert(
    source: Any,
    *,
    question: str | None = None,
    topics: Sequence[str] | None = None,
    hops: int = 2,
    relations: Relations = None,
    vocabulary: str | Vocabulary = "auto",
    similarity: Similarity | None = None,
    whole_if_small: bool = False,
    schema: bool = False,
    syntax: str | None = None,
) -> BoxSet:
    """The boxes of an RDF file or graph.

    Args:
        source: A `SourceFile`, or an rdflib ``Graph`` or ``Dataset``.
        question: What will be asked.
        topics: IRIs, ids or labels of the entities it is about; found in the question where None.
        hops: How many steps from the topics the graph is followed, both ways.
        relations: All (None), the k most similar to the question (a whole number), those over a threshold (a float),
            or a list of IRIs or names.
        vocabulary: The profile of its words: a name, a folder with Freebase's ontology, a `Vocabulary`, or ``"auto"``.
        similarity: How alike a question and relations are; by shared words where None.
        whole_if_small: Whether a graph of few triples and relations is taken whole although the question names topics.
        schema: Whether classes, properties and the like make rows too.
        syntax: The file's syntax as rdflib names it (``"turtle"``, ``"nt"``, ``"xml"``…); by content where None.

    Raises:
        UnreadableSource: The file is not valid in its syntax.
        SourceNotFound: No topic, or a listed relation, is in the graph.
        SourceError: The graph is too large to be turned into boxes whole.
    """
    from boxkit.converters.graph.convert import Graph, graph_boxes
    from boxkit.converters.graph.looks import SYNTAXES, guess_syntax
    from boxkit.converters.graph.parse import parse_file, store_of_rdflib

    if isinstance(source, SourceFile):
        found = guess_syntax(source.head, source.suffix)
        chosen = syntax or (found[0] if found else SYNTAXES.get(source.suffix, "turtle"))
        store, notes = parse_file(Path(source), chosen, source.label)
        graph = Graph(store, source.label, tuple(notes), source.fingerprint, vocabulary=vocabulary)
    else:
        store, notes = store_of_rdflib(source)
        graph = Graph(store, "rdflib graph", tuple(notes), vocabulary=vocabulary)
    return graph_boxes(
        graph,
        question=question,
        topics=topics,
        hops=hops,
        relations=relations,
        similarity=similarity,
        whole_if_small=whole_if_small,
        schema=schema,
    )
