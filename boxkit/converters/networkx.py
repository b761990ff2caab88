"""networkx graphs: nodes and edges with their attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boxkit.box import BoxSet
from boxkit.converters.graph.options import takes_graph_options

if TYPE_CHECKING:
    from boxkit.converters.graph.vocabulary import Vocabulary

__all__ = ["accepts", "convert", "name"]

name = "networkx"


def accepts(source: Any) -> float:
    """A ``Graph``, ``DiGraph``, ``MultiGraph`` or ``MultiDiGraph`` of networkx, by its class."""
    return 1.0 if any(kind.__module__.startswith("networkx.classes.") for kind in type(source).__mro__) else 0.0


@takes_graph_options
def convert(source: Any, *, vocabulary: str | Vocabulary = "auto", **options: Any) -> BoxSet:
    """The boxes of a networkx graph: one a type of node; an edge with attributes is a row of its own.

    Args:
        source: The graph. It is not changed.
        vocabulary: The profile of its words: a name or a `Vocabulary`; ``"auto"`` takes attributes by their names.
        options: As `boxkit.converters.graph.options.Options`.

    Raises:
        UnsupportedValue: An attribute's value is nothing that a box can hold.
        SourceNotFound: No topic, or a listed relation, is in the graph.
    """
    from boxkit.converters.graph.attributed import networkx_boxes

    return networkx_boxes(source, vocabulary, **options)
