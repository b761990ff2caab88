"""Memory that Arrow takes while a table is read, and gives back as it is freed."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

__all__ = ["frugal_memory"]


@dataclass(slots=True)
class _Readers:
    """How many read so now, and the pool that there was before."""

    count: int = 0
    before: Any = None


_lock = threading.Lock()
_readers = _Readers()


@contextmanager
def frugal_memory() -> Iterator[Any]:
    """Arrow takes its memory from the system's pool, which is given; `release_unused` of that gives freed memory back.

    Arrow's usual pool is as quick, but keeps some tens of megabytes for later, beside the finished columns.
    """
    import pyarrow as pa

    pool = pa.system_memory_pool()
    with _lock:
        if not _readers.count:
            _readers.before = pa.default_memory_pool()
            pa.set_memory_pool(pool)
        _readers.count += 1
    try:
        yield pool
    finally:
        with _lock:
            _readers.count -= 1
            if not _readers.count:
                pa.set_memory_pool(_readers.before)
        pool.release_unused()
