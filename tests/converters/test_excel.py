# ruff: noqa: E501 - scripts and cells as they stand
"""Workbooks, as a person would read them."""

from __future__ import annotations

import datetime
import zipfile
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import boxkit
from boxkit.box import BoxSet
from boxkit.errors import UnreadableSource

openpyxl = pytest.importorskip("openpyxl", reason="openpyxl writes the workbooks of these tests")


@pytest.fixture
def book(tmp_path: Path):
    def book(
        sheets: dict[str, list[list[Any]]], merged: dict[str, list[str]] | None = None, name: str = "book.xlsx"
    ) -> Path:
        made = openpyxl.Workbook()
        made.remove(made.active)
        for title, rows in sheets.items():
            sheet = made.create_sheet(title)
            for row in rows:
                sheet.append(row)
            for area in (merged or {}).get(title, []):
                sheet.merge_cells(area)
        made.save(tmp_path / name)
        return tmp_path / name

    return book


def rows(boxes: BoxSet, box: str) -> list[list[object]]:
    frame = boxes[box].frame
    return [[None if pd.isna(cell) else cell for cell in row] for row in frame.astype(object).values.tolist()]


def test_every_sheet_is_a_box_and_an_empty_one_a_note(book) -> None:
    boxes = boxkit.load(book({"People": [["name", 2019], ["A", 1], ["B", 2.5]], "none": [], "class": [["x"], [1]]}))
    assert set(boxes) == {"People", "class_box"} and boxes["People"].labels == ("name", "2019")
    assert rows(boxes, "People") == [["A", 1.0], ["B", 2.5]]
    assert any(note.kind == "skipped" and "'none'" in note.message for note in boxes.notes)


def test_whole_numbers_are_integers_and_texts_stay_texts(book) -> None:
    boxes = boxkit.load(book({"s": [["id", "zip", "mixed"], [9007199254740991, "00501", 1], [None, "10001", "x"]]}))
    assert rows(boxes, "s") == [[9007199254740991, "00501", 1], [None, "10001", "x"]]
    assert str(boxes["s"].frame["id"].dtype) == "Int64"


def test_numbers_held_as_text_are_noted_with_their_cast(book) -> None:
    boxes = boxkit.load(book({"s": [["k", "v"], ["a", "1"], ["b", "22"]]}))
    (note,) = (note for note in boxes.notes if note.field == "v")
    assert eval(note.fix, {"pd": pd, "s": boxes["s"].frame}).tolist() == [1, 22]


def test_two_tables_on_a_sheet_are_two_boxes(book) -> None:
    below = [
        ["city", "people"],
        ["Oslo", 7],
        ["Rome", 28],
        [],
        ["river", "length", "ends"],
        ["Po", 652, "sea"],
        ["Aare", 288, "Rhine"],
    ]
    beside = [["a", "n", None, "b", "m"], ["x", 1, None, "p", 5], ["y", 2, None, "q", 6], [None, None, None, "r", 7]]
    boxes = boxkit.load(book({"below": below, "beside": beside}))
    assert rows(boxes, "below_1") == [["Oslo", 7], ["Rome", 28]]
    assert rows(boxes, "below_2") == [["Po", 652, "sea"], ["Aare", 288, "Rhine"]]
    assert rows(boxes, "beside_1") == [["x", 1], ["y", 2]]
    assert rows(boxes, "beside_2") == [["p", 5], ["q", 6], ["r", 7]]


def test_a_blank_row_within_a_table_parts_nothing(book) -> None:
    boxes = boxkit.load(book({"s": [["a", "n"], ["x", 1], [], ["y", 2]]}))
    assert rows(boxes, "s") == [["x", 1], ["y", 2]]


def test_titles_and_remarks_around_a_table_are_notes(book) -> None:
    boxes = boxkit.load(
        book(
            {
                "s": [
                    ["Sales of 2024"],
                    [],
                    ["city", "sold", "day"],
                    *[[f"c{at}", at, datetime.date(2024, 1, at + 1)] for at in range(5)],
                    [],
                    ["Source: us"],
                ]
            }
        )
    )
    assert boxes["s"].labels == ("city", "sold", "day") and len(rows(boxes, "s")) == 5
    said = " ".join(note.message for note in boxes.notes)
    assert "Sales of 2024" in said and "Source: us" in said


def test_merged_headings_join_the_names_below_them(book) -> None:
    boxes = boxkit.load(
        book(
            {
                "s": [
                    ["Region", "2023", None, "2024", None],
                    [None, "Q1", "Q2", "Q1", "Q2"],
                    ["N", 1, 2, 3, 4],
                    ["S", 5, 6, 7, 8],
                ]
            },
            {"s": ["B1:C1", "D1:E1", "A1:A2"]},
        )
    )
    assert boxes["s"].labels == ("Region", "2023 Q1", "2023 Q2", "2024 Q1", "2024 Q2")
    assert rows(boxes, "s") == [["N", 1, 2, 3, 4], ["S", 5, 6, 7, 8]]


def test_cells_merged_downwards_hold_for_each_row(book) -> None:
    boxes = boxkit.load(
        book(
            {"s": [["land", "city", "n"], ["NO", "Oslo", 1], [None, "Bergen", 2], ["IT", "Rome", 3]]}, {"s": ["A2:A3"]}
        )
    )
    assert rows(boxes, "s") == [["NO", "Oslo", 1], ["NO", "Bergen", 2], ["IT", "Rome", 3]]


def test_a_formula_without_a_stored_value_is_missing(book) -> None:
    boxes = boxkit.load(book({"s": [["a", "b"], [1, "=A2+1"], [2, 5]]}))
    assert rows(boxes, "s") == [[1, None], [2, 5]]


def test_repeated_and_empty_headers(book) -> None:
    boxes = boxkit.load(book({"s": [["a", "a", None], [1, 2, 3]]}))
    assert boxes["s"].labels == ("a", "a_2", "column_3")


@pytest.mark.parametrize("system", ["1900", "1904"])
def test_dates_are_the_days_that_the_workbook_shows(tmp_path: Path, system: str) -> None:
    made = openpyxl.Workbook()
    if system == "1904":
        made.epoch = openpyxl.utils.datetime.CALENDAR_MAC_1904
    made.active.append(["day", "at"])
    made.active.append([datetime.date(2000, 1, 1), datetime.datetime(2000, 1, 1, 13, 30)])
    made.save(tmp_path / "dates.xlsx")
    frame = boxkit.load(tmp_path / "dates.xlsx")["Sheet"].frame
    assert frame["day"][0] == pd.Timestamp(2000, 1, 1) and frame["at"][0] == pd.Timestamp(2000, 1, 1, 13, 30)


@pytest.mark.parametrize("name", ["dates-1904.xls", "dates-1900-LibreOffice.xlsx"])
def test_real_workbooks_of_both_date_systems(data: Path, name: str) -> None:
    (box,) = boxkit.load(data / "messy" / "readxl" / name).values()
    assert set(box.frame.iloc[0]) == {pd.Timestamp(2000, 1, 1)}


@pytest.mark.parametrize(
    ("name", "box", "labels", "count"),
    [
        ("deaths.xlsx", "arts", ("Name", "Profession", "Age", "Has kids", "Date of birth", "Date of death"), 10),
        ("deaths.xls", "other", ("Name", "Profession", "Age", "Has kids", "Date of birth", "Date of death"), 10),
        ("geometry.xlsx", "Sheet1", ("var1", "var2", "var3"), 3),
        ("big-texty-numbers-xlsx.xlsx", "Sheet1", ("number", "number as text", "notes"), 6),
        ("skipping.xlsx", "two_occupied_rows", ("var1", "var2"), 2),
        (
            "mtcars.xls",
            "head_mtcars",
            ("mpg", "cyl", "disp", "hp", "drat", "wt", "qsec", "vs", "am", "gear", "carb"),
            6,
        ),
        ("datasets.xls", "quakes", ("lat", "long", "depth", "mag", "stations"), 1000),
    ],
)
def test_real_workbooks_read_as_a_person_would(
    data: Path, name: str, box: str, labels: tuple[str, ...], count: int
) -> None:
    found = boxkit.load(data / "messy" / "readxl" / name)[box]
    assert found.labels == labels and len(found.frame) == count


def test_open_document_sheets(tmp_path: Path) -> None:
    cell = '<table:table-cell office:value-type="{}" {}><text:p>{}</text:p></table:table-cell>'
    text, number = (lambda t: cell.format("string", "", t)), (lambda n: cell.format("float", f'office:value="{n}"', n))
    lines = [text("a") + text("n"), text("x") + number(1), text("y") + number(2)]
    content = (
        '<?xml version="1.0"?><office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"'
        ' xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0">'
        '<office:body><office:spreadsheet><table:table table:name="S">'
        + "".join(f"<table:table-row>{line}</table:table-row>" for line in lines)
        + "</table:table></office:spreadsheet></office:body></office:document-content>"
    )
    with zipfile.ZipFile(tmp_path / "book.ods", "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr(
            "META-INF/manifest.xml", '<manifest xmlns="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"/>'
        )
        archive.writestr("content.xml", content)
    assert rows(boxkit.load(tmp_path / "book.ods"), "S") == [["x", 1], ["y", 2]]


def test_a_workbook_called_csv_is_a_workbook(book) -> None:
    path = book({"s": [["a", "b"], [1, 2]]})
    assert rows(boxkit.load(path.rename(path.with_suffix(".csv"))), "s") == [[1, 2]]


def test_bad_workbooks_are_named(tmp_path: Path, book) -> None:
    protected = tmp_path / "secret.xlsx"
    protected.write_bytes(
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600) + "EncryptedPackage".encode("utf-16-le") + bytes(600)
    )
    with pytest.raises(UnreadableSource, match="password"):
        boxkit.load(protected)
    with pytest.raises(UnreadableSource, match="no cell"):
        boxkit.load(book({"a": [], "b": []}))
    whole = book({"s": [["a"], [1]]})
    whole.write_bytes(whole.read_bytes()[:-200])
    with pytest.raises(UnreadableSource, match=r"book\.xlsx"):
        boxkit.load(whole)
    with pytest.raises(UnreadableSource, match="the sheets are: s"):
        boxkit.load(book({"s": [["a"], [1]]}), sheets=["t"])


def test_errors_and_formulas_without_a_value_are_noted_with_the_first_cell(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "R&D"
    for row in (["a", "b", "c"], [1, "#DIV/0!", 2], [2, "=A2+1", 3], [3, 5, "#N/A"]):
        sheet.append(row)
    book.save(tmp_path / "book.xlsx")
    said = [note.message for note in boxkit.load(tmp_path / "book.xlsx").notes if note.kind == "cast"]
    assert any("2, first B2 (#DIV/0!)" in message for message in said)
    assert any("1, first B3" in message for message in said)


def test_a_hidden_sheet_is_read_and_noted(tmp_path: Path) -> None:
    made = openpyxl.Workbook()
    made.active.append(["x"])
    made.active.append([1])
    for state in ("hidden", "veryHidden"):
        sheet = made.create_sheet(state)
        sheet.append(["y"])
        sheet.append([2])
        sheet.sheet_state = state
    made.save(tmp_path / "book.xlsx")
    boxes = boxkit.load(tmp_path / "book.xlsx")
    assert len(boxes) == 3
    assert [note.box for note in boxes.notes if "hidden in the workbook" in note.message] == ["hidden", "veryHidden"]


def test_kinds_of_cells_keep_their_kind_after_blank_rows_and_columns(tmp_path: Path) -> None:
    made = openpyxl.Workbook()
    sheet = made.active
    for column, label in enumerate(["share", "took", "ok", "clock", "day"], start=3):
        sheet.cell(4, column, label)
    moment = datetime.datetime(2024, 1, 5, 6, 7)
    for row in (5, 6):
        kept = [0.25, datetime.timedelta(hours=30, minutes=row), row == 5, datetime.time(9, row), moment]
        for column, value in enumerate(kept, start=3):
            sheet.cell(row, column, value)
        sheet.cell(row, 3).number_format = "0%"
    made.save(tmp_path / "book.xlsx")
    (box,) = boxkit.load(tmp_path / "book.xlsx").values()
    first = [value.to_pydatetime() if isinstance(value, pd.Timestamp) else value for value in box.frame.iloc[0]]
    assert first == [0.25, datetime.timedelta(hours=30, minutes=5), True, datetime.time(9, 5), moment]


def test_open_document_formulas_that_were_never_calculated_are_noted(tmp_path: Path) -> None:
    names = "urn:oasis:names:tc:opendocument:xmlns"
    text = '<table:table-cell office:value-type="string"><text:p>{}</text:p></table:table-cell>'
    number = '<table:table-cell office:value-type="float" office:value="{}"/>'
    rows = [
        text.format("id") + text.format("double"),
        number.format(1) + '<table:table-cell table:formula="of:=[.A2]*2"/>',
    ]
    body = "".join(f"<table:table-row>{row}</table:table-row>" for row in rows)
    with zipfile.ZipFile(tmp_path / "book.ods", "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("META-INF/manifest.xml", f'<m:manifest xmlns:m="{names}:manifest:1.0"/>')
        archive.writestr(
            "content.xml",
            f'<office:document-content xmlns:office="{names}:office:1.0" xmlns:table="{names}:table:1.0"'
            f' xmlns:text="{names}:text:1.0"><office:body><office:spreadsheet><table:table table:name="S &amp; T">{body}'
            "</table:table></office:spreadsheet></office:body></office:document-content>",
        )
    boxes = boxkit.load(tmp_path / "book.ods")
    (note,) = (note for note in boxes.notes if "without a calculated value" in note.message)
    assert "'S & T'" in note.message and "[.A2]*2" in note.message
