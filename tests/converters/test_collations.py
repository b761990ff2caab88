# ruff: noqa: E501 - scripts as they stand
"""Declared types and collations: what SQL holds for equal and pandas does not."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

import boxkit
from boxkit.box import BoxSet, Field
from boxkit.cli.app import app

SCRIPT = """
CREATE TABLE person(id INTEGER PRIMARY KEY, name VARCHAR(40) COLLATE NOCASE, code TEXT COLLATE "rtrim", plain TEXT COLLATE BINARY,
  size, born DATE);
CREATE TABLE "odd ""t"(k TEXT COLLATE nocase PRIMARY KEY, v NUMERIC) WITHOUT ROWID;
INSERT INTO person VALUES (1, 'Ann', 'x', 'a', 1, '2024-01-31'), (2, 'bob', 'x  ', 'A', 'y', NULL);
"""


def described(fields: tuple[Field, ...]) -> list[tuple[str, str, str]]:
    return [(each.declared, each.affinity, each.collation) for each in fields]


def compared(boxes: BoxSet) -> dict[str | None, str]:
    return {note.field: str(note) for note in boxes.loading_notes if "SQL compares" in note.message}


def test_sqlite_columns_keep_their_declared_type_affinity_and_collation(make, tmp_path: Path) -> None:
    boxes = boxkit.load(make(SCRIPT))
    expected = [
        ("INTEGER", "INTEGER", ""),
        ("VARCHAR(40)", "TEXT", "NOCASE"),
        ("TEXT", "TEXT", "RTRIM"),
        ("TEXT", "TEXT", ""),
        ("", "BLOB", ""),
        ("DATE", "NUMERIC", ""),
    ]
    assert described(boxes["person"].fields) == expected
    assert described(boxes["odd_t"].fields) == [("TEXT", "TEXT", "NOCASE"), ("NUMERIC", "NUMERIC", "")]
    boxes.save(tmp_path / "saved")
    assert described(BoxSet.open(tmp_path / "saved")["person"].fields) == expected
    (person, _) = json.loads(CliRunner().invoke(app, ["show", str(tmp_path / "made.sqlite"), "--json"]).stdout)["boxes"]
    assert [person["fields"][1][name] for name in ("declared", "affinity", "collation")] == [
        "VARCHAR(40)",
        "TEXT",
        "NOCASE",
    ]


def test_a_model_is_told_that_sql_compares_a_column_without_case_and_the_code_for_it_works(make) -> None:
    boxes = boxkit.load(make(SCRIPT))
    said = compared(boxes)
    assert (
        set(said) == {"name", "code", "k"}
        and "the case of ASCII letters" in said["name"]
        and "spaces at the end" in said["code"]
    )
    assert "without regard to the case" in boxes.to_prompt()
    fix = next(note.fix for note in boxes.notes if note.field == "name" and note.fix)
    assert eval(fix, {"person": boxes["person"].frame}).tolist() == ["ann", "bob"]
    fix = next(note.fix for note in boxes.notes if note.field == "code" and "rstrip" in (note.fix or ""))
    assert eval(fix, {"person": boxes["person"].frame}).tolist() == ["x", "x"]


def test_a_collation_that_a_program_defines_is_named_and_the_table_read() -> None:
    connection = sqlite3.connect(":memory:")
    connection.create_collation("mine", lambda one, other: 0)
    connection.execute("CREATE TABLE t(a TEXT COLLATE mine)")
    boxes = boxkit.load(connection)
    assert boxes["t"].field("a").collation == "mine" and "'mine'" in compared(boxes)["a"] and boxes["t"].count() == 0


def test_many_columns_of_one_collation_are_one_note(make) -> None:
    columns = ", ".join(f"c{at} TEXT COLLATE NOCASE" for at in range(12))
    (note,) = compared(boxkit.load(make(f"CREATE TABLE t({columns})"))).values()
    assert "12 fields" in note and "and 4 more" in note


def test_duckdb_columns_keep_their_declared_type_and_collation() -> None:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    connection = duckdb.connect()
    connection.execute(
        'CREATE TABLE t(a VARCHAR COLLATE nocase, "b c" VARCHAR COLLATE noaccent, c DECIMAL(10, 2), d VARCHAR);'
        "INSERT INTO t VALUES ('X', 'caf\u00e9', 1, 'x')"
    )
    boxes = boxkit.load(connection)
    assert described(boxes["t"].fields) == [
        ("VARCHAR", "", "nocase"),
        ("VARCHAR", "", "noaccent"),
        ("DECIMAL(10,2)", "", ""),
        ("VARCHAR", "", ""),
    ]
    assert set(compared(boxes)) == {"a", "b c"} and "accents" in compared(boxes)["b c"]
    fix = next(note.fix for note in boxes.notes if note.field == "b c" and note.fix)
    assert eval(fix, {"t": boxes["t"].frame, "pd": pd}).tolist() == ["cafe"]
