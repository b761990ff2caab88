"""Rows as a table for people, or as CSV for programs."""

from __future__ import annotations

import csv
import datetime
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from boxkit.cli.terminal import harmless, text

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["cell", "fitting", "print_csv", "records", "shown_rows", "table"]

#: Rows that a terminal shows before it says how many more there are.
TERMINAL_ROWS = 50

#: A column narrower than its content is readable from this many characters on.
READABLE_CHARS = 16

GAP_CHARS = 3

NUMBERS = (int, float)


def cell(value: Any) -> str:
    """A plain value as people read it: None as ``NULL``, dates in ISO form, bytes in hex, lists by commas."""
    if value is None:
        return "NULL"
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat(" ") if isinstance(value, datetime.datetime) else value.isoformat()
    if isinstance(value, bytes):
        return f"0x{value.hex()}"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(cell, value))
    try:
        return str(value)
    except ValueError:  # a whole number with more digits than Python writes
        return f"a whole number of about {int(value.bit_length() * 0.30103) + 1} digits"


def shown(value: Any) -> str:
    """The same for a table: a number with a fraction to 15 digits, which leaves out what binary arithmetic adds."""
    if isinstance(value, float) and 1e-4 <= abs(value) < 1e15:
        short = f"{value:.15g}"
        return short if "." in short else f"{short}.0"
    return cell(value)


def shown_rows(rows: Sequence[Any], limit: int | None) -> int:
    """How many rows to show: ``limit`` where given (0 for all), else a screenful on a terminal and all elsewhere."""
    if limit is None:
        limit = TERMINAL_ROWS if sys.stdout.isatty() else 0
    return min(limit, len(rows)) if limit else len(rows)


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Table:
    """The rows, with numbers to the right; a short row is filled up with empty cells."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    width = max((len(row) for row in rows), default=len(columns))
    names = [*columns, *("" for _ in range(width - len(columns)))]
    drawn = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    for at, name in enumerate(names):
        values = [row[at] for row in rows if at < len(row) and row[at] is not None]
        numeric = bool(values) and all(isinstance(value, NUMBERS) and value is not True for value in values)
        drawn.add_column(text(name), justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        cells = (text(shown(value), "dim" if value is None else "") for value in row)
        drawn.add_row(*cells, *("" for _ in range(width - len(row))))
    return drawn


def fitting(columns: Sequence[str], rows: Sequence[Sequence[Any]], width: int) -> int:
    """How many columns, from the first on, fit side by side into ``width`` characters and stay readable."""
    from rich.cells import cell_len

    used = 0
    for at, name in enumerate(columns):
        widest = max([cell_len(name), *(cell_len(shown(row[at])) for row in rows if at < len(row))])
        used += min(widest, READABLE_CHARS) + (GAP_CHARS if at else 0)
        if used > width:
            return at
    return len(columns)


def records(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Table:
    """The rows one below the other, a line a cell."""
    from rich.table import Table

    drawn = Table(box=None, show_header=False, pad_edge=False)
    drawn.add_column(style="bold", overflow="fold")
    drawn.add_column(overflow="fold")
    for number, row in enumerate(rows):
        if number:
            drawn.add_row("", "")
        for name, value in zip(columns, row, strict=False):
            drawn.add_row(text(name), text(shown(value), "dim" if value is None else ""))
    return drawn


def print_csv(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print the rows on stdout as CSV: a missing value as an empty field, controls but line ends as escapes."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow([harmless(name) for name in columns])
    for row in rows:
        writer.writerow(["" if value is None else harmless(cell(value), lines=True) for value in row])
