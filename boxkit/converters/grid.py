"""From rows of cells to a table: where its header stands, what is title above it, what is ragged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from boxkit.box import Box, Note
from boxkit.converters.cells import typed
from boxkit.converters.columns import column, frame_of
from boxkit.converters.held import held_box
from boxkit.converters.lint import lint_frame
from boxkit.naming import field_labels

__all__ = ["Grid", "box_of_grid", "find_table"]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table as cells.

    Attributes:
        header: One name a column.
        rows: Each as long as the header.
    """

    header: tuple[Any, ...]
    rows: Sequence[Sequence[Any]]


def _blank(cell: Any) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())


def _filled(row: Sequence[Any]) -> int:
    """Cells up to the last one that is not blank."""
    for at in range(len(row), 0, -1):
        if not _blank(row[at - 1]):
            return at
    return 0


def find_table(rows: Sequence[Sequence[Any]], box: str, notes: list[Note], *, header: int | None = None) -> Grid:
    """The table among ``rows``: title lines above it and blank lines are noted, ragged rows kept whole.

    Args:
        rows: As parsed.
        box: For notes.
        notes: Added to.
        header: The header's row, from 0; found where None.
    """
    start = _header_row(rows) if header is None else header
    above = [row for row in rows[:start] if _filled(row)]
    if above:
        said = " / ".join(" ".join(str(cell).strip() for cell in row if not _blank(cell)) for row in above)
        notes.append(Note("dropped", f"{len(above)} lines above the header: {said[:300]}", box))
    names = list(rows[start]) if rows else []
    body, lines = [], []
    for at in range(start + 1, len(rows)):
        if _filled(rows[at]):
            body.append(rows[at])
            lines.append(at)
    blank = len(rows) - start - 1 - len(body)
    if blank and lines and lines[-1] - start > len(body):
        notes.append(Note("dropped", f"{blank} blank lines", box))
    width = max([len(names), *(_filled(row) for row in body)])
    named = _filled(names)
    while width > named and not any(len(row) >= width and not _blank(row[width - 1]) for row in body):
        width -= 1
    _note_ragged(body, lines, len(names), width, box, notes)
    padded = [[*row[:width], *[None] * (width - len(row))] for row in body]
    return Grid(tuple([*names, *[None] * width][:width]), padded)


def _note_ragged(body: list[Any], lines: list[int], named: int, width: int, box: str, notes: list[Note]) -> None:
    short = [at for at, row in enumerate(body) if len(row) < named]
    long = [at for at, row in enumerate(body) if _filled(row) > named]
    if short:
        message = f"{len(short)} rows have fewer cells than the header (first: line {lines[short[0]] + 1}); the rest is missing"
        notes.append(Note("lint", message, box, row=short[0]))
    if long:
        message = f"{len(long)} rows have more cells than the header (first: line {lines[long[0]] + 1}); they got columns of their own"
        notes.append(Note("lint", message, box, row=long[0]))


def _header_row(rows: Sequence[Sequence[Any]]) -> int:
    """The first row as wide as most rows are, so that titles above a table are no header."""
    filled = [_filled(row) for row in rows[:200]]
    present = [width for width in filled if width]
    if not present:
        return 0
    usual = Counter(present).most_common(1)[0][0]
    for at, width in enumerate(filled):
        if (
            width >= max(usual - 1, 1)
            and (width > 1 or usual == 1)
            and sum(not _blank(c) for c in rows[at]) * 2 > width
        ):
            return at
    return next(at for at, width in enumerate(filled) if width)


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
    headers = ["" if name is None else " ".join(str(name).split()) for name in grid.header]
    labels = field_labels(headers)
    for at, label in enumerate(labels):
        if label != headers[at]:
            why = "the column has no name" if not headers[at] else f"the column is called {headers[at]!r} like another"
            notes.append(Note("renamed", why, box, label))
    cells = list(zip(*grid.rows, strict=True)) if grid.rows else [()] * len(labels)
    make = (lambda values, *_: column(values, "text")) if as_text else typer
    columns = [make(cells[at], box, label, notes) for at, label in enumerate(labels)]
    frame = frame_of(columns, labels, len(grid.rows))
    notes += lint_frame(frame, box)
    return held_box(
        box,
        frame,
        state=state,
        source_name=source_name,
        source_names=[str(n) if n is not None else "" for n in grid.header],
    )
