"""Two views of a question in one vector: its shape by the lexical embedding, its meaning by a sentence model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from boxkit.memory.embedding.lexical import LexicalEmbedding
from boxkit.memory.embedding.protocol import Embedding
from boxkit.memory.masking import mask

if TYPE_CHECKING:
    from boxkit.memory.embedding.protocol import Vectors

__all__ = ["PREFIX", "ShapedEmbedding"]

#: In front of the sentence model's name.
PREFIX = "shaped-1:"


class ShapedEmbedding:
    """Similarity is the mean of two cosines: of the shapes, and of the masked texts' meanings.

    A sentence model alone prefers questions on the same subject; the code of a demonstration is of use where it is of
    the same shape. docs/memory.md has the figures.

    Args:
        sentences: The sentence model.
    """

    def __init__(self, sentences: Embedding) -> None:
        self._sentences = sentences
        self._shapes = LexicalEmbedding()
        self.name = PREFIX + sentences.name

    @property
    def dimension(self) -> int:
        """Numbers a vector."""
        return self._shapes.dimension + self._sentences.dimension

    def documents(self, texts: Sequence[str]) -> Vectors:
        """Vectors of demonstrations' questions: (n, dimension) float32, L2-normalised."""
        return _joined(self._shapes.documents(texts), self._sentences.documents([mask(text) for text in texts]))

    def queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors of questions asked."""
        return _joined(self._shapes.queries(texts), self._sentences.queries([mask(text) for text in texts]))


def _joined(shapes: Vectors, meanings: Vectors) -> Vectors:
    import numpy as np

    from boxkit.memory.embedding.protocol import unit

    return unit(np.concatenate([shapes, meanings], axis=1))
