"""Text2SQL, Text2SQLCode, votes and hybrids: every branch, driven by scripted models over real databases."""

from __future__ import annotations

import sqlite3

import pandas as pd
import pytest

import boxkit
from boxkit.llm import Completion
from boxkit.profile import Profile
from boxkit.strategies import Hybrid, Knowledge, SelfConsistency, Text2SQL, Text2SQLCode, text2sql
from boxkit.strategies.sqlcode_multi import parse_decomposition
from boxkit.testing import FaultyServer, ScriptedLLM
from boxkit.testing.faults import ok, unsupported

QUESTION = "What is the median price?"


def sql(text):
    return f"So.\n```sql\n{text}\n```"


def python(text):
    return f"So.\n```python\n{text}\n```"


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    path = tmp_path_factory.mktemp("shop") / "shop.sqlite"
    database = sqlite3.connect(path)
    database.executescript("""
        CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT, price REAL);
        INSERT INTO item VALUES (1, 'pen', 2.0), (2, 'ink', 5.0), (3, 'pad', 9.0);
    """)
    database.close()
    return boxkit.load(path)


@pytest.fixture(scope="module")
def sheet():
    return boxkit.load({"item": pd.DataFrame({"name": ["pen", "ink", "pad"], "price": [2.0, 5.0, 9.0]})})


SINGLE_FILE = """import sqlite3, statistics

def compute_result(database_path):
    with sqlite3.connect(database_path) as database:
        prices = [row[0] for row in database.execute("SELECT price FROM item")]
    return [(statistics.median(prices),)]"""

SINGLE_QUERY = """def compute_result(query):
    top = query("SELECT max(price) AS price FROM item").price[0]
    rest = query(f"SELECT price FROM item WHERE price < {top}")
    return [(float(rest.price.sum() + top),)]"""

DECOMPOSITION = "Fetch and compute.\nDecomposition:\nText2SQL: all prices\nPython: their median"

MEDIAN = python("def compute_result(frames):\n    return [(frames[0].price.median(),)]")


class TestText2SQL:
    """One query."""

    def test_the_rows_are_the_answer(self, shop):
        llm = ScriptedLLM([sql("SELECT name, price FROM item WHERE price > 4")])
        answer = Text2SQL(llm).ask("What costs more than 4?", shop)
        assert answer.rows == [("ink", 5.0), ("pad", 9.0)]
        assert answer.columns == ("name", "price")
        assert answer.usage.calls == answer.usage.steps["sql"].calls == 1
        assert "CREATE TABLE item" in llm.requests[0].text

    def test_a_schema_is_made_once_for_each_of_the_settings(self, shop, monkeypatch):
        made = []
        text = text2sql.schema_text
        monkeypatch.setattr(
            text2sql, "schema_text", lambda *given, **options: made.append(1) or text(*given, **options)
        )
        boxes = boxkit.BoxSet(shop.values())
        for samples in (3, 3, 0):
            llm = ScriptedLLM([sql("SELECT 1")])
            boxkit.Text2SQL(llm, samples=samples).ask("?", boxes)
            assert ('"pen"' in llm.requests[0].messages[0].content) == bool(samples)
        assert len(made) == 2

    def test_it_works_on_a_spreadsheet_as_well(self, sheet):
        assert Text2SQL(ScriptedLLM([sql("SELECT count(*) FROM item")])).ask("How many?", sheet).rows == [(3,)]

    @pytest.mark.parametrize(
        ("bad", "kind", "told"),
        [
            ("I do not know", "no code", "missing"),
            (sql("SELECT pric FROM item"), "exception", "item.price"),
            (sql("DROP TABLE item"), "refused", "no query"),
            (sql("SELECT name FROM item WHERE name = 'Pen'"), "empty", "true values"),
        ],
    )
    def test_a_failed_query_is_corrected_from_what_went_wrong(self, shop, bad, kind, told):
        llm = ScriptedLLM([bad, sql("SELECT count(*) FROM item")])
        answer = Text2SQL(llm).ask("How many?", shop)
        assert answer.rows == [(3,)]
        assert answer.attempts[0].failure.kind == kind
        assert told in llm.requests[1].last

    def test_after_three_corrections_it_gives_up_with_what_it_tried(self, shop):
        answer = Text2SQL(ScriptedLLM([sql("SELECT x FROM item")] * 4)).ask("How many?", shop)
        assert (answer.ok, len(answer.attempts), answer.rows) == (False, 4, [])

    def test_an_empty_result_is_an_answer_where_the_profile_says_so(self, shop):
        settings = {"profile": Profile(empty_is_error=False)}
        assert Text2SQL(ScriptedLLM([sql("SELECT 1 WHERE 0")]), **settings).ask("Which?", shop).ok


class TestText2SQLCode:
    """SQL and Python."""

    def test_one_call_reads_the_database_file_itself(self, shop):
        answer = Text2SQLCode(ScriptedLLM([python(SINGLE_FILE)])).ask(QUESTION, shop)
        assert answer.check().rows == [(5.0,)]
        assert answer.usage.calls == 1

    def test_one_call_elsewhere_gets_a_query_function(self, sheet):
        answer = Text2SQLCode(ScriptedLLM([python(SINGLE_QUERY)])).ask(QUESTION, sheet)
        assert answer.check().rows == [(16.0,)]

    @pytest.mark.parametrize(
        "query", ["SELECT nme FROM item", "DELETE FROM item", "SELECT * FROM read_csv('/etc/passwd')"]
    )
    def test_a_query_that_fails_or_is_refused_is_corrected(self, sheet, query):
        bad = python(f"def compute_result(query):\n    return list(query({query!r}).itertuples())")
        answer = Text2SQLCode(ScriptedLLM([bad, python(SINGLE_QUERY)])).ask(QUESTION, sheet)
        assert answer.check().rows == [(16.0,)]
        assert answer.attempts[0].failure.kind in ("exception", "refused")

    def test_a_function_that_queries_without_end_is_stopped(self, sheet):
        endless = python(
            "def compute_result(query):\n    n = 0\n    while True:\n        n += 1\n        query(f'SELECT {n}')"
        )
        answer = Text2SQLCode(ScriptedLLM([endless]), corrections=0).ask(QUESTION, sheet)
        assert answer.failure.kind == "too large"

    def test_several_calls_decompose_fetch_and_compute(self, shop):
        llm = ScriptedLLM([DECOMPOSITION, sql("SELECT price FROM item"), MEDIAN])
        answer = Text2SQLCode(llm, calls="multi").ask(QUESTION, shop)
        assert answer.check().rows == [(5.0,)]
        assert {name: usage.calls for name, usage in answer.usage.steps.items()} == {
            "decompose": 1,
            "sql": 1,
            "python": 1,
        }
        assert "SELECT price" in answer.code
        assert "median()" in answer.code

    def test_two_fetches_are_put_together(self, shop):
        llm = ScriptedLLM(
            {
                "Break the question": "Decomposition:\nText2SQL: cheapest price\nText2SQL: dearest price\nPython: subtract",  # noqa: E501 - a reply as it stands
                "Question: cheapest price": sql("SELECT min(price) AS p FROM item"),
                "Question: dearest price": sql("SELECT max(price) AS p FROM item"),
                "frames[1]": python("def compute_result(frames):\n    return [(frames[1].p[0] - frames[0].p[0],)]"),
            }
        )
        assert Text2SQLCode(llm, calls="multi").ask("By how much?", shop).check().rows == [(7.0,)]

    def test_sql_alone_needs_two_calls(self, shop):
        llm = ScriptedLLM(["Decomposition:\nText2SQL: count the items", sql("SELECT count(*) FROM item")])
        answer = Text2SQLCode(llm, calls="multi").ask("How many?", shop)
        assert (answer.rows, answer.usage.calls) == ([(3,)], 2)

    def test_a_dependent_decomposition_is_asked_for_again(self, shop):
        dependent = "Decomposition:\nText2SQL: all items\nText2SQL: those of the previous step above 4\nPython: count"
        llm = ScriptedLLM([dependent, DECOMPOSITION, sql("SELECT price FROM item"), MEDIAN])
        assert Text2SQLCode(llm, calls="multi").ask(QUESTION, shop).check().rows == [(5.0,)]
        assert "stand alone" in llm.requests[1].last

    @pytest.mark.parametrize("failing", ["decompose", "sql", "python"])
    def test_a_step_that_never_succeeds_ends_it(self, shop, failing):
        replies = {
            "decompose": ["?"],
            "sql": [DECOMPOSITION, "?"],
            "python": [DECOMPOSITION, sql("SELECT price FROM item"), "?"],
        }
        answer = Text2SQLCode(ScriptedLLM(replies[failing]), calls="multi", corrections=0).ask(QUESTION, shop)
        assert not answer.ok
        assert answer.rows == []

    def test_the_published_slip_of_a_name_is_understood(self, shop):
        slip = MEDIAN.replace("compute_result", "compute_results")
        llm = ScriptedLLM([DECOMPOSITION, sql("SELECT price FROM item"), slip])
        assert Text2SQLCode(llm, calls="multi").ask(QUESTION, shop).rows == [(5.0,)]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Text2SQL: x", "Decomposition:"),
        ("Decomposition:\nPython: x", "no Text2SQL step"),
        ("Decomposition:\n" + "Text2SQL: x\n" * 3, "at most 2"),
        ("Decomposition:\nText2SQL: x\nThat is all.", "only lines"),
        ("Decomposition:\nText2SQL: x\nText2SQL: y", "puts their tables together"),
    ],
)
def test_a_decomposition_of_another_form_says_what_is_wrong(text, problem):
    assert problem in parse_decomposition(text)


@pytest.mark.parametrize(
    "text", ["**Decomposition:**\n- **Text2SQL:** x\n- **Python:** y", "Decomposition:\n1. Text2SQL: x\n2. Python: y"]
)
def test_a_decomposition_with_decoration_is_read(text):
    parsed = parse_decomposition(text)
    assert (parsed.sql, parsed.python) == (("x",), ("y",))


def count(number):
    return sql(f"SELECT {number}")


class BySeed:
    """A model whose reply depends on the sample's seed, not on which of several threads asks first."""

    name = "by seed"
    layout = "full"

    def __init__(self, replies):
        self.replies = replies

    def complete(self, messages, parameters):
        return Completion(self.replies[parameters.seed])

    async def acomplete(self, messages, parameters):
        return self.complete(messages, parameters)


class TestVotes:
    """Several samples."""

    @pytest.mark.parametrize(
        ("replies", "rows", "votes"),
        [
            ([count(1), count(2), count("2.0")], [(2,)], 2),
            ([count(1), count(2), count(3)], [(1,)], 1),
            (["?", "?", count(3)], [(3,)], 1),
            ([sql("SELECT 'a', 1"), sql("SELECT 1, 'a'"), count(9)], [("a", 1)], 2),
        ],
    )
    def test_the_answer_that_most_agree_on_wins(self, shop, replies, rows, votes):
        inner = Text2SQL(BySeed(replies), corrections=0)
        answer = SelfConsistency(inner, samples=3).ask(QUESTION, shop)
        assert answer.rows == rows
        assert answer.details["votes"] == votes
        assert answer.usage.calls == 3

    def test_samples_differ_by_seed_and_temperature(self, shop):
        llm = ScriptedLLM([count(1)] * 3)
        SelfConsistency(Text2SQL(llm), samples=3, temperature=0.5).ask(QUESTION, shop)
        assert sorted(request.parameters.seed for request in llm.requests) == [0, 1, 2]
        assert {request.parameters.temperature for request in llm.requests} == {0.5}

    def test_where_all_fail_the_failure_is_told(self, shop):
        answer = SelfConsistency(Text2SQL(ScriptedLLM(["?"] * 3), corrections=0)).ask(QUESTION, shop)
        assert answer.failure.kind == "no code"
        assert answer.details["votes"] == 0

    @pytest.mark.parametrize(
        ("replies", "calls", "fell_back"), [([count(1)] * 3, 3, False), ([count(1), count(2), count(3)], 6, True)]
    )
    def test_a_hybrid_falls_back_only_where_samples_disagree(self, shop, replies, calls, fell_back):
        first = Text2SQL(ScriptedLLM(replies))
        second = Text2SQLCode(ScriptedLLM([DECOMPOSITION, sql("SELECT price FROM item"), MEDIAN]), calls="multi")
        answer = Hybrid(first, second).ask(QUESTION, shop)
        assert answer.usage.calls == calls
        assert answer.details["fell_back"] is fell_back
        assert answer.rows == ([(5.0,)] if fell_back else [(1,)])

    async def test_they_compose_with_pandora_and_on_an_event_loop(self, shop):
        llm = ScriptedLLM([python("answer = len(item)")] * 3)
        answer = await SelfConsistency(boxkit.Pandora(llm)).aask("How many?", shop)
        assert (answer.rows, answer.details["agreement"]) == ([(3,)], 1.0)

    def test_a_planner_cannot_be_sampled(self, shop):
        with pytest.raises(TypeError, match="nothing to sample"):
            SelfConsistency(boxkit.Planner()).ask("How many items?", shop)


class TestKnowledge:
    """No data."""

    def test_rows_come_from_json(self, shop):
        llm = ScriptedLLM(["no", '```json\n[["Paris", 1]]\n```'])
        answer = Knowledge(llm).ask("What is the capital of France?", shop)
        assert answer.rows == [("Paris", 1)]
        assert "CREATE TABLE" not in llm.requests[0].text

    def test_a_search_asks_the_model_to_search(self, shop):
        with FaultyServer(ok('[["Paris"]]')) as server:
            llm = boxkit.OpenAI("m-search", base_url=server.base_url, api_key="k")
            assert boxkit.Search(llm).ask("Capital of France?", shop).rows == [("Paris",)]
        assert server.requests[0].body["web_search_options"] == {}

    def test_a_model_without_a_search_says_so(self, shop):
        with FaultyServer(unsupported("web_search_options")) as server:
            llm = boxkit.OpenAI("m", base_url=server.base_url, api_key="k")
            with pytest.raises(boxkit.errors.LLMError, match="web_search_options"):
                boxkit.Search(llm).ask("Capital of France?", shop)
