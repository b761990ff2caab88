"""A DuckDB query runs in a process of its own, which ends with its time and leaves nothing behind."""

from __future__ import annotations

import gc
import io
import os
import pickle
import subprocess
import sys
import threading
import time

import pandas as pd
import pytest

import boxkit
from boxkit.sql import SqlLimits, engine_for, spare
from boxkit.sql.duck_worker import Received

#: One call over one row: DuckDB looks for an interrupt before and after it only.
ENDLESS = "SELECT levenshtein(repeat('a', 800000), repeat('b', 800000)) AS d"


@pytest.fixture
def boxes():
    return boxkit.load({"t": pd.DataFrame({"a": [1, 2]}), "u": pd.DataFrame({"a": [2]})})


@pytest.fixture
def engine(boxes):
    return engine_for(boxes)


@pytest.fixture
def started(monkeypatch, started):
    """The processes that the test itself starts, none of them ahead."""
    monkeypatch.setattr(spare, "prepare", lambda program: None)
    return started


def files(engine):
    return sorted(path.name for path in engine._made[0].folder.iterdir())


def test_one_function_that_does_not_return_is_stopped_and_the_next_query_works(engine, started):
    before = time.monotonic()
    assert engine.query(ENDLESS, SqlLimits(seconds=0.5)).kind == "timeout"
    assert time.monotonic() - before < 60  # it would take many minutes
    assert started[0].returncode is not None  # ended, and waited for
    assert engine.query("SELECT a FROM t ORDER BY a").frame.a.tolist() == [1, 2]
    assert files(engine) == ["0.arrow"]


def test_a_process_runs_one_query_after_the_other_over_the_data_it_holds(boxes, started):
    engine = engine_for(boxes)
    for number in range(5):
        assert engine.query(f"SELECT sum(a) + {number} AS s FROM t").frame.s.tolist() == [3 + number]
    assert engine.query("SELECT missing FROM t").kind == "exception"
    other = engine_for(boxkit.load({"t": pd.DataFrame({"a": [7]})}))
    assert other.query("SELECT a FROM t").frame.a.tolist() == [7]
    assert other.query("SELECT a FROM u").kind == "exception"
    assert engine.query("SELECT t.a FROM t JOIN u USING (a)").frame.a.tolist() == [2]
    assert len(started) == 1


def test_two_queries_at_once_have_a_process_each(engine, started):
    kinds = []
    threads = [
        threading.Thread(target=lambda: kinds.append(engine.query(ENDLESS, SqlLimits(seconds=1)).kind))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert kinds == ["timeout", "timeout"] and len(started) == 2


def test_a_process_that_dies_is_told_as_what_a_query_too_large_is(engine, started):
    def kill():
        while not started:
            time.sleep(0.01)
        started[0].kill()

    thread = threading.Thread(target=kill)
    thread.start()
    failure = engine.query(ENDLESS)
    thread.join()
    assert (failure.kind, "aggregate" in failure.hint) == ("memory", True)
    assert engine.query("SELECT count(*) AS n FROM t").frame.n.tolist() == [2]


def test_only_the_tables_that_a_query_names_are_handed_over(boxes, started):
    engine = engine_for(boxes)
    assert engine.query("WITH w AS (SELECT a FROM T) SELECT max(a) AS m FROM W").frame.m.tolist() == [2]
    assert files(engine) == ["0.arrow"]
    names = engine.query("SELECT table_name FROM information_schema.tables ORDER BY 1").frame.table_name.tolist()
    assert names == ["t", "u"]


def test_an_unknown_table_is_told_with_those_that_are_there(engine):
    assert 'Did you mean "t"' in engine.query("SELECT * FROM tt").message


def test_the_files_go_with_the_engine_and_so_does_a_process_that_holds_much(boxes, started, monkeypatch):
    engine = engine_for(boxes)
    engine.query("SELECT a FROM t")
    folder = engine._made[0].folder
    assert oct(folder.stat().st_mode & 0o777) == "0o700"
    monkeypatch.setattr(spare, "_WORTH_MB", -1)
    del engine
    gc.collect()
    assert not folder.exists() and started[0].returncode is not None


def test_nothing_is_left_when_the_interpreter_ends():
    code = f"""if True:
        import threading, time
        import pandas as pd
        import boxkit
        from boxkit.sql import engine_for, spare
        engine = engine_for(boxkit.load({{"t": pd.DataFrame({{"a": [1]}})}}))
        engine.query("SELECT a FROM t")
        threading.Thread(target=engine.query, args=({ENDLESS!r},), daemon=True).start()
        while not spare._busy(spare.DUCKDB):
            time.sleep(0.01)
        engine.prepare()
        print(engine._made[0].folder, spare._busy(spare.DUCKDB)[0].pid)"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    folder, pid = run.stdout.split()
    assert not os.path.exists(folder)
    deadline = time.monotonic() + 30
    while _runs(int(pid)):
        assert time.monotonic() < deadline, "the process still runs"
        time.sleep(0.01)


def _runs(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def test_what_comes_back_is_values_only():
    with pytest.raises(pickle.UnpicklingError, match="no value"):
        Received(io.BytesIO(pickle.dumps(os.getcwd))).load()
