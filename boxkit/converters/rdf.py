"""RDF files in every common syntax, and rdflib's graphs and datasets."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boxkit.box import BoxSet
from boxkit.converters.graph.options import takes_graph_options
from boxkit.converters.source import SourceFile

if TYPE_CHECKING:
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


@takes_graph_options
def convert(source: Any, *, vocabulary: str | Vocabulary = "auto", syntax: str | None = None, **options: Any) -> BoxSet:
    """The boxes of an RDF file or graph.

    Args:
        source: A `SourceFile`, or an rdflib ``Graph`` or ``Dataset``.
        vocabulary: The profile of its words: a name, a folder with Freebase's ontology, a `Vocabulary`, or ``"auto"``.
        syntax: The file's syntax as rdflib names it (``"turtle"``, ``"nt"``, ``"xml"``…); by content where None.
        options: As `boxkit.converters.graph.options.Options`.

    Raises:
        UnreadableSource: The file is not valid in its syntax.
        SourceNotFound: No topic, or a listed relation, is in the graph.
        SourceError: The graph is too large to be turned into boxes whole.
    """
    from boxkit.converters.graph.convert import Graph, graph_boxes
    from boxkit.converters.graph.looks import SYNTAXES, guess_syntax
    from boxkit.converters.graph.parse import parse_file, read_again, store_of_rdflib

    if isinstance(source, SourceFile):
        found = guess_syntax(source.head, source.suffix)
        chosen = syntax or (found[0] if found else SYNTAXES.get(source.suffix, "turtle"))
        store, notes = parse_file(Path(source), chosen, source.label)
        again = partial(read_again, Path(source), chosen, source.label)
        graph = Graph(store, source.label, tuple(notes), source.fingerprint, vocabulary=vocabulary, source=again)
    else:
        store, notes = store_of_rdflib(source)
        graph = Graph(store, "rdflib graph", tuple(notes), vocabulary=vocabulary)
    return graph_boxes(graph, **options)
