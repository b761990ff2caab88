# ruff: noqa: E501 - scripts and cells as they stand
"""Cells of SQLite databases: every one as SQLite has it."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import pandas as pd
import pytest

import boxkit


def cells(frame: pd.DataFrame) -> list[tuple[object, ...]]:
    """A frame's rows as Python values, None for missing."""
    columns = [[None if pd.isna(value) else value for value in frame[label].tolist()] for label in frame]
    return list(zip(*columns, strict=True))


def of_sqlite(path: Path, table: str) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(path)
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    quoted = table.replace('"', '""')
    rows = connection.execute(f'SELECT * FROM "{quoted}"').fetchall()
    connection.close()
    return rows


def databases(data: Path) -> list[Path]:
    return sorted(
        [
            *data.glob("spider/database/*/*.sqlite"),
            *data.glob("sample_dbs/*/*.sqlite"),
            *data.glob("kaggledbqa/**/*.sqlite"),
            *data.glob("machinespider_de/**/*.sqlite"),
            *data.glob("archer/**/*.sqlite"),
        ]
    )


@pytest.mark.slow
def test_every_cell_of_every_real_database_is_the_sources_own(data: Path) -> None:
    found = databases(data)
    assert len(found) > 60
    for path in found:
        for name, box in boxkit.load(path).items():
            theirs = of_sqlite(path, box.source_name)
            ours = cells(box.frame)
            assert ours == theirs, f"{path.name}: {name}"
            for row, other in zip(ours[:500], theirs[:500], strict=True):
                assert [isinstance(cell, str) for cell in row] == [isinstance(cell, str) for cell in other]


def test_a_column_without_a_type_takes_it_from_its_data(make) -> None:
    boxes = boxkit.load(make("CREATE TABLE x(foo INT, size, bar TEXT); INSERT INTO x VALUES (1, 'XL', 'a');"))
    assert [field.type for field in boxes["x"].fields] == ["integer", "text", "text"]


def test_integers_with_nulls_stay_integers_and_exact(make) -> None:
    path = make(
        "CREATE TABLE t(a INTEGER, b INTEGER); INSERT INTO t VALUES (9007199254740993, 305184080441754059), (NULL, -1);"
    )
    frame = boxkit.load(path)["t"].frame
    assert cells(frame) == [(9007199254740993, 305184080441754059), (None, -1)]
    assert str(frame["a"].dtype) == "Int64" and str(frame["b"].dtype) == "int64"


def test_empty_tables_take_their_types_from_the_declaration(make) -> None:
    frame = boxkit.load(make("CREATE TABLE t(a INTEGER, b REAL, c TEXT)"))["t"].frame
    assert [str(frame[label].dtype) for label in "ab"] == ["Int64", "float64"]
    assert frame["c"].dtype == pd.Series(["x"]).dtype and len(frame) == 0


def test_one_text_deep_in_an_integer_column_stays_text_and_is_noted(make) -> None:
    rows = [(at, f"name {at}", at / 2) for at in range(120_000)]
    rows[90_000] = ("abc", "odd", 1)
    path = make("CREATE TABLE t(a INTEGER, b TEXT, c REAL)", rows={"INSERT INTO t VALUES (?, ?, ?)": rows})
    boxes = boxkit.load(path)
    values = boxes["t"].frame["a"].tolist()
    assert values[90_000] == "abc" and values[90_001] == 90_001 and type(values[0]) is int
    (note,) = (note for note in boxes.notes if note.field == "a")
    assert note.row == 90_000 and "119999 integer, 1 text" in note.message


def test_fast_and_careful_reading_agree_on_tables_that_bend_types(make, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = random.Random(7)
    odd = [None, 1, 2.5, "x", "7", b"b", 2**53 + 1, -(2**63), "é\0z", ""]
    rows = [(at, at, f"{at}", at / 3, at if at % 2 else None, None) for at in range(70_000)]
    rows += [tuple(chosen.choice(odd) for _ in range(6)) for _ in range(50)]
    script = "CREATE TABLE t(a INTEGER, b, c TEXT, d NUMERIC, e INT, f REAL)"
    path = make(script, rows={"INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)": rows})
    monkeypatch.setattr("boxkit.converters.sqlite_reader._SMALL_BYTES", 0)
    fast = boxkit.load(path)["t"].frame
    monkeypatch.setattr("boxkit.converters.sqlite_reader._SMALL_BYTES", 10**12)
    careful = boxkit.load(path)["t"].frame
    pd.testing.assert_frame_equal(fast, careful)
    theirs = of_sqlite(path, "t")
    assert [tuple(map(type, row)) for row in cells(fast)[-50:]] == [
        tuple(float if type(cell) is int and at == 5 else type(cell) for at, cell in enumerate(row))
        for row in theirs[-50:]
    ] or cells(fast) == theirs
    assert cells(fast) == theirs


def test_bytes_that_are_no_utf8_are_replaced_and_their_place_is_noted(make) -> None:
    path = make(
        "CREATE TABLE t(a TEXT, b INTEGER); INSERT INTO t VALUES ('fine', 1), (CAST(x'4a6fe9' AS TEXT), 2), (NULL, NULL), (x'e9', 3);"
    )
    boxes = boxkit.load(path)
    assert cells(boxes["t"].frame) == [("fine", 1), ("Jo\ufffd", 2), (None, None), (b"\xe9", 3)]
    (note,) = (note for note in boxes.notes if note.kind == "undecodable")
    assert (note.box, note.field, note.row) == ("t", "a", 1)


def test_generated_and_typeless_columns_and_blobs_survive(make) -> None:
    path = make(
        "CREATE TABLE t(a INTEGER, b INTEGER AS (a * 2) VIRTUAL, c INTEGER AS (a + 1) STORED, d BLOB);"
        "INSERT INTO t(a, d) VALUES (1, x'00ff'), (2, NULL);"
    )
    assert cells(boxkit.load(path)["t"].frame) == [(1, 2, 2, b"\x00\xff"), (2, 4, 3, None)]


@pytest.mark.parametrize("text", ["2024-02-30", "0000-00-00", "12/31/99"])
def test_dates_that_are_none_stay_text_and_are_noted(make, text: str) -> None:
    path = make("CREATE TABLE t(d DATE)", rows={"INSERT INTO t VALUES (?)": [("2024-02-28",), (text,)]})
    boxes = boxkit.load(path)
    assert boxes["t"].frame["d"].tolist() == ["2024-02-28", text]
    assert any(note.field == "d" and text in note.message for note in boxes.notes)


def test_some_columns_come_in_the_same_order_as_all(make) -> None:
    path = make(
        "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT); CREATE INDEX by_name ON t(name); INSERT INTO t(name) VALUES ('z'), ('a');"
    )
    box = boxkit.load(path)["t"]
    assert box.read(["name"])["name"].tolist() == ["z", "a"]
    assert box.read(["name", "id"], limit=1).values.tolist() == [["z", 1]]
    assert box.count() == 2
