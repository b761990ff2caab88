"""What `boxkit doctor` says of the sandbox: how generated code is confined here, and how long a run takes."""

from __future__ import annotations

import time
from dataclasses import dataclass

from boxkit.executor.execute import execute
from boxkit.executor.layers import Layers, available
from boxkit.executor.limits import Isolation, Limits
from boxkit.executor.pool import pool

__all__ = ["Examination", "examine"]


@dataclass(frozen=True, slots=True)
class Examination:
    """The sandbox as it is on this machine.

    Attributes:
        level: How generated code is confined.
        layers: The layers of confinement in use, by name.
        reasons: Why others are missing; empty where nothing is.
        first_s: Seconds that a first run takes, the start of the worker included.
        next_s: Seconds that a run takes from then on.
        problem: Why no run succeeded; empty where one did.
    """

    level: Isolation
    layers: tuple[str, ...]
    reasons: tuple[str, ...]
    first_s: float
    next_s: float
    problem: str = ""


def examine() -> Examination:
    """Make two runs and look at them.

    Raises:
        ExecutorError: The sandbox itself is broken.
    """
    pool().close()
    seconds, problem = [], ""
    for _ in range(2):
        started = time.perf_counter()
        run = execute("1 + 1", {}, limits=Limits(allow_weak=True))
        seconds.append(time.perf_counter() - started)
        problem = problem or (run.error.message if run.error else "")
    has, reasons = available()
    if has.forks:
        nursery = pool().nursery()
        has, reasons = nursery.layers, nursery.reasons
    return Examination(has.level, _names(has), reasons, seconds[0], seconds[1], problem)


def _names(layers: Layers) -> tuple[str, ...]:
    return tuple(name for name in ("landlock", "seccomp", "namespaces", "rlimits") if getattr(layers, name))
