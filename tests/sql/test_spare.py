"""A query's process is started while the model still writes the query."""

from __future__ import annotations

import os
import sqlite3
import time
from pathlib import Path

import pytest

import boxkit
from boxkit.sql import SqlLimits, engine_for, spare
from boxkit.testing import ScriptedLLM


@pytest.fixture
def boxes(tmp_path):
    with sqlite3.connect(tmp_path / "one.sqlite") as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS a")
    return boxkit.load(tmp_path / "one.sqlite")


def until(happened):
    """Wait for what another thread does."""
    deadline = time.monotonic() + 30
    while not happened():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.01)
    return True


def test_a_question_waits_for_no_process_to_start_after_the_models_reply(boxes, started):
    llm = ScriptedLLM(lambda _: until(lambda: spare._waiting()) and "```sql\nSELECT a FROM t\n```")
    assert boxkit.Text2SQL(llm).ask("?", boxes).check().rows == [(1,)]
    assert len(started) == 1


def test_a_process_runs_one_query_after_the_other_and_knows_nothing_of_the_last(boxes, started):
    engine = engine_for(boxes)
    for number in range(20):
        assert engine.query(f"SELECT a + {number} AS b FROM t").frame["b"].tolist() == [1 + number]
    assert engine.query("SELECT missing FROM t").kind == "exception"
    assert engine.query("SELECT a FROM t").frame["a"].tolist() == [1] and len(started) == 1


def test_a_process_that_was_stopped_runs_nothing_more(boxes, started):
    engine = engine_for(boxes)
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n"
    assert engine.query(endless, SqlLimits(seconds=0.5)).kind == "timeout"
    assert engine.query("SELECT a FROM t").frame["a"].tolist() == [1] and len(started) == 2
    assert started[0].poll() is not None


def test_a_process_that_died_while_it_waited_is_passed_over(boxes, started):
    engine = engine_for(boxes)
    engine.prepare()
    until(lambda: spare._waiting())
    started[0].kill()
    started[0].wait()
    assert engine.query("SELECT a FROM t").frame["a"].tolist() == [1]


def test_no_more_processes_wait_than_one_vote_needs(boxes, started):
    for number in range(1, 11):
        engine_for(boxes).prepare()
        until(lambda: len(spare._waiting()) == min(number, spare.MOST))  # noqa: B023 - called before the loop goes on
    assert len(started) == spare.MOST


def test_a_kept_connection_sees_every_change_of_its_file_and_hinders_none(boxes, tmp_path, started):
    path, engine = tmp_path / "one.sqlite", engine_for(boxes)
    assert engine.query("SELECT a FROM t", SqlLimits(rows=1)).frame["a"].tolist() == [1]
    with sqlite3.connect(path, timeout=0) as connection:
        connection.execute("INSERT INTO t VALUES (2), (3)")
    assert engine.query("SELECT a FROM t", SqlLimits(rows=1)).truncated
    with sqlite3.connect(path, timeout=0) as connection:
        connection.execute("DELETE FROM t WHERE a < 3")
    assert engine.query("SELECT a FROM t").frame["a"].tolist() == [3]
    with sqlite3.connect(tmp_path / "other") as connection:
        connection.execute("CREATE TABLE t AS SELECT 9 AS a")
    (tmp_path / "other").replace(path)
    assert engine.query("SELECT a FROM t").frame["a"].tolist() == [9]
    path.unlink()
    assert "one.sqlite" in engine.query("SELECT a FROM t").message
    assert len(started) == 1


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="no list of open files here")
def test_a_database_is_let_go_when_no_query_follows(boxes, tmp_path, started):
    engine_for(boxes).query("SELECT a FROM t")
    files = Path("/proc", str(started[0].pid), "fd")
    held = str(tmp_path / "one.sqlite")
    until(lambda: held not in [os.readlink(each) for each in files.iterdir()])


def test_nothing_of_a_query_is_told_of_the_next(tmp_path, started):
    with sqlite3.connect(tmp_path / "bytes.sqlite") as connection:
        connection.execute("CREATE TABLE t AS SELECT CAST(x'ff' AS TEXT) AS a, 'x' AS b")
    engine = engine_for(boxkit.load(tmp_path / "bytes.sqlite"))
    assert [bool(engine.query(f"SELECT {name} FROM t").notes) for name in "aba"] == [True, False, True]
    assert len(started) == 1
