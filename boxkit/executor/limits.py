"""What a run may use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from boxkit.bounds import LONGEST_S, MOST_MB, check_count, check_number

__all__ = ["ISOLATION_LEVELS", "Isolation", "Limits"]

#: ``full``: Landlock and seccomp. ``strict``: seccomp alone, no file system calls. ``weak``: a killed process only.
Isolation = Literal["full", "strict", "weak"]

ISOLATION_LEVELS: tuple[Isolation, ...] = ("full", "strict", "weak")


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run of generated code may use; what exceeds it is killed.

    Attributes:
        seconds: Wall clock.
        cpu_seconds: Processor time; ``seconds`` where None.
        memory_mb: Memory that the run may add to the boxes' own, in MiB.
        output_kb: Printed text kept, in KiB; the rest is cut and said to be.
        reply_mb: Size of the answer, in MiB.
        allow_weak: Whether to run where the machine cannot confine code (macOS, Windows, refused kernels).
    """

    seconds: float = 30.0
    memory_mb: int = 2048
    cpu_seconds: float | None = None
    output_kb: int = 64
    reply_mb: int = 256
    allow_weak: bool = False

    def __post_init__(self) -> None:
        check_number("seconds of Limits", self.seconds, most=LONGEST_S)
        if self.cpu_seconds is not None:
            check_number("cpu_seconds of Limits", self.cpu_seconds, most=LONGEST_S)
        for name in ("memory_mb", "output_kb", "reply_mb"):
            check_count(f"{name} of Limits", getattr(self, name), most=MOST_MB)
