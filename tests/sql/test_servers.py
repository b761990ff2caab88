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


@pytest.mark.parametrize(
    "sql", ["DELETE FROM sqltest_item", "SELECT 1; SELECT 2", "DROP TABLE sqltest_item", "SET ROLE x"]
)
def test_nothing_but_a_query_runs(boxes, sql):
    assert engine_for(boxes).query(sql).kind == "refused"


def test_an_endless_query_is_stopped_by_the_server(boxes, kind):
    started = time.monotonic()
    failure = engine_for(boxes).query(ENDLESS[kind], SqlLimits(seconds=0.5))
    assert failure.kind == "timeout"
    assert time.monotonic() - started < 10
    assert len(engine_for(boxes).query("SELECT 1 AS one").frame) == 1


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
