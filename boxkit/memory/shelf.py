"""Demonstrations by position; those that come from a file stay text until they are asked for."""

from __future__ import annotations

import mmap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeAlias

from boxkit.errors import MemoryStoreError
from boxkit.memory.demonstration import Demonstration

__all__ = ["Shelf"]

#: Where a line starts and ends in the file.
Span: TypeAlias = tuple[int, int]


class Shelf:
    """A sequence of demonstrations.

    Args:
        items: Demonstrations, or where their lines stand in ``content``.
        content: The file's content.
        name: The file's name, for messages.
    """

    def __init__(
        self, items: Iterable[Demonstration | Span] = (), content: bytes | mmap.mmap = b"", name: str = ""
    ) -> None:
        self._items: list[Demonstration | Span] = list(items)
        self._content = content
        self._name = name

    def __len__(self) -> int:
        return len(self._items)

    def __getitem__(self, at: int) -> Demonstration:
        item = self._items[at]
        if isinstance(item, Demonstration):
            return item
        return _parsed(bytes(self._content[item[0] : item[1]]), f"{self._name}, byte {item[0]}")

    def __iter__(self) -> Iterator[Demonstration]:
        return (self[at] for at in range(len(self)))

    def line(self, at: int) -> bytes:
        """The demonstration as a line of JSON, without its line feed."""
        item = self._items[at]
        return item.to_line().encode() if isinstance(item, Demonstration) else bytes(self._content[item[0] : item[1]])

    def write(self, path: Path) -> None:
        """Write all lines to a file."""
        with path.open("wb") as file:
            file.writelines(self.line(at) + b"\n" for at in range(len(self)))

    def spans(self) -> tuple[list[int], list[int]]:
        """Where each line starts and ends in the file that `write` makes."""
        starts, ends, start = [], [], 0
        for at in range(len(self)):
            starts.append(start)
            ends.append(start + len(self.line(at)))
            start = ends[-1] + 1
        return starts, ends

    def append(self, demonstration: Demonstration) -> None:
        """Put one at the end."""
        self._items.append(demonstration)

    def take(self, positions: Sequence[int]) -> Shelf:
        """The shelf of those at some positions."""
        return Shelf([self._items[at] for at in positions], self._content, self._name)


def _parsed(line: bytes, where: str) -> Demonstration:
    try:
        return Demonstration.from_line(line.decode())
    except ValueError as error:  # Also what is no UTF-8.
        raise MemoryStoreError(f"not a demonstration: {error}", where=where) from None
