"""What a request to `boxkit.OpenAI` cost: counted, estimated, priced, also where it failed."""

from __future__ import annotations

from typing import Any

import pytest

from boxkit.errors import (
    LLMTimeout,
    Refused,
    ServerUnavailable,
)
from boxkit.llm import LLM, Parameters, Price
from boxkit.testing import Fault, FaultyServer, faults

from .asking import QUESTION, ask, both, model, streamed

pytestmark = pytest.mark.usefixtures("no_key")


@both
@streamed
def test_a_good_reply_is_counted_and_priced(how: str, stream: bool):
    with FaultyServer(
        [faults.ok("len(book) is 12", prompt_tokens=1000, completion_tokens=100, cached_tokens=400)]
    ) as server:
        llm = model(server, stream=stream)
        got = ask(llm, how, Parameters(temperature=0.5, max_tokens=77, stop=("\n\n",), seed=4))
    assert isinstance(llm, LLM)
    assert (got.text, got.finish_reason, got.model, got.cached) == ("len(book) is 12", "stop", "faulty-1", False)
    usage = got.usage
    assert (usage.calls, usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens) == (1, 1000, 100, 400)
    assert usage.dollars == usage.virtual_dollars == pytest.approx((600 * 0.15 + 400 * 0.075 + 100 * 0.6) / 1e6)
    assert usage.seconds > 0 and usage.estimated_calls == 0
    sent = server.requests[0]
    assert sent.path == "/v1/chat/completions"
    assert sent.body["messages"][0] == {"role": "system", "content": "You write pandas."}
    assert (sent.body["temperature"], sent.body["max_tokens"]) == (0.5, 77)
    assert (sent.body["stop"], sent.body["seed"]) == (["\n\n"], 4)


def test_a_stream_that_stalls_is_counted_to_the_word():
    stalling = faults.hang(after_bytes=900, text="one two three four five six")
    with FaultyServer(stalling) as server, pytest.raises(LLMTimeout) as caught:
        model(server, timeout_s=0.3, max_retries=0, stream=True).complete(QUESTION)
    assert caught.value.usage is not None and 3 <= caught.value.usage.completion_tokens <= 8


def test_failed_tries_are_in_the_final_cost():
    script = [
        faults.no_choices(),
        faults.hang(after_bytes=100),
        faults.ok("42", prompt_tokens=100, completion_tokens=1),
    ]
    with FaultyServer(script) as server:
        usage = model(server, timeout_s=0.3).complete(QUESTION).usage
        alone = model(server, max_retries=0)
        with pytest.raises(ServerUnavailable) as caught:
            alone.complete(QUESTION)
    assert usage.calls == 1 and usage.prompt_tokens > 110 and usage.completion_tokens >= 6
    assert caught.value.usage is not None and caught.value.usage.prompt_tokens == 0, "a 500 is not billed"


def test_a_refusal_and_a_cut_reply_are_billed():
    with FaultyServer([faults.refusal(), faults.cut_by_length("answer = bo", completion_tokens=9)]) as server:
        with pytest.raises(Refused) as caught:
            model(server).complete(QUESTION)
        cut = model(server).complete(QUESTION)
    assert caught.value.usage is not None and caught.value.usage.completion_tokens == 8
    assert (cut.text, cut.finish_reason, cut.usage.completion_tokens) == ("answer = bo", "length", 9)


@streamed
def test_a_missing_usage_block_is_estimated_and_said(stream: bool):
    with FaultyServer([faults.no_usage("12345678")]) as server:
        usage = model(server, stream=stream).complete(QUESTION).usage
    assert (usage.completion_tokens, usage.estimated_calls) == (2, 1) and usage.prompt_tokens > 8


@pytest.mark.parametrize(
    "usage",
    [
        None,
        [],
        {},
        {"prompt_tokens": "many", "completion_tokens": 3},
        {"prompt_tokens": -1, "completion_tokens": 3},
        {"prompt_tokens": 999_999_999_999, "completion_tokens": 3},
    ],
)
def test_a_usage_block_of_nonsense_is_estimated_and_said(usage: Any):
    body = faults.no_usage("12345678").body
    assert isinstance(body, dict)
    with FaultyServer([Fault(body=body | {"usage": usage})]) as server:
        assert model(server).complete(QUESTION).usage.estimated_calls == 1


def test_the_price_is_unknown_for_an_unknown_model_and_the_callers_where_given():
    with FaultyServer(lambda request: faults.ok("42", prompt_tokens=10, completion_tokens=1)) as server:
        unknown = model(server, "llama3.2").complete(QUESTION).usage
        given = model(server, "llama3.2", price=Price(1.0, 10.0)).complete(QUESTION).usage
    assert unknown.dollars is None and unknown.virtual_dollars is None
    assert given.dollars == pytest.approx(20e-6)
