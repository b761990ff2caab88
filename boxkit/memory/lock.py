"""One writer and one learner at a time in a folder; the locks are the operating system's: a kill leaves none behind."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from boxkit.errors import MemoryStoreError

__all__ = ["LEARNING", "only_learner", "only_writer"]

#: The file that a learning run locks.
LEARNING = ".learning.lock"


@contextlib.contextmanager
def only_writer(folder: Path) -> Iterator[None]:
    """Wait until no other process writes in ``folder``, and keep others waiting meanwhile."""
    with (folder / ".lock").open("ab") as file:
        _lock(file)
        try:
            yield
        finally:
            _unlock(file)


@contextlib.contextmanager
def only_learner(folder: Path) -> Iterator[None]:
    """Keep other processes from learning into ``folder`` meanwhile.

    Raises:
        MemoryStoreError: One does already.
    """
    with (folder / LEARNING).open("ab") as file:
        try:
            _lock(file, wait=False)
        except OSError:
            hint = "wait until it is done, or learn into another folder"
            raise MemoryStoreError("another run is learning into this folder", where=str(folder), hint=hint) from None
        try:
            yield
        finally:
            _unlock(file)


def _lock(file: IO[Any], *, wait: bool = True) -> None:
    try:
        import fcntl
    except ImportError:
        import msvcrt

        msvcrt.locking(file.fileno(), msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]  # Windows only
    else:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))


def _unlock(file: IO[Any]) -> None:
    try:
        import fcntl
    except ImportError:
        import msvcrt

        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)  # type: ignore[attr-defined]  # Windows only
    else:
        fcntl.flock(file.fileno(), fcntl.LOCK_UN)
