# ruff: noqa: E501 - scripts and cells as they stand
"""SQLite databases as boxes: every cell, name and key as SQLite has it."""

from __future__ import annotations

import datetime
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

import boxkit
from boxkit.box import BoxSet, ForeignKey
from boxkit.errors import SourceError, UnreadableSource

Make = "Callable[[str], Path]"


@pytest.fixture
def make(tmp_path: Path):
    def make(script: str, name: str = "made.sqlite", rows: dict[str, list[tuple[object, ...]]] | None = None) -> Path:
        path = tmp_path / name
        with sqlite3.connect(path) as connection:
            connection.executescript(script)
            for sql, values in (rows or {}).items():
                connection.executemany(sql, values)
        connection.close()
        return path

    return make


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


def test_a_view_with_one_name_twice_has_two_fields(make) -> None:
    box = boxkit.load(make("CREATE VIEW v AS SELECT 1 AS id, 2 AS id"))["v"]
    assert len(set(box.labels)) == 2 and cells(box.frame) == [(1, 2)]


def test_generated_and_typeless_columns_and_blobs_survive(make) -> None:
    path = make(
        "CREATE TABLE t(a INTEGER, b INTEGER AS (a * 2) VIRTUAL, c INTEGER AS (a + 1) STORED, d BLOB);"
        "INSERT INTO t(a, d) VALUES (1, x'00ff'), (2, NULL);"
    )
    assert cells(boxkit.load(path)["t"].frame) == [(1, 2, 2, b"\x00\xff"), (2, 4, 3, None)]


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


@pytest.mark.parametrize("text", ["2024-02-30", "0000-00-00", "12/31/99"])
def test_dates_that_are_none_stay_text_and_are_noted(make, text: str) -> None:
    path = make("CREATE TABLE t(d DATE)", rows={"INSERT INTO t VALUES (?)": [("2024-02-28",), (text,)]})
    boxes = boxkit.load(path)
    assert boxes["t"].frame["d"].tolist() == ["2024-02-28", text]
    assert any(note.field == "d" and text in note.message for note in boxes.notes)


def test_one_damaged_table_does_not_hide_the_others(make) -> None:
    names = ["one", "two", "three", "four", "five"]
    path = make(
        "PRAGMA page_size = 1024;"
        + "".join(f"CREATE TABLE {name}(id INTEGER PRIMARY KEY, word TEXT);" for name in names),
        rows={f"INSERT INTO {name} VALUES (?, ?)": [(at, f"{name} {at}" * 5) for at in range(300)] for name in names},
    )
    connection = sqlite3.connect(path)
    root = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'three'").fetchone()[0]
    connection.close()
    with path.open("r+b") as file:
        file.seek((root - 1) * 1024)
        file.write(b"\xee" * 1024)
    boxes = boxkit.load(path)
    for name in set(names) - {"three"}:
        assert len(boxes[name].frame) == 300
    assert [note.box for note in boxes.notes if note.kind == "unreadable"] == ["three"]
    with pytest.raises(UnreadableSource, match="damaged"):
        _ = boxes["three"].frame


def test_a_damaged_leaf_page_is_noted_too(make) -> None:
    path = make(
        "PRAGMA page_size = 1024; CREATE TABLE a(word TEXT); CREATE TABLE b(word TEXT);",
        rows={f"INSERT INTO {name} VALUES (?)": [(f"{name} {at}" * 20,) for at in range(300)] for name in "ab"},
    )
    with path.open("r+b") as file:
        file.seek(path.stat().st_size - 2 * 1024)
        file.write(b"\xee" * 1024)
    assert [note.box for note in boxkit.load(path).notes if note.kind == "unreadable"] == ["b"]


def test_a_locked_database_is_waited_for_briefly_and_then_named(make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boxkit.converters.sqlite_database._BUSY_TIMEOUT_S", 0.2)
    path = make("CREATE TABLE t(a)")
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    with pytest.raises(UnreadableSource, match="locked") as caught:
        boxkit.load(path)
    assert str(path) in str(caught.value)
    holder.execute("ROLLBACK")
    holder.close()
    assert list(boxkit.load(path)) == ["t"]


def test_a_database_that_another_process_writes_to_is_read_whole(make) -> None:
    path = make("PRAGMA journal_mode = WAL; CREATE TABLE t(a INTEGER)")
    script = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None)\nfor i in range(3000): c.execute('INSERT INTO t VALUES (?)', (i,))"
    writer = subprocess.Popen([sys.executable, "-c", script, str(path)])
    try:
        while writer.poll() is None:
            values = boxkit.load(path)["t"].frame["a"].tolist()
            assert values == list(range(len(values)))
    finally:
        writer.wait()
    assert boxkit.load(path)["t"].count() == 3000


def test_a_wal_database_without_its_files_opens_where_nothing_can_be_written(make, tmp_path: Path) -> None:
    path = make("PRAGMA journal_mode = WAL; CREATE TABLE t(a INTEGER); INSERT INTO t VALUES (1);")
    folder = tmp_path / "frozen"
    folder.mkdir()
    copy = shutil.copy(path, folder / "wal.sqlite")
    folder.chmod(0o555)
    try:
        assert cells(boxkit.load(copy)["t"].frame) == [(1,)]
        assert [each.name for each in folder.iterdir()] == ["wal.sqlite"]
    finally:
        folder.chmod(0o755)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty"),
        (b"SQLite format 3\x00" + b"\x07" * 5000, "database|damaged"),
        (b"SQLite format 3\x00", "SQLite|damaged|database"),
    ],
)
def test_what_is_no_database_is_refused_by_name(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "bad.sqlite"
    path.write_bytes(content)
    with pytest.raises(SourceError, match=message) as caught:
        boxkit.load(path)
    assert "bad.sqlite" in str(caught.value)


def test_a_damaged_catalogue_is_an_error_and_no_other(make) -> None:
    path = make("CREATE TABLE people(id INTEGER PRIMARY KEY, name TEXT)")
    content = path.read_bytes()
    at = content.index(b"CREATE TABLE people") + len("CREATE TABLE ")
    path.write_bytes(content[:at] + b"\xf2\x28 (" + content[at + 4 :])
    with pytest.raises(UnreadableSource, match="damaged"):
        boxkit.load(path)


def test_a_database_of_no_table_is_refused(make) -> None:
    with pytest.raises(UnreadableSource, match="no table"):
        boxkit.load(make("PRAGMA user_version = 3; CREATE TABLE a(x); DROP TABLE a;"))


@pytest.mark.parametrize("name", ["with space.sqlite", "a#b.sqlite", "what?.sqlite", "ünïcode.sqlite", "100%25.sqlite"])
def test_any_path_opens(make, name: str) -> None:
    path = make("CREATE TABLE t(a); INSERT INTO t VALUES (5);", name)
    for source in (path, str(path), path.as_uri()):
        assert cells(boxkit.load(source)["t"].frame) == [(5,)]


def test_a_tilde_is_the_home_folder(make, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make("CREATE TABLE t(a)")
    monkeypatch.setenv("HOME", str(path.parent))
    assert list(boxkit.load("~/made.sqlite")) == ["t"]


def test_loading_reads_no_rows_and_changes_no_byte(make) -> None:
    path = make("CREATE TABLE t(a); INSERT INTO t VALUES (5);")
    before = path.read_bytes(), path.stat().st_mtime_ns
    boxes = boxkit.load(path)
    assert not boxes["t"].is_read
    _ = boxes["t"].frame
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert os.listdir(path.parent) == ["made.sqlite"]


def test_an_update_outside_is_seen(make) -> None:
    path = make("CREATE TABLE t(a); INSERT INTO t VALUES (5);")
    boxes = boxkit.load(path)
    before = boxes.fingerprint
    assert not boxes.is_stale and boxkit.load(path).fingerprint == before
    time.sleep(0.02)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE t SET a = 6")
    connection.close()
    assert boxes.is_stale and boxkit.load(path).fingerprint != before


def test_some_columns_come_in_the_same_order_as_all(make) -> None:
    path = make(
        "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT); CREATE INDEX by_name ON t(name); INSERT INTO t(name) VALUES ('z'), ('a');"
    )
    box = boxkit.load(path)["t"]
    assert box.read(["name"])["name"].tolist() == ["z", "a"]
    assert box.read(["name", "id"], limit=1).values.tolist() == [["z", 1]]
    assert box.count() == 2


def test_a_connection_is_read_with_what_it_has_not_committed(make) -> None:
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    connection.execute("CREATE TABLE t(a INTEGER)")
    connection.execute("INSERT INTO t VALUES (4)")
    boxes = boxkit.load(connection)
    assert connection.in_transaction and connection.row_factory is sqlite3.Row
    connection.close()
    assert cells(boxes["t"].frame) == [(4,)]


def test_a_connection_to_a_file_is_read_through_the_file(make) -> None:
    path = make("CREATE TABLE t(a INTEGER); INSERT INTO t VALUES (1);")
    connection = sqlite3.connect(path)
    boxes = boxkit.load(connection)
    connection.close()
    assert cells(boxes["t"].frame) == [(1,)] and boxes.sources == (str(path),)


def test_tables_can_be_chosen(make) -> None:
    path = make("CREATE TABLE a(x); CREATE TABLE b(y);")
    assert list(boxkit.load(path, tables=["B"])) == ["b"]
    with pytest.raises(UnreadableSource, match="'zzz'"):
        boxkit.load(path, tables=["zzz"])


def test_full_text_tables_show_no_inner_tables(make) -> None:
    boxes = boxkit.load(make("CREATE VIRTUAL TABLE docs USING fts5(title, body); INSERT INTO docs VALUES ('a', 'b');"))
    assert list(boxes) == ["docs"] and cells(boxes["docs"].frame) == [("a", "b")]


def test_frames_equal_across_two_loads(make) -> None:
    path = make(KEYS)
    one, two = boxkit.load(path), boxkit.load(path)
    assert isinstance(one, BoxSet) and one.notes == two.notes and one.foreign_keys == two.foreign_keys
    assert datetime.datetime.now().year > 2000


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


def test_what_a_connection_has_besides_its_main_database_is_noted() -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (x)")
    assert not boxkit.load(connection).notes
    connection.execute("ATTACH ':memory:' AS other")
    connection.execute("CREATE TEMP TABLE scratch (x)")
    said = [note.message for note in boxkit.load(connection).notes if note.kind == "skipped"]
    assert len(said) == 2 and "'other'" in said[0] and "'scratch'" in said[1]
