"""Threads for one piece of work, and turns of those that an event loop starts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import partial
from typing import ParamSpec, TypeVar
from weakref import WeakValueDictionary

__all__ = ["in_turn", "threads", "turns_in"]

P = ParamSpec("P")
T = TypeVar("T")

#: Seconds after which whoever has not come to an end yet is taken to wait for something.
_PATIENCE_S = 0.01
_POOL: ContextVar[ThreadPoolExecutor | None] = ContextVar("boxkit_pool", default=None)
#: By event loop, as long as someone computes or waits.
_TURNS: WeakValueDictionary[int, asyncio.Semaphore] = WeakValueDictionary()


async def in_turn(function: Callable[P, T], *arguments: P.args, **settings: P.kwargs) -> T:
    """Call it in a thread, when it is its turn: one after the other, or as soon as those before it wait.

    Python computes in one thread at a time. Several that want to pass it to and fro at each call to the system, which
    costs more than the work that a benchmark's question is.
    """
    loop = asyncio.get_running_loop()
    turn = _TURNS.setdefault(id(loop), asyncio.Semaphore())
    await turn.acquire()
    is_over = False

    def end() -> None:
        nonlocal is_over
        if not is_over:
            is_over = True
            turn.release()

    waits = loop.call_later(_PATIENCE_S, end)
    call = partial(copy_context().run, function, *arguments, **settings)
    try:
        return await loop.run_in_executor(_POOL.get(), call)
    finally:
        waits.cancel()
        end()


@contextmanager
def turns_in(pool: ThreadPoolExecutor) -> Iterator[None]:
    """What is called `in_turn` meanwhile is called in that pool, rather than in the event loop's own.

    An event loop waits at its end for all that runs in its own.
    """
    token = _POOL.set(pool)
    try:
        yield
    finally:
        _POOL.reset(token)


@contextmanager
def threads(most: int, name: str = "boxkit") -> Iterator[ThreadPoolExecutor]:
    """A pool of so many threads at the most; whoever leaves it waits for them, but not on Ctrl-C.

    One of them may wait for a model, for minutes, and nobody wants its reply any more.
    """
    pool = ThreadPoolExecutor(most, thread_name_prefix=name)
    try:
        yield pool
    except Exception:
        pool.shutdown()
        raise
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    pool.shutdown()
