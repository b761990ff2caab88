"""One writer at a time in a folder; the lock is the operating system's, so a killed writer leaves none behind."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

__all__ = ["only_writer"]


@contextlib.contextmanager
def only_writer(folder: Path) -> Iterator[None]:
    """Wait until no other process writes in ``folder``, and keep others waiting meanwhile."""
    with (folder / ".lock").open("ab") as file:
        _lock(file)
        try:
            yield
        finally:
            _unlock(file)


def _lock(file: IO[Any]) -> None:
    try:
        import fcntl
    except ImportError:
        import msvcrt

        msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)  # type: ignore[attr-defined]
    else:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX)


def _unlock(file: IO[Any]) -> None:
    try:
        import fcntl
    except ImportError:
        import msvcrt

        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)  # type: ignore[attr-defined]
    else:
        fcntl.flock(file.fileno(), fcntl.LOCK_UN)
