"""A reply as it comes in: bytes that nobody vouches for, taken apart without trusting one of them."""

from __future__ import annotations

import json
from typing import Any

from boxkit.executor.claims import CorruptValue

__all__ = ["Incoming", "TooLarge"]

_LENGTH = 8
_MAX_DIGITS = 20
_MAX_PARTS = 100_000
_MAX_HEAD_ITEMS = 5_000_000  # a few bytes of JSON become a hundred in memory


class TooLarge(Exception):
    """The reply is larger than the limit allows."""


class Incoming:
    """Gathers a reply chunk by chunk.

    Args:
        limit: The most bytes it may have.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._bytes = bytearray()
        self._needed: int | None = None
        self._head_end = 0
        self._sizes: list[int] = []
        self.head: dict[str, Any] = {}

    @property
    def complete(self) -> bool:
        """Whether all that the head promises is there."""
        return self._needed is not None and len(self._bytes) >= self._needed

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes.

        Raises:
            TooLarge: The reply is, or says it will be, over the limit.
            CorruptValue: Its head is not one.
        """
        self._bytes += chunk
        if len(self._bytes) > self._limit:
            raise TooLarge
        if self._needed is None and len(self._bytes) >= _LENGTH:
            length = int.from_bytes(self._bytes[:_LENGTH], "little")
            if length > self._limit:
                raise TooLarge
            if len(self._bytes) >= _LENGTH + length:
                self._head_end = _LENGTH + length
                self._read_head()

    def _read_head(self) -> None:
        self.head = parse(self._bytes[_LENGTH : self._head_end])
        sizes = self.head.get("parts")
        if type(sizes) is not list or len(sizes) > _MAX_PARTS:
            raise CorruptValue("a reply without parts")
        if any(type(size) is not int or size < 0 for size in sizes):
            raise CorruptValue("a part of no size")
        self._sizes = sizes
        self._needed = self._head_end + sum(sizes)
        if self._needed > self._limit:
            raise TooLarge

    def parts(self) -> list[bytearray]:
        """The parts, each in memory of its own, which arrays may keep and write to."""
        found, at = [], self._head_end
        for size in self._sizes:
            found.append(self._bytes[at : at + size])
            at += size
        return found


def parse(text: bytes | bytearray) -> dict[str, Any]:
    """A JSON object.

    Raises:
        CorruptValue: It is none, nests too deeply, or holds a number that JSON should not.
        TooLarge: It holds millions of items.
    """
    if sum(map(text.count, (b",", b"[", b"{"))) > _MAX_HEAD_ITEMS:
        raise TooLarge
    try:
        head = json.loads(text.decode(), parse_int=_whole, parse_constant=_no_constant)
    except (ValueError, RecursionError, MemoryError) as error:
        raise CorruptValue(f"not JSON: {type(error).__name__}") from None
    if type(head) is not dict:
        raise CorruptValue("not a JSON object")
    return head


def _whole(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise CorruptValue("a number of too many digits")
    return int(digits)


def _no_constant(name: str) -> Any:
    raise CorruptValue(f"{name} is no JSON")
