"""What only an odd reply or result reaches: each ends in the right answer, or in a failure that says why."""

from __future__ import annotations

import sqlite3

import pandas as pd
import pytest

import boxkit
from boxkit.answer import Answer
from boxkit.failure import Failure
from boxkit.profile import Profile
from boxkit.sql import SqlLimits
from boxkit.strategies import Hybrid, SelfConsistency, Text2SQL, Text2SQLCode
from boxkit.strategies.consistency import vote
from boxkit.strategies.decompose import sample
from boxkit.testing import ScriptedLLM

LENIENT = Profile(empty_is_error=False)


def sql(text):
    return f"```sql\n{text}\n```"


def python(text):
    return f"```python\n{text}\n```"


@pytest.fixture
def path(tmp_path):
    database = sqlite3.connect(tmp_path / "shop.sqlite")
    database.executescript("CREATE TABLE item(name TEXT, price REAL); INSERT INTO item VALUES ('pen', 2), ('ink', 5);")
    database.close()
    return tmp_path / "shop.sqlite"


@pytest.fixture
def shop(path):
    return boxkit.load(path)


@pytest.fixture(scope="module")
def sheet():
    return boxkit.load({"item": pd.DataFrame({"name": ["pen", "ink"], "price": [2.0, 5.0]})})


DECOMPOSITION = "Decomposition:\nText2SQL: all prices\nPython: their sum"
PRICES = sql("SELECT price FROM item")
SUM = python("def compute_result(frames):\n    return [(float(frames[0].price.sum()),)]")
SINGLE = python("def compute_result(query):\n    return [(float(query('SELECT sum(price) AS s FROM item').s[0]),)]")


def made(*rows, question="?"):
    return Answer.of(question, list(rows))


FAILED = Answer("?", failure=Failure("exception", "no"))


class TestVote:
    """Who votes, and who wins."""

    def test_neither_failed_nor_empty_answers_vote(self):
        won = vote([FAILED, made(), made(), made((None,)), made((None,)), made((7,))])
        assert (won.answer.rows, won.votes, won.counts) == ([(7,)], 1, (1,))

    def test_where_all_are_empty_the_answer_is_empty_not_a_failure(self):
        assert vote([FAILED, made()]).answer.ok
        assert vote([FAILED, FAILED]).answer is FAILED

    def test_of_equally_many_votes_the_first_seen_wins_or_one_at_random_that_stays_the_same(self):
        def winners(**options):
            questions = [f"question {number}" for number in range(40)]
            return [
                vote([made((at,), question=each) for at in range(3)], **options).answer.rows[0][0] for each in questions
            ]

        assert set(winners()) == {0}
        assert set(winners(ties="random")) == {0, 1, 2}
        assert winners(ties="random") == winners(ties="random") != winners(ties="random", seed=1)

    def test_a_majority_is_not_drawn(self):
        answers = [made((1,)), made((2,)), made((2.0,))]
        assert {vote(answers, ties="random", seed=seed).answer.rows[0][0] for seed in range(20)} == {2}

    def test_samples_say_their_agreement(self, shop):
        llm = ScriptedLLM([sql("SELECT 1"), sql("SELECT 2 WHERE 0"), sql("SELECT 1")])
        answer = SelfConsistency(Text2SQL(llm, profile=LENIENT)).ask("?", shop)
        assert (answer.details["votes"], answer.details["agreement"], answer.details["counts"]) == (2, 2 / 3, (2,))


class TestHybrid:
    """When the fallback is asked."""

    def test_where_all_samples_fail_the_fallback_answers(self, shop):
        first = Text2SQL(ScriptedLLM(["?"] * 3), corrections=0)
        answer = Hybrid(first, Text2SQLCode(ScriptedLLM([DECOMPOSITION, PRICES, SUM]), calls="multi")).ask("?", shop)
        assert (answer.check().rows, answer.details["votes"], answer.details["fell_back"]) == ([(7.0,)], 0, True)

    def test_where_the_fallback_fails_too_its_failure_is_told(self, shop):
        first = Text2SQL(ScriptedLLM([sql(f"SELECT {number}") for number in range(3)]))
        answer = Hybrid(first, Text2SQL(ScriptedLLM(["?"]), corrections=0)).ask("?", shop)
        assert (answer.ok, answer.rows, answer.failure.kind) == (False, [], "no code")

    def test_all_may_have_to_agree(self, shop):
        first = Text2SQL(ScriptedLLM([sql("SELECT 1"), sql("SELECT 1"), sql("SELECT 2")]))
        answer = Hybrid(first, Text2SQL(ScriptedLLM([sql("SELECT 3")])), agree=3).ask("?", shop)
        assert answer.rows == [(3,)]


class TestSeveralCalls:
    """A decomposition and its steps."""

    @pytest.mark.parametrize(
        ("bad", "told"),
        [
            ("Decomposition:\nText2SQL: prices\nThat will do it.", "only lines"),
            ("Decomposition:\nText2SQL: items\nText2SQL: those of the previous step\nPython: count", "stand alone"),
            ("Decomposition:\nText2SQL: a\nText2SQL: b\nText2SQL: c\nPython: count", "at most 2"),
            ("Decomposition:\nPython: think", "no Text2SQL step"),
            (PRICES, "Decomposition:"),
        ],
    )
    def test_a_decomposition_of_another_form_is_refused_with_the_reason(self, shop, bad, told):
        llm = ScriptedLLM([bad, DECOMPOSITION, PRICES, SUM])
        assert Text2SQLCode(llm, calls="multi").ask("?", shop).check().rows == [(7.0,)]
        assert told in llm.requests[1].last

    @pytest.mark.parametrize("ends", ["Python: None", "Python: not needed"])
    def test_a_step_that_says_none_is_none(self, shop, ends):
        llm = ScriptedLLM([f"Decomposition:\r\nText2SQL: count\r\n{ends}\r\n", sql("SELECT count(*) FROM item")])
        assert Text2SQLCode(llm, calls="multi").ask("?", shop).check().rows == [(2,)]

    def test_one_failed_fetch_of_two_ends_it_and_says_which(self, shop):
        two = "Decomposition:\nText2SQL: first rows\nText2SQL: second rows\nPython: join"
        llm = ScriptedLLM(
            {"Break the question": two, "Question: first": sql("SELECT nothing FROM item"), "Question: second": PRICES}
        )
        answer = Text2SQLCode(llm, calls="multi", corrections=0).ask("?", shop)
        assert (answer.ok, answer.failure.kind) == (False, "exception")
        assert "first rows" in answer.details["decomposition"]


class TestFunctions:
    """Functions as models write them."""

    @pytest.mark.parametrize(
        "bad",
        [
            "def compute_result(query):\n    print(query('SELECT 1 AS one'))",
            "async def compute_result(query):\n    return query('SELECT 1 AS one')",
            "def outer():\n    def compute_result(query):\n        return 1\n    return compute_result",
            "class A:\n    def compute_result(self, query):\n        return query('SELECT 1')",
            "def compute_result():\n    return 1",
            "def compute_result(query):\n    return query('SELECT 1 AS one'",
            "def compute_result(query):\n    return query",
            "total = query('SELECT 1')",
        ],
    )
    def test_what_returns_nothing_is_asked_for_again(self, sheet, bad):
        llm = ScriptedLLM([python(bad), SINGLE])
        answer = Text2SQLCode(llm).ask("?", sheet)
        assert answer.check().rows == [(7.0,)]
        assert answer.attempts[0].failure.message

    @pytest.mark.parametrize(
        "good",
        [
            "def solve(query):\n    return [(float(query('SELECT sum(price) AS s FROM item').s[0]),)]",
            "def first(frame):\n    return float(frame.s[0])\n\ndef solve(query):\n"
            "    return [(first(query('SELECT sum(price) AS s FROM item')),)]",
            "compute_result = lambda query: [(float(query('SELECT sum(price) AS s FROM item;').s[0]),)]",
            "def compute_result(query) -> list[tuple]:\n    return query('SELECT sum(price) FROM item -- all\\n;')\n\n"
            "if __name__ == '__main__':\n    print(compute_result('shop.db'))",
            "def compute_result(query):\n    return query('SELECT sum(price) FROM item')\n\n"
            "result = compute_result(database)\nprint(result)",
        ],
    )
    def test_another_name_or_form_of_the_function_is_understood(self, sheet, good):
        assert Text2SQLCode(ScriptedLLM([python(good)])).ask("?", sheet).check().rows == [(7.0,)]


class TestReadOnly:
    """Nothing is written and nothing outside is read, whichever strategy asks."""

    @pytest.mark.parametrize(
        "statement",
        [
            "DELETE FROM item",
            "DROP TABLE item",
            "PRAGMA journal_mode = WAL",
            "ATTACH '{folder}/other.sqlite' AS other",
            "VACUUM INTO '{folder}/copy.sqlite'",
        ],
    )
    def test_a_function_with_the_files_path_only_reads_it(self, shop, path, statement):
        before = path.read_bytes()
        written = statement.format(folder=path.parent)
        body = f"    database = sqlite3.connect(database_path)\n    database.execute({written!r})"
        write = (
            f"import sqlite3\n\ndef compute_result(database_path):\n{body}\n    database.commit()\n    return [(1,)]"
        )
        answer = Text2SQLCode(ScriptedLLM([python(write)]), corrections=0).ask("?", shop)
        assert path.read_bytes() == before
        assert [file.name for file in path.parent.iterdir()] == ["shop.sqlite"]
        assert not answer.ok or "journal_mode" in statement

    def test_a_function_with_the_files_path_reads_no_other_file(self, shop, path, tmp_path_factory):
        other = tmp_path_factory.mktemp("other") / "secret.sqlite"
        sqlite3.connect(other).executescript("CREATE TABLE secret(a); INSERT INTO secret VALUES (42);")
        reading = f"sqlite3.connect({str(other)!r}).execute('SELECT a FROM secret').fetchall()"
        code = f"import sqlite3\n\ndef compute_result(database_path):\n    return {reading}"
        assert not Text2SQLCode(ScriptedLLM([python(code)]), corrections=0).ask("?", shop).ok

    @pytest.mark.parametrize("bad", ["DELETE FROM item", "SELECT 1; SELECT 2", "WITH a AS (SELECT 1) DELETE FROM item"])
    @pytest.mark.parametrize("data", ["shop", "sheet"])
    def test_a_step_that_writes_is_refused_and_corrected(self, request, data, bad):
        boxes = request.getfixturevalue(data)
        llm = ScriptedLLM([DECOMPOSITION, sql(bad), PRICES, SUM])
        answer = Text2SQLCode(llm, calls="multi").ask("?", boxes)
        assert answer.check().rows == [(7.0,)]
        assert answer.attempts[1].failure.kind == "refused"


@pytest.mark.parametrize(
    "strategy",
    [
        lambda limits: Text2SQL(ScriptedLLM([PRICES]), limits=limits),
        lambda limits: Text2SQLCode(ScriptedLLM([SINGLE.replace("sum(price) AS s", "price AS s")]), sql_limits=limits),
        lambda limits: Text2SQLCode(ScriptedLLM([DECOMPOSITION, PRICES, SUM]), calls="multi", sql_limits=limits),
    ],
    ids=["query", "single", "multi"],
)
def test_that_rows_were_left_out_is_said_in_the_answer(sheet, strategy):
    answer = strategy(SqlLimits(rows=1)).ask("?", sheet).check()
    assert answer.rows == [(2.0,)]
    assert answer.details["truncated"] is True


def test_samples_hold_the_numbers_days_and_parts_of_names_that_a_question_names():
    frame = pd.DataFrame(
        {
            "year": [*range(1900, 2000)],
            "day": pd.date_range("2020-01-01", periods=100),
            "name": [f"name {at} of it" for at in range(100)],
            "share": [at + 0.5 for at in range(100)],
        }
    )
    kept = sample(boxkit.load({"t": frame}), ["1990", "2020-04-01", "Name 93", "95.5"], rows=2)["t"].frame
    assert set(kept.year) == {1900, 1901, 1990, 1991, 1993, 1995}
