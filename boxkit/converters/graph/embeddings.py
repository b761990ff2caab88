"""What compares relations with a question: an embedding, one's own or by name, or the words that they share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, Protocol, TypeAlias, cast

from boxkit.errors import MissingExtra, ModelNotFound

__all__ = ["Comparison", "Similarity", "TextEmbedding", "comparison"]

#: From a question and texts to a number each; greater is more similar. Must be deterministic.
Similarity: TypeAlias = Callable[[str, Sequence[str]], Sequence[float]]

#: Who knows embeddings by name. Written as text and looked up when a name is given: converters need no memory.
NAMES = "boxkit.memory.embedding"

#: The embedding of ``"auto"``, where its weights are on this machine: small enough for thousands of relations.
BY_DEFAULT = "minilm"


class TextEmbedding(Protocol):
    """Texts in, unit vectors out, as `boxkit.memory.Embedding`."""

    @property
    def name(self) -> str:
        """The model's name."""
        ...

    def documents(self, texts: Sequence[str]) -> Any:
        """Vectors of what is searched: (n, dimension) float32, L2-normalised."""
        ...

    def queries(self, texts: Sequence[str]) -> Any:
        """Vectors of what is searched for; shape and norm as `documents`."""
        ...


@dataclass(frozen=True, slots=True)
class Comparison:
    """A measure of likeness and what to call it.

    Attributes:
        scores: From a question and texts to a number each.
        name: As notes have it.
    """

    scores: Similarity
    name: str


def comparison(embedding: str | TextEmbedding, similarity: Similarity | None = None) -> Comparison:
    """How relations are compared with a question.

    Args:
        embedding: An embedding; the name of one (``"minilm"``, ``"bge-large"``, ``"lexical"``, a sentence-transformers
            model's, ``"openai:MODEL"``); ``"words"`` for shared words; or ``"auto"``: MiniLM where its weights are on
            this machine, else shared words. Nothing is ever downloaded.
        similarity: A function in place of an embedding.

    Raises:
        ValueError: The name is none.
        MissingExtra: What the named embedding needs is not installed.
    """
    if similarity is not None:
        return Comparison(similarity, "the similarity given")
    if isinstance(embedding, str):
        if embedding == "words":
            return _by_words()
        found = _here() if embedding == "auto" else _named(embedding)
        return _by_words() if found is None else _by_cosine(found)
    if not (hasattr(embedding, "documents") and hasattr(embedding, "queries")):
        raise TypeError(f"an embedding has documents() and queries(), which this {type(embedding).__name__} has not")
    return _by_cosine(embedding)


def _by_words() -> Comparison:
    from boxkit.converters.graph.relations import lexical_similarity

    return Comparison(lexical_similarity, "shared words")


def _by_cosine(embedding: TextEmbedding) -> Comparison:
    def scores(question: str, texts: Sequence[str]) -> Sequence[float]:
        # Rounded: sums of floats differ in their last bits from machine to machine, and ties must not.
        cosines = embedding.documents(texts) @ embedding.queries([question])[0]
        return [round(float(each), 5) for each in cosines]

    return Comparison(scores, str(getattr(embedding, "name", type(embedding).__name__)).rsplit("/", 1)[-1])


def _named(name: str) -> TextEmbedding:
    return cast(TextEmbedding, import_module(NAMES).embedding_named(name))


@cache
def _here() -> TextEmbedding | None:
    """The embedding of ``"auto"``; None where this machine cannot run it."""
    try:
        found = _named(BY_DEFAULT)
        found.queries(["what"])
    except (MissingExtra, ModelNotFound):
        return None
    return found
