"""Demonstrations: verified question-code pairs, found by similarity."""

from __future__ import annotations

from boxkit.memory.demonstration import Demonstration, Verification
from boxkit.memory.drafted import Drafted
from boxkit.memory.embedding import Embedding, LexicalEmbedding, SentenceTransformerEmbedding
from boxkit.memory.memory import Memory
from boxkit.memory.selection import MODES, Selected

__all__ = [
    "MODES",
    "Demonstration",
    "Drafted",
    "Embedding",
    "LexicalEmbedding",
    "Memory",
    "Selected",
    "SentenceTransformerEmbedding",
    "Verification",
]
