"""The outcome of one run of generated code."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from boxkit.executor.limits import Isolation
from boxkit.failure import Failure

__all__ = ["Run"]


@dataclass(frozen=True, slots=True)
class Run:
    """What came of one run.

    Attributes:
        answer: The value of ``answer``, else of the last expression; None on failure.
        error: Why there is no answer; None where there is one.
        empty: Where the answer is empty (no rows, or nothing but missing values): the failure, of kind ``"empty"``,
            that this is for a caller who calls it one (`Profile.empty_is_error`), with the values that do exist where
            a filter left nothing. ``error`` stays None.
        stdout: What was printed, cut at the limit and then saying so.
        figures: The open matplotlib figures, as PNG bytes.
        seconds: Wall clock from the start of the code to its end.
        peak_memory_mb: The most that the run added, in MiB.
        isolation: How it was confined.
        boxes: The names of the boxes that were sent for it.
    """

    answer: Any = None
    error: Failure | None = None
    empty: Failure | None = None
    stdout: str = ""
    figures: tuple[bytes, ...] = ()
    seconds: float = 0.0
    peak_memory_mb: float = 0.0
    isolation: Isolation = "weak"
    boxes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether there is an answer."""
        return self.error is None
