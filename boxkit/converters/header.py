"""Where a table's header stands among rows of cells, whether there is one, and how many rows it takes."""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from boxkit.converters.cells import MISSING_WORDS

__all__ = ["filled", "has_header", "header_row", "header_span", "is_blank", "is_text"]

_LOOKED_AT = 200
_FAR = 6
_NUMBER_LIKE = re.compile(
    r"[+-]?\s*[$€£¥]?\s*[+-]?\d[\d.,\s\u00a0]*%?|[+-]?\.\d+|[+-]?(\d[\d.]*|\.\d+)[eE][+-]?\d+|[+-]?inf(inity)?",
    re.IGNORECASE,
)
_DATE_LIKE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([T ]\d{1,2}:\d{2}.*)?|\d{1,2}:\d{2}(:\d{2})?")
_YEARS = range(1800, 2101)


def is_blank(cell: Any) -> bool:
    """Whether a cell shows nothing."""
    return cell is None or (isinstance(cell, str) and not cell.strip())


def filled(row: Sequence[Any]) -> int:
    """How many cells a row has up to its last one that is not blank."""
    for at in range(len(row), 0, -1):
        if not is_blank(row[at - 1]):
            return at
    return 0


def is_text(cell: Any) -> bool:
    """Whether a cell shows a text that is no number and no date."""
    if not isinstance(cell, str) or is_blank(cell):
        return False
    text = cell.strip()
    return text not in MISSING_WORDS and not (_NUMBER_LIKE.fullmatch(text) or _DATE_LIKE.fullmatch(text))


def _is_year(cell: Any) -> bool:
    if isinstance(cell, (int, float)) and not isinstance(cell, bool):
        return float(cell).is_integer() and int(cell) in _YEARS
    return isinstance(cell, str) and cell.strip().isdigit() and len(cell.strip()) == 4 and int(cell) in _YEARS


def header_row(rows: Sequence[Sequence[Any]]) -> int:
    """The row that names the columns: titles and remarks above it are narrower, what is below is of another kind."""
    counts = [sum(not is_blank(cell) for cell in row) for row in rows[:_LOOKED_AT]]
    counts = _without_comments(rows, counts)
    present = [count for count in counts if count]
    if not present:
        return 0
    often = Counter(present)
    usual = max(often, key=lambda count: (often[count] * min(count, 8), count))
    first = next(at for at, count in enumerate(counts) if count)
    if _is_cut(rows, first) or _has_corner(rows, first):
        return first
    if first == 1 and not counts[0] and len(rows[0]) == len(rows[1]) > 1 and not any(map(is_text, rows[1])):
        return 0
    least = max(usual - 1, (usual + 1) // 2, 1)
    candidates = [at for at, count in enumerate(counts) if count >= least and _may_name(rows, at, first)]
    first_wide = next(at for at, count in enumerate(counts) if count >= max(usual - 1, 1))
    # A row of data may be all text; only titles and blank lines may stand above a header.
    candidates = [at for at in candidates if at <= first_wide + 3]
    for at in candidates:
        if (at == first and counts[at] > 1) or counts[at] >= usual or _named_kinds(rows, at):
            return at
    return candidates[0] if candidates and candidates[0] <= first_wide else first_wide


def _without_comments(rows: Sequence[Sequence[Any]], counts: list[int]) -> list[int]:
    """The counts with none for lines that begin with # above the table, where they are narrower than it."""
    width = max(counts, default=0)
    for at, row in enumerate(rows[:_LOOKED_AT]):
        if counts[at] and not (isinstance(row[0], str) and row[0].lstrip().startswith("#")):
            return [0 if before < at and count < width else count for before, count in enumerate(counts)]
    return counts


def _has_corner(rows: Sequence[Sequence[Any]], at: int) -> bool:
    """Whether only the row's first cell has no name, as above row names and the left headings of a cross table."""
    row, below = rows[at], rows[at + 1 : at + _FAR]
    if len(row) < 2 or not below or not is_blank(row[0]) or any(map(is_blank, row[1:])):
        return False
    names = [each[0] for each in below if len(each) == len(row) and not is_blank(each[0])]
    if len(names) < len(below) or len(set(map(str, names))) < len(names):
        return False
    if all(is_text(cell) or _is_year(cell) for cell in row[1:]):
        return len(set(map(str, row[1:]))) == len(row) - 1 and not (len(row) == 2 and _named_kinds(rows, at + 1))
    return len(row) > 3 and _are_rising(row[1:])


def _are_rising(cells: Sequence[Any]) -> bool:
    try:
        return all(before < after for before, after in pairwise(map(float, cells)))
    except (TypeError, ValueError):
        return False


def _is_cut(rows: Sequence[Sequence[Any]], at: int) -> bool:
    """Whether the row names its first columns and leaves the last ones, which have values, without a name."""
    row = rows[at]
    named, below = filled(row), rows[at + 1 : at + 2]
    if not below or not all(map(is_text, row[:named])) or len(row) != len(below[0]) or filled(below[0]) <= named:
        return False
    near = range(at + 1, min(at + 1 + _FAR, len(rows)))
    if all(is_text(cell) or is_blank(cell) or _is_year(cell) for cell in below[0]):
        return named > 1 and len(set(row[:named])) == named and not any(_named_kinds(rows, each) for each in near)
    return named > 1 or _named_kinds(rows, at) > 0


def _may_name(rows: Sequence[Sequence[Any]], at: int, first: int) -> bool:
    if all(is_text(cell) or is_blank(cell) or _is_year(cell) for cell in rows[at]):
        return True
    return at == first and has_header(rows, at)


def _named_kinds(rows: Sequence[Sequence[Any]], at: int) -> int:
    """Columns whose cell in the row is text, and whose next cell below is not."""
    below = [(cell, _below(rows, at, column)) for column, cell in enumerate(rows[at])]
    return sum(is_text(cell) and not is_blank(under) and not is_text(under) for cell, under in below)


def has_header(rows: Sequence[Sequence[Any]], at: int) -> bool:
    """Whether the row names columns, rather than being the first row of a table without names."""
    row = [cell for cell in rows[at] if not is_blank(cell)]
    if not row or any(isinstance(cell, (datetime.date, datetime.time, bool)) for cell in row):
        return False
    odd = [cell for cell in row if not is_text(cell)]
    if not odd or _has_corner(rows, at):
        return True
    if len(set(map(str, odd))) < len(odd) or len(rows) == at + 1:
        return False
    if _are_counted(odd):
        return True
    # Numbers over texts, and years, are names; numbers over numbers are values.
    against = sum(_is_value(cell) and _is_value(_below(rows, at, column)) for column, cell in enumerate(rows[at]))
    return not against or _named_kinds(rows, at) > against


def _are_counted(cells: Sequence[Any]) -> bool:
    try:
        numbers = [float(cell) for cell in cells]
    except (TypeError, ValueError):
        return False
    steps = {after - before for before, after in pairwise(numbers)}
    return len(numbers) > 2 and steps == {1.0}


def _is_value(cell: Any) -> bool:
    return not is_blank(cell) and not is_text(cell) and not _is_year(cell)


def _below(rows: Sequence[Sequence[Any]], at: int, column: int) -> Any:
    """The next cell below that is not blank."""
    near = rows[at + 1 : at + _FAR]
    return next((row[column] for row in near if column < len(row) and not is_blank(row[column])), None)


def header_span(rows: Sequence[Sequence[Any]], at: int) -> tuple[int, int]:
    """Where the header that was found at row ``at`` begins, and how many rows it takes.

    Two where headings stand above the names of several columns each ("2023" over "Q1" and "Q2").
    """
    if at and _heads(rows[at - 1], rows[at]):
        return at - 1, 2
    if at + 2 < len(rows) and _heads(rows[at], rows[at + 1]) and not any(map(_is_value, rows[at + 1])):
        return (at, 2) if _named_kinds(rows, at + 1) else (at, 1)
    return at, 1


def _heads(above: Sequence[Any], below: Sequence[Any]) -> bool:
    """Whether each cell of the row above heads several of the row below, or stands over none."""
    width = max(len(above), len(below))
    upper, lower = ([*row, *[None] * (width - len(row))] for row in (above, below))
    used = [column for column in range(width) if not is_blank(upper[column])]
    if not used or used == [0]:
        return False
    heading = 0
    for column in used:
        if is_blank(lower[column]) or upper[column] == lower[column]:
            continue
        if column + 1 == width or not is_blank(upper[column + 1]) or is_blank(lower[column + 1]):
            return False
        heading += 1
    return heading > 0
