"""Frames on their way into a worker: written once into a sealed memory file, mapped privately by whoever gets it."""

from __future__ import annotations

import mmap
import os
from dataclasses import dataclass
from typing import Any

from boxkit.executor import codec

__all__ = ["Packed", "load", "pack"]

_ALIGNMENT = 64
_SEALS = 0x1 | 0x2 | 0x4 | 0x8  # no more seals, no shrinking, no growing, no writing
_ADD_SEALS = 1033


@dataclass(frozen=True, slots=True)
class Packed:
    """A frame in a memory file.

    Attributes:
        head: The codec's JSON.
        places: Start and length of each part in the file, in bytes.
        descriptor: The sealed file; whoever holds this object closes it.
        size: The file's length in bytes.
    """

    head: Any
    places: tuple[tuple[int, int], ...]
    descriptor: int
    size: int

    def close(self) -> None:
        """Give the memory back, as soon as no worker maps it any more."""
        os.close(self.descriptor)


def pack(frame: Any) -> Packed:
    """Write ``frame`` into a memory file.

    Raises:
        Unsupported: It holds a value that cannot be carried unchanged.
    """
    import fcntl  # not on Windows, where no frame is packed

    head, parts = codec.encode(frame)
    descriptor = os.memfd_create("boxkit", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        places, end = [], 0
        for part in parts:
            view = memoryview(part)
            end += -end % _ALIGNMENT
            places.append((end, view.nbytes))
            _write(descriptor, view.cast("B") if view.nbytes else b"", end)
            end += view.nbytes
        if end:
            os.ftruncate(descriptor, end)
        fcntl.fcntl(descriptor, _ADD_SEALS, _SEALS)
    except BaseException:
        os.close(descriptor)
        raise
    return Packed(head, tuple(places), descriptor, end)


def _write(descriptor: int, data: Any, offset: int) -> None:
    while len(data):
        written = os.pwrite(descriptor, data[: 1 << 30], offset)
        data, offset = data[written:], offset + written


def load(head: Any, places: list[list[int]], descriptor: int) -> Any:
    """The frame, as writable views over a private map of the file: a page that is written to is copied, here only."""
    size = os.fstat(descriptor).st_size
    if not size:
        return codec.decode(head, [bytearray() for _ in places])
    flags, access = mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE
    mapped = memoryview(mmap.mmap(descriptor, size, flags=flags, prot=access))
    return codec.decode(head, [mapped[start : start + length] for start, length in places])
