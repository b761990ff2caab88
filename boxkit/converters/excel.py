"""Workbooks (.xlsx, .xlsm, .xls, .xlsb, .ods): each sheet's tables, as a person would read them."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

from boxkit.box import BoxSet, Note
from boxkit.converters.columns import column
from boxkit.converters.grid import box_of_grid, find_table
from boxkit.converters.source import SourceFile
from boxkit.errors import MissingExtra, UnreadableSource
from boxkit.naming import box_name

__all__ = ["accepts", "convert", "name"]

name = "excel"

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
    """A box a sheet.

    Args:
        source: The workbook.
        sheets: The sheets wanted; all where None.

    Raises:
        UnreadableSource: It is damaged, protected by a password, or holds no cell.
    """
    try:
        from python_calamine import CalamineError, CalamineWorkbook, PasswordError
    except ImportError as error:
        raise MissingExtra("python-calamine", "excel") from error
    try:
        workbook = CalamineWorkbook.from_path(str(source.path))
        names = workbook.sheet_names if sheets is None else sheets
        grids = {each: workbook.get_sheet_by_name(each).to_python(skip_empty_area=False) for each in names}
    except PasswordError as error:
        raise UnreadableSource(
            "this workbook is protected by a password", where=source.label, hint="save a copy without one"
        ) from error
    except (CalamineError, OSError, ValueError) as error:
        raise UnreadableSource(f"this workbook cannot be read: {error}", where=source.label) from error
    boxes, notes = [], list[Note]()
    for sheet, rows in grids.items():
        if not any(cell != "" for row in rows for cell in row):
            notes.append(Note("skipped", f"the sheet {sheet!r} is empty"))
            continue
        label = box_name(sheet, [box.name for box in boxes])
        if label != sheet:
            notes.append(Note("renamed", f"the sheet is called {sheet!r}", label))
        grid = find_table([[None if cell == "" else cell for cell in row] for row in rows], label, notes)
        boxes.append(box_of_grid(grid, label, sheet, notes, state=source.fingerprint, typer=_column))
    if not boxes:
        raise UnreadableSource("this workbook has no cell with a value", where=source.label)
    return BoxSet(boxes, (), notes, [source.label])


def _column(values: Sequence[Any], box: str, label: str, notes: list[Note]) -> Any:
    """Whole floats are integers (a workbook knows only floats), dates at midnight datetimes."""
    cells = [_cell(value) for value in values]
    if any(isinstance(cell, float) for cell in cells) and all(
        cell is None
        or isinstance(cell, (int, float))
        and not isinstance(cell, bool)
        and float(cell).is_integer()
        and abs(cell) < 2**53
        for cell in cells
    ):
        cells = [None if cell is None else int(cell) for cell in cells]
    return column(cells)


def _cell(value: Any) -> Any:
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        return datetime.datetime(value.year, value.month, value.day)
    return value
