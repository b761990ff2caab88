"""The options that every kind of graph takes, named once."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from boxkit.converters.graph.embeddings import Similarity, TextEmbedding
    from boxkit.converters.graph.relations import Relations

__all__ = ["Options", "takes_graph_options"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a graph's boxes shall hold.

    Attributes:
        question: What will be asked.
        topics: IRIs, ids or labels of the entities it is about; found in the question where None.
        hops: How many steps from the topics the graph is followed, both ways.
        relations: All (None), the k most similar to the question (a whole number), those over a threshold of similarity
            (a float), or a list of IRIs or names.
        embedding: What measures that similarity: an embedding, the name of one (``"minilm"``), ``"words"`` for shared
            words, or ``"auto"``: MiniLM where its weights are on this machine, else shared words.
        similarity: A function of the question and texts in place of an embedding.
        hub: How many triples of one node, relation and direction are followed at the most; None for the default.
        schema: Whether classes, properties and the like make rows too.
        whole_if_small: Whether a graph of few triples and relations is taken whole although the question names topics:
            leaving rows out would shorten no prompt, and might make a count wrong.
    """

    question: str | None = None
    topics: Sequence[str] | None = None
    hops: int = 2
    relations: Relations = None
    embedding: str | TextEmbedding = "auto"
    similarity: Similarity | None = None
    hub: int | None = None
    schema: bool = False
    whole_if_small: bool = False

    def __post_init__(self) -> None:
        if self.hops < 1:
            raise ValueError(f"hops must be 1 or more, not {self.hops!r}")
        if self.hub is not None and self.hub < 1:
            raise ValueError(f"hub must be 1 or more, not {self.hub!r}")
        if isinstance(self.topics, str):
            raise TypeError(f"topics must be a list of texts, not the text {self.topics!r}")
        if isinstance(self.relations, (bool, str)):
            raise ValueError(
                f"relations must be None, a number, a threshold or a list of names, not {self.relations!r}"
            )


Convert = TypeVar("Convert", bound=Callable[..., Any])


def takes_graph_options(convert: Convert) -> Convert:
    """Show each of `Options` in the signature of a function that takes them as ``**options``.

    What loads several sources hands each option to the converters that name it.
    """
    own = inspect.signature(convert)
    kept = [each for each in own.parameters.values() if each.kind is not each.VAR_KEYWORD]
    shared = [each for name, each in inspect.signature(Options).parameters.items() if name not in own.parameters]
    convert.__signature__ = own.replace(parameters=[*kept, *shared])  # type: ignore[attr-defined]  # a function: inspect reads this attribute of it
    return convert
