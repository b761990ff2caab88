"""RDF files in every common syntax, and rdflib's graphs and datasets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from boxkit.box import BoxSet
from boxkit.converters.source import SourceFile

__all__ = ["accepts", "convert", "name"]

name = "rdf"

_CLASSES = frozenset({"Graph", "ConjunctiveGraph", "Dataset", "ReadOnlyGraphAggregate"})


def accepts(source: Any) -> float:
    """By content for files; an rdflib graph by its class."""
    if isinstance(source, SourceFile):
        from boxkit.converters.graph.parse import guess_syntax

        found = None if source.is_binary else guess_syntax(source.head, source.suffix)
        return found[1] if found else 0.0
    is_graph = any(kind.__module__.startswith("rdflib.") and kind.__name__ in _CLASSES for kind in type(source).__mro__)
    return 1.0 if is_graph else 0.0


def convert(source: Any, *, syntax: str | None = None, vocabulary: Any = "auto", schema: bool = False) -> BoxSet:
    """The boxes of an RDF file or graph.

    Args:
        source: A `SourceFile`, or an rdflib ``Graph`` or ``Dataset``.
        syntax: The file's syntax as rdflib names it (``"turtle"``, ``"nt"``, ``"xml"``…); by content where None.
        vocabulary: The profile of its words: a name, a `Vocabulary`, or ``"auto"``.
        schema: Whether classes, properties and the like make rows too.

    Raises:
        UnreadableSource: The file is not valid in its syntax.
    """
    from boxkit.converters.graph.convert import Graph, graph_boxes
    from boxkit.converters.graph.parse import SYNTAXES, guess_syntax, parse_file, store_of_rdflib

    if isinstance(source, SourceFile):
        found = guess_syntax(source.head, source.suffix)
        chosen = syntax or (found[0] if found else SYNTAXES.get(source.suffix, "turtle"))
        store, notes = parse_file(Path(source), chosen, source.label)
        return graph_boxes(Graph(store, source.label, tuple(notes), source.fingerprint), vocabulary=vocabulary, schema=schema)
    store, notes = store_of_rdflib(source)
    return graph_boxes(Graph(store, "rdflib graph", tuple(notes)), vocabulary=vocabulary, schema=schema)
