"""Text-to-SQL benchmarks are read as published; what does not fit is said with its line."""

from __future__ import annotations

import json
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from boxkit.errors import SourceNotFound, UnreadableSource
from boxkit.evaluation.datasets import databases, open_dataset


def database(folder, name, script="CREATE TABLE t (a INTEGER, b TEXT); INSERT INTO t VALUES (1, 'x'), (2, 'y');"):
    (folder / name).mkdir(parents=True)
    with closing(sqlite3.connect(folder / name / f"{name}.sqlite")) as connection:
        connection.executescript(script)


def written(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(rows, indent=1), encoding="utf-8")


ROW = {"db_id": "shop", "question": "How many?", "query": "SELECT count(*) FROM t"}


def test_spider_as_published(data):
    dataset = open_dataset("spider", data / "spider", split="train")
    assert (len(dataset), dataset.scorer, dataset.profile.name) == (2191, "spider", "spider")
    task = dataset[0]
    assert (task.question, task.source, task.line) == (
        "How many heads of the departments are older than 56 ?",
        "department_management",
        2,
    )
    assert task.gold() == [(5,)] and "head" in task.boxes()


def test_spiders_missing_database_is_said_and_skipped_on_demand(data):
    with pytest.raises(UnreadableSource, match=r"62 of 1034 rows do not fit:\n.*dev\.json:61577: no database 'wta_1'"):
        open_dataset("spider", data / "spider")
    dataset = open_dataset("spider", data / "spider", skip_bad=True)
    assert (len(dataset), len(dataset.skipped)) == (972, 62)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"db_id": "shop", "query": "SELECT 1"}, "there is no 'question'"),
        (ROW | {"question": " "}, "'question' is ' ', not a text"),
        (ROW | {"query": ["SELECT"]}, r"'query' is \['SELECT'\], not a text"),
        (ROW | {"query": "SELECT c FROM t"}, "SQLite refuses the gold query: no such column: c"),
        ("How many?", "it is 'How many\\?', not an object"),
    ],
)
def test_a_row_that_does_not_fit_names_its_line(tmp_path, row, said):
    database(tmp_path / "database", "shop")
    written(tmp_path / "dev.json", [ROW, row])
    with pytest.raises(UnreadableSource, match=rf"1 of 2 rows do not fit:\n.*dev\.json:7: {said}"):
        open_dataset("spider", tmp_path)
    assert [task.id for task in open_dataset("spider", tmp_path, skip_bad=True)] == ["0"]


def test_rows_of_one_line_are_told_by_their_number(tmp_path):
    database(tmp_path / "database", "shop")
    (tmp_path / "dev.json").write_text(json.dumps([ROW, {}, ROW, {}, ROW | {"question": 0.5, "query": " "}]))
    with pytest.raises(
        UnreadableSource, match=r"dev\.json:1, row 2: there is no .*\(row 4 too\)\n.*:1, row 5: 'query'"
    ):
        open_dataset("spider", tmp_path)


def test_databases_that_are_taken_from_a_folder_beside_are_named(tmp_path):
    database(tmp_path / "spider" / "database", "shop")
    (tmp_path / "mine").mkdir()
    written(tmp_path / "mine" / "dev.json", [ROW])
    (note,) = open_dataset("spider", tmp_path / "mine").notes
    assert str(tmp_path / "spider" / "database") in note, "a user would think that their own databases are asked"
    assert not open_dataset("spider", tmp_path / "mine", databases=tmp_path / "spider" / "database").notes
    database(tmp_path / "mine" / "database", "shop")
    assert not open_dataset("spider", tmp_path / "mine").notes


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1}', "line 1: a list is expected"),
        ('[{"a": 1},\n{"a" 2}]', "line 2 begins an object that is no JSON"),
        ('[{"a": 1}\n', "the list is not closed after line 1"),
    ],
)
def test_a_damaged_file_names_its_line(tmp_path, text, said):
    (tmp_path / "database").mkdir()
    (tmp_path / "dev.json").write_text(text)
    with pytest.raises(UnreadableSource, match=said):
        open_dataset("spider", tmp_path, skip_bad=True)


PUBLISHED = {
    "spider-syn": ("dev.json", "database", ROW | {"SpiderSynQuestion": "How much?", "SpiderQuestion": "How many?"}),
    "spider-realistic": ("spider-realistic.json", "../spider/database", ROW | {"question": "How much?"}),
    "spider-dk": ("Spider-DK.json", "database", ROW | {"question": "How much?"}),
    "bird": (
        "dev.json",
        "dev_databases",
        {"question_id": 7, "db_id": "shop", "question": "How much?", "evidence": "a is size", "difficulty": "simple"}
        | {"SQL": "SELECT count(*) FROM t;"},
    ),
    "kaggledbqa": ("examples/shop.json", "databases", ROW | {"question": "How much?"}),
    "archer": ("dev.json", "database", ROW | {"question": "How much?", "reasoning_type": "+ C *"}),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_each_benchmark_in_its_published_layout(tmp_path, name):
    file, databases, row = PUBLISHED[name]
    home = tmp_path / "home"
    database(home / databases, "shop")
    written(home / file, [row])
    (task,) = open_dataset(name, home)
    assert (task.question, task.gold(), task.dataset) == ("How much?", [(2,)], name)
    if name == "bird":
        assert (task.id, task.asked, task.groups["difficulty"]) == ("7", "How much?\nTo know: a is size", ("simple",))
    if name == "archer":
        assert task.groups["reasoning"] == ("addition", "commonsense", "multiplication")
    elsewhere = tmp_path / "elsewhere"
    database(elsewhere, "shop", "CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1);")
    assert open_dataset(name, home, databases=elsewhere)[0].gold() == [(1,)]


def test_columns_are_described_as_bird_describes_them(tmp_path):
    database(tmp_path / "dev_databases", "shop")
    about = tmp_path / "dev_databases" / "shop" / "database_description"
    about.mkdir()
    (about / "t.csv").write_text("original_column_name,column_name,column_description\na,size,in metres\n")
    written(tmp_path / "dev.json", [PUBLISHED["bird"][2]])
    assert "in metres" in open_dataset("bird", tmp_path)[0].boxes().to_prompt()


def test_gold_that_depends_on_the_day_is_executed_when_an_answer_is_judged(data):
    dataset = open_dataset("archer", data / "archer")
    dated = [task for task in dataset if '"now"' in task.program]
    assert len(dataset) == 104 and len(dated) == 24
    task = next(task for task in dated if "strftime" in task.program)
    path = task.context["database"]
    with closing(sqlite3.connect(path)) as connection:
        assert task.gold() == connection.execute(task.program).fetchall()


def test_gold_is_executed_once_for_all_who_ask_unless_it_may_change(tmp_path, monkeypatch):
    database(tmp_path / "database", "shop")
    queries = ["SELECT a FROM t", "SELECT a FROM t", "SELECT a, julianday('now') FROM t"]
    written(tmp_path / "dev.json", [ROW | {"query": each, "question": f"{at}?"} for at, each in enumerate(queries)])
    dataset = open_dataset("spider", tmp_path)
    run, real = [], databases._rows
    monkeypatch.setattr(databases, "_rows", lambda path, sql: run.append(sql) or real(path, sql))
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda task: task.gold(), [*dataset[:2]] * 4)) == [[(1,), (2,)]] * 8
    assert run == queries[:1]
    dataset[0].gold().append("of the caller's own")
    assert dataset[1].gold() == [(1,), (2,)] and len(dataset[2].gold()[0]) == 2
    assert run == [queries[0], queries[2]], "the time goes on: such a query is run each time"
    with closing(sqlite3.connect(dataset[0].context["database"])) as connection:
        connection.execute("UPDATE t SET a = 3")
        connection.commit()
    assert dataset[0].gold() == [(3,), (3,)], "the database has changed"


def test_gold_that_fails_says_so_each_time(tmp_path):
    database(tmp_path / "database", "shop")
    gold = databases.Databases.of([tmp_path / "database"]).rows
    for _ in range(2):
        with pytest.raises(UnreadableSource, match="the gold query fails: no such column: absent"):
            gold("shop", "SELECT absent FROM t")


def test_german_spider_says_which_gold_queries_are_broken(data):
    dataset = open_dataset("machinespider-de", data / "machinespider_de", skip_bad=True)
    assert (len(dataset), len(dataset.skipped)) == (278, 21)
    assert all("alter" in each.problem for each in dataset.skipped)


def test_kaggledbqa_has_its_splits(data):
    sizes = {
        split: len(open_dataset("kaggledbqa", data / "kaggledbqa", split=split)) for split in ("all", "test", "fewshot")
    }
    assert sizes["all"] == 60 == sizes["test"] + sizes["fewshot"]


def test_what_is_not_there_names_what_is(tmp_path):
    with pytest.raises(ValueError, match="nearest: spider"):
        open_dataset("spidre", tmp_path)
    with pytest.raises(ValueError, match="has the splits dev, train"):
        open_dataset("spider", tmp_path, split="validation")
    with pytest.raises(SourceNotFound, match=r"this folder has no dev\.json"):
        open_dataset("spider", tmp_path)


def test_a_sample_is_the_same_for_the_same_seed_and_keeps_the_order(tmp_path):
    database(tmp_path / "database", "shop")
    written(tmp_path / "dev.json", [ROW | {"question": f"{at}?"} for at in range(30)])
    dataset = open_dataset("spider", tmp_path)
    sample = dataset.sample(10, seed=3)
    assert sample == dataset.sample(10, seed=3) != dataset.sample(10, seed=4)
    assert [int(task.id) for task in sample] == sorted(int(task.id) for task in sample) and len(sample) == 10
    assert sample.digest != dataset.digest == open_dataset("spider", tmp_path).digest


def test_databases_that_are_not_there_are_one_line_that_says_where_they_belong(tmp_path):
    database(tmp_path / "spider" / "database", "shop")
    written(tmp_path / "bird" / "dev.json", [{"question_id": at, **ROW, "db_id": "bank"} for at in range(20)])
    with pytest.raises(SourceNotFound, match=r"bird/dev_databases,(?s:.*)--databases"):
        open_dataset("bird", tmp_path / "bird")
    database(tmp_path / "bird" / "dev_databases", "other")
    with pytest.raises(UnreadableSource) as caught:
        open_dataset("bird", tmp_path / "bird")
    assert "20 of 20" in str(caught.value) and str(caught.value).count("'bank'") == 1
    assert "dev_databases: say where it lies with databases=… (--databases) (lines 8, 14, 20 and 16 more too)" in str(
        caught.value
    )
