"""What `boxkit.OpenAI` sends: parameters that a model refuses, and what a caller adds."""

from __future__ import annotations

from typing import Any

import pytest

from boxkit.errors import (
    LLMError,
)
from boxkit.llm import OpenAI, Parameters
from boxkit.testing import Fault, FaultyServer, faults

from .asking import QUESTION, ask, both, model

pytestmark = pytest.mark.usefixtures("no_key")


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
)  # fmt: skip  # a case a line
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


def test_a_refused_parameter_under_status_200_is_learnt_too():
    told = {"error": {"code": 400, "message": "Unsupported parameter: 'temperature'"}}
    with FaultyServer([Fault(body=told), "42"]) as server:
        assert model(server, max_retries=0).complete(QUESTION).text == "42"
    assert "temperature" not in server.requests[1].body


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
