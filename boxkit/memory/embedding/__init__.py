"""Embeddings: lexical with no model, sentence-transformers, packaged weights, or a server."""

from __future__ import annotations

from boxkit.memory.embedding.choice import default_embedding, embedding_named
from boxkit.memory.embedding.lexical import LexicalEmbedding
from boxkit.memory.embedding.protocol import Embedding
from boxkit.memory.embedding.transformer import SentenceTransformerEmbedding

__all__ = [
    "Embedding",
    "LexicalEmbedding",
    "SentenceTransformerEmbedding",
    "default_embedding",
    "embedding_named",
]
