"""SPARQL over the graph that boxes came from: a file, an rdflib graph, an endpoint; read-only and limited."""

from __future__ import annotations

from boxkit.sparql.engine import GraphEngine, graph_engine
from boxkit.sparql.schema import graph_text, unknown_words

__all__ = ["GraphEngine", "graph_engine", "graph_text", "unknown_words"]
