"""What the tests of a run share: models that answer the shop's questions, and the lines that a run keeps."""

from __future__ import annotations

import json
import re

import boxkit
from boxkit.answer import Usage
from boxkit.llm import Completion
from boxkit.profile import PROFILES
from boxkit.testing import ScriptedLLM

PROFILE = PROFILES["spider"]


def asked(messages):
    return int(re.findall(r"more than (\d+) crowns", messages[-1].content)[-1])


def asked_of(request):
    return int(re.findall(r"more than (\d+) crowns", request.body["messages"][-1]["content"])[-1])


def rows_above(price):
    return json.dumps([[f"n{at}"] for at in range(price + 1, 40)])


def model(reply=lambda price: rows_above(price), dollars=0.0):
    def completed(messages):
        said = reply(asked(messages))
        usage = Usage(1, prompt_tokens=100, completion_tokens=10, dollars=dollars, virtual_dollars=dollars)
        return Completion(said, usage) if isinstance(said, str) else said

    return ScriptedLLM(completed)


def knowing(llm):
    return boxkit.Knowledge(llm, profile=PROFILE)


def lines(folder):
    return [json.loads(line) for line in (folder / "records.jsonl").read_text().splitlines()]
