"""networkx graphs: nodes and edges with their attributes."""

from __future__ import annotations

from typing import Any

from boxkit.box import BoxSet

__all__ = ["accepts", "convert", "name"]

name = "networkx"


def accepts(source: Any) -> float:
    """A ``Graph``, ``DiGraph``, ``MultiGraph`` or ``MultiDiGraph`` of networkx, by its class."""
    return 1.0 if any(kind.__module__.startswith("networkx.classes.") for kind in type(source).__mro__) else 0.0


def convert(source: Any, *, vocabulary: Any = "auto", schema: bool = False) -> BoxSet:
    """The boxes of a networkx graph: one a type of node, one a relation.

    Args:
        source: The graph. It is not changed.
        vocabulary: The profile of its words: a name, a `Vocabulary`, or ``"auto"``.
        schema: Whether classes, properties and the like make rows too.

    Raises:
        UnsupportedValue: An attribute's value is nothing that a box can hold.
    """
    from boxkit.converters.graph.attributed import networkx_boxes

    return networkx_boxes(source, vocabulary=vocabulary, schema=schema)
