"""Large, regular CSV files through Arrow, block by block: the same columns as the careful way, held once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from boxkit.box import Note
from boxkit.converters.arrow_memory import frugal_memory
from boxkit.converters.dialect import Dialect, parse, sniff
from boxkit.converters.header import has_header, header_row, header_span
from boxkit.converters.source import SourceFile
from boxkit.converters.text_columns import TextColumn

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

__all__ = ["read_columns"]

#: Arrow reads some forty blocks ahead, so a block is a small part of the file.
_BLOCKS = 512
_LEAST_BLOCK_BYTES, _MOST_BLOCK_BYTES = 131_072, 524_288
#: So many times as much is taken where a row is longer than a block.
_LONGER = 32
#: Blocks that are typed together: looking at one takes a while, however small it is.
_JOINED = 4


class _NotRegular(Exception):
    """The file holds what only the careful way reads."""


class _LongRow(_NotRegular):
    """A row is longer than a block."""


def read_columns(
    source: SourceFile, dialect: Dialect | None, box: str, notes: list[Note]
) -> tuple[Sequence[str], list[pd.Series[Any]], int] | None:
    """Names, columns and the number of rows; None where the file is not UTF-8, ragged, or has titles above its header.

    Args:
        source: The file.
        dialect: How it is split; found where None.
        box: For notes.
        notes: Added to.
    """
    head = source.head.decode("utf-8-sig", "ignore")
    sample = head[: head.rfind("\n") + 1]
    dialect = dialect or sniff(sample)
    if dialect.backslash or dialect.spaced or source.head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return None
    rows = parse(sample, dialect)
    plain = rows and header_row(rows) == 0 and has_header(rows, 0) and header_span(rows, 0) == (0, 1)
    if not plain or any("\n" in cell or "\r" in cell for cell in rows[0]) or "\r" in sample.replace("\r\n", ""):
        return None
    names = rows[0]
    blocks = _Blocks(source, dialect, len(names), box)
    expected = source.size // max(_width(rows), 1)
    try:
        try:
            columns, length = _columns(blocks, expected)
        except _LongRow:
            blocks = replace(blocks, block_bytes=blocks.block_bytes * _LONGER)
            columns, length = _columns(blocks, expected)
    except _NotRegular:
        return None
    found = list(blocks.notes)
    labels = [name or f"column_{at + 1}" for at, name in enumerate(names)]
    series = [each.series(box, label, found) for each, label in zip(columns, labels, strict=True)]
    notes += found
    return names, series, length


def _width(rows: Sequence[Sequence[str]]) -> int:
    """About how many bytes a row takes."""
    return sum(len(cell) + 1 for row in rows for cell in row) // max(len(rows), 1)


def _columns(blocks: _Blocks, rows: int) -> tuple[list[TextColumn], int]:
    """The columns; those whose later cells belie their earlier ones are read again."""
    columns = [TextColumn(rows) for _ in range(blocks.width)]
    unread = list(range(blocks.width))
    while unread:
        length = 0
        with frugal_memory() as pool:
            for batch in blocks.read(unread):
                for at, array in zip(unread, batch.columns, strict=True):
                    columns[at].put(array)
                length += batch.num_rows
                # Freed pieces go back to the system, or they add up beside the columns.
                pool.release_unused()
        for each in columns:
            each.end()
        unread = [at for at, each in enumerate(columns) if each.is_refuted]
        for at in unread:
            columns[at] = TextColumn(length, columns[at].kind)
    return columns, length


@dataclass
class _Blocks:
    """A file's rows, so many megabytes at a time."""

    source: SourceFile
    dialect: Dialect
    width: int
    box: str
    block_bytes: int = 0
    notes: list[Note] = field(default_factory=list, init=False)
    blank_lines: int = field(default=0, init=False)
    is_first: bool = field(default=True, init=False)

    def __post_init__(self) -> None:
        if not self.block_bytes:
            self.block_bytes = min(max(self.source.size // _BLOCKS, _LEAST_BLOCK_BYTES), _MOST_BLOCK_BYTES)

    def read(self, wanted: Sequence[int]) -> Iterator[pa.RecordBatch]:
        """The texts of these columns; empty ones are missing."""
        import pyarrow as pa
        from pyarrow import csv

        labels = [f"c{at}" for at in range(self.width)]
        last = None
        self.blank_lines = 0
        pool = pa.default_memory_pool()
        try:
            with (
                pa.OSFile(str(self.source.path), memory_pool=pool) as file,
                csv.open_csv(
                    file,
                    csv.ReadOptions(column_names=labels, skip_rows=1, block_size=self.block_bytes),
                    csv.ParseOptions(
                        delimiter=self.dialect.delimiter,
                        newlines_in_values=True,
                        ignore_empty_lines=False,
                        invalid_row_handler=self._odd,
                    ),
                    csv.ConvertOptions(
                        column_types=dict.fromkeys(labels, pa.string()),
                        strings_can_be_null=True,
                        null_values=[""],
                        include_columns=[labels[at] for at in wanted],
                    ),
                    memory_pool=pool,
                ) as reader,
            ):
                for last in _joined(reader):
                    if self.is_first and _has_blank_row(last):
                        raise _NotRegular
                    yield last
        except (pa.ArrowInvalid, OSError) as error:
            raise (_LongRow if "straddl" in str(error) else _NotRegular) from error
        if last is None or (self.is_first and _may_be_open(last)):
            raise _NotRegular
        if self.is_first:
            self._note_blank()
        self.is_first = False

    def _odd(self, row: Any) -> str:
        if row.text.strip():
            return "error"
        self.blank_lines += 1
        return "skip"

    def _note_blank(self) -> None:
        """Note the blank lines between rows; those at the end are nothing."""
        blank = self.blank_lines - _blank_lines_at_end(self.source) if self.blank_lines else 0
        if blank > 0:
            self.notes.append(Note("dropped", f"{blank} row{'s' if blank > 1 else ''} without any value", self.box))


def _joined(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The rows, more of them at a time."""
    import pyarrow as pa

    waiting = iter(batches)
    while some := list(islice(waiting, _JOINED)):
        yield from some if len(some) == 1 else pa.Table.from_batches(some).combine_chunks().to_batches()


def _blank_lines_at_end(source: SourceFile) -> int:
    with source.path.open("rb") as file:
        file.seek(max(source.size - 65_536, 0))
        tail = file.read().decode("utf-8", "ignore")
    return max(tail[len(tail.rstrip()) :].count("\n") - 1, 0)


def _may_be_open(batch: pa.RecordBatch) -> bool:
    """Whether the last cells hold line breaks, as they do where a quote is never closed."""
    last = batch.slice(max(batch.num_rows - 1, 0)).to_pylist()
    return any("\n" in cell for row in last for cell in row.values() if cell)


def _has_blank_row(batch: pa.RecordBatch) -> bool:
    """Whether there is a row of empty cells, which the careful way notes and leaves out."""
    import pyarrow.compute as pc

    blank = None
    for each in batch.columns:
        if not each.null_count:
            return False
        missing = pc.is_null(each)
        blank = missing if blank is None else pc.and_(blank, missing)
    return bool(pc.any(blank).as_py()) if blank is not None else False
