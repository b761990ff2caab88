"""Spider's first script: verdicts that it gave, what its grammar reads, and columns tied by foreign keys."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from boxkit.evaluation.scorers import score
from boxkit.evaluation.scorers.spider_grammar import Schema, Unreadable, read_select
from boxkit.evaluation.sqlite_files import one_look

CASES = Path(os.environ.get("BOXKIT_CASES", Path(__file__).parents[3] / "shared" / "cases")) / "scorers"


def mentioned(*queries):
    """A database of every table and column that queries mention, since the cases come without theirs."""
    text = re.sub(r"'[^']*'|\"[^\"]*\"|\bas\b", "", " ".join(queries), flags=re.IGNORECASE).lower()
    words = set(re.findall(r"[a-z_]\w*", text))
    return Schema(dict.fromkeys(re.findall(r"\b(?:from|join)\s+(?!select)([a-z_]\w*)", text), words))


def test_the_script_s_verdicts():
    file = CASES / "spider_old_sql.jsonl"
    if not file.exists():
        pytest.skip(f"no verdicts at {CASES}: set BOXKIT_CASES to the folder of cases")
    wrong = []
    for case in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
        own, gold = case["predicted"], case["gold"]
        # A query of the same database mentions columns that are there; a mutated one may not.
        schema = mentioned(gold["sql"], *([own["sql"]] if case["mutation"] == "other_gold_same_db" else ()))
        try:
            units = read_select(own["sql"], schema)
        except Unreadable:
            units = None
        verdict = False
        if units is not None and own["rows"] is not None:
            columns = {unit: [row[at] for row in own["rows"]] for at, unit in enumerate(units)}
            wanted = {
                unit: [row[at] for row in gold["rows"]] for at, unit in enumerate(read_select(gold["sql"], schema))
            }
            verdict = columns == wanted
        if (verdict, units is not None) != (case["verdict"], own["parsed"]):
            wrong.append((case["id"], case["mutation"], verdict, units))
    assert wrong == []


def test_every_gold_query_of_spider_is_read_and_equals_itself(data):
    for row in json.loads((data / "spider/dev.json").read_text(encoding="utf-8"))[::23]:
        file = data / "spider/database" / row["db_id"] / f"{row['db_id']}.sqlite"
        if file.is_file():
            assert score("spider_exec", row["query"], row["query"], database=file).correct, row


@pytest.fixture
def database(tmp_path):
    home = tmp_path / "database" / "zoo"
    home.mkdir(parents=True)
    with closing(sqlite3.connect(home / "zoo.sqlite")) as connection:
        connection.executescript("""
            CREATE TABLE keeper (id INTEGER, name TEXT);
            CREATE TABLE animal (id INTEGER, keeper_id INTEGER, name TEXT, age REAL, other_value INTEGER);
            INSERT INTO keeper VALUES (1, 'Ada'), (2, 'Bo');
            INSERT INTO animal VALUES (1, 1, 'Leo', 4, 7), (2, 2, 'Max', 9, 7);
        """)
    entry = {
        "db_id": "zoo",
        "table_names_original": ["keeper", "animal"],
        "column_names_original": [[-1, "*"], [0, "id"], [0, "name"], [1, "id"], [1, "Keeper_ID"]],
        "foreign_keys": [[4, 1]],
    }
    (tmp_path / "tables.json").write_text(json.dumps([entry]))
    return home / "zoo.sqlite"


@pytest.mark.parametrize(
    ("predicted", "gold", "correct"),
    [
        ("SELECT name, age FROM animal", "SELECT age, name FROM animal", True),
        ("SELECT name FROM animal ORDER BY age DESC", "SELECT name FROM animal", False),
        ("SELECT name, age, name FROM animal", "SELECT name, age FROM animal", True),
        ("SELECT max(age) FROM animal WHERE id = 1", "SELECT avg(age) FROM animal WHERE id = 1", True),
        ("SELECT name AS n FROM animal", "SELECT name FROM animal", False),
        ("SELECT name FROM animal WHERE age=4", "SELECT name FROM animal WHERE age = 4", False),
        ("SELECT name FROM animal WHERE age > = 4", "SELECT name FROM animal WHERE age >= 4", False),
        ("SELECT keeper.name FROM animal, keeper", "SELECT name FROM animal", False),
        ("SELECT T1.keeper_id FROM animal AS T1", "SELECT id FROM keeper", True),
        ("SELECT id FROM animal", "SELECT id FROM keeper", False),
        ("SELECT other_value FROM animal", "SELECT other_value FROM animal;", True),
        ("SELECT name FROM animal WHERE name IN ('Leo', 'Max')", "SELECT name FROM animal", False),
        ("SELECT count(*) FROM (SELECT name FROM animal)", "SELECT count(*) FROM animal", True),
        ("SELECT name FROM animal WHERE name = 'it''s", "SELECT name FROM animal", False),
        ("SELECT missing FROM animal", "SELECT name FROM animal", False),
        ("", "SELECT name FROM animal", False),
        ("SELECT name FROM animal LIMIT", "SELECT name FROM animal", False),
    ],
)
def test_what_the_script_compares(database, predicted, gold, correct):
    found = score("spider_exec", predicted, gold, database=database)
    assert (found.correct, found.error) == (correct, "")


def test_gold_that_ends_the_script_has_no_verdict(database):
    assert "does not read" in score("spider_exec", "SELECT 1", "SELECT 1", database=database).error
    assert "there is no database" in score("spider_exec", "SELECT 1", "SELECT 1", database="nowhere").error
    assert "there is no database" in score("spider_exec", "SELECT 1", "SELECT 1", database=database.parent).error


def test_a_database_that_has_changed_is_read_anew(tmp_path):
    path = tmp_path / "zoo.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE animal (name TEXT)")
    query = "SELECT age FROM animal"
    with one_look():
        assert "does not read" in score("spider_exec", query, query, database=path).error
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("ALTER TABLE animal ADD COLUMN age INTEGER")
        os.utime(path, ns=(1, 1))  # two writes within a clock's tick
        assert "does not read" in score("spider_exec", query, query, database=path).error, "judged as of one moment"
    assert score("spider_exec", query, query, database=path).correct
