"""Knowledge graphs → BoxSets: triples as integers, a subgraph around a question, one box a type, one row a subject.

Names resolve on first use: whether a file is a graph is asked of every file, and needs none of this.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from boxkit.converters.graph.convert import Graph, graph_boxes
    from boxkit.converters.graph.entities import entities_of, id_of, iri_of
    from boxkit.converters.graph.released import released_boxes
    from boxkit.converters.graph.vocabulary import Vocabulary

__all__ = ["Graph", "Vocabulary", "entities_of", "graph_boxes", "id_of", "iri_of", "released_boxes"]

_HOMES = {
    "Graph": "convert",
    "Vocabulary": "vocabulary",
    "entities_of": "entities",
    "graph_boxes": "convert",
    "id_of": "entities",
    "iri_of": "entities",
    "released_boxes": "released",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
