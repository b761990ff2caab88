"""Demonstrations by position; those that come from a file stay text until they are asked for."""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Sequence
from pathlib import Path

from boxkit.errors import MemoryStoreError
from boxkit.memory.demonstration import Demonstration

__all__ = ["Shelf"]


class Shelf:
    """A sequence of demonstrations.

    Args:
        content: A file's lines.
        spans: Where each line starts and ends in ``content``.
        name: The file's name, for messages.
    """

    def __init__(
        self, content: bytes | mmap.mmap = b"", spans: tuple[Sequence[int], Sequence[int]] = ((), ()), name: str = ""
    ) -> None:
        self._content = content
        self._starts, self._ends = spans
        self._name = name
        # A number stands for that line of the file.
        self._items: list[Demonstration | int] = list(range(len(self._starts)))
        self._written: list[int] = []

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, at: int) -> Demonstration:
        item = self._items[at]
        if isinstance(item, Demonstration):
            return item
        return _parsed(self.line(at), f"{self._name}, byte {self._starts[item]}")

    def __iter__(self) -> Iterator[Demonstration]:
        return (self[at] for at in range(len(self)))

    def line(self, at: int) -> bytes:
        """The demonstration as a line of JSON, without its line feed."""
        item = self._items[at]
        if isinstance(item, Demonstration):
            return item.to_line().encode()
        return bytes(self._content[self._starts[item] : self._ends[item]])

    def write(self, path: Path) -> None:
        """Write all lines to a file."""
        self._written = []
        with path.open("wb") as file:
            for at in range(len(self)):
                self._written.append(file.write(self.line(at) + b"\n"))

    @property
    def written(self) -> list[int]:
        """The length of each line that `write` last wrote, in bytes, its line feed included."""
        return self._written

    def append(self, demonstration: Demonstration) -> None:
        """Put one at the end."""
        self._items.append(demonstration)

    def take(self, positions: Sequence[int]) -> Shelf:
        """The shelf of those at some positions."""
        taken = Shelf(self._content, (self._starts, self._ends), self._name)
        taken._items = [self._items[at] for at in positions]
        return taken


def _parsed(line: bytes, where: str) -> Demonstration:
    try:
        return Demonstration.from_line(line.decode())
    except ValueError as error:  # Also what is no UTF-8.
        raise MemoryStoreError(f"not a demonstration: {error}", where=where) from None
