"""Servers, models, sources and strategies that fail: what is scored, what is asked again, and what ends a run."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, replace

import pytest

import boxkit
from boxkit.answer import Usage
from boxkit.errors import (
    BadReply,
    BoxkitError,
    LLMError,
    LLMTimeout,
    MissingKey,
    PromptTooLong,
    Refused,
    SourceNotFound,
)
from boxkit.evaluation.runner import evaluate
from boxkit.evaluation.summary import open_run
from boxkit.llm import Price
from boxkit.testing import FaultyServer, faults

from .answering import PROFILE, asked_of, knowing, lines, model, rows_above


def test_gold_that_cannot_be_computed_at_all_costs_its_question_its_verdict_only(shop):
    broken = replace(shop, tasks=(replace(shop[0], gold=lambda: 1 / 0), *shop[1:3]))
    report = evaluate(knowing(model()), broken)
    assert (report.done, report.summary().unjudged, report.summary().right) == (3, 1, 2)
    assert "ZeroDivisionError" in next(each.gold_problem for each in report.records if each.gold_problem)


def test_a_flaky_server_loses_no_question_and_scores_none_twice(shop, tmp_path):
    chance = random.Random(3)

    def answer(request):
        price = asked_of(request)
        trouble = [faults.server_error(), faults.rate_limited(0.01), faults.broken_json(), faults.dropped()]
        return chance.choice(trouble) if chance.random() < 0.3 else faults.ok(rows_above(price))

    with FaultyServer(answer) as server:
        llm = boxkit.OpenAI("faulty-1", base_url=server.base_url, price=Price(1, 1), max_retries=1, backoff_s=0.01)
        report = evaluate(knowing(llm), shop, tmp_path / "run", concurrency=5)
        while report.done < 40:
            report = evaluate(knowing(llm), shop, tmp_path / "run", concurrency=5)
    keys = Counter(line["record"]["key"] for line in lines(tmp_path / "run") if "record" in line)
    assert len(keys) == 40 and set(keys.values()) == {1}
    assert report.summary().right + report.failures["model"] == 40
    assert all("not answered" in each.scores["spider"].detail for each in report.records if each.failure)


def test_a_lost_question_is_asked_again_and_its_cost_counts(shop, tmp_path):
    given = Counter()

    def reply(price):
        given[price] += 1
        if price == 7 and given[price] < 3:
            return LLMTimeout("slow", usage=Usage(1, dollars=0.5))
        return rows_above(price)

    report = evaluate(knowing(model(reply)), shop, tmp_path / "run")
    assert (report.done, len(report.lost), report.usage.dollars, given[7]) == (40, 2, 1.0, 3)


@pytest.mark.parametrize("limit", [8, None])
def test_a_server_that_is_gone_ends_the_run_with_what_is_done_and_its_words(shop, tmp_path, limit):
    def reply(price):
        return rows_above(price) if price < 6 else LLMTimeout("gone", usage=Usage(1, dollars=0.5))

    report = evaluate(knowing(model(reply, dollars=0.5)), shop, tmp_path / "run", limit=limit, concurrency=1)
    asked = 6 if limit else 8  # two questions three times each, or eight
    assert (report.done, report.summary().right, report.usage.dollars) == (6, 6, 3 + asked / 2)
    assert report.stopped == f"{report.total - 6} questions could not be asked, the last because: LLMTimeout: gone"
    assert evaluate(knowing(model()), shop, tmp_path / "run").done == 40


@pytest.mark.parametrize("limit", [2, None])
def test_a_server_that_never_answered_is_an_error_and_its_usage_all_calls(shop, limit):
    gone = model(lambda price: LLMTimeout("gone", usage=Usage(1, dollars=0.5)))
    with pytest.raises(LLMTimeout, match="gone") as raised:
        evaluate(knowing(gone), shop, limit=limit, concurrency=1)
    assert raised.value.usage.calls == len(gone.requests) == (6 if limit else 8)


def test_a_missing_key_ends_the_run_at_once(shop):
    llm = model(lambda price: MissingKey("no key"))
    with pytest.raises(MissingKey):
        evaluate(knowing(llm), shop, concurrency=2)
    assert len(llm.requests) <= 2


def test_a_refused_question_is_wrong_and_the_run_goes_on(shop):
    report = evaluate(knowing(model(lambda price: Refused("no") if price == 3 else rows_above(price))), shop)
    assert (report.done, report.failures, report.summary().right) == (40, {"model": 1}, 39)


@pytest.mark.parametrize(
    ("trouble", "error", "limit"),
    [
        (faults.html_page(), BadReply, 12),
        (faults.broken_json(), BadReply, 12),
        (faults.dropped(), BadReply, 12),
        (faults.html_page(400), LLMError, 12),
        (faults.html_page(400), LLMError, 3),
    ],
)
def test_a_broken_gateway_scores_nothing_and_its_questions_are_asked_again(shop, tmp_path, trouble, error, limit):
    def answer(request):
        return trouble if broken else faults.ok(rows_above(asked_of(request)))

    broken = [True]
    with FaultyServer(answer) as server:
        llm = boxkit.OpenAI("faulty-1", base_url=server.base_url, max_retries=0)
        with pytest.raises(error):
            evaluate(knowing(llm), shop, tmp_path / "run", limit=limit, concurrency=2)
        kept = open_run(tmp_path / "run")
        assert kept.done == 0 and kept.lost, "a whole run would be scored 0 for a fault of the gateway's"
        calls = kept.usage.calls
        broken.clear()
        report = evaluate(knowing(llm), shop, tmp_path / "run", limit=limit)
    assert (report.done, report.summary().right, report.usage.calls) == (limit, limit, calls + limit)
    assert open_run(tmp_path / "run").usage == report.usage


def test_a_query_that_a_model_refused_to_write_is_wrong_for_the_script_that_compares_queries(shop):
    report = evaluate(boxkit.Text2SQL(model(lambda _: Refused("no"))), shop.head(3), scorers=["spider_exec"])
    assert (report.summary().questions, report.summary().right) == (3, 0)


def test_what_a_model_refuses_counts_however_many_are_in_a_row(shop):
    too_long = model(lambda price: PromptTooLong("long") if price < 20 else rows_above(price))
    report = evaluate(knowing(too_long), shop, concurrency=1)
    assert (report.done, report.failures, report.summary().right) == (40, {"model": 20}, 20)


def test_a_source_that_cannot_be_read_or_gold_that_fails_is_on_record(shop):
    def missing():
        raise SourceNotFound("gone")

    broken = replace(shop, tasks=(replace(shop[0], boxes=missing), replace(shop[1], gold=missing), *shop[2:5]))
    report = evaluate(knowing(model()), broken)
    summary = report.summary()
    assert (report.failures, summary.questions, summary.unjudged, summary.right) == ({"source": 1}, 4, 1, 3)


@dataclass(frozen=True)
class Broken(boxkit.Knowledge):
    """A strategy with a bug, until it is mended."""

    def steps(self, question, boxes):
        if not (MENDED or "more than 3 " in question):
            raise KeyError("a slip in the strategy")
        return super().steps(question, boxes)


MENDED = []


def test_a_fault_on_every_question_ends_the_run_and_is_asked_anew_once_mended(shop, tmp_path):
    llm = model(dollars=0.5)
    strategy = Broken(llm, profile=PROFILE)
    with pytest.raises(BoxkitError, match=r"(?s)ended 8 questions in a row: KeyError: 'a slip.*--again boxkit"):
        evaluate(strategy, shop, tmp_path / "run", concurrency=1)
    assert (len(lines(tmp_path / "run")), len(llm.requests)) == (12, 1)  # three, one that is well, eight
    MENDED.append(True)
    try:
        report = evaluate(strategy, shop, tmp_path / "run", again=["boxkit"])
    finally:
        MENDED.clear()
    assert (report.done, report.summary().right, len(llm.requests)) == (40, 40, 40)
    kept = open_run(tmp_path / "run")
    assert (kept.done, kept.summary().right, kept.usage.dollars, len(kept.lost)) == (40, 40, 20.0, 11)
    assert evaluate(strategy, shop, tmp_path / "run", again=["boxkit"]).done == 40 and len(llm.requests) == 40
