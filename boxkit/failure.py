"""A failure of generated code: a value, fed back to the model and counted; never an exception of boxkit's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["FAILURE_KINDS", "Failure", "FailureKind"]

FailureKind = Literal[
    "no code",
    "syntax",
    "policy",
    "exception",
    "no answer",
    "wrong shape",
    "empty",
    "timeout",
    "memory",
    "too large",
    "refused",
    "crashed",
    "unsupported",
    "model",
    "abstained",
]

#: Every kind, in the order in which an attempt can meet them.
FAILURE_KINDS: tuple[FailureKind, ...] = FailureKind.__args__  # type: ignore[attr-defined]  # typeshed knows no __args__ of a Literal


@dataclass(frozen=True, slots=True)
class Failure:
    """Why one attempt gave no answer.

    Attributes:
        kind: One of `FAILURE_KINDS`.
        message: One or two sentences for people.
        type: The exception's class name where there was one (``"KeyError"``).
        line: The line of the generated code, from 1; None where no line is to blame.
        source: That line's text.
        hint: What to do instead: the nearest names, the cast, the values that do exist.
        state: The frames and values that the code had made so far: shape, dtypes, three rows each.
        stdout: What was printed before.
    """

    kind: FailureKind
    message: str
    type: str = ""
    line: int | None = None
    source: str = ""
    hint: str = ""
    state: str = ""
    stdout: str = ""

    def __str__(self) -> str:
        return self.message

    def feedback(self) -> str:
        """The same for a model: everything that helps it to write the next attempt."""
        parts = [f"{self.kind}: {self.message}"]
        if self.line is not None:
            parts.append(f"line {self.line}: {self.source.strip()}")
        if self.hint:
            parts.append(f"hint: {self.hint}")
        if self.state:
            parts.append(f"state so far:\n{self.state}")
        if self.stdout:
            parts.append(f"printed:\n{self.stdout}")
        return "\n".join(parts)
