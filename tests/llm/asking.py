"""What the tests of `boxkit.OpenAI` share: a model at a scripted server, a question, and two ways to ask it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from boxkit.llm import Completion, Message, OpenAI, Parameters
from boxkit.testing import FaultyServer

QUESTION = [Message("system", "You write pandas."), Message("user", "How many books are there?")]


def model(server: FaultyServer, name: str = "gpt-4o-mini", **options: Any) -> OpenAI:
    return OpenAI(name, **({"base_url": server.base_url, "backoff_s": 0.01, "timeout_s": 5.0} | options))


def ask(llm: OpenAI, how: str, parameters: Parameters = Parameters()) -> Completion:
    if how == "async":
        return asyncio.run(llm.acomplete(QUESTION, parameters))
    return llm.complete(QUESTION, parameters)


both = pytest.mark.parametrize("how", ["blocking", "async"])
streamed = pytest.mark.parametrize("stream", [False, True])
