"""The shapes of verified demonstrations: they tell apart readings of a question that cost about the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from boxkit.box import BoxSet
from boxkit.strategies.pandora import Chosen

__all__ = ["REACH", "SHOWN", "Remembered", "Similar", "likeliest"]

#: How many demonstrations are looked at.
SHOWN = 5
#: With demonstrations, readings that cost up to this more than the best one are candidates too.
REACH = 0.12
#: A demonstration of a question less like the one asked tells nothing.
_LIKE = 0.5
#: How much more one reading's shape must be like a demonstration's than the next one's.
_AHEAD = 0.1


class Similar(Chosen, Protocol):
    """A demonstration and how near its question is."""

    @property
    def similarity(self) -> float:
        """How near, at most 1."""
        ...


class Remembered(Protocol):
    """What the Planner asks of a memory; `boxkit.Memory` is one."""

    def select(
        self, question: str, k: int = 10, mode: str = "similar", *, boxes: BoxSet | None = None
    ) -> Sequence[Similar]:
        """Up to ``k`` demonstrations, best first; never the question's own."""
        ...


def likeliest(codes: Sequence[str], shown: Sequence[Similar]) -> int | None:
    """Which of several programs has the shape of a similar question's verified one; None where that does not tell.

    Args:
        codes: The programs that the readings come to.
        shown: The nearest demonstrations.
    """
    from boxkit.memory.masking import likeness, skeleton

    shapes = [(skeleton(each.demonstration.code), each.similarity) for each in shown if each.similarity >= _LIKE]
    if len(codes) < 2 or not shapes:
        return None
    scored = [
        (max(similarity * likeness(shape, skeleton(code)) for shape, similarity in shapes), -at)
        for at, code in enumerate(codes)
    ]
    (first, at), (second, _) = sorted(scored, reverse=True)[:2]
    return -at if first >= second + _AHEAD else None
