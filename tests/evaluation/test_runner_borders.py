"""Code of one's own in a run: whatever it raises, gives or breaks is one question, and what it cost counts."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import threading
from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np
import pytest

import boxkit
from boxkit.answer import Answer, Usage
from boxkit.errors import BoxkitError, BudgetSpent, ExecutorError, MissingKey, Refused
from boxkit.evaluation.judging import judge
from boxkit.evaluation.priced import Priced
from boxkit.evaluation.runner import aevaluate, evaluate
from boxkit.evaluation.scorers import Score
from boxkit.evaluation.summary import open_run
from boxkit.failure import Failure
from boxkit.llm import Budgeted, Price
from boxkit.strategies.steps import Call, StrategyBase
from boxkit.testing import FaultyServer, faults

from .answering import PROFILE, asked, asked_of, knowing, model, rows_above


@dataclass(frozen=True)
class Own(StrategyBase):
    """A strategy of one's own that asks, and then does something else with one question."""

    llm: boxkit.llm.LLM
    then: object

    def steps(self, question, boxes):
        messages = (boxkit.llm.Message("user", question),)
        yield Call(self.llm, messages)
        price = asked(messages)
        answer = Answer.of(question, [(f"n{at}",) for at in range(price + 1, 40)], strategy="Own")
        return self.then(answer) if price == 3 else answer


def raising(error):
    def raised(*_):
        raise error

    return raised


@pytest.mark.parametrize("error", [asyncio.CancelledError(), StopIteration(), KeyError("slip"), RecursionError()])
def test_whatever_a_strategy_ends_in_is_one_failed_question_whose_cost_counts(shop, tmp_path, error):
    report = evaluate(Own(model(dollars=0.5), raising(error)), shop, tmp_path / "run", limit=12, concurrency=3)
    assert (report.done, report.failures, report.summary().right) == (12, {"boxkit": 1}, 11)
    assert report.usage.dollars == open_run(tmp_path / "run").usage.dollars == 6.0, "a call that was paid is missing"


@pytest.mark.parametrize("error", [asyncio.CancelledError(), StopIteration(), KeyError("slip")])
async def test_sources_and_gold_that_raise_anything_cost_their_question_only(shop, error):
    broken = (replace(shop[0], boxes=raising(error)), replace(shop[1], gold=raising(error)), shop[2])
    report = await asyncio.wait_for(aevaluate(knowing(model()), replace(shop, tasks=broken)), timeout=30)
    assert (report.failures, report.summary().unjudged, report.summary().right) == ({"boxkit": 1}, 1, 1)


@pytest.mark.parametrize(
    "given",
    [
        lambda answer: None,
        lambda answer: "n4",
        lambda answer: replace(answer, failure=Failure(5, None)),
        lambda answer: replace(answer, failure="oops"),
        lambda answer: replace(answer, rows=None),
        lambda answer: replace(answer, details={"of mine": object()}),
    ],
)
def test_what_is_no_answer_is_one_failed_question_and_the_run_can_be_read(shop, tmp_path, given):
    report = evaluate(Own(model(), given), shop, tmp_path / "run", limit=6)
    assert (report.done, report.failures, report.summary().right) == (6, {"boxkit": 1}, 5)
    assert open_run(tmp_path / "run").failures == {"boxkit": 1}


@pytest.mark.parametrize(
    "verdict",
    [raising(asyncio.CancelledError()), lambda *_: None, lambda *_: True, lambda *_: Score(True, float("nan"))],
)
def test_a_scorer_that_gives_no_verdict_leaves_one_out(shop, tmp_path, monkeypatch, verdict):
    def judged(name, predicted, gold, context):
        return verdict() if ("n5",) in gold else judge(name, predicted, gold, context)

    monkeypatch.setattr("boxkit.evaluation.records.judge", judged)
    summary = evaluate(knowing(model()), shop, tmp_path / "run", limit=6).summary()
    assert (summary.questions, summary.unjudged, summary.right) == (1, 5, 1)
    assert open_run(tmp_path / "run").summary() == summary


def test_settings_of_a_strategy_that_is_no_dataclass_do_not_mix(shop, tmp_path):
    class Plain:
        name = "Plain"

        def __init__(self, rows):
            self.rows = rows

        async def aask(self, question, _boxes):
            return Answer.of(question, self.rows)

    evaluate(Plain(3), shop, tmp_path / "run", limit=1)
    with pytest.raises(BoxkitError, match="rows: was 3, is 4"):
        evaluate(Plain(4), shop, tmp_path / "run")
    assert evaluate(Plain(3), shop, tmp_path / "run", limit=2).done == 2
    Plain.name = None
    with pytest.raises(TypeError, match="a strategy has a `name`"):
        evaluate(Plain(3), shop)


def test_an_interrupted_run_does_not_wait_for_gold_that_takes_long(shop, tmp_path):
    begun, released, judged = threading.Event(), threading.Event(), []

    def gold():
        begun.set()
        released.wait(20)
        judged.append(True)
        return [("n1",)]

    async def interrupted():
        run = asyncio.create_task(aevaluate(knowing(model()), replace(shop, tasks=(replace(shop[0], gold=gold),))))
        while not begun.is_set():
            await asyncio.sleep(0.001)
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run

    asyncio.run(interrupted())
    assert not judged
    released.set()


def test_a_run_that_is_cancelled_asks_nothing_more_whatever_its_strategy_makes_of_that(shop):
    llm = model()

    async def stubborn(question, boxes):
        await llm.acomplete([boxkit.llm.Message("user", question)])
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(0.2)
        return Answer.of(question, [("n1",)])

    async def cancelled():
        run = asyncio.create_task(aevaluate(SimpleNamespace(name="Stubborn", aask=stubborn), shop, concurrency=2))
        await asyncio.sleep(0.1)
        run.cancel()
        await run

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled())
    assert len(llm.requests) == 2, "the run went on at the user's cost"


def test_what_an_interrupted_question_has_cost_counts_when_the_run_goes_on(shop, tmp_path):
    async def cancelled():
        asked_twice = asyncio.Event()

        async def waiting(answer):
            asked_twice.set()
            await asyncio.sleep(30)

        async def aask(question, boxes):
            answer = await Own(llm, lambda each: each).aask(question, boxes)
            return await waiting(answer) if asked(llm.requests[-1].messages) == 3 else answer

        run = asyncio.create_task(
            aevaluate(SimpleNamespace(name="Own", aask=aask), shop, tmp_path / "run", concurrency=1)
        )
        await asked_twice.wait()
        run.cancel()
        await run

    llm = model(dollars=0.5)
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancelled())
    assert (open_run(tmp_path / "run").done, open_run(tmp_path / "run").usage.dollars) == (3, 2.0)


@pytest.mark.parametrize("error", [MissingKey("revoked"), ExecutorError("the sandbox broke")])
def test_what_a_question_has_cost_that_ends_the_run_counts(shop, tmp_path, error):
    with pytest.raises(type(error)):
        evaluate(Own(model(dollars=0.5), raising(error)), shop, tmp_path / "run", concurrency=1)
    assert (open_run(tmp_path / "run").done, open_run(tmp_path / "run").usage.dollars) == (3, 2.0)


def test_a_machine_that_opens_no_more_files_is_no_ones_wrong_answer(shop, tmp_path):
    error = OSError(errno.EMFILE, "Too many open files")
    with pytest.raises(ExecutorError, match=r"(?s)opens no more files.*--concurrency.*ulimit"):
        evaluate(Own(model(dollars=0.5), raising(error)), shop, tmp_path / "run", concurrency=1)
    assert (open_run(tmp_path / "run").done, open_run(tmp_path / "run").usage.dollars) == (3, 2.0)


def test_costs_of_errors_in_other_numbers_are_kept(shop, tmp_path):
    cost = Usage(np.int64(1), dollars=np.float64(2))
    report = evaluate(Own(model(), raising(Refused("no", usage=cost))), shop, tmp_path / "run", limit=6)
    assert report.usage.dollars == open_run(tmp_path / "run").usage.dollars == 2.0


def test_a_limit_in_dollars_does_not_go_by_costs_that_are_no_numbers(shop):
    llm = model(dollars=float("nan"))
    with pytest.raises(BudgetSpent, match="price is unknown"):
        evaluate(knowing(llm), shop, dollars=1)
    assert len(llm.requests) == 1


def test_a_budget_of_ones_own_is_spent_once(shop, tmp_path):
    report = evaluate(knowing(Budgeted(model(dollars=0.1), dollars=0.55)), shop, tmp_path / "run", concurrency=1)
    assert (report.done, round(report.usage.dollars, 6)) == (6, 0.6) and "0.6 of 0.55" in report.stopped
    assert open_run(tmp_path / "run").usage == report.usage


def test_a_price_that_is_given_holds_for_replies_that_are_none(shop):
    given = []

    def answer(request):
        given.append(asked_of(request))
        return faults.no_choices() if given.count(3) == 1 and given[-1] == 3 else faults.ok(rows_above(given[-1]))

    with FaultyServer(answer) as server:
        llm = Priced(boxkit.OpenAI("unlisted", base_url=server.base_url, max_retries=0), Price(10_000, 0))
        report = evaluate(boxkit.Knowledge(llm, profile=PROFILE), shop, limit=5, dollars=50)
    assert (report.done, report.usage.dollars) == (5, 6.0)


def test_tasks_that_could_not_be_told_apart_or_kept_are_refused_before_anything_is_asked(shop):
    llm = model()
    with pytest.raises(ValueError, match="two tasks have the id 'spider/dev/1'"):
        evaluate(knowing(llm), shop.only(["1", "2", "1"]))
    with pytest.raises(TypeError, match="context and groups of 'spider/dev/0' are JSON"):
        evaluate(knowing(llm), replace(shop, tasks=(replace(shop[0], context={"at": object()}),)))
    assert not llm.requests
