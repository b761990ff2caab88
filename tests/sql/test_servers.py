"""Queries on real servers: only reading, stopped by the server itself, every cell as the server gives it."""

from __future__ import annotations

import os
import time

import pytest

import boxkit
from boxkit.sql import SqlLimits, engine_for
from boxkit.strategies import Text2SQL, Text2SQLCode
from boxkit.testing import ScriptedLLM

sqlalchemy = pytest.importorskip("sqlalchemy", reason="needs the extra `sql`")

ENDLESS = {
    "BOXKIT_POSTGRES": "SELECT count(*) FROM generate_series(1, 10000000000) a",
    "BOXKIT_MARIADB": "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)"
    " SELECT count(*) FROM c a, c b, c d, c e",
}


@pytest.fixture(params=["BOXKIT_POSTGRES", "BOXKIT_MARIADB"])
def kind(request):
    return request.param


@pytest.fixture
def boxes(kind):
    url = os.environ.get(kind)
    if not url:
        pytest.skip(f'no server in {kind}: eval "$(.ci/start-servers)" starts one')
    # A database of its own: other tests look at all tables of the common one at the same time.
    common = sqlalchemy.create_engine(url, isolation_level="AUTOCOMMIT")
    with common.connect() as connection:
        connection.exec_driver_sql("DROP DATABASE IF EXISTS sqltest")
        connection.exec_driver_sql("CREATE DATABASE sqltest")
    own = sqlalchemy.make_url(url).set(database="sqltest").render_as_string(hide_password=False)
    engine = sqlalchemy.create_engine(own)
    with engine.begin() as connection:
        connection.exec_driver_sql(
            "CREATE TABLE sqltest_item (id bigint PRIMARY KEY, name varchar(20), price decimal(8, 2))"
        )
        connection.exec_driver_sql("INSERT INTO sqltest_item VALUES (9007199254740993, 'pen', 1.50), (2, NULL, 9.00)")
    engine.dispose()
    yield boxkit.load(own)
    with common.connect() as connection:
        connection.exec_driver_sql("DROP DATABASE sqltest" + (" WITH (FORCE)" if kind == "BOXKIT_POSTGRES" else ""))
    common.dispose()


def test_every_cell_is_the_servers_own(boxes):
    fetched = engine_for(boxes).query(
        "SELECT id, name, price FROM sqltest_item WHERE name LIKE '%e%' OR id = 2 ORDER BY id"
    )
    rows = fetched.frame.astype(object).to_numpy().tolist()
    assert rows[1][:2] == [9007199254740993, "pen"]
    assert str(rows[1][2]) == "1.50"
    assert rows[0][1] is None or rows[0][1] != rows[0][1]


def test_nothing_but_a_query_runs(boxes):
    for sql in (
        "DELETE FROM sqltest_item",
        "SELECT 1; SELECT 2",
        "SET ROLE x",
        "SELECT * FROM sqltest_item FOR UPDATE",
    ):
        assert engine_for(boxes).query(sql).kind == "refused", sql


@pytest.fixture
def unguarded(boxes, monkeypatch):
    """The engine as it holds when the guard has missed something."""
    monkeypatch.setattr("boxkit.sql.server.guarded", lambda sql, dialect: None)
    return engine_for(boxes)


WRITES = [
    "DELETE FROM sqltest_item",
    "UPDATE sqltest_item SET price = 0",
    "INSERT INTO sqltest_item VALUES (5, 'ink', 1)",
    "SELECT 1; DELETE FROM sqltest_item",
    "COMMIT; DELETE FROM sqltest_item",
    "TRUNCATE TABLE sqltest_item",
    "DROP TABLE sqltest_item",
    "CREATE TABLE sqltest_new (a int)",
    "CREATE VIEW sqltest_view AS SELECT 1 AS a",
    "SELECT * FROM sqltest_item FOR UPDATE",
]


def test_the_server_itself_lets_nothing_be_written(unguarded, boxes):
    for sql in WRITES:
        assert unguarded.query(sql).kind == "exception", sql
    assert unguarded.query("SELECT sum(price) AS total FROM sqltest_item").frame.total.astype(str).tolist() == ["10.50"]
    assert list(boxkit.load(boxes["sqltest_item"].reader.server.engine)) == ["sqltest_item"]


def test_postgres_lets_nothing_be_written_by_its_own_ways(unguarded, kind):
    if kind != "BOXKIT_POSTGRES":
        pytest.skip("PostgreSQL's own SQL")
    for sql in (
        "WITH d AS (DELETE FROM sqltest_item RETURNING *) SELECT * FROM d",
        "SELECT * INTO sqltest_new FROM sqltest_item",
        "SELECT query_to_xml('DELETE FROM sqltest_item', true, true, '')",
        "DO $$BEGIN DELETE FROM sqltest_item; END$$",
        "COPY sqltest_item TO PROGRAM 'cat'",
        "SELECT set_config('transaction_read_only', 'off', true)",
    ):
        assert unguarded.query(sql).kind == "exception", sql
    assert len(unguarded.query("SELECT * FROM sqltest_item").frame) == 2


LIFTED = {
    "BOXKIT_POSTGRES": "SELECT set_config('statement_timeout', '0', true), pg_sleep(60)",
    "BOXKIT_MARIADB": "SET STATEMENT max_statement_time = 0 FOR SELECT SLEEP(60)",
}
RUNNING = {
    "BOXKIT_POSTGRES": "SELECT count(*) FROM pg_stat_activity WHERE datname = 'sqltest' AND state <> 'idle'"
    " AND pid <> pg_backend_pid()",
    "BOXKIT_MARIADB": "SELECT count(*) FROM information_schema.processlist WHERE db = 'sqltest' AND command = 'Query'"
    " AND id <> connection_id()",
}


@pytest.mark.parametrize("queries", [ENDLESS, LIFTED], ids=["endless", "limit lifted"])
def test_a_query_out_of_time_runs_on_nowhere(unguarded, kind, queries):
    started = time.monotonic()
    failure = unguarded.query(queries[kind], SqlLimits(seconds=0.5))
    assert failure.kind == "timeout"
    assert time.monotonic() - started < 30
    engine = sqlalchemy.create_engine(os.environ[kind])
    with engine.connect() as connection:
        until = time.monotonic() + 10
        while connection.exec_driver_sql(RUNNING[kind]).scalar_one() and time.monotonic() < until:
            time.sleep(0.1)
        assert connection.exec_driver_sql(RUNNING[kind]).scalar_one() == 0
    engine.dispose()
    assert len(unguarded.query("SELECT 1 AS one").frame) == 1


def test_an_engine_of_the_users_own_writes_and_waits_as_before(boxes):
    url = boxes["sqltest_item"].reader.server.engine.url
    engine = sqlalchemy.create_engine(url, pool_size=1, max_overflow=1)
    assert engine_for(boxkit.load(engine)).query(
        "SELECT 1 AS one", SqlLimits(seconds=3, rows=1)
    ).frame.one.tolist() == [1]
    with engine.begin() as connection:
        connection.exec_driver_sql("INSERT INTO sqltest_item VALUES (7, 'ink', 1), (8, 'pad', 2)")
        assert len(connection.exec_driver_sql("SELECT * FROM sqltest_item").fetchall()) == 4
    engine.dispose()


def test_a_query_that_copies_the_schemas_names_finds_them(boxes, kind):
    reader = boxes["sqltest_item"].reader
    quote = '"' if kind == "BOXKIT_POSTGRES" else "`"
    table = f"{quote}Sales 1{quote}.{quote}Order{quote}" if kind == "BOXKIT_POSTGRES" else f"{quote}Sales 1{quote}"
    with reader.server.engine.begin() as connection:
        if kind == "BOXKIT_POSTGRES":
            connection.exec_driver_sql('CREATE SCHEMA "Sales 1"')
        connection.exec_driver_sql(f"CREATE TABLE {table} ({quote}Unit Price{quote} int, {quote}group{quote} int)")
        connection.exec_driver_sql(f"INSERT INTO {table} VALUES (7, 8)")
    sql = f"SELECT {quote}Unit Price{quote}, {quote}group{quote} FROM {table}"
    llm = ScriptedLLM([f"```sql\n{sql}\n```"])
    assert Text2SQL(llm).ask("All?", boxkit.load(reader.server.engine)).check().rows == [(7, 8)]
    shown = llm.requests[0].text
    assert all(
        name in shown for name in (f"CREATE TABLE {table} (", f"{quote}Unit Price{quote} ", f"{quote}group{quote} ")
    )


def test_a_result_too_large_to_be_held_is_a_failure(boxes):
    wide = "SELECT repeat('x', 3000000) AS wide FROM sqltest_item"
    failure = engine_for(boxes).query(wide, SqlLimits(megabytes=4))
    assert (failure.kind, "aggregate" in failure.hint) == ("memory", True)


def test_an_unknown_column_is_told_with_the_nearest(boxes):
    assert "sqltest_item.price" in engine_for(boxes).query("SELECT pric FROM sqltest_item").hint


def test_rows_past_the_limit_are_left_out_and_that_is_said(boxes):
    fetched = engine_for(boxes).query("SELECT id FROM sqltest_item", SqlLimits(rows=1))
    assert (len(fetched.frame), fetched.truncated) == (1, True)


def test_the_strategies_ask_a_server_in_its_own_sql(boxes):
    sql = "```sql\nSELECT count(*) FROM sqltest_item\n```"
    assert Text2SQL(ScriptedLLM([sql])).ask("How many?", boxes).check().rows == [(2,)]
    function = "def compute_result(query):\n    top = query('SELECT max(price) AS p FROM sqltest_item').p[0]\n"
    code = f"```python\n{function}    return [(float(top),)]\n```"
    assert Text2SQLCode(ScriptedLLM([code])).ask("Dearest?", boxes).check().rows == [(9.0,)]
