"""A coroutine function for callers without an event loop, or with one that is busy with them."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec, TypeVar

from boxkit.threads import threads

__all__ = ["blocking"]

P = ParamSpec("P")
T = TypeVar("T")


def blocking(function: Callable[P, Coroutine[Any, Any, T]], name: str) -> Callable[P, T]:
    """The same for callers without an event loop, or with one that is busy with them: a notebook's cell."""

    @functools.wraps(function)
    def called(*arguments: P.args, **settings: P.kwargs) -> T:
        if not _loop_is_running():
            return asyncio.run(function(*arguments, **settings))
        under_way: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any] | None]] = []

        async def run() -> T:
            under_way.append((asyncio.get_running_loop(), asyncio.current_task()))
            return await function(*arguments, **settings)

        with threads(1, "boxkit-evaluate") as pool:
            done = pool.submit(lambda: asyncio.run(run()))
            try:
                return done.result()
            except BaseException:
                for loop, task in under_way if not done.done() else ():  # Ctrl-C: nothing more is asked
                    if task is not None:
                        loop.call_soon_threadsafe(task.cancel)
                raise

    called.__name__ = called.__qualname__ = name
    return called


def _loop_is_running() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
