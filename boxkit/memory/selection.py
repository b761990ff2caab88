"""Ways to choose demonstrations for a question."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from boxkit.memory.demonstration import Demonstration, question_key

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from boxkit.memory.embedding.protocol import Embedding
    from boxkit.memory.index import VectorIndex

__all__ = ["MODES", "Mode", "Selected", "Selection"]

Mode = Literal["similar", "diverse", "random"]

MODES: tuple[Mode, ...] = ("similar", "diverse", "random")

#: MMR: how much nearness to the question counts, against likeness to what is already chosen.
NEARNESS = 0.7


@dataclass(frozen=True, slots=True)
class Selected:
    """A demonstration chosen for a question.

    Attributes:
        demonstration: The demonstration.
        similarity: Of its question to the one asked; the cosine, in [-1, 1].
    """

    demonstration: Demonstration
    similarity: float


@dataclass(frozen=True, slots=True)
class Selection:
    """One way to choose, over one index."""

    index: VectorIndex
    embedding: Embedding
    mode: Mode
    seed: int = 0

    def choose(self, question: str, k: int, allowed: npt.NDArray[np.bool_] | None) -> list[tuple[int, float]]:
        """Positions and similarities, best first (in ``random``, in the order drawn)."""
        if self.mode not in MODES:
            raise ValueError(f"a way to select is one of {', '.join(MODES)}, not {self.mode!r}")
        if k <= 0 or not len(self.index):
            return []
        query = self.embedding.queries([question])
        if self.mode == "random":
            return self._random(question, query, k, allowed)
        if self.mode == "diverse":
            return self._diverse(query, k, allowed)
        return _pairs(*self.index.search(query, k, allowed))

    def _random(self, question: str, query: Any, k: int, allowed: Any) -> list[tuple[int, float]]:
        import numpy as np

        pool = range(len(self.index)) if allowed is None else np.flatnonzero(allowed).tolist()
        drawn = random.Random(f"{self.seed} {question_key(question)}").sample(pool, min(k, len(pool)))  # noqa: S311
        positions = np.asarray(drawn, dtype=np.int64)
        return _pairs(positions, self.index.at(positions) @ query[0]) if drawn else []

    def _diverse(self, query: Any, k: int, allowed: Any) -> list[tuple[int, float]]:
        """Maximal marginal relevance (Carbonell and Goldstein 1998) over the nearest 5 k."""
        import numpy as np

        positions, similarities = self.index.search(query, max(5 * k, 50), allowed)
        if not len(positions):
            return []
        vectors = self.index.at(positions)
        likeness = np.full(len(positions), -1.0, dtype=np.float32)
        chosen: list[int] = []
        while len(chosen) < min(k, len(positions)):
            worth = NEARNESS * similarities - (1 - NEARNESS) * np.maximum(likeness, 0)
            worth[chosen] = -np.inf
            best = int(np.argmax(worth))
            chosen.append(best)
            likeness = np.maximum(likeness, vectors @ vectors[best])
        return _pairs(positions[chosen], similarities[chosen])


def _pairs(positions: Any, similarities: Any) -> list[tuple[int, float]]:
    return list(zip(map(int, positions), map(float, similarities), strict=True))
