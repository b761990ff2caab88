"""Where code of one's own meets a run: what it raises, or has spent, ends or hangs nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import TypeVar

from boxkit.answer import Usage
from boxkit.evaluation.records import in_own_numbers

__all__ = ["all_of", "is_cancelled", "without_stop"]

T = TypeVar("T")


def without_stop(function: Callable[[], T]) -> T:
    """What a function gives; a `StopIteration` passes through no future, and whoever awaits it would wait for ever."""
    try:
        return function()
    except StopIteration as error:
        raise RuntimeError("StopIteration") from error


def is_cancelled() -> bool:
    """Whether the run itself is to end; else a cancellation is something that a strategy ended in."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def all_of(usages: Iterable[Usage]) -> Usage:
    """What all of them cost together."""
    return in_own_numbers(sum(usages, Usage()))
