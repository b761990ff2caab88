"""Which embedding a memory uses where the user names none, and what a name means."""

from __future__ import annotations

from boxkit.memory.embedding.lexical import LexicalEmbedding
from boxkit.memory.embedding.protocol import Embedding

__all__ = ["default_embedding", "embedding_named"]


def default_embedding() -> Embedding:
    """The best embedding that needs no download."""
    return LexicalEmbedding()


def embedding_named(name: str) -> Embedding:
    """The embedding of that name.

    Raises:
        ValueError: No embedding has that name.
    """
    if name in ("lexical", LexicalEmbedding.name):
        return LexicalEmbedding()
    raise ValueError(f"no embedding is named {name!r}")
