"""Ways to choose demonstrations for a question."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from boxkit.memory.demonstration import Demonstration, question_key
from boxkit.memory.masking import likeness, skeleton

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from boxkit.memory.embedding.protocol import Vectors
    from boxkit.memory.index import VectorIndex

__all__ = ["MODES", "Mode", "Selected", "Selection", "check_mode"]

Mode = Literal["similar", "masked", "diverse", "random"]

MODES: tuple[Mode, ...] = ("similar", "masked", "diverse", "random")

#: MMR: how much nearness to the question counts, against likeness to what is already chosen.
NEARNESS = 0.7

#: With a draft program: how much its skeleton counts, against the masked question.
SKELETON = 0.5


@dataclass(frozen=True, slots=True)
class Selected:
    """A demonstration chosen for a question.

    Attributes:
        demonstration: The demonstration.
        similarity: Of its question to the one asked: the cosine, in [-1, 1]. With a draft, the mean of the cosine and
            the skeletons' likeness.
    """

    demonstration: Demonstration
    similarity: float


def check_mode(mode: str) -> None:
    """Refuse an unknown mode by name."""
    if mode not in MODES:
        raise ValueError(f"a way to select is one of {', '.join(MODES)}, not {mode!r}")


@dataclass(frozen=True, slots=True)
class Selection:
    """One choice over one index.

    Attributes:
        index: The vectors, by position.
        query: The question's vector, (1, dimension).
        k: How many at most.
        allowed: Which positions may be chosen; None for all.
    """

    index: VectorIndex
    query: Vectors
    k: int
    allowed: npt.NDArray[np.bool_] | None

    def similar(self) -> list[tuple[int, float]]:
        """The nearest, best first."""
        return _pairs(*self.index.search(self.query, self.k, self.allowed))

    def drafted(self, draft: str, code: Callable[[int], str]) -> list[tuple[int, float]]:
        """Of the nearest 30 k, those that are also most like a draft program.

        DAIL-SQL (Gao et al. 2024, section 4.2) shows that a second key of this sort gains 2 to 3 points. The numbers
        were chosen by benchmarks/planner.py, `drafts --queries train`.
        """
        positions, similarities = self.index.search(self.query, max(30 * self.k, 300), self.allowed)
        own = skeleton(draft)
        scored = [
            ((1 - SKELETON) * similarity + SKELETON * likeness(own, _known_skeleton(code(position))), position)
            for position, similarity in _pairs(positions, similarities)
        ]
        best = sorted(scored, key=lambda each: (-each[0], each[1]))[: self.k]
        return [(position, score) for score, position in best]

    def random(self, question: str, seed: int) -> list[tuple[int, float]]:
        """Drawn by the seed and the question alone, in the order drawn."""
        import numpy as np

        pool = range(len(self.index)) if self.allowed is None else np.flatnonzero(self.allowed).tolist()
        drawn = random.Random(f"{seed} {question_key(question)}").sample(pool, min(self.k, len(pool)))  # noqa: S311 - a sample, no secret
        if not drawn:
            return []
        positions = np.asarray(drawn, dtype=np.int64)
        return _pairs(positions, self.index.at(positions) @ self.query[0])

    def diverse(self) -> list[tuple[int, float]]:
        """Maximal marginal relevance (Carbonell and Goldstein 1998) over the nearest 5 k, in the order chosen."""
        import numpy as np

        positions, similarities = self.index.search(self.query, max(5 * self.k, 50), self.allowed)
        if not len(positions):
            return []
        vectors = self.index.at(positions)
        nearest = np.zeros(len(positions), dtype=np.float32)
        chosen: list[int] = []
        while len(chosen) < min(self.k, len(positions)):
            worth = NEARNESS * similarities - (1 - NEARNESS) * nearest
            worth[chosen] = -np.inf
            best = int(np.argmax(worth))
            chosen.append(best)
            nearest = np.maximum(nearest, vectors @ vectors[best])
        return _pairs(positions[chosen], similarities[chosen])


@lru_cache(maxsize=4096)
def _known_skeleton(code: str) -> Counter[str]:
    """A demonstration's skeleton, which the next question asks for again; not to be changed."""
    return skeleton(code)


def _pairs(positions: Any, similarities: Any) -> list[tuple[int, float]]:
    return list(zip(map(int, positions), map(float, similarities), strict=True))
