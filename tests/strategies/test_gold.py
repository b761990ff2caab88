"""Gold programs as a model's replies give the gold answers, through each strategy, on real data of every kind.

Every data set goes through every strategy: Pandora's boxes and SQL over DuckDB serve files, so that none is left out.
"""

from __future__ import annotations

import csv
import json
import sqlite3
import textwrap
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median
from typing import Any

import pandas as pd
import pytest

import boxkit
from boxkit.evaluation.scorers import score
from boxkit.profile import PROFILES
from boxkit.strategies import Decompose, Hybrid, Pandora, Select, SelfConsistency, Text2SQL, Text2SQLCode
from boxkit.testing import ScriptedLLM


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


@dataclass(frozen=True)
class Gold:
    """A question over one of the data sets, with programs that a model might have written for each strategy.

    Attributes:
        sources: The files, below the data's folder.
        question: As asked.
        rows: Finds the gold rows without boxkit, in the data's folder.
        scorer: What tells whether rows are right.
        sql: One query.
        fetch: One or two queries, whose frames ``compute`` reasons over.
        compute: A function's body over ``frames``.
        pandas: A program over the boxes.
    """

    sources: tuple[str, ...]
    question: str
    rows: Callable[[Path], list[Any]]
    scorer: str
    sql: str
    fetch: tuple[str, ...]
    compute: str
    pandas: str

    @property
    def is_file(self) -> bool:
        """Whether a function gets the database's path, not `query`."""
        return self.sources[0].endswith(".sqlite")

    @property
    def single(self) -> str:
        """The function of one call: the fetches and the computation in one."""
        body = textwrap.indent(self.compute, "    ")
        if self.is_file:
            opened = "    with sqlite3.connect(given) as database:\n"
            frames = f"        frames = [pd.read_sql_query(sql, database) for sql in {list(self.fetch)!r}]\n"
            return f"import sqlite3\nimport pandas as pd\n\ndef compute_result(given):\n{opened}{frames}{body}"
        return f"def compute_result(given):\n    frames = [given(sql) for sql in {list(self.fetch)!r}]\n{body}"

    @property
    def multi(self) -> ScriptedLLM:
        """What replies in several calls, the fetches in any order."""
        steps = [*(f"Text2SQL: rows {at}" for at in range(len(self.fetch))), "Python: put together"]
        function = f"def compute_result(frames):\n{textwrap.indent(self.compute, '    ')}"
        fetches = {f"Question: rows {at}": sql(each) for at, each in enumerate(self.fetch)}
        return ScriptedLLM(
            {"Break the question": "\n".join(["Decomposition:", *steps]), **fetches, "": python(function)}
        )


def archers(number):
    def rows(data):
        return next(
            each["answer"] for each in lines(data / "archer/gold_answers_dev.derived.jsonl") if each["i"] == number
        )

    return rows


def dabench(number):
    def rows(data):
        return next(each for each in lines(data / "dabench_nc/da-dev-labels.jsonl") if each["id"] == number)[
            "common_answers"
        ]

    return rows


def rows_of(path):
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def states_that_bought_most(data):
    folder = data / "olist_nc"
    orders = {row["order_id"]: row["customer_id"] for row in rows_of(folder / "olist_orders_dataset.csv")}
    states = {row["customer_id"]: row["customer_state"] for row in rows_of(folder / "olist_customers_dataset.csv")}
    sold: dict[str, float] = defaultdict(float)
    for row in rows_of(folder / "olist_order_items_dataset.csv"):
        if orders.get(row["order_id"]) in states:
            sold[states[orders[row["order_id"]]]] += float(row["price"])
    return [(state, round(sum_, 2)) for state, sum_ in sorted(sold.items(), key=lambda each: -each[1])[:3]]


def best_shooting_teams(data):
    teams = {row["team_api_id"]: row["team_long_name"] for row in rows_of(data / "eurosoccer/Team.csv")}
    values = defaultdict(list)
    for row in rows_of(data / "eurosoccer/Team_Attributes.csv"):
        values[row["team_api_id"]].append(int(row["chanceCreationShooting"]))
    best = max(mean(each) for each in values.values())
    return [(teams[team], best) for team, each in values.items() if mean(each) == best]


def median_lengths(data):
    database = sqlite3.connect(f"file:{data}/sample_dbs/chinook/Chinook_Sqlite.sqlite?mode=ro", uri=True)
    lengths = defaultdict(list)
    for genre, length in database.execute("SELECT g.Name, t.Milliseconds FROM Track t JOIN Genre g USING (GenreId)"):
        lengths[genre].append(length)
    database.close()
    return [max(((genre, median(each)) for genre, each in lengths.items()), key=lambda row: row[1])]


GOLDS = {
    "archer": Gold(
        ("archer/database/world_1/world_1.sqlite",),
        "Which city in North America has a population at least twice that of Kang-won?",
        archers(68),
        "archer",
        """SELECT c.Name FROM city c JOIN country k ON k.Code = c.CountryCode WHERE k.Continent = 'North America'
AND c.Population >= 2 * (SELECT sum(Population) FROM city WHERE District = 'Kang-won')""",
        (
            "SELECT c.Name AS name, c.Population AS people FROM city c JOIN country k ON k.Code = c.CountryCode"
            " WHERE k.Continent = 'North America'",
            "SELECT sum(Population) AS people FROM city WHERE District = 'Kang-won'",
        ),
        "cities, district = frames\nreturn list(cities[cities.people >= 2 * district.people[0]].name)",
        """in_america = city.merge(country, left_on="CountryCode", right_on="Code", suffixes=("", "_country"))
in_america = in_america[in_america["Continent"] == "North America"]
people = city.loc[city["District"] == "Kang-won", "Population"].sum()
answer = in_america.loc[in_america["Population"] >= 2 * people, "Name"]""",
    ),
    "chinook": Gold(
        ("sample_dbs/chinook/Chinook_Sqlite.sqlite",),
        "Which genre has the longest median track, and how long is it in milliseconds?",
        median_lengths,
        "starqa",
        """WITH ranked AS (SELECT g.Name, t.Milliseconds,
row_number() OVER (PARTITION BY g.GenreId ORDER BY t.Milliseconds) AS at,
count(*) OVER (PARTITION BY g.GenreId) AS tracks FROM Track t JOIN Genre g ON g.GenreId = t.GenreId)
SELECT Name, avg(Milliseconds) AS middle FROM ranked WHERE at IN ((tracks + 1) / 2, (tracks + 2) / 2)
GROUP BY Name ORDER BY middle DESC LIMIT 1""",
        ("SELECT g.Name AS genre, t.Milliseconds AS length FROM Track t JOIN Genre g ON g.GenreId = t.GenreId",),
        "middle = frames[0].groupby('genre').length.median()\nreturn [(middle.idxmax(), float(middle.max()))]",
        """joined = Track.merge(Genre, on="GenreId", suffixes=("", "_genre"))
middle = joined.groupby("Name_genre")["Milliseconds"].median()
answer = [(middle.idxmax(), float(middle.max()))]""",
    ),
    "olist": Gold(
        ("olist_nc",),
        "Which three states bought most, and for how much?",
        states_that_bought_most,
        "starqa",
        """SELECT c.customer_state, round(sum(i.price), 2) AS sold
FROM olist_orders_dataset o JOIN olist_customers_dataset c USING (customer_id)
JOIN olist_order_items_dataset i USING (order_id) GROUP BY 1 ORDER BY sold DESC LIMIT 3""",
        (
            "SELECT o.order_id, c.customer_state AS state FROM olist_orders_dataset o"
            " JOIN olist_customers_dataset c USING (customer_id)",
            "SELECT order_id, price FROM olist_order_items_dataset",
        ),
        """orders, items = frames
sold = orders.merge(items, on="order_id").groupby("state").price.sum().round(2)
return list(sold.nlargest(3).items())""",
        """joined = olist_orders_dataset.merge(olist_customers_dataset, on="customer_id")
joined = joined.merge(olist_order_items_dataset, on="order_id")
answer = joined.groupby("customer_state")["price"].sum().round(2).nlargest(3)""",
    ),
    "dabench": Gold(
        ("dabench_nc/da-dev-tables/GODREJIND.csv",),
        "What are the mean, the median and the standard deviation of the price range?",
        dabench(14),
        "dabench",
        """WITH r AS (SELECT CAST("High Price" AS DOUBLE) - CAST("Low Price" AS DOUBLE) AS price_range FROM GODREJIND)
SELECT 'price_range_mean' AS name, round(avg(price_range), 2) AS value FROM r
UNION ALL SELECT 'price_range_median', round(median(price_range), 2) FROM r
UNION ALL SELECT 'price_range_std_dev', round(stddev_samp(price_range), 2) FROM r""",
        ('SELECT "High Price" AS high, "Low Price" AS low FROM GODREJIND',),
        """spread = frames[0].high.astype(float) - frames[0].low.astype(float)
return [("price_range_" + name, round(float(value), 2)) for name, value in
        (("mean", spread.mean()), ("median", spread.median()), ("std_dev", spread.std()))]""",
        """spread = GODREJIND["High Price"].astype(float) - GODREJIND["Low Price"].astype(float)
answer = [("price_range_mean", round(spread.mean(), 2)), ("price_range_median", round(spread.median(), 2)),
          ("price_range_std_dev", round(spread.std(), 2))]""",
    ),
    "eurosoccer": Gold(
        ("eurosoccer/Team.csv", "eurosoccer/Team_Attributes.csv"),
        "Which teams have the best chance creation by shooting on average, and what is it?",
        best_shooting_teams,
        "starqa",
        """WITH shooting AS (SELECT t.team_long_name, avg(a.chanceCreationShooting) AS shot FROM Team_Attributes a
JOIN Team t ON t.team_api_id = a.team_api_id GROUP BY t.team_api_id, t.team_long_name)
SELECT * FROM shooting WHERE shot = (SELECT max(shot) FROM shooting)""",
        (
            "SELECT team_api_id, chanceCreationShooting AS shot FROM Team_Attributes",
            "SELECT team_api_id, team_long_name AS team FROM Team",
        ),
        """shots = frames[0].groupby("team_api_id", as_index=False).shot.mean()
best = shots[shots.shot == shots.shot.max()].merge(frames[1], on="team_api_id")
return best[["team", "shot"]]""",
        """shots = Team_Attributes.groupby("team_api_id", as_index=False)["chanceCreationShooting"].mean()
best = shots[shots["chanceCreationShooting"] == shots["chanceCreationShooting"].max()]
answer = best.merge(Team, on="team_api_id")[["team_long_name", "chanceCreationShooting"]]""",
    ),
}

DISAGREEING = [sql(f"SELECT {number}") for number in (-1, -2, -3)]


def always(reply):
    return ScriptedLLM(lambda _: reply)


#: How each strategy comes to a gold program.
STRATEGIES: dict[str, Callable[[Gold], Any]] = {
    "Text2SQL": lambda gold: Text2SQL(always(sql(gold.sql))),
    "single": lambda gold: Text2SQLCode(always(python(gold.single))),
    "multi": lambda gold: Text2SQLCode(gold.multi, calls="multi"),
    "SelfConsistency": lambda gold: SelfConsistency(Text2SQL(ScriptedLLM([DISAGREEING[0], *[sql(gold.sql)] * 2]))),
    "Hybrid, agreed": lambda gold: Hybrid(Text2SQL(always(sql(gold.sql))), Text2SQLCode(ScriptedLLM([]))),
    "Hybrid, fallen back": lambda gold: Hybrid(
        Text2SQL(ScriptedLLM(DISAGREEING)), Text2SQLCode(gold.multi, calls="multi")
    ),
    "Pandora": lambda gold: Pandora(always(python(gold.pandas))),
    "Pandora or code": lambda gold: Hybrid(
        Pandora(ScriptedLLM([python(f"answer = {number}") for number in (-1, -2, -3)])),
        Text2SQLCode(always(python(gold.single))),
    ),
    "Decompose": lambda gold: Decompose(
        ScriptedLLM(
            [
                '{"subquestions": ["All of it?"], "values": ["North America", "Kang-won"]}',
                python(f"{gold.pandas}\nstep_1 = answer"),
                python(gold.pandas),
            ]
        )
    ),
    "Select": lambda gold: Select(
        (Text2SQL(always(sql(gold.sql))), Pandora(always(python(gold.pandas)))), ScriptedLLM([])
    ),
}


@pytest.fixture(scope="module", params=GOLDS)
def gold_and_boxes(request, data):
    gold = GOLDS[request.param]
    return gold, boxkit.load(*(data / source for source in gold.sources))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_gold_programs_give_the_gold_answer_through_each_strategy(data, gold_and_boxes, strategy):
    gold, boxes = gold_and_boxes
    answer = STRATEGIES[strategy](gold).ask(gold.question, boxes).check()
    assert score(gold.scorer, answer.rows, gold.rows(data)).correct, answer.rows
    assert not score(gold.scorer, [(-1, -1)], gold.rows(data)).correct
