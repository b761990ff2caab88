"""`boxkit.OpenAI` against a real HTTP server on this machine that misbehaves as scripted."""

from __future__ import annotations

import asyncio
import email.utils
import multiprocessing
import os
import pickle
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import openai
import pytest

from boxkit.errors import (
    BadReply,
    LLMError,
    LLMTimeout,
    MissingKey,
    ModelNotFound,
    PromptTooLong,
    RateLimited,
    Refused,
    ServerUnavailable,
)
from boxkit.llm import LLM, Completion, Message, OpenAI, Parameters, Price
from boxkit.llm.server_errors import KINDS
from boxkit.testing import Fault, FaultyServer, faults

QUESTION = [Message("system", "You write pandas."), Message("user", "How many books are there?")]


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def model(server: FaultyServer, name: str = "gpt-4o-mini", **options: Any) -> OpenAI:
    return OpenAI(name, **({"base_url": server.base_url, "backoff_s": 0.01, "timeout_s": 5.0} | options))


def ask(llm: OpenAI, how: str, parameters: Parameters = Parameters()) -> Completion:
    if how == "async":
        return asyncio.run(llm.acomplete(QUESTION, parameters))
    return llm.complete(QUESTION, parameters)


both = pytest.mark.parametrize("how", ["blocking", "async"])
streamed = pytest.mark.parametrize("stream", [False, True])


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


@both
@pytest.mark.parametrize(
    "fault",
    [
        faults.rate_limited(None),
        faults.server_error(500),
        faults.server_error(502),
        faults.unavailable(),
        faults.dropped(),
        faults.dropped(after_bytes=0),
        faults.broken_json(),
        faults.empty_body(),
        faults.html_page(),
        faults.html_page(502),
        faults.no_choices(),
        faults.error_under_200(),
        faults.error_under_200(code="overloaded"),
        Fault(body="[]"),
        Fault(body="null"),
        Fault(body=b"\xff\xfe\x00"),
        Fault(body={"choices": [{"finish_reason": "stop"}]}),
        Fault(body={"choices": "none"}),
    ],
)
def test_what_may_pass_is_tried_again(how: str, fault: Fault):
    with FaultyServer([fault, fault, "42"]) as server:
        got = ask(model(server), how)
    assert got.text == "42" and len(server.requests) == 3


@both
@pytest.mark.parametrize(
    ("fault", "kind", "says"),
    [
        (faults.rate_limited(0), RateLimited, "fewer requests .HTTP 429.: Rate limit reached"),
        (faults.server_error(), ServerUnavailable, "HTTP 500"),
        (faults.unavailable(), ServerUnavailable, "HTTP 503"),
        (faults.server_error(504), LLMTimeout, "HTTP 504"),
        (faults.dropped(), BadReply, "broke after 120 bytes"),
        (faults.broken_json(), BadReply, "broken JSON"),
        (faults.empty_body(), BadReply, "empty"),
        (faults.html_page(), BadReply, "web page, not JSON: 'Sign in to the network'"),
        (faults.no_choices(), BadReply, "no choices"),
        (faults.error_under_200(), RateLimited, "upstream overloaded"),
    ],
)
def test_what_does_not_pass_is_an_error_that_says_which(how: str, fault: Fault, kind: type[LLMError], says: str):
    with FaultyServer(fault) as server:
        with pytest.raises(kind, match=says) as caught:
            ask(model(server, max_retries=2), how)
        assert len(server.requests) == 3
        assert server.base_url in str(caught.value) and "3 tries" in str(caught.value)
        assert caught.value.usage is not None and caught.value.usage.calls == 1


@both
@pytest.mark.parametrize(
    ("fault", "kind", "says"),
    [
        (faults.wrong_key(), MissingKey, "Incorrect API key"),
        (Fault(403, {"error": {"message": "no access from your country"}}), MissingKey, "your country"),
        (faults.no_such_model(), ModelNotFound, "does not exist"),
        (Fault(404, "<html><title>404</title>Not Found</html>"), ModelNotFound, "/v1"),
        (faults.refusal(), Refused, "can't help"),
        (faults.filtered(), Refused, "filter"),
        (Fault(400, {"error": {"message": "policy", "code": "content_filter"}}), Refused, "filter"),
        (faults.prompt_too_long(), PromptTooLong, "9001 tokens"),
        (
            Fault(400, {"error": {"message": "temperature must be below 2", "param": "temperature"}}),
            LLMError,
            "below 2",
        ),
        (Fault(422, {"detail": [{"loc": ["body", "top_p"], "msg": "bad"}]}), LLMError, "HTTP 422"),
        (Fault(501, {"error": {"message": "no chat here"}}), ServerUnavailable, "no chat here"),
        (
            Fault(429, {"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}),
            RateLimited,
            "credit",
        ),
    ],
)
def test_what_cannot_pass_is_not_tried_again(how: str, fault: Fault, kind: type[LLMError], says: str):
    with FaultyServer(fault) as server:
        with pytest.raises(kind, match=says):
            ask(model(server), how, Parameters(temperature=5.0))
        assert len(server.requests) == 1


@both
@pytest.mark.parametrize("after", ["0.3", "date", "ms"])
def test_retry_after_is_honoured(how: str, after: str):
    headers = {
        "0.3": {"Retry-After": "0.3"},
        "date": {"Retry-After": email.utils.formatdate(time.time() + 1.4, usegmt=True)},
        "ms": {"Retry-After-Ms": "300", "Retry-After": "9"},
    }[after]
    with FaultyServer([Fault(429, {"error": {"message": "slow"}}, headers), "42"]) as server:
        started = time.perf_counter()
        got = ask(model(server), how)
        took = time.perf_counter() - started
    assert got.text == "42" and 0.29 <= took < 3.0
    assert got.usage.seconds >= 0.29, "waiting for the server is time spent"


def test_a_wait_that_is_too_long_is_said_and_not_waited():
    with FaultyServer(faults.rate_limited(3600)) as server:
        with pytest.raises(RateLimited, match="wait 3600 s") as caught:
            model(server).complete(QUESTION)
        assert len(server.requests) == 1 and caught.value.retry_after_s == 3600


@both
@streamed
@pytest.mark.parametrize("fault", [faults.hang(), faults.hang(after_bytes=80), faults.drip("x" * 400)])
def test_a_reply_that_does_not_end_in_time_is_a_timeout(how: str, stream: bool, fault: Fault):
    with FaultyServer(fault) as server:
        started = time.perf_counter()
        with pytest.raises(LLMTimeout, match=r"(?s)within 0.3 s.*raise timeout_s") as caught:
            ask(model(server, timeout_s=0.3, max_retries=1, stream=stream), how)
        assert time.perf_counter() - started < 3
        assert len(server.requests) == 2
    usage = caught.value.usage
    assert usage is not None and usage.prompt_tokens >= 2 * 10, "both tries were worked on"
    assert usage.estimated_calls == 1 and usage.dollars is not None and usage.dollars > 0


def test_a_stream_that_stalls_is_counted_to_the_word():
    stalling = faults.hang(after_bytes=900, text="one two three four five six")
    with FaultyServer(stalling) as server, pytest.raises(LLMTimeout) as caught:
        model(server, timeout_s=0.3, max_retries=0, stream=True).complete(QUESTION)
    assert caught.value.usage is not None and 3 <= caught.value.usage.completion_tokens <= 8


def test_a_server_that_says_at_once_is_not_hammered():
    with FaultyServer([faults.rate_limited(0), faults.rate_limited(-5), "42"]) as server:
        started = time.perf_counter()
        model(server, backoff_s=0.2).complete(QUESTION)
        assert time.perf_counter() - started >= 0.1 + 0.2


def test_an_empty_error_object_beside_a_reply_is_no_error():
    body = faults.ok("42").body
    assert isinstance(body, dict)
    with FaultyServer([Fault(body=body | {"error": {}}), Fault(body=body | {"error": None})]) as server:
        assert [model(server).complete(QUESTION).text for _ in range(2)] == ["42", "42"]


def test_a_refused_parameter_under_status_200_is_learnt_too():
    told = {"error": {"code": 400, "message": "Unsupported parameter: 'temperature'"}}
    with FaultyServer([Fault(body=told), "42"]) as server:
        assert model(server, max_retries=0).complete(QUESTION).text == "42"
    assert "temperature" not in server.requests[1].body


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
    [None, [], {}, {"prompt_tokens": "many", "completion_tokens": 3}, {"prompt_tokens": -1, "completion_tokens": 3}],
)
def test_a_usage_block_of_nonsense_is_estimated_and_said(usage: Any):
    body = faults.no_usage("12345678").body
    assert isinstance(body, dict)
    with FaultyServer([Fault(body=body | {"usage": usage})]) as server:
        assert model(server).complete(QUESTION).usage.estimated_calls == 1


def test_other_servers_ways_are_read():
    parts = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "4"}, {"type": "text", "text": "2"}]
    script = [
        Fault(body={"choices": [{"message": {"content": parts}, "finish_reason": None}]}),
        Fault(body={"choices": [{"message": {"content": None, "reasoning_content": "hm"}, "finish_reason": "length"}]}),
        Fault(
            body='\ufeff{"choices": [{"message": {"content": "a\\ud800b"}}],'
            ' "usage": {"prompt_tokens": 9, "total_tokens": 11}}'
        ),
    ]
    with FaultyServer(script) as server:
        listed, nothing, surrogate = (model(server).complete(QUESTION) for _ in range(3))
    assert listed.text == "42" and listed.finish_reason == "stop"
    assert (nothing.text, nothing.finish_reason) == ("", "length")
    assert surrogate.text == "a\ufffdb" and surrogate.usage.completion_tokens == 2


def test_a_stream_that_ends_early_is_no_reply():
    def short(request: Any) -> Fault:
        event = 'data: {"choices": [{"delta": {"content": "answer = "}}]}\n\n'
        return Fault(body=event, headers={"Content-Type": "text/event-stream"})

    with FaultyServer(short) as server, pytest.raises(BadReply, match="ended before its end"):
        model(server, stream=True, max_retries=0).complete(QUESTION)


@both
@pytest.mark.parametrize(
    ("fault", "changed"),
    [
        (faults.unsupported("max_tokens", "Unsupported parameter: 'max_tokens' is not supported with this model. "
                            "Use 'max_completion_tokens' instead."), {"max_completion_tokens": 4096}),
        (faults.unsupported("temperature", "Unsupported value: 'temperature' does not support 0 with this model. "
                            "Only the default (1) value is supported."), {"temperature": None}),
        (faults.unsupported("temperature", "`temperature` must be strictly positive", with_param=False),
         {"temperature": None}),
        (faults.unsupported("seed", "Unknown parameter: 'seed'", with_param=False), {"seed": None}),
        (Fault(422, {"detail": [{"loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]}),
         {"seed": None}),
        (Fault(400, {"object": "error", "message": "stop is not supported", "code": 400}), {"stop": None}),
    ],
)  # fmt: skip
def test_a_parameter_that_the_model_refuses_is_sent_otherwise_and_remembered(
    how: str, fault: Fault, changed: dict[str, Any]
):
    with FaultyServer([fault, "4 STOP 2", "4"]) as server:
        llm = model(server)
        first = ask(llm, how, Parameters(seed=1, stop=("STOP",)))
        ask(llm, how, Parameters(seed=2, stop=("STOP",)))
    assert first.text == ("4 " if "stop" in changed else "4 STOP 2"), "a stop text the server refuses is applied here"
    assert len(server.requests) == 3, "the third went right at once"
    for sent in server.requests[1:]:
        assert {name: sent.body.get(name) for name in changed} == changed
        assert set(server.requests[0].body) ^ set(sent.body) <= {*changed, "max_tokens"}
    assert llm.adjustments


def test_several_refused_parameters_are_learnt_one_after_the_other():
    script = [faults.unsupported("max_tokens"), faults.unsupported("temperature"), "42"]
    with FaultyServer(script) as server:
        assert model(server, "o4-mini", max_retries=0).complete(QUESTION).text == "42"
    assert "temperature" not in server.requests[2].body and server.requests[2].body["max_completion_tokens"] == 4096


def test_a_model_without_system_turns_gets_them_as_the_users():
    fault = faults.unsupported("messages[0].role", "'messages[0].role' does not support 'system' with this model.")
    with FaultyServer([fault, "42"]) as server:
        assert model(server).complete(QUESTION).text == "42"
    assert server.requests[1].body["messages"] == [
        {"role": "user", "content": "You write pandas.\n\nHow many books are there?"}
    ]


def test_a_parameter_refused_for_ever_ends():
    with FaultyServer(faults.unsupported("temperature")) as server:
        with pytest.raises(LLMError, match="temperature"):
            model(server).complete(QUESTION)
        assert len(server.requests) == 2


def test_without_a_key_openai_itself_is_not_asked(monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(MissingKey, match="OPENAI_API_KEY"):
        OpenAI("gpt-4o-mini")
    monkeypatch.setenv("OPENAI_API_KEY", "   ")
    with pytest.raises(MissingKey, match="OPENAI_API_KEY"):
        OpenAI("gpt-4o-mini")
    with pytest.raises(MissingKey, match="characters"):
        OpenAI("gpt-4o-mini", api_key="sk-\u201cquoted\u201d")


def test_key_and_address_come_from_the_environment_or_the_argument(monkeypatch: pytest.MonkeyPatch):
    with FaultyServer(["one", "two"], key="sk-from-env") as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url + "/")
        monkeypatch.setenv("OPENAI_API_KEY", "sk-from-env\n")
        assert OpenAI("m").complete(QUESTION).text == "one"
        with pytest.raises(MissingKey, match="does not accept the key"):
            OpenAI("m", api_key="sk-other").complete(QUESTION)


def test_no_message_repeats_the_key():
    key = "sk-very-secret-123"
    with FaultyServer(Fault(401, {"error": {"message": f"Incorrect API key provided: {key}"}})) as server:
        llm = model(server, api_key=key)
        with pytest.raises(MissingKey) as caught:
            llm.complete(QUESTION)
    assert key not in str(caught.value) and key not in repr(llm) and "<key>" in str(caught.value)


@pytest.mark.parametrize("address", ["localhost:8000/v1", "ftp://x/v1", "http://", "api.openai.com"])
def test_an_address_that_is_none_is_a_slip(address: str):
    with pytest.raises(ValueError, match="an address like"):
        OpenAI("m", base_url=address)


@both
def test_a_server_that_is_not_there_is_said_with_its_address(how: str):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    with pytest.raises(ServerUnavailable, match="cannot be reached") as caught:
        ask(OpenAI("m", base_url=url, max_retries=1, backoff_s=0.01), how)
    assert url in str(caught.value)
    assert caught.value.usage is not None and caught.value.usage.prompt_tokens == 0, "nothing was sent, nothing is owed"


def test_the_price_is_unknown_for_an_unknown_model_and_the_callers_where_given():
    with FaultyServer(lambda request: faults.ok("42", prompt_tokens=10, completion_tokens=1)) as server:
        unknown = model(server, "llama3.2").complete(QUESTION).usage
        given = model(server, "llama3.2", price=Price(1.0, 10.0)).complete(QUESTION).usage
    assert unknown.dollars is None and unknown.virtual_dollars is None
    assert given.dollars == pytest.approx(20e-6)


@pytest.mark.parametrize(
    ("name", "layout"),
    [
        ("gpt-4o", "full"),
        ("qwen2.5-coder:1.5b", "compact"),
        ("Qwen2.5-Coder-7B-Instruct", "full"),
        ("smollm2:135m", "compact"),
    ],
)
def test_a_small_model_gets_the_compact_layout(name: str, layout: str):
    assert OpenAI(name, base_url="http://localhost:1/v1").layout == layout
    assert OpenAI(name, base_url="http://localhost:1/v1", layout="full").layout == "full"


def test_more_of_the_body_and_headers_can_be_given():
    with FaultyServer(["42"]) as server:
        model(server, extra={"reasoning_effort": "low"}, headers={"X-Team": "books"}).complete(QUESTION)
    assert server.requests[0].body["reasoning_effort"] == "low"
    assert server.requests[0].headers["x-team"] == "books"


def test_every_exception_of_the_openai_package_is_mapped():
    homes = (openai, openai._exceptions)
    found = {name for home in homes for name in home.__all__ if _is_exception(getattr(home, name))}
    assert len(found) > 15
    assert found - set(KINDS) == set(), "new exceptions: give each its boxkit error in server_errors.KINDS"


def _is_exception(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, Exception)


def test_many_threads_share_one_model():
    with FaultyServer(lambda request: request.body["messages"][-1]["content"]) as server:
        llm = model(server)
        with ThreadPoolExecutor(16) as pool:
            texts = list(pool.map(lambda n: llm.complete([Message("user", str(n))]).text, range(64)))
        llm.close()
    assert texts == [str(n) for n in range(64)]


def test_several_event_loops_at_once_share_one_model():
    with FaultyServer(lambda request: request.body["messages"][-1]["content"]) as server:
        llm = model(server)

        async def several(thread: int) -> list[str]:
            asked = (llm.acomplete([Message("user", f"{thread}.{n}")]) for n in range(8))
            return [reply.text for reply in await asyncio.gather(*asked)]

        with ThreadPoolExecutor(4) as pool:
            texts = list(pool.map(lambda thread: asyncio.run(several(thread)), range(4)))
        again = asyncio.run(several(9))
    assert texts == [[f"{thread}.{n}" for n in range(8)] for thread in range(4)] and len(again) == 8


async def test_blocking_calls_work_while_a_loop_runs_as_in_a_notebook():
    with FaultyServer(["blocking", "async"]) as server:
        llm = model(server)
        assert llm.complete(QUESTION).text == "blocking"
        assert (await llm.acomplete(QUESTION)).text == "async"


async def test_the_event_loop_goes_on_while_a_reply_is_awaited():
    with FaultyServer([Fault(body=faults.ok("42").body, pause_s=0.4)]) as server:
        llm = model(server)
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                await asyncio.sleep(0.02)
                ticks += 1

        ticking = asyncio.create_task(tick())
        await llm.acomplete(QUESTION)
        ticking.cancel()
    assert ticks >= 5


async def test_cancelling_ends_the_request_at_once():
    with FaultyServer(faults.hang()) as server:
        asked = asyncio.create_task(model(server).acomplete(QUESTION))
        await asyncio.sleep(0.3)
        asked.cancel()
        started = time.perf_counter()
        with pytest.raises(asyncio.CancelledError):
            await asked
        assert time.perf_counter() - started < 1


def test_ctrl_c_ends_a_blocking_request_at_once():
    with FaultyServer(faults.hang()) as server:
        import signal

        timer = threading.Timer(0.4, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        started = time.perf_counter()
        with pytest.raises(KeyboardInterrupt):
            model(server, timeout_s=20).complete(QUESTION)
        assert time.perf_counter() - started < 5
        timer.join()


def test_a_copy_in_another_process_works_and_learns_for_itself():
    with FaultyServer(lambda request: request.body["messages"][-1]["content"]) as server:
        llm = model(server, api_key="sk-given")
        copy = pickle.loads(pickle.dumps(llm))
        assert copy.complete(QUESTION).text == QUESTION[-1].content
        assert server.requests[0].headers["authorization"] == "Bearer sk-given"


def test_a_key_of_the_environment_is_not_in_a_pickle(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-environment")
    assert b"sk-environment" not in pickle.dumps(OpenAI("m"))


def _in_child(llm: OpenAI, replies: Any) -> None:
    texts = [llm.complete([Message("user", f"child {n}")]).text for n in range(3)]
    replies.put([*texts, asyncio.run(llm.acomplete([Message("user", "child async")])).text])


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_it_works_after_a_fork_while_the_parent_goes_on():
    with FaultyServer(lambda request: request.body["messages"][-1]["content"]) as server:
        llm = model(server)
        llm.complete(QUESTION)
        forking = multiprocessing.get_context("fork")
        replies = forking.Queue()
        children = [forking.Process(target=_in_child, args=(llm, replies)) for _ in range(2)]
        for child in children:
            child.start()
        mine = [llm.complete([Message("user", f"parent {n}")]).text for n in range(5)]
        theirs = [replies.get(timeout=60) for _ in children]
        for child in children:
            child.join(timeout=30)
    assert mine == [f"parent {n}" for n in range(5)]
    assert theirs == [["child 0", "child 1", "child 2", "child async"]] * 2
    assert [child.exitcode for child in children] == [0, 0]
