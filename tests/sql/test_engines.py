"""SQL that a model wrote runs read-only, is stopped in time, and gives exactly the engine's own rows."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from decimal import Decimal

import pandas as pd
import pytest

import boxkit
from boxkit.sql import SqlLimits, engine_for, schema_text

ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"


@pytest.fixture
def shop(tmp_path):
    path = tmp_path / "shop.sqlite"
    database = sqlite3.connect(path)
    database.executescript("""
        CREATE TABLE "order line"(id INTEGER PRIMARY KEY, "unit price" REAL, note TEXT, big INTEGER);
        INSERT INTO "order line" VALUES (1, 2.5, 'a', 9007199254740993), (2, NULL, 'b', NULL), (3, 'n/a', 'a', 1);
    """)
    database.close()
    return path


@pytest.fixture
def engine(shop):
    return engine_for(boxkit.load(shop))


@pytest.fixture
def frames():
    return engine_for(boxkit.load({"t": pd.DataFrame({"a": [1, 2], "mixed": [1, "x"]}), "u": pd.DataFrame({"a": [2]})}))


def test_a_database_is_asked_by_its_own_names_and_every_cell_survives(engine):
    frame = engine.query('SELECT "unit price", big FROM "order line"').frame
    assert frame.to_numpy(dtype=object).tolist() == [[2.5, 9007199254740993], [None, pd.NA], ["n/a", 1]]
    assert engine.dialect == "sqlite"
    assert engine.path.endswith("shop.sqlite")


def test_several_frames_are_joined_by_the_boxes_names(frames):
    assert frames.query("SELECT count(*) AS n FROM t JOIN u USING (a)").frame.n.tolist() == [1]
    assert frames.query("SELECT mixed FROM t ORDER BY a").frame.mixed.tolist() == ["1", "x"]


@pytest.mark.parametrize("sql", ["DELETE FROM t", "SELECT 1; SELECT 2", "ATTACH 'x' AS y", "PRAGMA user_version = 7"])
def test_nothing_but_a_query_runs(engine, sql):
    assert engine.query(sql).kind == "refused"


def test_duckdb_reads_no_file_and_no_variable_of_ours(frames, tmp_path):
    (tmp_path / "secret.csv").write_text("a\nsecret\n")
    secret = [1]  # noqa: F841 - a replacement scan would find it
    for sql in (f"SELECT * FROM '{tmp_path}/secret.csv'", "SELECT * FROM secret", "SELECT * FROM read_csv_auto('x')"):
        assert frames.query(sql).kind in ("refused", "exception")


@pytest.mark.parametrize("name", ["engine", "frames"])
def test_an_endless_query_is_stopped(name, request):
    engine = request.getfixturevalue(name)
    started = time.monotonic()
    failure = engine.query(ENDLESS, SqlLimits(seconds=0.3))
    assert failure.kind == "timeout"
    assert time.monotonic() - started < 5
    assert not hasattr(engine.query("SELECT 1"), "kind")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT length(printf('%.*c', 1000000000, 'x'))",
        "SELECT instr(hex(zeroblob(2000000)), substr(hex(zeroblob(2000000)), 1, 1000000) || '1')",
        "SELECT length(replace(hex(zeroblob(2000000)), substr(hex(zeroblob(2000000)), 1, 1000000) || '1', ''))",
    ],
)
def test_one_endless_function_of_sqlite_is_stopped_as_well(engine, sql):
    # A progress handler is not asked while a function works: only ending the process ends it.
    assert engine.query(sql, SqlLimits(seconds=0.5)).kind == "timeout"


def test_a_result_too_large_to_be_held_is_a_failure(engine, frames):
    text = {"sqlite": "hex(zeroblob(2000000))", "duckdb": "repeat('x', 4000000)"}
    for each in (engine, frames):
        failure = each.query(f"SELECT {text[each.dialect]} AS wide FROM (VALUES (1), (2))", SqlLimits(megabytes=4))
        assert (failure.kind, "aggregate" in failure.hint) == ("memory", True)


@pytest.mark.parametrize(
    "sql",
    [
        'DELETE FROM "order line"',
        "CREATE TEMP TABLE x (a)",
        "ATTACH '{}/other.sqlite' AS other",
        "VACUUM INTO '{}/copy.sqlite'",
        "PRAGMA user_version = 7",
        "PRAGMA journal_mode = WAL",
        "SELECT * FROM pragma_journal_mode",
        "UPDATE sqlite_master SET sql = ''",
        "SELECT load_extension('x')",
        "SELECT 1; SELECT 2",
    ],
)
def test_sqlite_itself_lets_nothing_be_written(engine, shop, sql, monkeypatch):
    monkeypatch.setattr("boxkit.sql.sqlite.guarded", lambda sql, dialect: None)
    before = shop.read_bytes()
    assert engine.query(sql.format(shop.parent)).kind == "exception"
    assert shop.read_bytes() == before
    assert [file.name for file in shop.parent.iterdir()] == ["shop.sqlite"]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM '{}/secret.csv'",
        "SELECT * FROM read_csv('{}/secret.csv')",
        "SELECT * FROM read_text('{}/secret.csv')",
        "SELECT * FROM glob('{}/*')",
        "SELECT * FROM query('FROM read_csv(''{}/secret.csv'')')",
        "SELECT * FROM secret",
        "COPY t TO '{}/copy.csv'",
        "ATTACH '{}/other.duckdb'",
        "INSTALL httpfs",
        "SET enable_external_access = true",
        "SELECT * FROM 'https://127.0.0.1:1/a.parquet'",
        "EXPORT DATABASE '{}/all'",
    ],
)
def test_duckdb_itself_reaches_nothing_outside(frames, tmp_path, sql, monkeypatch):
    monkeypatch.setattr("boxkit.sql.duck.guarded", lambda sql, dialect: None)
    (tmp_path / "secret.csv").write_text("a\nsecret\n")
    secret = pd.DataFrame({"a": ["secret"]})  # noqa: F841 - a replacement scan would find it
    assert frames.query(sql.format(tmp_path)).kind == "exception"
    assert [file.name for file in tmp_path.iterdir()] == ["secret.csv"]


def test_search_indexes_and_what_sqlite_tells_of_itself_are_read(tmp_path):
    database = sqlite3.connect(tmp_path / "notes.sqlite")
    database.executescript("CREATE VIRTUAL TABLE note USING fts5(text); INSERT INTO note VALUES ('red pen'), ('ink');")
    database.close()
    engine = engine_for(boxkit.load(tmp_path / "notes.sqlite"))
    assert engine.query("SELECT text FROM note WHERE note MATCH 'pen'").frame.text.tolist() == ["red pen"]
    assert engine.query("SELECT name FROM pragma_table_info('note')").frame.name.tolist() == ["text"]
    assert engine.query("PRAGMA user_version").frame.user_version.tolist() == [0]


def test_a_database_in_memory_is_asked_as_it_was_loaded():
    database = sqlite3.connect(":memory:")
    database.executescript("CREATE TABLE t (a); INSERT INTO t VALUES (x'00ff'), (9007199254740993), (1e999), ('é')")
    engine = engine_for(boxkit.load(database))
    database.execute("DELETE FROM t")
    assert engine.query("SELECT a FROM t").frame.a.tolist() == [b"\x00\xff", 9007199254740993, float("inf"), "é"]


@pytest.mark.parametrize("name", ["engine", "frames"])
def test_rows_past_the_limit_are_left_out_and_that_is_said(name, request):
    fetched = request.getfixturevalue(name).query("VALUES (1), (2), (3)", SqlLimits(rows=2))
    assert (len(fetched.frame), fetched.truncated) == (2, True)


def test_doubled_columns_stay_apart(engine):
    assert list(engine.query("SELECT 1 AS id, 2 AS id").frame.columns) == ["id", "id_2"]


@pytest.mark.parametrize(
    ("name", "sql", "near"),
    [
        ("engine", "SELECT * FROM orderline", "order line"),
        ("engine", 'SELECT unitprice FROM "order line"', "unit price"),
        ("frames", "SELECT * FROM tt", "t"),
        ("frames", "SELECT mixd FROM t", "t.mixed"),
    ],
)
def test_an_unknown_name_is_told_with_the_nearest(name, sql, near, request):
    failure = request.getfixturevalue(name).query(sql)
    assert near in failure.hint


def test_a_value_that_would_fill_the_memory_is_refused(engine):
    assert engine.query("SELECT length(hex(zeroblob(900000000)))").kind == "exception"


def test_the_database_is_left_as_it_was(engine, shop):
    before = shop.read_bytes()
    engine.query('SELECT * FROM "order line"')
    assert shop.read_bytes() == before
    assert [file.name for file in shop.parent.iterdir()] == ["shop.sqlite"]


def test_the_schema_is_sql_that_creates_the_same_tables(shop):
    boxes = boxkit.load(shop)
    text = schema_text(boxes, native=True)
    assert 'CREATE TABLE "order line"' in text
    sqlite3.connect(":memory:").executescript(text)
    assert "left out" in schema_text(boxes, native=True, budget=20)


def test_over_frames_no_value_moves():
    wide = [2**70, 2**70 * 10, 5, None]
    boxes = boxkit.load({"t": pd.DataFrame({"huge": pd.Series(wide, dtype=object), "mixed": [b"a", 1, "x", 2.5]})})
    engine = engine_for(boxes)
    assert engine.query("SELECT max(huge) AS m FROM t").frame.m.tolist() == [2**70 * 10]
    assert engine.query("SELECT mixed FROM t").frame.mixed.tolist() == ["61", "1", "x", "2.5"]
    assert "mixed TEXT  -- cells of several types" in schema_text(boxes, native=False, as_text=engine.as_text)


def test_a_decimal_too_wide_for_duckdb_is_text_and_hides_nothing_else():
    boxes = boxkit.load({"t": pd.DataFrame({"d": [Decimal("1e40"), Decimal(1)], "n": [1, 2]})})
    assert engine_for(boxes).query("SELECT sum(n) AS s FROM t").frame.s.tolist() == [3]


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("SELECT interval '1 year' AS v", "1 year"),
        ("SELECT TIMESTAMP_NS '2024-01-01 00:00:00.123456789' AS v", ".123456789"),
    ],
)
def test_what_python_would_change_comes_as_text(frames, sql, text):
    assert text in frames.query(sql).frame.v.tolist()[0]


def test_a_text_that_is_no_utf8_is_said(engine):
    fetched = engine.query("SELECT CAST(x'ff41' AS TEXT) AS v")
    assert fetched.frame.v.tolist() == ["\ufffdA"]
    assert fetched.notes


def test_a_query_with_half_a_character_says_so_and_not_that_its_result_is_too_large(engine):
    failure = engine.query("SELECT note FROM \"order line\" WHERE note = '\ud800'")
    assert (failure.kind, failure.message[-22:]) == ("exception", "surrogates not allowed")
    assert engine.query("SELECT 1 AS one").frame.one.tolist() == [1]


def test_a_column_whose_name_is_no_utf_8_says_so_and_not_that_the_result_is_too_large(shop, engine):
    with closing(sqlite3.connect(shop)) as database:
        database.execute("PRAGMA writable_schema = 1")
        database.execute("UPDATE sqlite_master SET sql = replace(sql, 'note', CAST(x'6e6fff' AS TEXT))")
        database.commit()
    failure = engine.query('SELECT * FROM "order line"')
    assert failure.kind == "exception"
    assert "0xff" in failure.message


@pytest.mark.parametrize("rows", [3, 4, 5, 20, 84, 85, 840, 841])
def test_no_row_is_lost_where_rows_are_sent_in_parts(engine, rows):
    numbers = f"WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT {rows}) SELECT x FROM n"
    whole = engine.query(numbers, SqlLimits(rows=rows))
    assert (whole.frame.x.tolist(), whole.truncated) == (list(range(1, rows + 1)), False)
    cut = engine.query(numbers, SqlLimits(rows=rows - 1))
    assert (cut.frame.x.tolist(), cut.truncated) == (list(range(1, rows)), True)


def test_rows_of_many_megabytes_are_refused_before_they_are_sent(engine):
    wide = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 400) SELECT zeroblob(4000000) FROM n"
    assert engine.query(wide, SqlLimits(megabytes=8)).kind == "memory"
