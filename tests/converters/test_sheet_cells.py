"""What a sheet says besides its values: what is hidden, and times longer than a day."""

from __future__ import annotations

import datetime
import zipfile
from pathlib import Path

import pandas as pd
import pytest

import boxkit
from boxkit.errors import UnreadableSource

openpyxl = pytest.importorskip("openpyxl", reason="openpyxl writes the workbooks of these tests")

NAMES = "urn:oasis:names:tc:opendocument:xmlns"


def open_document(path: Path, columns: str, rows: list[tuple[str, list[str]]]) -> Path:
    """A sheet "S" of rows, each its attributes and its cells in XML."""
    body = columns + "".join(f"<table:table-row {of}>{''.join(cells)}</table:table-row>" for of, cells in rows)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("META-INF/manifest.xml", f'<m:manifest xmlns:m="{NAMES}:manifest:1.0"/>')
        archive.writestr(
            "content.xml",
            f'<office:document-content xmlns:office="{NAMES}:office:1.0" xmlns:table="{NAMES}:table:1.0"'
            f' xmlns:text="{NAMES}:text:1.0"><office:body><office:spreadsheet><table:table table:name="S">{body}'
            "</table:table></office:spreadsheet></office:body></office:document-content>",
        )
    return path


def text(said: str) -> str:
    return f'<table:table-cell office:value-type="string"><text:p>{said}</text:p></table:table-cell>'


def time(value: str) -> str:
    return (
        f'<table:table-cell office:value-type="time" office:time-value="{value}"><text:p>?</text:p></table:table-cell>'
    )


def hidden(path: Path) -> list[str]:
    return [note.message for note in boxkit.load(path).notes if "hidden" in note.message]


def test_hidden_rows_and_columns_are_read_and_noted_as_the_workbook_counts_them(tmp_path: Path) -> None:
    made = openpyxl.Workbook()
    for row in [["a", "b", "c", "d"], *([at, at, at, at] for at in range(8))]:
        made.active.append(row)
    for row in (3, 5, 6, 7, 400):
        made.active.row_dimensions[row].hidden = True
    for column in ("B", "D", "E"):
        made.active.column_dimensions[column].hidden = True
    made.save(tmp_path / "book.xlsx")
    assert boxkit.load(tmp_path / "book.xlsx")["Sheet"].frame.shape == (8, 4)
    rows, columns = hidden(tmp_path / "book.xlsx")
    assert rows.startswith("rows 3, 5 to 7 of the sheet 'Sheet' are hidden")
    assert columns.startswith("columns B, D of the sheet 'Sheet' are hidden")


def test_hidden_rows_and_columns_of_open_documents_are_noted(tmp_path: Path) -> None:
    columns = '<table:table-column/><table:table-column table:visibility="collapse" table:number-columns-repeated="9"/>'
    rows = [("", [text("a"), text("b")]), ('table:visibility="filter"', [text("x"), text("y")])]
    path = open_document(tmp_path / "book.ods", columns, rows)
    assert [message.split(" is ")[0] for message in hidden(path)] == [
        "row 2 of the sheet 'S'",
        "column B of the sheet 'S'",
    ]


def test_durations_of_open_documents_are_durations_and_texts_like_them_texts(tmp_path: Path) -> None:
    rows = [
        [text("took"), text("at"), text("code")],
        [time("PT30H05M00S"), time("PT09H30M00S"), text("PT5H")],
        [time("PT01H00M02.5S"), time("PT10H00M00S"), text("x")],
        [time("-PT2H"), time("PT11H00M00S"), text("y")],
    ]
    frame = boxkit.load(open_document(tmp_path / "book.ods", "", [("", row) for row in rows]))["S"].frame
    hours = [
        datetime.timedelta(hours=30, minutes=5),
        datetime.timedelta(hours=1, seconds=2.5),
        -datetime.timedelta(hours=2),
    ]
    assert pd.api.types.is_timedelta64_dtype(frame["took"].dtype) and frame["took"].tolist() == hours
    assert frame["at"].tolist() == [datetime.time(9, 30), datetime.time(10), datetime.time(11)]
    assert frame["code"].tolist() == ["PT5H", "x", "y"]


def test_a_cell_far_from_the_others_is_told_and_hides_no_other_sheet(tmp_path: Path) -> None:
    made = openpyxl.Workbook()
    made.active.append(["a"])
    made.active.append([1])
    far = made.create_sheet("far")
    far["A1"], far["XFD1048576"] = "a", "lost"
    made.save(tmp_path / "book.xlsx")
    boxes = boxkit.load(tmp_path / "book.xlsx")
    assert list(boxes) == ["Sheet"] and any("XFD1048576" in note.message for note in boxes.notes)
    with pytest.raises(UnreadableSource, match="XFD1048576"):
        boxkit.load(tmp_path / "book.xlsx", sheets=["far"])
