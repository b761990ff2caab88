"""Which of several tied rows comes first: as SQLite visits tables and groups."""

from __future__ import annotations

import sqlite3

import pytest

import boxkit
from boxkit.memory.transpile import sql_to_pandas

from .oracle import engine, run

SCHEMA = """
CREATE TABLE shop (id INTEGER PRIMARY KEY, name TEXT, town TEXT);
CREATE TABLE sale (shop_id INTEGER, line INTEGER, price INTEGER, PRIMARY KEY (shop_id, line));
CREATE TABLE visit (shop_id INTEGER, guest TEXT, stars INTEGER);
INSERT INTO shop VALUES (1, 'one', 'Ulm'), (2, 'two', 'Bonn'), (3, 'three', 'Ulm'), (4, 'four', 'Bonn');
INSERT INTO sale VALUES (4, 1, 5), (2, 1, 5), (2, 2, 7), (3, 1, 7), (3, 2, 5), (1, 1, 5);
INSERT INTO visit VALUES (3, 'Z', 5), (1, 'Y', 5), (3, 'X', 4), (1, 'W', 4), (4, 'V', 5);
"""

QUERIES = [
    "SELECT town FROM shop GROUP BY town ORDER BY count(*) DESC LIMIT 1",
    "SELECT town FROM shop GROUP BY town ORDER BY count(*) LIMIT 1",
    "SELECT shop_id FROM visit GROUP BY shop_id ORDER BY count(*) DESC LIMIT 1",
    "SELECT shop_id FROM sale GROUP BY shop_id ORDER BY count(*) DESC LIMIT 1",
    "SELECT s.name FROM shop s JOIN visit v ON s.id = v.shop_id GROUP BY v.shop_id ORDER BY count(*) DESC LIMIT 1",
    "SELECT s.name FROM shop s JOIN sale v ON s.id = v.shop_id GROUP BY s.id ORDER BY count(*) DESC LIMIT 1",
    "SELECT s.name FROM shop s JOIN sale v ON s.id = v.shop_id GROUP BY v.shop_id ORDER BY count(*) DESC LIMIT 1",
    "SELECT s.name, v.guest FROM shop s JOIN visit v ON s.id = v.shop_id ORDER BY v.stars DESC LIMIT 2",
    "SELECT name FROM shop ORDER BY town LIMIT 1",
    "SELECT name FROM shop ORDER BY town DESC LIMIT 1",
    "SELECT town, count(*) FROM shop GROUP BY town ORDER BY count(*) DESC",
]


@pytest.mark.parametrize("sql", QUERIES)
def test_ties_fall_as_in_sqlite(sql: str) -> None:
    connection = sqlite3.connect(":memory:")
    connection.executescript(SCHEMA)
    boxes = boxkit.load(connection)
    assert run(sql_to_pandas(sql, boxes), boxes) == engine(sql, connection)
    connection.close()
