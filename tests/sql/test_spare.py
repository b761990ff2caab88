"""A query's process is started while the model still writes the query."""

from __future__ import annotations

import sqlite3
import time

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
        until(lambda: len(spare._waiting()) == min(number, spare.MOST))  # noqa: B023
    assert len(started) == spare.MOST
