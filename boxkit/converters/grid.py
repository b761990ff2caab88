"""From rows of cells to a table: its header, what stands above it, ragged rows, and the box that it makes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from boxkit.box import Box, Note
from boxkit.converters.cells import typed
from boxkit.converters.columns import column, frame_of
from boxkit.converters.header import filled, has_header, header_row, header_span, is_blank
from boxkit.converters.held import held_box
from boxkit.converters.lint import lint_frame
from boxkit.naming import field_labels

__all__ = ["Grid", "box_of_columns", "box_of_grid", "find_table"]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table as cells.

    Attributes:
        header: One name a column; empty where it has none.
        rows: Each as long as the header.
    """

    header: tuple[Any, ...]
    rows: Sequence[Sequence[Any]]


def find_table(
    rows: Sequence[Sequence[Any]], box: str, notes: list[Note], *, header: int | None = None, keep_lines: bool = True
) -> Grid:
    """The table among ``rows``: title lines above it and blank lines are noted, ragged rows kept whole.

    Args:
        rows: As parsed.
        box: For notes.
        notes: Added to.
        header: The header's row, from 0; found where None, -1 for none.
        keep_lines: Whether notes name lines of a file (and not rows of a sheet).
    """
    start = header_row(rows) if header is None else header
    depth = 1
    if (header is None and not has_header(rows, start)) or header == -1:
        start, depth = (start if header is None else 0), 0
        notes.append(Note("renamed", "there is no header, so columns are named by their position", box))
    elif header is None:
        start, depth = header_span(rows, start)
    _note_above(rows[:start], box, notes)
    names = _names(rows[start : start + depth])
    if depth == 2:
        notes.append(Note("renamed", "the header takes two rows; they are joined", box))
    body, lines = [], []
    single = depth == 1 and all(len(row) < 2 for row in rows)
    for at in range(start + depth, len(rows)):
        if filled(rows[at]) or (single and _is_missing(rows[at])):
            body.append(rows[at])
            lines.append(at)
    _note_blank([row for row in rows[start + depth :] if not (single and _is_missing(row))], box, notes)
    if depth == 1 and _has_row_names(names, body):
        names = [None, *names]
        notes.append(Note("renamed", "every row begins with a row name, over which the header has no cell", box))
    width = max([filled(names) if body else len(names), *(filled(row) for row in body)])
    if keep_lines and depth:
        _note_ragged(body, lines, len(names), box, notes)
    padded = [[*row[:width], *[None] * (width - len(row))] for row in body]
    return _without_empty_columns(Grid(tuple([*names, *[None] * width][:width]), padded), box, notes)


def _has_row_names(names: Sequence[Any], body: Sequence[Sequence[Any]]) -> bool:
    """Whether each row has one cell more than the header and begins with a name of its own, as R writes tables."""
    width = len(names) + 1
    if len(body) < 2 or any(is_blank(name) for name in names) or any(len(row) != width for row in body):
        return False
    firsts = {str(row[0]) for row in body if not is_blank(row[0])}
    return len(firsts) == len(body) and any(not is_blank(row[-1]) for row in body)


def _is_missing(row: Sequence[Any]) -> bool:
    """Whether a row of one column is an empty cell (written as two quotes), rather than an empty line."""
    return list(row) == [""]


def _note_blank(rows: Sequence[Sequence[Any]], box: str, notes: list[Note]) -> None:
    """Note rows without any value; blank lines below the last row are no rows, but rows of empty cells are."""
    last = max((at for at, row in enumerate(rows) if filled(row)), default=-1)
    blank = sum(not filled(row) and (at < last or len(row) > 1) for at, row in enumerate(rows))
    if blank:
        notes.append(Note("dropped", f"{blank} row{'s' if blank > 1 else ''} without any value", box))


def _note_above(rows: Sequence[Sequence[Any]], box: str, notes: list[Note]) -> None:
    above = [row for row in rows if filled(row)]
    if above:
        said = " / ".join(" ".join(str(cell).strip() for cell in row if not is_blank(cell)) for row in above)
        lines = "line stands" if len(above) == 1 else "lines stand"
        notes.append(Note("dropped", f"{len(above)} {lines} above the header: {said[:300]}", box))


def _names(rows: Sequence[Sequence[Any]]) -> list[Any]:
    if len(rows) < 2:
        return list(rows[0]) if rows else []
    above, below = rows
    joined, current = [], ""
    for at in range(max(len(above), len(below))):
        upper = above[at] if at < len(above) else None
        lower = below[at] if at < len(below) else None
        current = _name(upper) if not is_blank(upper) else current if not is_blank(lower) else ""
        joined.append(" ".join(dict.fromkeys(part for part in (current, _name(lower)) if part)))
    return joined


def _name(cell: Any) -> str:
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    return "" if cell is None else " ".join(str(cell).split())


def _note_ragged(body: list[Any], lines: list[int], named: int, box: str, notes: list[Note]) -> None:
    short = [at for at, row in enumerate(body) if len(row) < named]
    long = [at for at, row in enumerate(body) if filled(row) > named]
    if short:
        message = (
            f"{_rows(short)} fewer cells than the header (first in line {lines[short[0]] + 1}); the rest is missing"
        )
        notes.append(Note("lint", message, box, row=short[0]))
    if long:
        where = f"first in line {lines[long[0]] + 1}"
        message = f"{_rows(long)} more cells than the header ({where}), kept in columns of their own"
        notes.append(Note("lint", message, box, row=long[0]))


def _rows(found: list[int]) -> str:
    return "1 row has" if len(found) == 1 else f"{len(found)} rows have"


def _without_empty_columns(grid: Grid, box: str, notes: list[Note]) -> Grid:
    """The grid without columns that have neither a name nor a value."""
    kept = [
        at
        for at, name in enumerate(grid.header)
        if not is_blank(name) or any(not is_blank(row[at]) for row in grid.rows)
    ]
    dropped = len(grid.header) - len(kept)
    if not dropped or not kept:
        return grid
    notes.append(Note("dropped", f"{dropped} column{'s' if dropped > 1 else ''} without name or value", box))
    return Grid(tuple(grid.header[at] for at in kept), [[row[at] for at in kept] for row in grid.rows])


def box_of_grid(
    grid: Grid,
    box: str,
    source_name: str,
    notes: list[Note],
    *,
    state: Callable[[], str],
    as_text: bool = False,
    typer: Callable[[Sequence[Any], str, str, list[Note]], Any] = typed,
) -> Box:
    """The box of a grid.

    Args:
        grid: The table.
        box: The box's name.
        source_name: The table's name in the source.
        notes: Added to.
        state: For the fingerprint.
        as_text: Keep cells as they are.
        typer: Makes a column of cells, its box, its label and the notes.
    """
    labels = field_labels([_name(name) for name in grid.header])
    cells = list(zip(*grid.rows, strict=True)) if grid.rows else [()] * len(labels)
    columns = []
    for at, label in enumerate(labels):
        values, cells[at] = cells[at], ()
        columns.append(column(values, "text") if as_text else typer(values, box, label, notes))
    return box_of_columns(grid.header, columns, len(grid.rows), box, source_name, notes, state=state)


def box_of_columns(
    header: Sequence[Any],
    columns: Sequence[Any],
    length: int,
    box: str,
    source_name: str,
    notes: list[Note],
    *,
    state: Callable[[], str],
) -> Box:
    """The box of columns under a header, with notes on its names and on what is odd.

    Args:
        header: One name a column.
        columns: The columns.
        length: The number of rows.
        box: The box's name.
        source_name: The table's name in the source.
        notes: Added to.
        state: For the fingerprint.
    """
    headers = [_name(name) for name in header]
    labels = field_labels(headers)
    _note_renamed(headers, labels, box, notes)
    frame = frame_of(columns, labels, length)
    notes += lint_frame(frame, box, kinds=True)
    names = ["" if name is None else str(name) for name in header]
    return held_box(box, frame, state=state, source_name=source_name, source_names=names)


def _note_renamed(headers: Sequence[str], labels: Sequence[str], box: str, notes: list[Note]) -> None:
    doubled: dict[str, list[str]] = {}
    for header, label in zip(headers, labels, strict=True):
        if label != header and header.strip():
            doubled.setdefault(header, []).append(label)
    for header, others in doubled.items():
        if len(others) == 1:
            notes.append(Note("renamed", f"another column is called {header!r} too", box, others[0]))
        else:
            message = f"{len(others) + 1} columns are called {header!r}; all but the first are {_few(others)} here"
            notes.append(Note("renamed", message, box))
    unnamed = [label for header, label in zip(headers, labels, strict=True) if not header.strip()]
    if unnamed and len(unnamed) < len(labels):
        notes.append(Note("renamed", f"columns without a name are called {_few(unnamed)}", box))


def _few(labels: Sequence[str]) -> str:
    return ", ".join(map(repr, labels[:5])) + (f" and {len(labels) - 5} more" if len(labels) > 5 else "")
