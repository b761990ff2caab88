"""Which layers of confinement a worker has, and the level of isolation that they add up to."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import cache
from typing import Any

from boxkit.executor.limits import Isolation

__all__ = ["Layers", "available"]


@dataclass(frozen=True, slots=True)
class Layers:
    """The layers that a worker applies; all that the machine has, unless a test takes some away.

    Attributes:
        landlock: Files can be read only in the folders of the standard library and the packages.
        seccomp: System calls are allowed from a list.
        namespaces: The worker has its own users, processes, network, IPC and mounts.
        rlimits: Memory, processor time and file sizes are bounded by the kernel.
        preloaded: No file system call passes at all; what code may need is imported beforehand.
        forks: Runs are forked from a process that holds the frames; else each has a fresh process.
    """

    landlock: bool = True
    seccomp: bool = True
    namespaces: bool = True
    rlimits: bool = True
    preloaded: bool = False
    forks: bool = True

    @property
    def level(self) -> Isolation:
        """``full``, ``strict`` or ``weak``."""
        if not (self.seccomp and self.forks):
            return "weak"
        return "full" if self.landlock else "strict" if self.preloaded else "weak"

    def to_json(self) -> dict[str, bool]:
        """As a worker is told."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, state: dict[str, Any]) -> Layers:
        """The same, read back."""
        return cls(**{each.name: bool(state[each.name]) for each in dataclasses.fields(cls)})


@cache
def available(wanted: Layers = Layers()) -> tuple[Layers, tuple[str, ...]]:
    """Those of ``wanted`` that this machine has, and in words why others are missing."""
    from boxkit.executor import kernel, landlock, seccomp

    if not kernel.supported():
        reason = f"confinement needs Linux on x86-64 or aarch64; this is {kernel.description()}"
        return Layers(False, False, False, wanted.rlimits, forks=False), (reason,)
    reasons = []
    has_seccomp = seccomp.available()
    if not has_seccomp:
        reasons.append("the kernel has no seccomp filters")
    version = landlock.abi()
    if version < landlock.MINIMUM_ABI:
        found = f"is version {version}" if version else "is missing or switched off"
        reasons.append(f"Landlock {found}; version {landlock.MINIMUM_ABI} is needed (Linux 6.2)")
    has_landlock = version >= landlock.MINIMUM_ABI
    layers = dataclasses.replace(
        wanted,
        landlock=wanted.landlock and has_landlock,
        seccomp=wanted.seccomp and has_seccomp,
        preloaded=wanted.preloaded or not has_landlock,
        forks=wanted.forks and has_seccomp,
    )
    return layers, tuple(reasons)
