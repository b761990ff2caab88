"""Real messy files: every cell that another reader finds is in a box, in a label or named by a note."""

from __future__ import annotations

import csv
import datetime
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import boxkit

#: Delimiter, encoding, and how many lines of title stand above the table (a note tells them), as a person sees them.
DELIMITED = {
    "begrotingsanalyse-2011.csv": (",", "utf-8", 8),
    "characters.csv": (",", "big5", 0),
    "complex.csv": (",", "utf-8", 0),
    "example.tsv": ("\t", "utf-8", 0),
    "mixedGLB.csv": (",", "utf-8", 2),
    "null.csv": (",", "utf-8", 0),
    "simple.psv": ("|", "utf-8", 0),
    "skip_initials.csv": (",", "utf-8", 0),
    "small.csv": (",", "utf-8", 0),
    "spanish_chars.csv": (",", "cp1252", 0),
    "sparse_with_column_errors.csv": (",", "cp1252", 0),
    "utf8bom.csv": (",", "utf-8-sig", 0),
    "weird_head_padding.csv": (";", "utf-8", 12),
}


def text(value: Any) -> str:
    """A cell as one text whichever reader it comes from."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.12g}"
    if isinstance(value, (datetime.datetime, datetime.date, pd.Timestamp)):
        return pd.Timestamp(value).isoformat()
    return str(value).strip()


def held(boxes: boxkit.BoxSet) -> Counter[str]:
    """Every cell and label of the boxes."""
    found: Counter[str] = Counter()
    for box in boxes.values():
        found.update(field.source_name.strip() for field in box.fields if field.source_name)
        found.update(text(cell) for _, column in box.frame.items() for cell in column.dropna())
    found.pop("", None)
    return found


@pytest.mark.parametrize("name", DELIMITED)
def test_no_cell_of_a_delimited_file_is_lost_or_changed(data: Path, name: str) -> None:
    path = data / "messy" / "messytables_horror" / name
    delimiter, encoding, above = DELIMITED[name]
    with path.open(newline="", encoding=encoding) as file:
        rows = list(csv.reader(file, delimiter=delimiter, skipinitialspace=True))
    source = Counter(cell.strip() for row in rows[above:] for cell in row if cell.strip())
    assert source - held(boxkit.load(path, as_text=True)) == Counter()


WORKBOOKS = """blanks datasets deaths geometry iris-excel-xlsx missing-values-xlsx type-me unnamed-duplicated-columns
utf8-sheet-names dates-1900-LibreOffice inlineStr skipping no-yes-col-names""".split()


@pytest.mark.parametrize("name", WORKBOOKS)
def test_no_cell_of_a_workbook_is_lost_or_changed(data: Path, name: str) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    path = data / "messy" / "readxl" / f"{name}.xlsx"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # openpyxl's, about extensions that hold no cell
        book = openpyxl.load_workbook(path, data_only=True)
    source = Counter(
        text(cell)
        for sheet in book
        for row in sheet.iter_rows(values_only=True)
        for cell in row
        if text(cell or "") or cell == 0
    )
    boxes = boxkit.load(path)
    told = " / ".join(
        note.message for note in boxes.notes if "above the header" in note.message or "below the table" in note.message
    )
    assert [cell for cell in source - held(boxes) if cell not in told] == []
