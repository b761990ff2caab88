"""A memory that is told, for each question, what a program that answers it may look like."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from boxkit.box import BoxSet
    from boxkit.memory.memory import Memory
    from boxkit.memory.selection import Mode, Selected

__all__ = ["Drafted"]


@dataclass(frozen=True, slots=True)
class Drafted:
    """A memory for ``Pandora(…, select="masked")``: demonstrations whose code is like a draft's gain.

    Attributes:
        memory: Where demonstrations come from.
        draft: Gives a draft's code for a question and its boxes, as a planner or a smaller model would write it; empty
            where it has none.

    >>> from boxkit.memory import Demonstration, Memory
    >>> memory = Memory([Demonstration("", "How many lamps are there?", "", "", "answer = len(lamp)")], "lexical")
    >>> drafted = Drafted(memory, lambda question, boxes: "answer = len(door)")
    >>> drafted.select("How many doors are there?", mode="masked")[0].demonstration.code
    'answer = len(lamp)'
    """

    memory: Memory
    draft: Callable[[str, BoxSet | None], str]

    def select(
        self, question: str, k: int = 10, mode: Mode | str = "similar", *, boxes: BoxSet | None = None
    ) -> list[Selected]:
        """See `Memory.select`; the draft is asked for in the mode that heeds it alone."""
        draft = self.draft(question, boxes) if mode == "masked" else ""
        return self.memory.select(question, k, mode, boxes=boxes, draft=draft or None)
