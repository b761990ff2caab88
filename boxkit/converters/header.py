"""Where a table's header stands among rows of cells, whether there is one, and how many rows it takes."""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from boxkit.converters.cells import MISSING_WORDS

__all__ = ["filled", "has_header", "header_row", "header_rows", "is_blank", "is_text"]

_LOOKED_AT = 200
_FAR = 6
_NUMBER_LIKE = re.compile(r"[+-]?\s*[$€£¥]?\s*[+-]?\d[\d.,\s\u00a0]*%?|[+-]?\.\d+|\d[\d.]*[eE][+-]?\d+")
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
    present = [count for count in counts if count]
    if not present:
        return 0
    often = Counter(present)
    usual = max(often, key=lambda count: (often[count] * min(count, 8), count))
    candidates = [
        at
        for at, count in enumerate(counts)
        if count >= max(usual - 1, (usual + 1) // 2, 1)
        and all(is_text(cell) or is_blank(cell) or _is_year(cell) for cell in rows[at])
    ]
    first_wide = next(at for at, count in enumerate(counts) if count >= max(usual - 1, 1))
    # A row of data may be all text; only titles and blank lines may stand above a header.
    candidates = [at for at in candidates if at <= first_wide + 3]
    first = next(at for at, count in enumerate(counts) if count)
    for at in candidates:
        if (at == first and counts[at] > 1) or counts[at] >= usual or _named_kinds(rows, at):
            return at
    return candidates[0] if candidates and candidates[0] <= first_wide else first_wide


def _named_kinds(rows: Sequence[Sequence[Any]], at: int) -> int:
    """Columns whose cell in the row is text, and whose next cell below is not."""
    found = 0
    for column, cell in enumerate(rows[at]):
        if is_text(cell):
            below = next(
                (row[column] for row in rows[at + 1 : at + _FAR] if column < len(row) and not is_blank(row[column])),
                None,
            )
            found += below is not None and not is_text(below)
    return found


def has_header(rows: Sequence[Sequence[Any]], at: int) -> bool:
    """Whether the row names columns, rather than being the first row of a table without names."""
    row = [cell for cell in rows[at] if not is_blank(cell)]
    if not row:
        return False
    if any(isinstance(cell, (datetime.date, datetime.time, bool)) for cell in row):
        return False
    if all(map(is_text, row)):
        return True
    if _named_kinds(rows, at):
        return True
    odd = [cell for cell in row if not is_text(cell)]
    # Years and counted columns are names, if no two are the same.
    return all(map(_is_year, odd)) and len(set(map(str, odd))) == len(odd) and len(rows) > at + 1


def header_rows(rows: Sequence[Sequence[Any]], at: int) -> int:
    """How many rows the header takes: two where the first leaves gaps that the second, also text, fills."""
    if at + 2 >= len(rows):
        return 1
    above, below, data = rows[at], rows[at + 1], rows[at + 2]
    gaps = [column for column in range(len(below)) if column >= len(above) or is_blank(above[column])]
    if not gaps or len(gaps) * 4 < len(below):
        return 1
    named = all(is_text(below[column]) or _is_year(below[column]) for column in gaps)
    texts = all(is_blank(cell) or is_text(cell) or _is_year(cell) for cell in below)
    typed = any(column < len(data) and not is_blank(data[column]) and not is_text(data[column]) for column in gaps)
    return 2 if named and texts and typed and not is_blank(above[gaps[0] - 1]) and gaps[0] > 0 else 1
