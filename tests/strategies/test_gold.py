"""Gold programs as a model's replies give the gold answers, through each strategy, on real data of every kind."""

from __future__ import annotations

import json

import pandas as pd
import pytest

import boxkit
from boxkit.evaluation.scorers import score
from boxkit.profile import PROFILES, Profile
from boxkit.strategies import Hybrid, SelfConsistency, Text2SQL, Text2SQLCode
from boxkit.testing import ScriptedLLM

LENIENT = Profile(empty_is_error=False)


def sql(text):
    return f"```sql\n{text}\n```"


def python(text):
    return f"```python\n{text}\n```"


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("wrap", [lambda one: one, lambda one: SelfConsistency(one, samples=2)], ids=["alone", "voted"])
def test_archers_gold_sql_scores_its_gold_answers(data, wrap):
    questions = json.loads((data / "archer/dev.json").read_text(encoding="utf-8"))
    golds = {gold["i"]: gold for gold in lines(data / "archer/gold_answers_dev.derived.jsonl")}
    chosen = [at for at, gold in golds.items() if not gold["time_dependent"]][::9]
    assert len(chosen) > 5
    databases = {
        name: boxkit.load(data / f"archer/database/{name}/{name}.sqlite") for name in ("concert_singer", "world_1")
    }
    for at in chosen:
        question = questions[at]
        strategy = wrap(Text2SQL(ScriptedLLM([sql(question["query"])] * 2), profile=PROFILES["archer"]))
        answer = strategy.ask(question["question"], databases[question["db_id"]]).check()
        assert score("archer", answer.rows, golds[at]["answer"], ordered=golds[at]["ordered"]).correct, question


DABENCH = {
    0: 'answer = [("mean_fare", round(table["Fare"].mean(), 2))]',
    5: """family = table["SibSp"] + table["Parch"]
answer = [("correlation_coefficient", round(family.corr(table["Fare"]), 2))]""",
}


@pytest.mark.parametrize("number", DABENCH)
def test_dabench_answers_are_the_closed_form_ones(data, number):
    question = next(each for each in lines(data / "dabench_nc/da-dev-questions.jsonl") if each["id"] == number)
    gold = next(each for each in lines(data / "dabench_nc/da-dev-labels.jsonl") if each["id"] == number)
    boxes = boxkit.load({"table": pd.read_csv(data / "dabench_nc/da-dev-tables" / question["file_name"])})
    answer = boxkit.Pandora(ScriptedLLM([python(DABENCH[number])])).ask(question["question"], boxes).check()
    assert score("dabench", answer.rows, gold["common_answers"]).correct


OLIST_SQL = """SELECT c.customer_state, round(sum(i.price), 2) AS sold
FROM olist_orders_dataset o JOIN olist_customers_dataset c USING (customer_id)
JOIN olist_order_items_dataset i USING (order_id) GROUP BY 1 ORDER BY sold DESC LIMIT 3"""

OLIST_CODE = f'''def compute_result(query):
    return [(row[0], float(row[1])) for row in query("""{OLIST_SQL}""").itertuples(index=False)]'''

OLIST_MULTI = [
    "Decomposition:\nText2SQL: the state and the price of every item sold\nPython: sum by state, keep three",
    sql(
        "SELECT c.customer_state AS state, i.price FROM olist_orders_dataset o "
        "JOIN olist_customers_dataset c USING (customer_id) JOIN olist_order_items_dataset i USING (order_id)"
    ),
    python(
        "def compute_result(frames):\n"
        "    top = frames[0].groupby('state').price.sum().round(2).nlargest(3)\n"
        "    return list(top.items())"
    ),
]


@pytest.fixture(scope="module")
def olist(data):
    return boxkit.load(data / "olist_nc")


@pytest.mark.parametrize(
    "strategy",
    [
        Text2SQL(ScriptedLLM(lambda _: sql(OLIST_SQL))),
        Text2SQLCode(ScriptedLLM(lambda _: python(OLIST_CODE))),
        Text2SQLCode(ScriptedLLM(OLIST_MULTI), calls="multi"),
        Hybrid(Text2SQL(ScriptedLLM(lambda _: sql(OLIST_SQL))), Text2SQLCode(ScriptedLLM([]))),
    ],
    ids=lambda each: each.name,
)
def test_a_folder_of_csv_files_is_asked_like_a_database(data, olist, strategy):
    folder = data / "olist_nc"
    frames = {
        name: pd.read_csv(folder / f"olist_{name}_dataset.csv") for name in ("orders", "customers", "order_items")
    }
    joined = frames["orders"].merge(frames["customers"]).merge(frames["order_items"])
    gold = joined.groupby("customer_state").price.sum().round(2).nlargest(3)
    answer = strategy.ask("Which three states bought most?", olist).check()
    assert score("starqa", [(state, round(sold, 2)) for state, sold in answer.rows], list(gold.items())).correct


def test_a_question_over_two_european_tables(data):
    boxes = boxkit.load(data / "eurosoccer/Country.csv", data / "eurosoccer/League.csv")
    text = "SELECT c.name, l.name AS league FROM League l JOIN Country c ON l.country_id = c.id"
    answer = Text2SQL(ScriptedLLM([sql(text)]), profile=PROFILES["starqa"]).ask("Which leagues?", boxes).check()
    country, league = pd.read_csv(data / "eurosoccer/Country.csv"), pd.read_csv(data / "eurosoccer/League.csv")
    gold = league.merge(country, left_on="country_id", right_on="id")
    assert score("starqa", answer.rows, list(zip(gold.name_y, gold.name_x, strict=True))).correct


CHINOOK_CODE = """import sqlite3, statistics

def compute_result(database_path):
    database = sqlite3.connect(database_path)
    lengths = [row[0] for row in database.execute("SELECT Milliseconds FROM Track")]
    return [(statistics.median(lengths),)]"""


def test_chinook_reasons_in_python_over_its_own_file(data):
    path = data / "sample_dbs/chinook/Chinook_Sqlite.sqlite"
    boxes = boxkit.load(path)
    gold = boxes["Track"].frame["Milliseconds"].median()
    answer = Text2SQLCode(ScriptedLLM([python(CHINOOK_CODE)]), profile=LENIENT).ask("Median length?", boxes).check()
    assert answer.rows == [(gold,)]
