"""Rows of a SQLite table straight from the file's pages, thousands at a time (sqlite.org/fileformat2.html).

SQLite gives its rows one cell a call, and each call costs several times what the cell does. Its file format is public
and promised to stay, and arrays can take it apart: pages into records, records into the places of their cells.
What is not a plain table of rows in a plain file is left to SQLite, by `NotPlain`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from io import FileIO
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Places = NDArray[np.int64]

__all__ = ["BLOB", "FLOAT", "NULL", "ONE", "TEXT", "ZERO", "Cells", "NotPlain", "Records", "TableFile", "big_endian"]

#: Serial types of cells; 1 to 6 are integers, and each length of a text or a BLOB has one of its own above.
NULL, FLOAT, ZERO, ONE, BLOB, TEXT = 0, 7, 8, 9, 12, 13
_SIZES = np.array([0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0], dtype=np.int64)
_INTERIOR_PAGE, _LEAF_PAGE = 5, 13
_HEADER_BYTES = 100
_UTF_8 = 1
#: So many bytes may be read behind a record that ends with the last page.
_PADDING = 16
#: Pages with at most so many others between them are read at once.
_GAP_PAGES = 4
_LEAST_BATCH_BYTES, _MOST_BATCH_BYTES = 131_072, 1_048_576
#: A table is taken in so many batches, where that makes none too small or too large.
_BATCHES = 64


class NotPlain(Exception):
    """The file holds what is left to SQLite itself."""


@dataclass(frozen=True, slots=True)
class Cells:
    """A column's cells in some records.

    Attributes:
        codes: ``(n,) uint8``, their serial types, those of all texts as `TEXT` and of all BLOBs as `BLOB`.
        at: ``(n,) int64``, where each begins.
        sizes: ``(n,) int64``, the bytes of each.
        some_absent: Whether some records end before; their cells show as missing values.
    """

    codes: Bytes
    at: Places
    sizes: Places
    some_absent: bool


@dataclass(frozen=True, slots=True)
class Records:
    """Some rows.

    Attributes:
        data: The bytes that they lie in, and a few more.
        start: ``(n,) int64``, where each record begins.
        end: ``(n,) int64``, where each ends.
        rowids: ``(n,) int64``, increasing.
    """

    data: Bytes
    start: Places
    end: Places
    rowids: Places

    def columns(self, count: int) -> Iterator[Cells]:
        """The cells of the first ``count`` columns.

        Raises:
            NotPlain: A record is no record.
        """
        size, header = _varints(self.data, self.start)
        end_of_header = self.start + size
        at = end_of_header
        _require(bool(((size > 0) & (end_of_header <= self.end)).all()))
        for _ in range(count):
            is_short = header >= end_of_header
            any_short = bool(is_short.any())
            # The last byte is a zero, as a missing value's type is.
            codes, sizes, behind = self._types(np.where(is_short, len(self.data) - 1, header) if any_short else header)
            header = np.where(is_short, header, behind) if any_short else behind
            end = at + sizes
            _require(bool((end <= self.end).all()))
            yield Cells(codes, at, sizes, any_short)
            at = end
        _require(bool(((header < end_of_header) | ((header == end_of_header) & (at == self.end))).all()))

    def _types(self, header: Places) -> tuple[Bytes, Places, Places]:
        first = self.data[header]
        if first.max(initial=0) < _FAR_TYPE:
            return _NEAR_CODES.take(first), _NEAR_SIZES.take(first), header + 1
        types, header = _varints(self.data, header)
        _require(bool((types >= 0).all()))
        sizes = np.where(types < BLOB, _SIZES.take(np.minimum(types, BLOB - 1)), (types - BLOB) >> 1)
        return np.where(types < BLOB, types, BLOB + (types & 1)).astype(np.uint8), sizes, header


#: Serial types from here on take more than one byte.
_FAR_TYPE = 128
_TYPES = np.arange(_FAR_TYPE)
_NEAR_CODES = np.where(_TYPES < BLOB, _TYPES, BLOB + (_TYPES & 1)).astype(np.uint8)
_NEAR_SIZES = np.where(_TYPES < BLOB, _SIZES.take(np.minimum(_TYPES, BLOB - 1)), (_TYPES - BLOB) >> 1)


class TableFile:
    """A database file as pages.

    Args:
        file: Open for reading. Somebody else keeps it from being changed meanwhile.

    Raises:
        NotPlain: Its pages cannot be read so.
    """

    def __init__(self, file: FileIO) -> None:
        self.file = file
        self.header = self._bytes(0, _HEADER_BYTES).tobytes()
        _require(self.header.startswith(b"SQLite format 3\x00"))
        _require(int.from_bytes(self.header[56:60], "big") == _UTF_8)
        size = int.from_bytes(self.header[16:18], "big")
        self.page_bytes = 65_536 if size == 1 else size
        _require(self.page_bytes >= 512)
        self.usable = self.page_bytes - self.header[20]
        self.pages = file.seek(0, 2) // self.page_bytes

    def is_unchanged(self) -> bool:
        """Whether no transaction ended since it was opened."""
        return self._bytes(0, _HEADER_BYTES).tobytes() == self.header

    def leaves(self, root: int) -> Places:
        """The numbers of the pages that hold a table's rows, in their order.

        Args:
            root: The number of the table's first page.

        Raises:
            NotPlain: It is no table of rows with numbers.
        """
        level = np.array([root], dtype=np.int64)
        while True:
            data, base = self._read(level[:1])
            if data[base[0]] == _LEAF_PAGE:
                return level
            level = np.concatenate([self._children(int(page)) for page in level])
            # No page has two parents.
            _require(len(level) <= self.pages)

    def _children(self, page: int) -> Places:
        data, base = self._read(np.array([page], dtype=np.int64))
        at = base[0]
        _require(page > 1 and data[at] == _INTERIOR_PAGE)
        count = int(big_endian(data, at + 3, 2))
        _require(12 + 2 * count <= self.usable)
        cells = at + big_endian(data, at + 12 + 2 * np.arange(count), 2)
        _require(bool((cells <= at + self.usable - 4).all()))
        return np.append(big_endian(data, cells, 4), big_endian(data, at + 8, 4))

    def batch_pages(self, leaves: int) -> int:
        """How many of so many pages to take at once."""
        aim = leaves * self.page_bytes // _BATCHES
        return max(min(max(aim, _LEAST_BATCH_BYTES), _MOST_BATCH_BYTES) // self.page_bytes, 1)

    def records(self, leaves: Places, pages: int) -> Iterator[Records]:
        """The rows in these pages, so many pages at a time.

        Raises:
            NotPlain: A page is damaged.
        """
        last = None
        for first in range(0, len(leaves), pages):
            for records in self._batch(leaves[first : first + pages]):
                _require(bool((records.rowids[1:] > records.rowids[:-1]).all()))
                _require(last is None or records.rowids[0] > last)
                last = records.rowids[-1]
                yield records

    def _batch(self, leaves: Places) -> Iterator[Records]:
        data, base = self._read(leaves)
        _require(bool((data[base] == _LEAF_PAGE).all()))
        counts = big_endian(data, base + 3, 2)
        _require(8 + 2 * int(counts.max(initial=0)) <= self.usable)
        page = np.repeat(base, counts)
        if not len(page):
            return
        within = np.arange(len(page)) - np.repeat(np.cumsum(counts) - counts, counts)
        cell = page + big_endian(data, page + 8 + 2 * within, 2)
        end_of_page = page + self.usable
        size, place = _varints(data, cell)
        rowids, start = _varints(data, place)
        _require(bool((start <= end_of_page).all()) and bool((size >= 0).all()))
        most = self.usable - 35
        if size.max() <= most:
            _require(bool((start + size <= end_of_page).all()))
            yield Records(data, start, start + size, rowids)
            return
        _require(bool((size <= self.pages * self.page_bytes).all()))
        for part in _parts(size):
            yield self._long(data, start[part], size[part], rowids[part], end_of_page[part])

    def _long(self, data: Bytes, start: Places, size: Places, rowids: Places, end_of_page: Places) -> Records:
        """Records of which some go on in other pages: these are put together behind the others."""
        most, least = self.usable - 35, (self.usable - 12) * 32 // 255 - 23
        split = least + (size - least) % (self.usable - 4)
        is_long = size > most
        local = np.where(is_long, np.where(split <= most, split, least), size)
        _require(bool((start + local + 4 * is_long <= end_of_page).all()))
        rows = np.flatnonzero(is_long)
        if not len(rows):
            return Records(data, start, start + size, rowids)
        joined = self._joined(data, start[rows], size[rows], local[rows])
        start = start.copy()
        start[rows] = len(data) + np.cumsum(size[rows]) - size[rows]
        return Records(np.concatenate([data, joined]), start, start + size, rowids)

    def _joined(self, data: Bytes, start: Places, size: Places, local: Places) -> Bytes:
        made = np.zeros(int(size.sum()) + _PADDING, dtype=np.uint8)
        done = np.cumsum(size) - size
        end = done + size
        _copy(made, done, data, start, local)
        done = done + local
        pages = big_endian(data, start + local, 4)
        room = self.usable - 4
        while len(done):
            data, base = self._read(pages)
            taken = np.minimum(end - done, room)
            _copy(made, done, data, base + 4, taken)
            done = done + taken
            left = done < end
            pages = big_endian(data, base, 4)[left]
            done, end = done[left], end[left]
        return made

    def _read(self, pages: Places) -> tuple[Bytes, Places]:
        """The bytes of these pages, and where each page begins in them."""
        _require(bool(((pages >= 1) & (pages <= self.pages)).all()))
        order = np.argsort(pages, kind="stable")
        ascending = pages[order]
        cuts = np.flatnonzero(np.diff(ascending) > _GAP_PAGES) + 1
        first = ascending[np.concatenate([[0], cuts])]
        spans = ascending[np.concatenate([cuts, [len(pages)]]) - 1] - first + 1
        into = np.cumsum(spans) - spans
        data = np.empty(int(spans.sum()) * self.page_bytes + _PADDING, dtype=np.uint8)
        data[-_PADDING:] = 0
        view = data.data
        for page, span, place in zip(first.tolist(), spans.tolist(), into.tolist(), strict=True):
            wanted = view[place * self.page_bytes : (place + span) * self.page_bytes]
            self.file.seek((page - 1) * self.page_bytes)
            _require(self.file.readinto(wanted) == len(wanted))
        base = np.empty(len(pages), dtype=np.int64)
        run = np.searchsorted(first, ascending, side="right") - 1
        base[order] = (into[run] + ascending - first[run]) * self.page_bytes
        return data, base

    def _bytes(self, at: int, count: int) -> Bytes:
        self.file.seek(at)
        found = np.frombuffer(self.file.read(count), dtype=np.uint8)
        _require(len(found) == count)
        return found


def _require(holds: bool) -> None:
    if not holds:
        raise NotPlain


def _parts(size: Places) -> Iterator[slice]:
    """Stretches of rows of no more than some megabytes each."""
    part = np.cumsum(size) // _MOST_BATCH_BYTES
    cuts = [0, *(np.flatnonzero(np.diff(part)) + 1).tolist(), len(size)]
    return (slice(first, last) for first, last in pairwise(cuts))


def _copy(target: Bytes, to: Places, source: Bytes, at: Places, sizes: Places) -> None:
    into, out = target.data, source.data
    for place, start, size in zip(to.tolist(), at.tolist(), sizes.tolist(), strict=True):
        into[place : place + size] = out[start : start + size]


def big_endian(data: Bytes, at: Places | int, width: int, kind: str = "") -> NDArray[np.int64]:
    """The numbers of ``width`` bytes at these places; unsigned, but of 8 bytes; floats for the kind ``f``."""
    letter = kind or ("u" if width < 8 else "i")
    every = np.ndarray((len(data) - width + 1,), dtype=f">{letter}{width}", buffer=data, strides=(1,))
    return every[at].astype(np.float64 if kind else np.int64)


def _varints(data: Bytes, at: Places) -> tuple[Places, Places]:
    """SQLite's numbers of one to nine bytes at these places, and the places behind them."""
    byte = data[at]
    goes_on = byte >= 0x80
    if not goes_on.any():
        return byte.astype(np.int64), at + 1
    value = (byte & 0x7F).astype(np.int64)
    at = at + 1
    for step in range(8):
        # A ninth byte counts whole.
        _require(bool((at < len(data)).all()))
        byte = data[at]
        longer = (value << 8) | byte if step == 7 else (value << 7) | (byte & 0x7F)
        value = np.where(goes_on, longer, value)
        at = at + goes_on
        goes_on = goes_on & (byte >= 0x80)
        if not goes_on.any():
            break
    return value, at
