# ruff: noqa: E501 - scripts and cells as they stand
"""SQLite databases that are locked, damaged, written to or open elsewhere, and any way to name one."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

import boxkit
from boxkit.errors import SourceError, SourceNotFound, UnreadableSource


def cells(frame: pd.DataFrame) -> list[tuple[object, ...]]:
    """A frame's rows as Python values, None for missing."""
    columns = [[None if pd.isna(value) else value for value in frame[label].tolist()] for label in frame]
    return list(zip(*columns, strict=True))


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
    monkeypatch.setattr("boxkit.converters.sqlite_database.BUSY_TIMEOUT_S", 0.2)
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


def test_what_a_connection_has_besides_its_main_database_is_noted() -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (x)")
    assert not boxkit.load(connection).notes
    connection.execute("ATTACH ':memory:' AS other")
    connection.execute("CREATE TEMP TABLE scratch (x)")
    said = [note.message for note in boxkit.load(connection).notes if note.kind == "skipped"]
    assert len(said) == 2 and "'other'" in said[0] and "'scratch'" in said[1]


@pytest.mark.parametrize("kind", ["engine", "connection", "memory"])
def test_an_engine_is_read_by_sqlites_own_rules(make, kind: str) -> None:
    sqlalchemy = pytest.importorskip("sqlalchemy", reason="sqlalchemy is not installed")
    script = "CREATE TABLE t(a INTEGER); INSERT INTO t VALUES (1), ('x'), (9007199254740993)"
    address = "sqlite://" if kind == "memory" else f"sqlite:///{make(script)}"
    engine = sqlalchemy.create_engine(address, poolclass=sqlalchemy.pool.StaticPool)
    with engine.connect() as connection:
        if kind == "memory":
            connection.connection.driver_connection.executescript(script)
        boxes = boxkit.load(connection if kind == "connection" else engine)
    engine.dispose()
    assert cells(boxes["t"].frame) == [(1,), ("x",), (9007199254740993,)]


def test_an_engine_for_a_file_that_is_not_there_makes_none(tmp_path: Path) -> None:
    sqlalchemy = pytest.importorskip("sqlalchemy", reason="sqlalchemy is not installed")
    with pytest.raises(SourceNotFound, match="absent"):
        boxkit.load(sqlalchemy.create_engine(f"sqlite:///{tmp_path / 'absent.sqlite'}"))
    assert not list(tmp_path.iterdir())


def test_an_encrypted_file_and_an_empty_connection_are_told(tmp_path: Path) -> None:
    (tmp_path / "safe.db").write_bytes(bytes((at * 37 + 11) % 256 for at in range(8192)))
    with pytest.raises(UnreadableSource, match="encrypted"):
        boxkit.load(tmp_path / "safe.db")
    with pytest.raises(UnreadableSource, match="no table"):
        boxkit.load(sqlite3.connect(":memory:"))
