"""The cache, the meter, the pace and the budget: wrappers with a model's own Protocol."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import logging
import multiprocessing
import pickle
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import boxkit
from boxkit.answer import Usage
from boxkit.errors import BudgetSpent, RateLimited
from boxkit.llm import LLM, Budgeted, Cached, Completion, Message, Metered, OpenAI, Paced, Parameters
from boxkit.testing import FaultyServer, ScriptedLLM, faults

PAID = Completion("42", Usage(calls=1, prompt_tokens=100, completion_tokens=20, dollars=0.5, virtual_dollars=0.5))
QUESTION = [Message("system", "BOX: book has 12 rows"), Message("user", "How many books?")]


def ask(llm: LLM, how: str = "blocking", messages: Any = QUESTION, parameters: Parameters = Parameters()) -> Completion:
    return asyncio.run(llm.acomplete(messages, parameters)) if how == "async" else llm.complete(messages, parameters)


both = pytest.mark.parametrize("how", ["blocking", "async"])


@both
def test_the_same_question_twice_is_asked_once(tmp_path: Path, how: str):
    llm = ScriptedLLM([PAID])
    first, second = (ask(Cached(llm, tmp_path / "new" / "cache"), how) for _ in range(2))
    assert len(llm.requests) == 1
    assert (first.text, first.cached, first.usage.cached_calls) == ("42", False, 0)
    assert (second.text, second.cached, second.model, second.finish_reason) == ("42", True, "scripted", "stop")
    usage = second.usage
    assert (usage.calls, usage.cached_calls, usage.dollars, usage.virtual_dollars) == (1, 1, 0.0, 0.5)
    assert (usage.prompt_tokens, usage.completion_tokens) == (100, 20) and usage.seconds < 1


def test_another_model_or_another_prompt_or_changed_data_is_a_miss(tmp_path: Path):
    asked = [
        (ScriptedLLM(["a"], name="one"), QUESTION, Parameters(), ""),
        (ScriptedLLM(["b"], name="two"), QUESTION, Parameters(), ""),
        (ScriptedLLM(["c"], name="one"), [Message("system", "BOX: book has 13 rows"), QUESTION[1]], Parameters(), ""),
        (ScriptedLLM(["d"], name="one"), [Message("user", QUESTION[0].content), QUESTION[1]], Parameters(), ""),
        (ScriptedLLM(["e"], name="one"), QUESTION, Parameters(), "fingerprint of other data"),
        *(
            (ScriptedLLM([str(n)], name="one"), QUESTION, parameters, "")
            for n, parameters in enumerate(
                [
                    Parameters(temperature=0.7),
                    Parameters(seed=1),
                    Parameters(seed=2),
                    Parameters(max_tokens=5),
                    Parameters(stop=("x",)),
                    Parameters(salt="fingerprint of other data"),
                ]
            )
        ),
    ]
    for _ in range(2):
        texts = [Cached(llm, tmp_path, salt).complete(messages, how).text for llm, messages, how, salt in asked]
        assert texts == ["a", "b", "c", "d", "e", *"012345"]
    assert all(len(llm.requests) == 1 for llm, *_ in asked)


def test_asking_twice_is_a_hit_and_another_model_or_changed_data_a_miss(tmp_path: Path):
    table = tmp_path / "book.csv"
    table.write_text("title,year\n" + "".join(f"book {n},{1900 + n}\n" for n in range(60)))
    reply = "```python\nanswer = len(book)\n```"
    first, other = ScriptedLLM([reply] * 3, name="first"), ScriptedLLM([reply], name="other")

    def count(llm: ScriptedLLM) -> Any:
        return boxkit.Pandora(Cached(llm, tmp_path / "cache")).ask("How many books?", boxkit.load(table)).rows

    assert count(first) == count(first) == [(60,)] and len(first.requests) == 1
    assert count(other) == [(60,)] and len(other.requests) == 1
    table.write_text(table.read_text() + "book 60,1960\n")
    assert count(first) == [(61,)] and len(first.requests) == 2, "the change is far below what a prompt shows"


def test_another_server_or_more_of_the_body_is_a_miss(tmp_path: Path):
    with FaultyServer(["one", "two"]) as first, FaultyServer(["three"]) as second:
        plain = Cached(OpenAI("m", base_url=first.base_url), tmp_path)
        thinking = Cached(OpenAI("m", base_url=first.base_url, extra={"reasoning_effort": "high"}), tmp_path)
        elsewhere = Cached(OpenAI("m", base_url=second.base_url), tmp_path)
        for _ in range(2):
            assert [ask(llm).text for llm in (plain, thinking, elsewhere)] == ["one", "two", "three"]


def test_errors_are_not_kept(tmp_path: Path):
    llm = Cached(ScriptedLLM([RateLimited("slow"), "42"]), tmp_path)
    with pytest.raises(RateLimited):
        ask(llm)
    assert ask(llm).text == ask(llm).text == "42"


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"text": "no usage"}', b'{"text": 5, "usage": {}}', b"\xff"])
def test_a_damaged_file_is_asked_for_anew_and_said(tmp_path: Path, damage: bytes, caplog: pytest.LogCaptureFixture):
    llm = Cached(ScriptedLLM(["first", "second"]), tmp_path)
    ask(llm)
    llm.path_of(QUESTION).write_bytes(damage)
    with caplog.at_level(logging.WARNING):
        assert ask(llm).text == "second"
    assert "cannot be read" in caplog.text
    assert ask(llm).cached, "and the new reply is kept"


def test_a_reply_that_cannot_be_kept_is_still_given(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    (tmp_path / "file").write_text("in the way")
    llm = Cached(ScriptedLLM(["42"]), tmp_path / "file" / "cache")
    with caplog.at_level(logging.WARNING):
        assert ask(llm).text == "42"
    assert "could not be kept" in caplog.text


def test_any_text_comes_back_as_it_was(tmp_path: Path):
    text = "naïve 日本 🎲\r\n\ttab\u2028\x00 end "
    llm = Cached(ScriptedLLM([Completion(text, finish_reason="length")]), tmp_path)
    ask(llm)
    assert dataclasses.replace(ask(llm), usage=Usage()) == Completion(text, Usage(), "scripted", "length", cached=True)


def test_files_are_json_and_none_is_left_half_written(tmp_path: Path):
    llm = Cached(ScriptedLLM(lambda messages: messages[-1].content), tmp_path)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: llm.complete([Message("user", str(n % 5))]), range(100)))
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert sorted(json.loads(path.read_text())["text"] for path in kept) == list("01234")


def _ask_many(folder: str, number: int, wrong: Any) -> None:
    llm = Cached(ScriptedLLM(lambda messages: messages[-1].content * 2000), folder)
    for n in range(100):
        question = str(n % 7)
        if llm.complete([Message("user", question)]).text != question * 2000:
            wrong.put((number, n))


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_four_processes_share_a_folder(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    forking = multiprocessing.get_context("fork")
    wrong = forking.Queue()
    children = [forking.Process(target=_ask_many, args=(str(tmp_path), n, wrong)) for n in range(4)]
    for child in children:
        child.start()
    for child in children:
        child.join(timeout=60)
    assert [child.exitcode for child in children] == [0] * 4 and wrong.empty()
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 7


@both
def test_a_meter_counts_by_model_and_step_and_failures_too(how: str):
    failure = RateLimited("slow", usage=Usage(calls=1, prompt_tokens=7, dollars=0.25, virtual_dollars=0.25))
    one = Metered(ScriptedLLM([PAID, failure, PAID], name="one"))
    two = Metered(ScriptedLLM([PAID], name="two"), one.meter, "check")
    ask(one.of_step("sql"), how)
    with pytest.raises(RateLimited):
        ask(one, how)
    ask(one, how)
    ask(two, how)
    usage = one.usage
    assert (usage.calls, usage.prompt_tokens, usage.dollars) == (4, 307, 1.75)
    assert one.meter.failed_calls == 1
    assert {name: spent.calls for name, spent in one.meter.by_model.items()} == {"one": 3, "two": 1}
    assert {name: spent.prompt_tokens for name, spent in usage.steps.items()} == {"sql": 100, "check": 100}


def test_a_meter_around_a_cache_tells_paid_from_kept(tmp_path: Path):
    llm = Metered(Cached(ScriptedLLM([PAID]), tmp_path))
    ask(llm), ask(llm), ask(llm)
    assert (llm.usage.calls, llm.usage.cached_calls) == (3, 2)
    assert (llm.usage.dollars, llm.usage.virtual_dollars) == (0.5, 1.5)


def test_a_meter_loses_nothing_among_threads():
    llm = Metered(ScriptedLLM(lambda messages: PAID))
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: ask(llm), range(400)))
    assert llm.usage.calls == 400 and llm.usage.prompt_tokens == 40_000


def test_the_cost_of_an_error_reaches_the_meter_through_real_retries():
    with FaultyServer(faults.no_choices()) as server:
        llm = Metered(OpenAI("gpt-4o-mini", base_url=server.base_url, max_retries=1, backoff_s=0.01))
        with pytest.raises(Exception, match="no choices"):
            ask(llm)
    assert (llm.usage.calls, llm.usage.prompt_tokens, llm.usage.completion_tokens) == (1, 200, 10)
    assert llm.usage.dollars == pytest.approx(200 * 0.15e-6 + 10 * 0.6e-6)


@both
def test_a_pace_of_requests_is_kept(how: str):
    llm = Paced(ScriptedLLM(lambda messages: "42"), requests_per_minute=600)
    started = time.perf_counter()
    if how == "async":

        async def all_at_once() -> None:
            await asyncio.gather(*(llm.acomplete(QUESTION) for _ in range(5)))

        asyncio.run(all_at_once())
    else:
        with ThreadPoolExecutor(5) as pool:
            list(pool.map(lambda n: llm.complete(QUESTION), range(5)))
    assert 0.39 <= time.perf_counter() - started < 3


def test_a_pace_of_tokens_counts_what_came_back():
    llm = Paced(ScriptedLLM(lambda messages: PAID), tokens_per_minute=36_000)
    started = time.perf_counter()
    for _ in range(3):
        llm.complete([])
    assert 0.39 <= time.perf_counter() - started < 3, "120 tokens are 0.2 s each, the first at once"
    with pytest.raises(ValueError, match="above 0"):
        Paced(ScriptedLLM([]), requests_per_minute=0)


@both
@pytest.mark.parametrize(
    ("limit", "says"),
    [({"dollars": 0.9}, "1 of 0.9 dollars"), ({"tokens": 240}, "240 of 240"), ({"calls": 2}, "2 of 2")],
)
def test_a_budget_stops_before_the_next_call(how: str, limit: dict[str, Any], says: str):
    inner = ScriptedLLM(lambda messages: PAID)
    llm = Budgeted(inner, **limit)
    ask(llm, how), ask(llm, how)
    with pytest.raises(BudgetSpent, match=says):
        ask(llm, how)
    assert len(inner.requests) == 2


def test_a_budget_in_dollars_needs_a_price():
    llm = Budgeted(ScriptedLLM(lambda messages: Completion("42", Usage(calls=1, dollars=None))), dollars=1.0)
    ask(llm)
    with pytest.raises(BudgetSpent, match="price is unknown"):
        ask(llm)


def test_wrappers_are_models_wrap_one_another_and_travel(tmp_path: Path):
    inner = ScriptedLLM(["42"], name="tiny", layout="compact")
    llm = Budgeted(Metered(Paced(Cached(inner, tmp_path), requests_per_minute=60_000)), calls=5)
    for wrapped in (llm, llm.llm, Cached(inner, tmp_path)):
        assert isinstance(wrapped, LLM) and (wrapped.name, wrapped.layout) == ("tiny", "compact")
    copy = pickle.loads(pickle.dumps(llm))
    assert ask(copy).text == "42" and ask(llm).cached
    outer = Cached(llm, tmp_path)
    assert outer.path_of(QUESTION) == Cached(inner, tmp_path).path_of(QUESTION), "wrapping changes no key"
