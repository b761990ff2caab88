"""SQLite tables read from the file's own pages: the same cells as SQLite gives, or none at all."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import boxkit
from boxkit.converters import sqlite_direct
from boxkit.converters.sqlite_direct import read_plain
from boxkit.converters.sqlite_pages import NotPlain, TableFile
from boxkit.converters.sqlite_reader import SQLiteReader
from boxkit.errors import SourceError

EDGES = [0, 1, -1, 127, 128, -128, -129, 2**15, -(2**15) - 1, 2**23, 2**31, -(2**31) - 1, 2**47, 2**63 - 1, -(2**63)]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "made.sqlite"


def build(path: Path, script: str, rows: dict[str, list[Any]] | None = None) -> None:
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    connection.executescript(script)
    with connection:
        for sql, values in (rows or {}).items():
            connection.executemany(sql, values)
    connection.close()


def direct(path: Path, table: str = "t") -> tuple[list[str], Any]:
    connection = sqlite3.connect(path)
    names = [row[1] for row in connection.execute(f"PRAGMA table_info('{table}')")]
    try:
        return names, read_plain(connection, path, table, names, [""] * len(names))
    finally:
        connection.close()


def values(series: pd.Series[Any]) -> list[Any]:
    return [None if pd.isna(each) else each for each in series.tolist()]


def check(path: Path, table: str = "t", left_out: tuple[str, ...] = ()) -> None:
    """Every column that is read so equals SQLite's own, and only those named are not."""
    names, read = direct(path, table)
    assert read is not None
    columns, length = read
    connection = sqlite3.connect(path)
    rows = connection.execute(f"SELECT * FROM {table} NOT INDEXED").fetchall()
    connection.close()
    assert length == len(rows) and {names[at] for at in range(len(names)) if at not in columns} == set(left_out)
    for at, series in columns.items():
        theirs = [row[at] for row in rows]
        is_float = series.dtype.kind == "f"
        assert values(series) == [float(each) if is_float and each is not None else each for each in theirs], names[at]
        assert not is_float or all(int(each) == each for each in theirs if isinstance(each, int))


def test_integers_of_every_length_floats_and_missing_values_are_exact(place: Path) -> None:
    chosen = random.Random(3)
    rows = [
        (chosen.choice(EDGES), chosen.choice([*EDGES, None]), chosen.choice([1.5, -0.0, 1e300, None]), at % 2, None)
        for at in range(150)
    ]
    build(place, "CREATE TABLE t(a INT, b INT, c REAL, d, e)", {"INSERT INTO t VALUES (?, ?, ?, ?, ?)": rows})
    check(place)
    (columns, _) = direct(place)[1]
    assert [str(columns[at].dtype) for at in range(4)] == ["int64", "Int64", "float64", "int64"]


def test_whole_numbers_among_others_become_floats_only_where_none_moves(place: Path) -> None:
    rows = [(at, at if at % 3 else at / 2, 2**53 + 1 if at == 4 else at / 4, at) for at in range(2000)]
    build(place, "CREATE TABLE t(a REAL, b NUMERIC, c NUMERIC, d REAL)", {"INSERT INTO t VALUES (?, ?, ?, ?)": rows})
    check(place, left_out=("c",))


def test_whole_numbers_of_a_real_column_are_floats(place: Path) -> None:
    build(
        place, "CREATE TABLE t(a REAL, b FLOAT)", {"INSERT INTO t VALUES (?, ?)": [(at, at or None) for at in range(9)]}
    )
    check(place)
    (columns, _) = direct(place)[1]
    assert [str(columns[at].dtype) for at in range(2)] == ["float64", "float64"]


def test_a_column_of_several_kinds_is_left_to_sqlite_alone(place: Path) -> None:
    rows = [(at, f"text {at}", b"x" if at % 2 else None) for at in range(9000)]
    rows[8000] = ("odd", b"bytes", "text")
    build(place, "CREATE TABLE t(a INT, b TEXT, c)", {"INSERT INTO t VALUES (?, ?, ?)": rows})
    check(place, left_out=("a", "b", "c"))
    rows[8000] = (1, "é\0z", b"")
    build(place, "CREATE TABLE t(a INT, b TEXT, c)", {"INSERT INTO t VALUES (?, ?, ?)": rows})
    check(place)


@pytest.mark.parametrize("page_size", [512, 4096, 65536])
def test_cells_longer_than_a_page_come_whole(place: Path, page_size: int) -> None:
    chosen = random.Random(page_size)
    lengths = [0, 1, 57, 58, 400, 470, 490, 4050, 4062, 9000, 70_000]
    rows = [
        (at, "é" * (chosen.choice(lengths) // 2), bytes(chosen.choice(lengths)) if at % 3 else None, "end")
        for at in range(300)
    ]
    script = f"PRAGMA page_size = {page_size}; CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c BLOB, d TEXT)"
    build(place, script, {"INSERT INTO t VALUES (?, ?, ?, ?)": rows})
    check(place)


def test_rows_keep_their_order_after_deletions_negative_numbers_and_late_insertions(place: Path) -> None:
    chosen = random.Random(5)
    numbers = [*chosen.sample(range(-(10**6), 10**6), 5000), -(2**63), 2**63 - 1, 0]
    build(place, "CREATE TABLE t(k INTEGER PRIMARY KEY, v TEXT)", {"INSERT INTO t VALUES (?, 'v' || ?)": []})
    connection = sqlite3.connect(place)
    with connection:
        connection.executemany("INSERT INTO t VALUES (?, ?)", [(each, f"v{each}" * (each % 9)) for each in numbers])
        connection.execute("DELETE FROM t WHERE k % 7 = 0")
        connection.execute("UPDATE t SET v = v || v || v WHERE k % 5 = 0")
    connection.close()
    check(place)


def test_columns_added_later_have_their_default_or_nothing(place: Path) -> None:
    build(place, "CREATE TABLE t(a INT)", {"INSERT INTO t VALUES (?)": [(at,) for at in range(500)]})
    connection = sqlite3.connect(place)
    connection.executescript(
        "ALTER TABLE t ADD COLUMN b TEXT; ALTER TABLE t ADD COLUMN c INT DEFAULT 7; INSERT INTO t VALUES (1, 'x', 2);"
        "ALTER TABLE t ADD COLUMN d; ALTER TABLE t DROP COLUMN a;"
    )
    connection.close()
    check(place, left_out=())
    build(place, "CREATE TABLE t(a INT)", {"INSERT INTO t VALUES (?)": [(at,) for at in range(500)]})
    connection = sqlite3.connect(place)
    connection.executescript(
        "ALTER TABLE t ADD COLUMN b TEXT; ALTER TABLE t ADD COLUMN c INT DEFAULT 7; INSERT INTO t VALUES (1, 'x', 2);"
        "ALTER TABLE t ADD COLUMN d; INSERT INTO t VALUES (1, 'x', 2, 3.5);"
    )
    connection.close()
    check(place, left_out=("c",))


def test_only_a_true_integer_primary_key_is_the_rows_number(place: Path) -> None:
    script = (
        "CREATE TABLE t(k INTEGER PRIMARY KEY, v); CREATE TABLE u(k INTEGER PRIMARY KEY DESC, v);"
        "CREATE TABLE w(k INT PRIMARY KEY, v); CREATE TABLE x(k INTEGER, l INTEGER, PRIMARY KEY (k, l));"
        "CREATE TABLE y(v, k INTEGER, PRIMARY KEY (k));"
    )
    rows = [(9 - at, at) for at in range(9)]
    build(place, script, {f"INSERT INTO {table} VALUES (?, ?)": rows for table in "tuwxy"})
    for table in "tuwxy":
        check(place, table)


@pytest.mark.parametrize(
    "script",
    [
        "CREATE TABLE t(a TEXT PRIMARY KEY, b) WITHOUT ROWID; INSERT INTO t VALUES ('x', 1);",
        "CREATE TABLE t(a, b AS (a + 1)); INSERT INTO t VALUES (1);",
        "PRAGMA encoding = 'UTF-16le'; CREATE TABLE t(a); INSERT INTO t VALUES ('x');",
        "CREATE TABLE o(a); CREATE VIEW t AS SELECT 1 AS a;",
        "CREATE VIRTUAL TABLE t USING fts5(a); INSERT INTO t VALUES ('x');",
    ],
)
def test_what_is_no_plain_table_is_left_to_sqlite(place: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    build(place, script)
    assert direct(place)[1] is None
    monkeypatch.setattr("boxkit.converters.sqlite_reader._SMALL_BYTES", 0)
    assert boxkit.load(place)["t"].frame["a"].tolist() in (["x"], [1])


def test_a_database_in_a_write_ahead_log_is_read_with_what_is_in_it(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("boxkit.converters.sqlite_reader._SMALL_BYTES", 0)
    build(place, "PRAGMA journal_mode = WAL; CREATE TABLE t(a INT); INSERT INTO t VALUES (1);")
    assert boxkit.load(place)["t"].frame["a"].tolist() == [1]
    writer = sqlite3.connect(place, isolation_level=None)
    writer.execute("INSERT INTO t VALUES (2)")
    boxes = boxkit.load(place)
    assert boxes["t"].frame["a"].tolist() == [1, 2] and not boxes.is_stale
    writer.execute("INSERT INTO t VALUES (3)")
    assert boxes.is_stale and boxkit.load(place)["t"].frame["a"].tolist() == [1, 2, 3]
    writer.close()


def test_nobody_writes_while_pages_are_read(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(place, "CREATE TABLE t(a INT)", {"INSERT INTO t VALUES (?)": [(at,) for at in range(500)]})
    refused = []

    class Watched(TableFile):
        def leaves(self, root: int) -> Any:
            writer = sqlite3.connect(place, timeout=0)
            try:
                with writer:
                    writer.execute("UPDATE t SET a = -1")
            except sqlite3.OperationalError as error:
                refused.append(str(error))
            writer.close()
            return super().leaves(root)

    monkeypatch.setattr(sqlite_direct, "TableFile", Watched)
    check(place)
    assert refused == ["database is locked"]


def test_a_file_that_changes_all_the_same_is_not_believed(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(place, "CREATE TABLE t(a INT); INSERT INTO t VALUES (1);")
    monkeypatch.setattr(TableFile, "is_unchanged", lambda self: False)
    assert direct(place)[1] is None


CELLS = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.integers(-2, 300),
    st.floats(allow_nan=False),
    st.text(st.characters(codec="utf-8"), max_size=80),
    st.binary(max_size=40),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(CELLS, CELLS, CELLS), max_size=30), st.sampled_from(["", "INT", "REAL", "TEXT", "NUMERIC"]))
def test_any_cells_are_sqlites_own(place: Path, rows: list[tuple[Any, ...]], declared: str) -> None:
    script = f"PRAGMA page_size = 512; CREATE TABLE t(a {declared}, b {declared}, c)"
    build(place, script, {"INSERT INTO t VALUES (?, ?, ?)": rows})
    names, read = direct(place)
    assert read is not None and names == ["a", "b", "c"]
    kept = {names[at] for at in read[0]}
    check(place, left_out=tuple(set(names) - kept))


def test_damage_is_never_read_as_something_else(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(at, f"name {at}" * (at % 40), at / 7) for at in range(400)]
    build(
        place,
        "PRAGMA page_size = 1024; CREATE TABLE t(a INT, b TEXT, c REAL)",
        {"INSERT INTO t VALUES (?, ?, ?)": rows},
    )
    whole = place.read_bytes()
    chosen = random.Random(1)
    refused = 0
    for _ in range(150):
        broken = bytearray(whole)
        start = chosen.randrange(100, len(whole))
        for at in range(start, min(start + chosen.choice([1, 4, 60]), len(whole))):
            broken[at] = chosen.randrange(256)
        place.write_bytes(broken)
        try:
            connection = sqlite3.connect(place)
            connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
            theirs = connection.execute("SELECT * FROM t NOT INDEXED").fetchall()
        except sqlite3.DatabaseError:
            theirs = None
        finally:
            connection.close()
        try:
            _, read = direct(place)
        except (sqlite3.DatabaseError, SourceError):
            read = None
        if read is None:
            refused += 1
            continue
        assert theirs is not None
        for at, series in read[0].items():
            assert values(series) == [row[at] for row in theirs]
    assert 0 < refused < 150


def test_a_truncated_file_is_no_table(place: Path) -> None:
    build(place, "CREATE TABLE t(a TEXT)", {"INSERT INTO t VALUES (?)": [("x" * 900,) for _ in range(300)]})
    place.write_bytes(place.read_bytes()[: 4096 * 20])
    with place.open("rb", buffering=0) as file:
        pages = TableFile(file)
        with pytest.raises(NotPlain):
            list(pages.records(pages.leaves(2), 100))


def test_a_question_on_one_table_reads_no_other(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(
        place,
        "CREATE TABLE big(a INTEGER); CREATE TABLE small(b TEXT, c TEXT); INSERT INTO small VALUES ('x', 'y');",
        {"INSERT INTO big VALUES (?)": [(at,) for at in range(30_000)]},
    )
    boxes = boxkit.load(place)
    asked: list[Any] = []
    read = SQLiteReader.read

    def watched(self: SQLiteReader, columns: Any = None, limit: Any = None) -> Any:
        asked.append((self.table, columns and tuple(columns)))
        return read(self, columns, limit)

    monkeypatch.setattr(SQLiteReader, "read", watched)
    assert boxkit.execute("answer = small['b'].iloc[0]", boxes).answer == "x"
    assert asked == [("small", ("b",))] and not boxes["big"].is_read
