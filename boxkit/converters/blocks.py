"""A sheet's tables: blocks of cells that blank rows or columns part, as a person would tell them apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from boxkit.converters.header import has_header, is_blank, is_text

__all__ = ["Block", "blocks"]

Block = list[list[Any]]


def blocks(rows: Sequence[Sequence[Any]]) -> list[Block]:
    """The tables of a sheet, from top to bottom and left to right, with the titles above each.

    A gap parts two tables only where what follows it begins a table of its own (a header over values, in other columns
    or under a heading of its own); a blank row within a table, and notes above or below it, stay with the table.
    """
    width = max((len(row) for row in rows), default=0)
    square = [[*row, *[None] * (width - len(row))] for row in rows]
    return [table for part in _beside(_trimmed(square)) for table in _below(part)]


def _trimmed(rows: Block) -> Block:
    used = [at for at, row in enumerate(rows) if not all(map(is_blank, row))]
    if not used:
        return []
    rows = rows[used[0] : used[-1] + 1]
    columns = [at for at in range(len(rows[0])) if not all(is_blank(row[at]) for row in rows)]
    return [row[columns[0] : columns[-1] + 1] for row in rows]


def _beside(rows: Block) -> Iterator[Block]:
    """Tables that blank columns part."""
    if not rows:
        return
    width = len(rows[0])
    gaps = [at for at in range(width) if all(is_blank(row[at]) for row in rows)]
    start = 0
    parts = []
    for gap in [*gaps, width]:
        if gap > start:
            parts.append([row[start:gap] for row in rows])
        start = gap + 1
    if len(parts) > 1 and all(map(_is_table, map(_trimmed, parts))):
        yield from (_trimmed(part) for part in parts)
    else:
        yield rows


def _is_table(rows: Block) -> bool:
    return len(rows) >= 3 and len(rows[0]) >= 2 and has_header(rows, 0) and not all(is_text(cell) for cell in rows[1])


def _below(rows: Block) -> Iterator[Block]:
    """Tables that blank rows part."""
    current: Block = []
    for part in _parts(rows):
        if current and _begins_table(part, current):
            yield _trimmed(current)
            current = []
        elif current:
            current = [*current, [None] * len(rows[0])]
        current = [*current, *part]
    if current:
        yield _trimmed(current)


def _parts(rows: Block) -> Iterator[Block]:
    part: Block = []
    for row in rows:
        if all(map(is_blank, row)):
            if part:
                yield part
            part = []
        else:
            part.append(row)
    if part:
        yield part


def _begins_table(part: Block, above: Block) -> bool:
    """Whether a block is a table of its own, and what is above it one too."""
    if not _holds_values(above):
        return False
    head = next((at for at, row in enumerate(part) if sum(not is_blank(cell) for cell in row) > 1), None)
    if head is None or head + 1 >= len(part):
        return False
    names = [cell for cell in part[head] if not is_blank(cell)]
    if not all(isinstance(cell, str) and is_text(cell) for cell in names) or len(set(names)) < len(names):
        return False
    used = [column for column, cell in enumerate(part[head]) if not is_blank(cell)]
    under = part[head + 1]
    typed = [column for column in used if not is_blank(under[column]) and not is_text(under[column])]
    before = [above[-1][column] for column in typed]
    # Names over numbers, where the table above had numbers: nobody writes names into the middle of a column.
    return bool(typed) and (any(not is_blank(cell) for cell in before) or _width(above[-1]) != len(used))


def _holds_values(rows: Block) -> bool:
    return len(rows) > 1 and any(not is_blank(cell) and not is_text(cell) for row in rows for cell in row)


def _width(row: Sequence[Any]) -> int:
    return sum(not is_blank(cell) for cell in row)
