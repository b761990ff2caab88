"""What each strategy asks and costs: the paper's number of calls, tokens and dollars by step, errors included."""

from __future__ import annotations

import pandas as pd
import pytest

import boxkit
from boxkit.answer import Usage
from boxkit.llm import Completion
from boxkit.strategies import (
    Decompose,
    Hybrid,
    Knowledge,
    Pandora,
    Select,
    SelfConsistency,
    Text2SPARQL,
    Text2SQL,
    Text2SQLCode,
)
from boxkit.testing import ScriptedLLM

QUESTION = "What is the sum?"


@pytest.fixture(scope="module")
def boxes():
    return boxkit.load({"item": pd.DataFrame({"name": ["pen", "ink"], "price": [2.0, 5.0]})})


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    path = tmp_path_factory.mktemp("graph") / "g.nt"
    path.write_text('<http://e/pen> <http://e/price> "2"^^<http://www.w3.org/2001/XMLSchema#integer> .\n')
    return boxkit.load(path)


def sql(text):
    return f"```sql\n{text}\n```"


def python(text):
    return f"```python\n{text}\n```"


def priced(*replies, latency_s=0.0):
    """A model whose n-th reply costs 2ⁿ cents (as many tokens, too), so that a sum tells which replies are in it."""
    completions = [
        reply
        if isinstance(reply, BaseException)
        else Completion(reply, Usage(calls=1, prompt_tokens=2**at, dollars=2**at / 100, virtual_dollars=2**at / 100))
        for at, reply in enumerate(replies)
    ]
    return ScriptedLLM(completions, latency_s=latency_s)


COUNT, OTHER, THIRD = sql("SELECT count(*) FROM item"), sql("SELECT 7"), sql("SELECT 8")
BROKEN = sql("SELECT nothing FROM item")
DECOMPOSITION = "Decomposition:\nText2SQL: all prices\nPython: their sum"
TWO_STEPS = "Decomposition:\nText2SQL: all prices\nText2SQL: all names\nPython: their sum"
PRICES = sql("SELECT price FROM item")
SUM = python("def compute_result(frames):\n    return [(float(frames[0].price.sum()),)]")
SINGLE = python("def compute_result(query):\n    return [(float(query('SELECT sum(price) AS s FROM item').s[0]),)]")
PANDAS = python("answer = item.price.sum()")
PLAN = '```json\n{"subquestions": ["The prices?", "Their sum?"], "values": []}\n```'
PART = python("step_1 = item.price\nanswer = step_1")
CHECKS = python("def check(rows):\n    return [True]")


def multi(llm):
    return Text2SQLCode(llm, calls="multi")


def single(llm):
    return Text2SQLCode(llm)


#: Strategy, the model's replies, and by step how many calls at how many cents.
CASES = {
    "text2sql": (Text2SQL, [COUNT], {"sql": (1, 1)}),
    "text2sql, corrected": (Text2SQL, ["?", BROKEN, COUNT], {"sql": (3, 7)}),
    "single": (single, [SINGLE], {"single": (1, 1)}),
    "single, corrected": (single, ["?", SINGLE], {"single": (2, 3)}),
    "multi, SQL alone": (
        multi,
        ["Decomposition:\nText2SQL: how many", COUNT],
        {"decompose": (1, 1), "sql": (1, 2)},
    ),
    "multi": (multi, [DECOMPOSITION, PRICES, SUM], {"decompose": (1, 1), "sql": (1, 2), "python": (1, 4)}),
    "multi, two fetches": (
        multi,
        [TWO_STEPS, PRICES, PRICES, SUM],
        {"decompose": (1, 1), "sql": (2, 6), "python": (1, 8)},
    ),
    "multi, each step corrected": (
        multi,
        ["?", DECOMPOSITION, BROKEN, PRICES, "?", SUM],
        {"decompose": (2, 3), "sql": (2, 12), "python": (2, 48)},
    ),
    "voting": (lambda llm: SelfConsistency(Text2SQL(llm)), [COUNT, COUNT, OTHER], {"sql": (3, 7)}),
    "voting over multi": (
        lambda llm: SelfConsistency(multi(llm), samples=1),
        [DECOMPOSITION, PRICES, SUM],
        {"decompose": (1, 1), "sql": (1, 2), "python": (1, 4)},
    ),
    "hybrid, agreed": (
        lambda llm: Hybrid(Text2SQL(llm), multi(llm)),
        [COUNT, COUNT, COUNT],
        {"sql": (3, 7)},
    ),
    "hybrid, fallen back to single": (
        lambda llm: Hybrid(Text2SQL(llm), single(llm)),
        [COUNT, OTHER, THIRD, SINGLE],
        {"sql": (3, 7), "single": (1, 8)},
    ),
    "hybrid, fallen back to multi": (
        lambda llm: Hybrid(Text2SQL(llm), multi(llm)),
        [COUNT, OTHER, THIRD, DECOMPOSITION, PRICES, SUM],
        {"sql": (4, 7 + 16), "decompose": (1, 8), "python": (1, 32)},
    ),
    "decompose": (
        Decompose,
        [PLAN, PART, python("step_2 = step_1.sum()\nanswer = step_2"), PANDAS],
        {"decompose": (1, 1), "part": (2, 6), "merge": (1, 8)},
    ),
    "select, by its judge": (
        lambda llm: Select((Text2SQL(llm), Text2SQL(llm)), llm),
        [COUNT, OTHER, CHECKS, "Choice: 2"],
        {"sql": (2, 3), "checks": (1, 4), "judge": (1, 8)},
    ),
    "pandora": (Pandora, [PANDAS], {}),
    "pandora, corrected and voting": (
        lambda llm: SelfConsistency(Pandora(llm), samples=1),
        ["?", PANDAS],
        {},
    ),
    "knowledge": (Knowledge, ["[[7]]"], {}),
}


@pytest.mark.parametrize("case", CASES)
def test_calls_tokens_and_dollars_are_booked_by_step(boxes, case):
    make, replies, steps = CASES[case]
    llm = priced(*replies)
    usage = make(llm).ask(QUESTION, boxes).check().usage
    assert (usage.calls, len(llm.requests)) == (len(replies), len(replies))
    assert usage.prompt_tokens == 2 ** len(replies) - 1
    assert usage.dollars == usage.virtual_dollars == pytest.approx(usage.prompt_tokens / 100)
    booked = {name: (step.calls, step.prompt_tokens) for name, step in usage.steps.items()}
    assert booked == steps
    for step in usage.steps.values():
        assert step.dollars == pytest.approx(step.prompt_tokens / 100)


def test_sparql_is_booked_as_well(graph):
    pytest.importorskip("pyoxigraph", reason="needs the extra `graph`")
    llm = priced("```sparql\nSELECT ?p WHERE { ?s <http://e/price> ?p }\n```")
    usage = Text2SPARQL(llm).ask(QUESTION, graph).check().usage
    assert (usage.steps["sparql"].calls, usage.steps["sparql"].dollars) == (1, 0.01)


def test_a_model_of_no_known_price_costs_unknown_not_nothing(boxes):
    unpriced = Completion(COUNT, Usage(calls=1, dollars=None, virtual_dollars=None))
    usage = Hybrid(Text2SQL(ScriptedLLM([unpriced] * 3)), single(ScriptedLLM([]))).ask(QUESTION, boxes).usage
    assert (usage.dollars, usage.steps["sql"].dollars, usage.calls) == (None, None, 3)


DOWN = boxkit.errors.LLMError("the server is down", usage=Usage(calls=1, prompt_tokens=1000))


@pytest.mark.parametrize(
    ("make", "replies", "cents"),
    [
        (Text2SQL, ["?"], 1),
        (multi, [DECOMPOSITION], 1),
        (multi, [DECOMPOSITION, PRICES], 3),
        (lambda llm: SelfConsistency(Text2SQL(llm)), [COUNT, COUNT], 3),
        (lambda llm: Hybrid(Text2SQL(llm), single(llm)), [COUNT, OTHER, THIRD], 7),
        (Decompose, [PLAN], 1),
        (Decompose, [PLAN, PART, PART], 7),
        (lambda llm: Select((Text2SQL(llm), Text2SQL(llm)), llm), [COUNT, OTHER], 3),
        (lambda llm: Select((Text2SQL(llm), Text2SQL(llm)), llm), [COUNT, OTHER, CHECKS], 7),
    ],
)
def test_what_was_spent_before_a_server_failed_is_not_lost(boxes, make, replies, cents):
    DOWN.usage = Usage(calls=1, prompt_tokens=1000)
    with pytest.raises(boxkit.errors.LLMError) as caught:
        make(priced(*replies, DOWN)).ask(QUESTION, boxes)
    assert caught.value.usage.prompt_tokens == cents + 1000
    assert caught.value.usage.calls == len(replies) + 1


async def test_nor_is_it_on_an_event_loop(boxes):
    DOWN.usage = Usage(calls=1, prompt_tokens=1000)
    with pytest.raises(boxkit.errors.LLMError) as caught:
        await SelfConsistency(Text2SQL(priced(COUNT, COUNT, DOWN))).aask(QUESTION, boxes)
    assert caught.value.usage.prompt_tokens == 1003
