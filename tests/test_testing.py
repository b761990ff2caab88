"""The public doubles."""

from __future__ import annotations

import asyncio
import http.client
import json
import pickle
import subprocess
import sys
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from boxkit.answer import Usage
from boxkit.errors import RateLimited
from boxkit.llm.protocol import LLM, Completion, Message, Parameters
from boxkit.testing import Fault, FaultyServer, ScriptedLLM, UnscriptedRequest, faults


def user(text: str) -> list[Message]:
    return [Message("user", text)]


def test_it_is_a_language_model():
    assert isinstance(ScriptedLLM([]), LLM)
    llm = ScriptedLLM([], name="tiny", layout="compact")
    assert (llm.name, llm.layout) == ("tiny", "compact")


def test_replies_come_in_order_and_requests_are_recorded():
    llm = ScriptedLLM(["one", "two"])
    first = llm.complete(user("q1"), Parameters(seed=3))
    second = asyncio.run(llm.acomplete([Message("system", "be brief"), *user("q2")]))
    assert (first.text, second.text) == ("one", "two")
    assert llm.requests[0].parameters.seed == 3
    assert llm.requests[1].text == "be brief\n\nq2" and llm.requests[1].last == "q2"


def test_tokens_are_estimated_by_a_fixed_rule():
    usage = ScriptedLLM(["12345678"]).complete(user("abcde")).usage
    assert (usage.calls, usage.prompt_tokens, usage.completion_tokens, usage.dollars) == (1, 2 + 4, 2, 0.0)


def test_running_out_of_replies_says_what_was_asked():
    llm = ScriptedLLM(["only"])
    llm.complete(user("q1"))
    with pytest.raises(UnscriptedRequest, match=r"holds 1 replies.*'q2'"):
        llm.complete(user("q2"))
    assert issubclass(UnscriptedRequest, AssertionError)


def test_a_scripted_exception_is_raised_and_the_next_reply_follows():
    llm = ScriptedLLM([RateLimited("slow down"), "then this"])
    with pytest.raises(RateLimited, match="slow down"):
        llm.complete(user("q"))
    assert llm.complete(user("q")).text == "then this"


def test_a_whole_completion_keeps_its_usage_and_finish_reason():
    cut = Completion("half a", Usage(calls=1, completion_tokens=9, dollars=0.5), finish_reason="length")
    got = ScriptedLLM([cut]).complete(user("q"))
    assert (got.finish_reason, got.usage.dollars, got.model) == ("length", 0.5, "scripted")


def test_a_mapping_goes_by_the_question_after_the_demonstrations():
    llm = ScriptedLLM({"How many books": "len(book)", "oldest author": ["try 1", "try 2"]})
    prompt = "Q: How many books?\nA: …\n\nQ: Who is the oldest author?"
    turns = [*user(prompt), Message("assistant", "How many books"), Message("user", "that failed")]
    assert llm.complete(user(prompt)).text == "try 1"
    assert llm.complete(turns).text == "try 2"
    assert [llm.complete(user("How many books?")).text for _ in range(3)] == ["len(book)"] * 3
    with pytest.raises(UnscriptedRequest, match="for 'oldest author'"):
        llm.complete(user(prompt))
    with pytest.raises(UnscriptedRequest, match="no key of the script"):
        llm.complete(user("something else"))


def test_the_longer_of_two_keys_wins_and_the_empty_key_serves_the_rest():
    llm = ScriptedLLM({"books?": "short", "How many books?": "long", "": "rest"})
    assert llm.complete(user("How many books?")).text == "long"
    assert llm.complete(user("zzz")).text == "rest"


def test_a_function_sees_the_messages():
    llm = ScriptedLLM(lambda messages: messages[-1].content.upper())
    assert llm.complete(user("abc")).text == "ABC"


def test_one_text_is_not_a_list_of_letters():
    with pytest.raises(TypeError, match="a list of texts is meant"):
        ScriptedLLM("abc")


def test_many_threads_get_each_reply_once():
    llm = ScriptedLLM([str(n) for n in range(200)])
    with ThreadPoolExecutor(8) as pool:
        texts = list(pool.map(lambda n: llm.complete(user(str(n))).text, range(200)))
    assert sorted(map(int, texts)) == list(range(200)) and len(llm.requests) == 200


async def test_latency_does_not_block_the_event_loop():
    llm = ScriptedLLM([str(n) for n in range(10)], latency_s=0.1)
    started = time.perf_counter()
    replies = await asyncio.gather(*(llm.acomplete(user("q")) for _ in range(10)))
    assert time.perf_counter() - started < 0.7
    assert replies[0].usage.seconds >= 0.1


def test_a_pickled_copy_goes_on_where_the_original_stood():
    llm = ScriptedLLM(["one", "two"])
    llm.complete(user("q"))
    copy = pickle.loads(pickle.dumps(llm))
    assert copy.complete(user("q")).text == llm.complete(user("q")).text == "two"


def test_the_doubles_need_no_pytest_and_no_openai():
    code = "import sys, boxkit.testing; print([m for m in ('pytest', 'openai', 'pandas') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def post(server: FaultyServer, body: dict[str, Any], key: str = "none") -> tuple[int, bytes]:
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    url = f"{server.base_url}/chat/completions"
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=5) as response:
            return response.status, response.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def test_a_faulty_server_answers_in_order_records_and_then_says_its_script_is_over():
    with FaultyServer([faults.server_error(502), "42"]) as server:
        assert post(server, {"model": "m", "messages": []})[0] == 502
        status, body = post(server, {"model": "m", "messages": [{"role": "user", "content": "q"}]})
        assert (status, json.loads(body)["choices"][0]["message"]["content"]) == (200, "42")
        assert post(server, {})[0] == 500 and server.unscripted == 1
    assert [request.body.get("model") for request in server.requests] == ["m", "m", None]
    assert server.requests[1].path == "/v1/chat/completions"


def test_one_answer_is_given_every_time_and_a_function_sees_the_request():
    with FaultyServer(faults.html_page(503)) as server:
        assert [post(server, {})[0] for _ in range(3)] == [503] * 3
    with FaultyServer("forty-two") as server:
        assert all(b'"forty-two"' in post(server, {})[1] for _ in range(2)), "a letter a request"
    with FaultyServer(lambda request: faults.ok(request.body["model"])) as server:
        assert b'"echo"' in post(server, {"model": "echo"})[1]


def test_a_completion_is_streamed_where_that_is_asked_for():
    with FaultyServer(["two words"]) as server:
        body = post(server, {"stream": True})[1].decode()
    assert body.count("data: ") == 5 and body.endswith("data: [DONE]\n\n") and '" words"' in body


def test_a_key_and_a_list_of_models():
    with FaultyServer(["42"], key="sk-1", models=["a", "b"]) as server:
        assert post(server, {})[0] == 401 and server.requests == []
        assert post(server, {}, key="sk-1")[0] == 200
        request = urllib.request.Request(f"{server.base_url}/models", headers={"Authorization": "Bearer sk-1"})
        with urllib.request.urlopen(request, timeout=5) as response:
            assert [model["id"] for model in json.load(response)["data"]] == ["a", "b"]


def test_a_connection_breaks_where_it_is_told_to():
    with FaultyServer([faults.dropped(after_bytes=10), Fault(body="x" * 50, send_bytes=0)]) as server:
        for arrived in (10, 0):
            with pytest.raises(http.client.IncompleteRead) as caught:
                post(server, {})
            assert len(caught.value.partial) == arrived


def test_a_hanging_server_ends_at_once():
    with ThreadPoolExecutor(1) as pool:
        with FaultyServer(faults.hang(60, after_bytes=5)) as server:
            asked = pool.submit(post, server, {})
            while not server.requests:
                time.sleep(0.01)
            started = time.perf_counter()
        assert time.perf_counter() - started < 2
        with pytest.raises((http.client.IncompleteRead, OSError)):
            asked.result(timeout=5)
