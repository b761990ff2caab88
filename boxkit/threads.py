"""Threads for one piece of work."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

__all__ = ["threads"]


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
