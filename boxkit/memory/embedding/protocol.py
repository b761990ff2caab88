"""What an embedding is to a memory: texts in, unit vectors out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vectors: TypeAlias = npt.NDArray[np.float32]

__all__ = ["Embedding", "unit"]


@runtime_checkable
class Embedding(Protocol):
    """Turns texts into vectors whose inner product is their similarity.

    The same name always means the same vectors, on every machine: it is what a memory's manifest records.
    """

    @property
    def name(self) -> str:
        """The model's name and, where its vectors have changed, a version."""
        ...

    @property
    def dimension(self) -> int:
        """Numbers a vector."""
        ...

    def documents(self, texts: Sequence[str]) -> Vectors:
        """Vectors of what is searched: (n, dimension) float32, L2-normalised."""
        ...

    def queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors of what is searched for; some models want a prefix on these. Shape and norm as `documents`."""
        ...


def unit(vectors: Any) -> Vectors:
    """The rows as float32 of length 1; a row of zeros stays."""
    import numpy as np

    array = np.ascontiguousarray(vectors, dtype=np.float32)
    lengths = np.linalg.norm(array, axis=1, keepdims=True)
    return np.ascontiguousarray(array / np.where(lengths > 0, lengths, 1), dtype=np.float32)
