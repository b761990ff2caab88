"""`boxkit.OpenAI` against a real HTTP server on this machine that misbehaves as scripted."""

from __future__ import annotations

import email.utils
import errno
import time
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
from boxkit.llm import Parameters
from boxkit.llm.server_errors import KINDS, Server, of_exception, retry_after_s
from boxkit.testing import Fault, FaultyServer, faults

from .asking import QUESTION, ask, both, model, streamed

pytestmark = pytest.mark.usefixtures("no_key")


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
        Fault(body={"choices": [{"message": {"content": 42}}]}),
        Fault(body={"choices": [{"message": {"content": {"text": "42"}}}]}),
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
        (Fault(402, {"error": {"message": "Payment Required"}}), RateLimited, "credit"),
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


def test_a_date_in_http_is_in_gmt_wherever_this_machine_stands(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        for zone in ("", " GMT", " -0000"):
            told = time.strftime("%a, %d %b %Y %H:%M:%S", time.gmtime(time.time() + 600)) + zone
            wait = retry_after_s({"retry-after": told})
            assert wait is not None and 598 < wait <= 600, "nine hours off"
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize(
    ("told", "wait"), [("2, 5", 5.0), ("-5", 0.0), ("1e999", None), ("soon", None), ("3, soon", None), ("", None)]
)
def test_odd_waits_are_read_as_what_they_can_mean(told: str, wait: float | None):
    assert retry_after_s({"retry-after": told}) == wait


@pytest.mark.parametrize(("wait", "said"), [(0.01, "wait 1 s"), (90000, "wait 25 hours"), ("1e300", "for ever")])
def test_a_wait_is_said_as_a_person_would(wait: float | str, said: str):
    with FaultyServer(faults.rate_limited(wait)) as server, pytest.raises(RateLimited, match=said):
        model(server, max_retries=0).complete(QUESTION)


def test_too_many_open_files_are_not_taken_for_a_server_that_is_gone():
    reached = OSError("All connection attempts failed")
    reached.__cause__ = ExceptionGroup("attempts", [OSError(errno.EMFILE, "Too many open files")])
    error = of_exception(reached, Server("m", "http://localhost/v1", "none"), 1.0)
    assert isinstance(error, ServerUnavailable) and "opens no more connections" in str(error) and "ulimit" in str(error)


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


def test_every_exception_of_the_openai_package_is_mapped():
    homes = (openai, openai._exceptions)
    found = {name for home in homes for name in home.__all__ if _is_exception(getattr(home, name))}
    assert len(found) > 15
    assert found - set(KINDS) == set(), "new exceptions: give each its boxkit error in server_errors.KINDS"


def _is_exception(value: Any) -> bool:
    return isinstance(value, type) and issubclass(value, Exception)
