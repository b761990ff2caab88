"""Workbooks (.xlsx, .xlsm, .xls, .xlsb, .ods): each sheet's tables, as a person would read them."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from typing import Any, cast

from boxkit.box import Box, BoxSet, Note
from boxkit.converters.blocks import blocks
from boxkit.converters.columns import column
from boxkit.converters.grid import Grid, box_of_grid, find_table
from boxkit.converters.header import is_blank
from boxkit.converters.sheet_cells import look_at
from boxkit.converters.source import SourceFile
from boxkit.errors import MissingExtra, UnreadableSource
from boxkit.naming import box_name

__all__ = ["accepts", "convert", "name"]

name = "excel"

_ISO_DURATION = re.compile(r"(-)?PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?")
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def accepts(source: Any) -> float:
    """A zip or OLE file that holds a workbook."""
    if not isinstance(source, SourceFile):
        return 0.0
    if source.head.startswith(b"PK\x03\x04"):
        return 1.0 if _zipped_workbook(source) else 0.0
    return 0.9 if source.head.startswith((_OLE, b"\x09\x08\x10\x00", b"\x09\x08\x08\x00")) else 0.0


def _zipped_workbook(source: SourceFile) -> bool:
    import zipfile

    try:
        with zipfile.ZipFile(source.path) as archive:
            names = set(archive.namelist())
            if any(each.startswith("xl/workbook") for each in names):
                return True
            return "mimetype" in names and b"spreadsheet" in archive.read("mimetype")
    except (zipfile.BadZipFile, OSError):
        return source.suffix in (".xlsx", ".xlsm", ".ods")


def convert(source: SourceFile, *, sheets: list[str] | None = None) -> BoxSet:
    """A box a table: a sheet is one table, or several where blank rows or columns part them.

    Args:
        source: The workbook.
        sheets: The sheets wanted; all where None.

    Raises:
        UnreadableSource: It is damaged, protected by a password, or holds no cell.
    """
    workbook = _opened(source)
    wanted = workbook.sheet_names if sheets is None else sheets
    missing = [each for each in wanted if each not in workbook.sheet_names]
    if missing:
        hint = f"the sheets are: {', '.join(workbook.sheet_names)}"
        raise UnreadableSource(f"there is no sheet {missing[0]!r}", where=source.label, hint=hint)
    boxes: list[Box] = []
    notes: list[Note] = []
    hidden = {each.name for each in workbook.sheets_metadata if not str(each.visible).endswith(".Visible")}
    for sheet in wanted:
        looked = look_at(source, sheet)
        if looked.far:
            message = f"the sheet {sheet!r} reaches to {looked.far} for a few cells: delete those far from its tables"
            notes.append(Note("unreadable", message))
            continue
        try:
            rows = _rows(workbook.get_sheet_by_name(sheet), sheet, looked.durations, notes)
        except (_errors(), OSError, ValueError) as error:
            notes.append(Note("unreadable", f"the sheet {sheet!r} cannot be read: {error}"))
            continue
        notes += looked.notes
        notes += looked.notes_on_hidden(sheet, len(rows), max(map(len, rows), default=0))
        tables = blocks(rows)
        if not tables:
            notes.append(Note("skipped", f"the sheet {sheet!r} is empty"))
        for number, table in enumerate(tables, start=1):
            source_name = sheet if len(tables) == 1 else f"{sheet} {number}"
            label = box_name(source_name, [box.name for box in boxes])
            if label != source_name or len(tables) > 1:
                message = f"the sheet is called {sheet!r}" + (
                    f"; this is its table {number} of {len(tables)}" if len(tables) > 1 else ""
                )
                notes.append(Note("renamed", message, label))
            if sheet in hidden:
                notes.append(Note("lint", "its sheet is hidden in the workbook", label))
            grid = find_table(table, label, notes, keep_lines=False)
            grid = _without_footer(grid, label, notes)
            boxes.append(box_of_grid(grid, label, sheet, notes, state=source.fingerprint, typer=_column))
    if not boxes:
        lost = next((note.message for note in notes if note.kind == "unreadable"), "")
        raise UnreadableSource(lost or "this workbook has no cell with a value", where=source.label)
    return BoxSet(boxes, (), notes, [source.label])


def _errors() -> type[Exception]:
    from python_calamine import CalamineError

    return cast(type[Exception], CalamineError)


def _opened(source: SourceFile) -> Any:
    try:
        from python_calamine import CalamineWorkbook, PasswordError
    except ImportError as error:
        raise MissingExtra("python-calamine", "excel") from error
    if source.head.startswith(_OLE) and "EncryptedPackage".encode("utf-16-le") in source.path.read_bytes():
        raise _protected(source)
    try:
        return CalamineWorkbook.from_path(str(source.path))
    except PasswordError as error:
        raise _protected(source) from error
    except (_errors(), OSError, ValueError) as error:
        if "password" in str(error).lower() or "encrypt" in str(error).lower():
            raise _protected(source) from error
        raise UnreadableSource(
            f"this workbook cannot be read: {error}",
            where=source.label,
            hint="open it in a spreadsheet and save it again",
        ) from error


def _protected(source: SourceFile) -> UnreadableSource:
    return UnreadableSource(
        "this workbook is protected by a password",
        where=source.label,
        hint="open it and save a copy without a password",
    )


def _rows(sheet: Any, name: str, durations: frozenset[str], notes: list[Note]) -> list[list[Any]]:
    rows = [list(map(_cell, row)) for row in sheet.to_python(skip_empty_area=False)]
    if durations:
        _tell_durations(rows, durations)
    try:
        merged = list(sheet.merged_cell_ranges or ())
    except (ValueError, AttributeError, RuntimeError):
        merged = []
    filled = 0
    for (top, left), (bottom, right) in merged:
        if bottom == top or top >= len(rows) or left >= len(rows[top]) or rows[top][left] is None:
            continue
        # Cells merged downwards hold for each of their rows; sideways they are titles and headings.
        for row in rows[top + 1 : bottom + 1]:
            if left < len(row) and left == right and row[left] is None:
                row[left] = rows[top][left]
                filled += 1
    if filled:
        notes.append(Note("cast", f"merged cells in the sheet {name!r} hold their value in each row ({filled} cells)"))
    return rows


def _tell_durations(rows: list[list[Any]], durations: frozenset[str]) -> None:
    """OpenDocument's times that no clock shows, in place of their text; and the others in the same columns."""
    found = set()
    for row in rows:
        for at, cell in enumerate(row):
            if isinstance(cell, str) and cell in durations and (parts := _ISO_DURATION.fullmatch(cell)):
                hours, minutes, seconds = (float(part or 0) for part in parts.groups()[1:])
                row[at] = datetime.timedelta(hours=hours, minutes=minutes, seconds=seconds) * (-1 if parts[1] else 1)
                found.add(at)
    for row in rows:
        for at in found:
            if at < len(row) and isinstance(row[at], datetime.time):
                clock = row[at]
                row[at] = datetime.datetime.combine(datetime.date.min, clock) - datetime.datetime.min


def _without_footer(grid: Grid, box: str, notes: list[Note]) -> Grid:
    """The grid without remarks below it: rows that have but text where the table has numbers or dates."""
    rows = list(grid.rows)
    typed = [at for at in range(len(grid.header)) if _is_typed([row[at] for row in rows])]
    footer = []
    while len(rows) > 3 and len(typed) >= 2 and not any(_is_value(cell) for cell in rows[-1]):
        if all(is_blank(rows[-1][at]) for at in typed) and sum(not is_blank(cell) for cell in rows[-1]) * 2 > len(
            rows[-1]
        ):
            break
        footer.append(rows.pop())
    if footer:
        said = " / ".join(" ".join(str(cell) for cell in row if not is_blank(cell)) for row in reversed(footer))
        lines = "line stands" if len(footer) == 1 else "lines stand"
        notes.append(Note("dropped", f"{len(footer)} {lines} below the table: {said[:300]}", box))
    return Grid(grid.header, rows)


def _is_value(cell: Any) -> bool:
    return not is_blank(cell) and not isinstance(cell, str)


def _is_typed(cells: Sequence[Any]) -> bool:
    present = [cell for cell in cells if not is_blank(cell)]
    return len(present) > 3 and sum(map(_is_value, present)) * 2 > len(present)


def _column(values: Sequence[Any], _box: str, _label: str, _notes: list[Note]) -> Any:
    """Whole floats are integers (a workbook knows only floats), dates are midnights."""
    cells = list(values)
    whole = all(not isinstance(cell, float) or (cell.is_integer() and abs(cell) < 2**53) for cell in cells)
    mixed = len({type(cell) for cell in cells if cell is not None}) > 1
    if whole or mixed:
        cells = [
            int(cell) if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53 else cell for cell in cells
        ]
    return column(cells)


def _cell(value: Any) -> Any:
    if isinstance(value, str):
        # Old workbooks' 16-bit texts come with their zero bytes.
        value = value.replace("\0", "")
        return value if value.strip() else None
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        return datetime.datetime(value.year, value.month, value.day)
    return value
