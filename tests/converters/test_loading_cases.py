"""Files of several oddities at once, and what loading promises besides cells: SQL, a cache, long tables."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from pathlib import Path

import openpyxl
import pandas as pd
import pytest

import boxkit
from boxkit.llm import Cached
from boxkit.sql.engine import Fetched, engine_for
from boxkit.testing import ScriptedLLM


def cells(frame: pd.DataFrame) -> list[list[object]]:
    return [[None if pd.isna(cell) else cell for cell in frame[label].tolist()] for label in frame]


def test_a_mark_of_utf8_before_latin1_titles_and_ragged_rows_lose_no_letter_and_no_row(tmp_path: Path) -> None:
    text = "Umsätze;;\nvon José;;\n2024;;\nOrt;Menge;Einheit\nMünchen;1;kg\nZürich;2\nKöln;3;kg;mehr\n"
    (tmp_path / "odd.csv").write_bytes(b"\xef\xbb\xbf" + text.encode("latin-1"))
    boxes = boxkit.load(tmp_path / "odd.csv")
    assert boxes["odd"].labels == ("Ort", "Menge", "Einheit", "column_4")
    expected = [["München", "Zürich", "Köln"], [1, 2, 3], ["kg", None, "kg"], [None, None, "mehr"]]
    assert cells(boxes["odd"].frame) == expected
    said = " ".join(note.message for note in boxes.notes)
    for oddity in ("not UTF-8", "3 lines stand above the header: Umsätze", "fewer cells", "more cells"):
        assert oddity in said


NAMES = ["3pointplay", "location.latitude", "na me", "日付", 'a"b', "", "x" * 200, 2019]


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
def test_any_header_names_a_column_in_pandas_and_in_sql(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"odd.{kind}"
    if kind == "csv":
        out = io.StringIO()
        csv.writer(out).writerows([NAMES, list("abcdefgh")])
        path.write_text(out.getvalue(), encoding="utf-8")
    else:
        book = openpyxl.Workbook()
        book.active.title = "odd"
        for row in (NAMES, list("abcdefgh")):
            book.active.append(row)
        book.save(path)
    boxes = boxkit.load(path)
    labels = boxes["odd"].labels
    assert labels == ("3pointplay", "location.latitude", "na me", "日付", 'a"b', "column_6", "x" * 200, "2019")
    engine = engine_for(boxes)
    for label, value in zip(labels, "abcdefgh", strict=True):
        run = boxkit.execute(f"answer = odd[{label!r}].tolist()", boxes)
        quoted = label.replace('"', '""')
        found = engine.query(f'SELECT "{quoted}" FROM odd WHERE "{quoted}" = \'{value}\'')
        assert run.answer == [value] and isinstance(found, Fetched) and found.frame.values.tolist() == [[value]]


def test_one_question_of_two_files_alike_but_for_their_rows_has_two_answers(tmp_path: Path) -> None:
    llm = Cached(ScriptedLLM(["Sum.\n```python\nanswer = int(sales['n'].sum())\n```"] * 2), tmp_path / "cache")
    found = []
    for folder, last in (("one", 5), ("two", 9)):
        (tmp_path / folder).mkdir()
        path = tmp_path / folder / "sales.csv"
        path.write_text("id,n\n" + "".join(f"{at},1\n" for at in range(200)) + f"200,{last}\n")
        found.append(boxkit.Pandora(llm).ask("How many in all?", boxkit.load(path)).check().rows)
    assert found == [[(205,)], [(209,)]]


def test_one_text_among_900_000_integers_is_the_only_cell_that_is_none(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "long.sqlite") as connection:
        connection.execute("CREATE TABLE t(a INTEGER)")
        connection.execute(
            "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 900001) INSERT INTO t "
            "SELECT CASE i WHEN 900000 THEN 'abc' ELSE i END FROM n"
        )
    connection.close()
    boxes = boxkit.load(tmp_path / "long.sqlite")
    values = boxes["t"].frame["a"].tolist()
    assert (
        values[900_000] == "abc" and values[900_001] == 900_001 and sum(type(each) is not int for each in values) == 1
    )
    assert [note.row for note in boxes.notes if note.field == "a"] == [900_000]


def test_a_json_document_of_every_oddity_is_boxes_with_keys_between_them(tmp_path: Path) -> None:
    document = [
        {"id": 1, "orders": [{"nr": "a", "items": [{"sku": "x", "n": 2}, {"sku": "y"}]}, {"nr": "b"}]},
        {"id": 2, "name": "Bo"},
    ]
    text = json.dumps(document)[:-2] + ', "big": 1e400, "none": NaN, "name": "Bob"}]'
    (tmp_path / "people.json").write_text(text)
    boxes = boxkit.load(tmp_path / "people.json")
    orders, items, people = (boxes[name].frame for name in ("people_orders", "people_orders_items", "people"))
    joined = items.merge(orders, on="people_orders_row").merge(people, on="people_row")
    assert joined[["id", "nr", "sku"]].values.tolist() == [[1, "a", "x"], [1, "a", "y"]]
    assert cells(people[["name", "name_2", "big", "none"]]) == [
        [None, "Bo"],
        [None, "Bob"],
        [None, "1e400"],
        [None, None],
    ]
    said = " ".join(note.message for note in boxes.notes)
    assert "1e400" in said and "NaN" in said and "'name' twice" in said


def test_an_empty_text_is_no_missing_key(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps([{"k": "", "a": 1}, {"k": None, "a": 2}, {"k": "x", "a": 3}]))
    frame = boxkit.load(tmp_path / "a.json")["a"].frame
    assert cells(frame) == [["", None, "x"], [1, 2, 3]] and frame["k"].isna().tolist() == [False, True, False]
