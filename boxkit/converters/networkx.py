"""networkx graphs: nodes and edges with their attributes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from boxkit.box import BoxSet

if TYPE_CHECKING:
    from boxkit.converters.graph.relations import Relations, Similarity
    from boxkit.converters.graph.vocabulary import Vocabulary

__all__ = ["accepts", "convert", "name"]

name = "networkx"


def accepts(source: Any) -> float:
    """A ``Graph``, ``DiGraph``, ``MultiGraph`` or ``MultiDiGraph`` of networkx, by its class."""
    return 1.0 if any(kind.__module__.startswith("networkx.classes.") for kind in type(source).__mro__) else 0.0


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
) -> BoxSet:
    """The boxes of a networkx graph: one a type of node; an edge with attributes is a row of its own.

    Args:
        source: The graph. It is not changed.
        question: What will be asked.
        topics: Names or labels of the nodes it is about; found in the question where None.
        hops: How many steps from the topics the graph is followed, both ways.
        relations: All (None), the k most similar to the question (a whole number), those over a threshold (a float),
            or a list of names.
        vocabulary: The profile of its words: a name or a `Vocabulary`; ``"auto"`` takes attributes by their names.
        similarity: How alike a question and relations are; by shared words where None.
        whole_if_small: Whether a graph of few triples and relations is taken whole although the question names topics.

    Raises:
        UnsupportedValue: An attribute's value is nothing that a box can hold.
        SourceNotFound: No topic, or a listed relation, is in the graph.
    """
    from boxkit.converters.graph.attributed import networkx_boxes

    return networkx_boxes(
        source,
        vocabulary,
        question=question,
        topics=topics,
        hops=hops,
        relations=relations,
        similarity=similarity,
        whole_if_small=whole_if_small,
    )
