"""Knowledge graphs → BoxSets: triples as integers, a subgraph around a question, one box a type, one row a subject."""

from __future__ import annotations

from boxkit.converters.graph.convert import Graph, graph_boxes
from boxkit.converters.graph.entities import entities_of, id_of, iri_of
from boxkit.converters.graph.released import released_boxes
from boxkit.converters.graph.vocabulary import Vocabulary

__all__ = ["Graph", "Vocabulary", "entities_of", "graph_boxes", "id_of", "iri_of", "released_boxes"]
