# ruff: noqa: E501 - scripts and cells as they stand
"""Names, keys, views and descriptions of SQLite databases."""

from __future__ import annotations

import pandas as pd

import boxkit
from boxkit.box import BoxSet, ForeignKey


def cells(frame: pd.DataFrame) -> list[tuple[object, ...]]:
    """A frame's rows as Python values, None for missing."""
    columns = [[None if pd.isna(value) else value for value in frame[label].tolist()] for label in frame]
    return list(zip(*columns, strict=True))


def test_names_that_sql_or_python_reserves_are_mapped_and_kept_as_source_names(make) -> None:
    path = make(
        'CREATE TABLE "order"(id INTEGER PRIMARY KEY AUTOINCREMENT); CREATE TABLE "group"(a); CREATE TABLE "Dashboard-data"(a);'
        'CREATE TABLE "t""q"(a); CREATE VIEW "v 1" AS SELECT 1 AS x; CREATE TABLE w(k TEXT PRIMARY KEY, v) WITHOUT ROWID;'
        'CREATE TABLE "日付"("a""b", "", "na me"); INSERT INTO "order" VALUES (7); INSERT INTO w VALUES (\'b\', 1), (\'a\', 2);'
    )
    boxes = boxkit.load(path)
    assert {box.source_name for box in boxes.values()} == {
        "order",
        "group",
        "Dashboard-data",
        't"q',
        "v 1",
        "w",
        "日付",
    }
    assert cells(boxes["order"].frame) == [(7,)]
    assert cells(boxes["v_1"].frame) == [(1,)]
    assert cells(boxes["w"].frame) == [("a", 2), ("b", 1)]
    assert boxes["日付"].labels == ('a"b', "column_2", "na me")
    assert any(note.box == "Dashboard_data" and "Dashboard-data" in note.message for note in boxes.notes)


def test_a_view_with_one_name_twice_has_two_fields(make) -> None:
    box = boxkit.load(make("CREATE VIEW v AS SELECT 1 AS id, 2 AS id"))["v"]
    assert len(set(box.labels)) == 2 and cells(box.frame) == [(1, 2)]


KEYS = """
CREATE TABLE p(a INTEGER, b INTEGER, PRIMARY KEY(a, b));
CREATE TABLE single(id INTEGER PRIMARY KEY, boss INTEGER REFERENCES single(id));
CREATE TABLE composite(x INTEGER, y INTEGER, FOREIGN KEY(x, y) REFERENCES p(a, b));
CREATE TABLE implicit(s INTEGER REFERENCES Single, x INTEGER, y INTEGER, FOREIGN KEY(x, y) REFERENCES p);
CREATE TABLE gone(g INTEGER REFERENCES nowhere(id), h INTEGER REFERENCES single(missing));
CREATE TABLE flight("from" INTEGER REFERENCES single(ID), "to" INTEGER REFERENCES single(id));
"""


def test_declared_keys_of_every_shape_are_there(make) -> None:
    boxes = boxkit.load(make(KEYS))
    assert boxes["p"].primary_key == ("a", "b")
    assert set(boxes.foreign_keys) == {
        ForeignKey("single", ("boss",), "single", ("id",)),
        ForeignKey("composite", ("x", "y"), "p", ("a", "b")),
        ForeignKey("implicit", ("s",), "single", ("id",)),
        ForeignKey("implicit", ("x", "y"), "p", ("a", "b")),
        ForeignKey("gone", ("g",), "nowhere", ("id",), dangling=True),
        ForeignKey("flight", ("from",), "single", ("id",)),
        ForeignKey("flight", ("to",), "single", ("id",)),
    }
    dangling = {(note.box, note.field) for note in boxes.notes if note.kind == "dangling key"}
    assert dangling == {("gone", "g"), ("gone", "h")}


def test_values_without_a_parent_flag_their_key(make) -> None:
    path = make(
        "CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE c(p INTEGER REFERENCES p(id), q INTEGER REFERENCES p(id));"
        "INSERT INTO p VALUES (1); INSERT INTO c VALUES (1, 1), (NULL, 2);"
    )
    flags = {key.fields: key.dangling for key in boxkit.load(path).foreign_keys}
    assert flags == {("p",): False, ("q",): True}


def test_full_text_tables_show_no_inner_tables(make) -> None:
    boxes = boxkit.load(make("CREATE VIRTUAL TABLE docs USING fts5(title, body); INSERT INTO docs VALUES ('a', 'b');"))
    assert list(boxes) == ["docs"] and cells(boxes["docs"].frame) == [("a", "b")]


def test_frames_equal_across_two_loads(make) -> None:
    path = make(KEYS)
    one, two = boxkit.load(path), boxkit.load(path)
    assert isinstance(one, BoxSet) and one.notes == two.notes and one.foreign_keys == two.foreign_keys


def test_a_view_that_cannot_be_computed_is_a_note(make) -> None:
    path = make("CREATE TABLE t(a); CREATE VIEW v AS SELECT * FROM t; CREATE VIEW w AS SELECT missing FROM t;")
    boxes = boxkit.load(path)
    assert set(boxes) >= {"t", "v"} and any("'w'" in note.message for note in boxes.notes)


def test_descriptions_beside_a_database_are_the_fields(make) -> None:
    path = make("CREATE TABLE Schools(CDSCode TEXT, NCESDist TEXT, plain TEXT)")
    folder = path.parent / "database_description"
    folder.mkdir()
    (folder / "schools.csv").write_bytes(
        b"\xef\xbb\xbforiginal_column_name,column_name,column_description,data_format,value_description\n"
        b"CDSCode,CDSCode,CDSCode,text,\n NCESDist ,district id,the district's number,text,7 digits\n"
    )
    fields = boxkit.load(path)["Schools"].fields
    assert [each.description for each in fields] == ["", "district id: the district's number; values: 7 digits", ""]


def test_a_key_that_is_null_on_both_sides_is_a_hint(make) -> None:
    path = make(
        "CREATE TABLE p(id INTEGER PRIMARY KEY, code TEXT UNIQUE); CREATE TABLE c(code TEXT REFERENCES p(code));"
        "INSERT INTO p VALUES (1, NULL), (2, 'x'); INSERT INTO c VALUES (NULL), ('x');"
    )
    (note,) = (note for note in boxkit.load(path).notes if "missing with missing" in note.message)
    assert (note.box, note.field, note.fix) == ("c", "code", "c.dropna(subset=['code'])")


def test_a_name_that_is_fine_is_kept_whatever_the_others_become(make) -> None:
    path = make('CREATE TABLE "a-b"(x); CREATE TABLE a_b(x); CREATE TABLE "a b"(x); INSERT INTO a_b VALUES (7);')
    boxes = boxkit.load(path)
    assert {name: box.source_name for name, box in boxes.items()} == {"a_b_2": "a-b", "a_b": "a_b", "a_b_3": "a b"}
    assert cells(boxes["a_b"].frame) == [(7,)]
