"""A sheet's tables: blocks of cells that blank rows or columns part, as a person would tell them apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from boxkit.converters.header import has_header, header_row, is_blank, is_text

__all__ = ["Block", "blocks"]

Block = list[list[Any]]

#: A block of nothing but texts is a table where its names stand over at least so many rows.
_LEAST_TEXTS = 2
#: So many blank rows part any two tables.
_WIDE_GAP = 2


def blocks(rows: Sequence[Sequence[Any]]) -> list[Block]:
    """The tables of a sheet, from top to bottom and left to right, with the titles above each.

    A gap parts two tables only where what follows it begins a table of its own: a header over values, or names over
    texts where the table above has values, no column, or the same names. A blank row within a table, and notes above or
    below it, stay with the table.
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
    if len(rows) < 3 or len(rows[0]) < 2 or not has_header(rows, 0):
        return False
    return not all(is_text(cell) for cell in rows[1]) or _are_names(rows[0])


def _are_names(cells: Sequence[Any]) -> bool:
    return all(map(is_text, cells)) and len(set(cells)) == len(cells)


def _below(rows: Block) -> Iterator[Block]:
    """Tables that blank rows part."""
    current: Block = []
    for gap, part in _parts(rows):
        if current and _begins_table(part, current, gap):
            yield _trimmed(current)
            current = []
        elif current:
            current = [*current, [None] * len(rows[0])]
        current = [*current, *part]
    if current:
        yield _trimmed(current)


def _parts(rows: Block) -> Iterator[tuple[int, Block]]:
    """What blank rows part, each with the number of blank rows before it."""
    part: Block = []
    gap = before = 0
    for row in rows:
        if all(map(is_blank, row)):
            if part:
                yield before, part
                part, gap = [], 0
            gap += 1
        else:
            before = before if part else gap
            part.append(row)
    if part:
        yield before, part


def _begins_table(part: Block, above: Block, gap: int) -> bool:
    """Whether a block is a table of its own, and what is above it one too."""
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
    if not typed:
        return _is_table_of_texts(part[head:], used, above, gap)
    # Names over numbers, where the table above had numbers: nobody writes names into the middle of a column.
    return _holds_values(above) and (any(not is_blank(cell) for cell in before) or _width(above[-1]) != len(used))


def _is_table_of_texts(part: Block, used: Sequence[int], above: Block, gap: int) -> bool:
    """Whether names over nothing but texts begin a table other than the one above."""
    if len(above) < 2 or _width(above[-1]) < 2 or len(part) <= _LEAST_TEXTS or len(used) < 2:
        return False
    if any(_width(row) < 2 or str(row[used[0]]).rstrip().endswith(":") for row in part):
        return False  # remarks
    header = above[header_row(above)]
    if gap >= _WIDE_GAP or part[0] == header or any(is_blank(header[at]) for at in used):
        return True
    body = above[header_row(above) + 1 :]
    texts = [at for at in used if all(is_blank(row[at]) or is_text(row[at]) for row in part)]
    return any(_is_typed([row[at] for row in body]) for at in texts)


def _is_typed(cells: Sequence[Any]) -> bool:
    present = [cell for cell in cells if not is_blank(cell)]
    return len(present) > 1 and not any(map(is_text, present))


def _holds_values(rows: Block) -> bool:
    return len(rows) > 1 and any(not is_blank(cell) and not is_text(cell) for row in rows for cell in row)


def _width(row: Sequence[Any]) -> int:
    return sum(not is_blank(cell) for cell in row)
