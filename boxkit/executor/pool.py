"""All workers of this process: one nursery, a zygote for each BoxSet in use, one memory budget, gone at exit."""

from __future__ import annotations

import atexit
import contextlib
import os
import threading
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field

from boxkit.executor import frames
from boxkit.executor.launch import Nursery
from boxkit.executor.layers import Layers
from boxkit.executor.session import Session

__all__ = ["Pool", "Shelf", "pool"]

_MAX_SESSIONS = 8


@dataclass(slots=True)
class Shelf:
    """The packed frames of one BoxSet, kept so that a zygote can be started anew, and the zygote that has them.

    Attributes:
        packed: Frames by key.
        readable: Files that its runs may read besides the usual.
        standby: Whether its zygote keeps a child ready.
    """

    readable: tuple[str, ...] = ()
    standby: bool = True
    packed: dict[str, frames.Packed] = field(default_factory=dict)
    session: Session | None = None
    users: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def close(self) -> None:
        """End the zygote and give the memory back."""
        if self.session is not None:
            self.session.close()
        for packed in self.packed.values():
            packed.close()
        self.packed.clear()


class Pool:
    """The workers of one process.

    Args:
        layers: The layers of confinement wanted.
        memory_mb: What all runs at once may use, in MiB.
    """

    def __init__(self, layers: Layers = Layers(), memory_mb: int | None = None) -> None:
        self.layers = layers
        self.owner = os.getpid()
        self._memory_mb = memory_mb or _three_quarters_of_memory()
        self._free_mb = self._memory_mb
        self._room = threading.Condition()
        self._lock = threading.RLock()
        self._nursery: Nursery | None = None
        self._shelves: OrderedDict[str, Shelf] = OrderedDict()

    def nursery(self) -> Nursery:
        """The running nursery, started if need be."""
        with self._lock:
            if self._nursery is not None and not self._nursery.alive:
                self._nursery.close()
                self._nursery = None
            if self._nursery is None:
                self._nursery = Nursery.start(self.layers)
            nursery = self._nursery
        return nursery.ready()  # without the lock: who closes the pool does not wait for this

    @contextlib.contextmanager
    def shelf(self, key: str | None, readable: tuple[str, ...] = ()) -> Iterator[Shelf]:
        """The shelf of that key, kept for the next time; one for this time only where None."""
        if key is None:
            shelf = Shelf(readable, standby=False)
            try:
                yield shelf
            finally:
                shelf.close()
            return
        with self._lock:
            shelf = self._shelves.setdefault(key, Shelf(readable))
            self._shelves.move_to_end(key)
            shelf.users += 1
            self._trim()
        try:
            yield shelf
        finally:
            with self._lock:
                shelf.users -= 1

    def _trim(self) -> None:
        idle = [key for key, shelf in self._shelves.items() if not shelf.users]
        for key in idle[: max(0, len(self._shelves) - _MAX_SESSIONS)]:
            self._shelves.pop(key).close()

    @contextlib.contextmanager
    def memory(self, wanted_mb: int) -> Iterator[None]:
        """Wait until there is room for a run of that size; one that is larger than all there is runs alone."""
        share = min(wanted_mb, self._memory_mb)
        with self._room:
            self._room.wait_for(lambda: self._free_mb >= share)
            self._free_mb -= share
        try:
            yield
        finally:
            with self._room:
                self._free_mb += share
                self._room.notify_all()

    def close(self) -> None:
        """End every worker of this process."""
        with self._lock:
            while self._shelves:
                self._shelves.popitem()[1].close()
            if self._nursery is not None:
                self._nursery.close()
                self._nursery = None

    def abandon(self) -> None:
        """Let go of workers that belong to the process this one was forked from."""
        for shelf in self._shelves.values():
            if shelf.session is not None:
                shelf.session.control.close()
            for packed in shelf.packed.values():
                packed.close()
        if self._nursery is not None:
            self._nursery.abandon()


def _three_quarters_of_memory() -> int:
    try:
        return int(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * 3 // 4 >> 20)
    except (ValueError, OSError, AttributeError):
        return 4096


_pools: dict[Layers, Pool] = {}
_lock = threading.Lock()


def pool(layers: Layers = Layers()) -> Pool:
    """This process's pool of workers that apply these layers."""
    with _lock:
        if layers not in _pools:
            _pools[layers] = Pool(layers)
        return _pools[layers]


def _after_fork() -> None:
    """A forked process starts workers of its own: the sockets it inherited are its parent's."""
    global _lock
    _lock = threading.Lock()
    for each in _pools.values():
        each.abandon()
    _pools.clear()


@atexit.register
def _close_all() -> None:
    for each in list(_pools.values()):
        if each.owner == os.getpid():
            each.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
