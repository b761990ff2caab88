"""Random queries over random small databases: the code's rows against SQLite's own."""

from __future__ import annotations

import sqlite3
import warnings

import pytest

import boxkit
from boxkit.errors import UnsupportedQuery
from boxkit.memory.transpile import sql_to_pandas

from .oracle import comparable, engine, run
from .queries import Queries, database

#: So many queries of a seed may be refused; none may be wrong.
MOST_REFUSED = 4


def check(seeds: range) -> None:
    connection = database(seeds.start)
    boxes = boxkit.load(connection)
    refused = []
    for seed in seeds:
        sql = Queries(seed).query()
        try:
            expected = engine(sql, connection)
        except sqlite3.Error:
            continue
        try:
            code = sql_to_pandas(sql, boxes)
        except UnsupportedQuery as error:
            refused.append(error.construct)
            continue
        ordered = sql.count("ORDER BY") == 1 and "OVER" not in sql
        with warnings.catch_warnings():
            # pandas 2 announces another dtype for empty parts of a union; pandas 3 has it.
            warnings.filterwarnings("ignore", message="The behavior of (DataFrame|array) concat")
            answer = run(code, boxes)
        assert comparable(answer, ordered=ordered) == comparable(expected, ordered=ordered), (
            f"seed {seed}: {sql}\n{code}"
        )
    assert len(refused) <= MOST_REFUSED, refused


@pytest.mark.parametrize("start", range(0, 120, 20))
def test_random_queries_give_the_engines_rows(start: int) -> None:
    check(range(start, start + 20))


@pytest.mark.slow
@pytest.mark.parametrize("start", range(10_000, 10_400, 40))
def test_many_random_queries_give_the_engines_rows(start: int) -> None:
    check(range(start, start + 40))
