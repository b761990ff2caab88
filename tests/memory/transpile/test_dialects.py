"""What Postgres and MySQL do otherwise than SQLite."""

from __future__ import annotations

import pytest

from boxkit.box import BoxSet
from boxkit.errors import UnsupportedQuery
from boxkit.memory.transpile import sql_to_pandas

from .oracle import run

FIRST = "FROM book WHERE id = 1"

CASES = {
    ("mysql", f"SELECT year / 4 {FIRST}"): [(497.5,)],
    ("mysql", f"SELECT year DIV 4 {FIRST}"): [(497,)],
    ("postgres", f"SELECT year / 4 {FIRST}"): [(497,)],
    ("mysql", "SELECT id FROM book WHERE title = 'SNOW'"): [(1,)],
    ("postgres", "SELECT id FROM book WHERE title = 'SNOW'"): [],
    ("mysql", "SELECT id FROM book WHERE title IN ('sNow', 'ice')"): [(1,), (2,)],
    ("postgres", "SELECT id FROM book WHERE title LIKE 's%'"): [(5,)],
    ("postgres", "SELECT id FROM book WHERE title ILIKE 's%'"): [(1,), (3,), (5,)],
    ("mysql", "SELECT id FROM book WHERE title LIKE 'S%'"): [(1,), (3,), (5,)],
    ("postgres", "SELECT id FROM book ORDER BY price DESC LIMIT 1"): [(3,)],
    ("postgres", "SELECT id FROM book ORDER BY price LIMIT 1"): [(6,)],
    ("mysql", "SELECT id FROM book ORDER BY price LIMIT 1"): [(3,)],
    ("mysql", "SELECT id FROM book ORDER BY id LIMIT 1, 2"): [(2,), (3,)],
    ("postgres", "SELECT EXTRACT(YEAR FROM day) FROM loan WHERE book_id = 2"): [(2021,)],
    ("mysql", "SELECT MONTH(day), DATE_FORMAT(day, '%Y-%m') FROM loan WHERE book_id = 2"): [(3, "2021-03")],
    ("mysql", "SELECT LEFT(title, 2), RIGHT(title, 2), CONCAT(title, '!') FROM book WHERE id = 1"): [
        ("Sn", "ow", "Snow!")
    ],
    ("postgres", "SELECT CONCAT(title, genre) FROM book WHERE id = 4"): [("Rain",)],
    ("mysql", "SELECT CONCAT(title, genre) FROM book WHERE id = 4"): [(None,)],
    ("postgres", "SELECT STRING_AGG(name, '/') FROM author WHERE country = 'Norway'"): [("Ada Blum/Dee Ash",)],
}


@pytest.mark.parametrize(("query", "expected"), CASES.items(), ids=lambda value: str(value)[:60])
def test_a_dialect_keeps_its_own_semantics(query: tuple[str, str], expected: list[object], boxes: BoxSet) -> None:
    dialect, sql = query
    assert run(sql_to_pandas(sql, boxes, dialect=dialect), boxes) == expected


@pytest.mark.parametrize(
    ("dialect", "sql", "construct"),
    [
        ("postgres", 'SELECT "nothing" FROM book', "unknown column"),
        ("postgres", "SELECT CAST(price AS INTEGER) FROM book", "rounds"),
        ("postgres", "SELECT price::text FROM book", "decimal numbers as text"),
        ("postgres", "SELECT DISTINCT ON (genre) title FROM book", "DISTINCT ON"),
    ],
)
def test_a_dialect_refuses_what_it_does_otherwise(dialect: str, sql: str, construct: str, boxes: BoxSet) -> None:
    with pytest.raises(UnsupportedQuery, match=construct):
        sql_to_pandas(sql, boxes, dialect=dialect)
