"""Knowledge and Search: what the model knows, or finds on the web, with no data and no code (StarQA, section 5)."""

from __future__ import annotations

import json
from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Any

from boxkit.answer import Answer, Attempt
from boxkit.bounds import check_count
from boxkit.box import BoxSet
from boxkit.failure import Failure
from boxkit.llm.protocol import LLM, Completion, Message, Parameters
from boxkit.profile import PROFILES, Profile
from boxkit.prompts import layout_for, prompt_version, render
from boxkit.prompts.reply import parse_json_reply
from boxkit.strategies.loop import Conversation, Outcome, Tried, answer_of, template_retry
from boxkit.strategies.steps import Request, Steps, StrategyBase

__all__ = ["Knowledge", "Search"]


@dataclass(frozen=True, slots=True)
class _Baseline(StrategyBase):
    llm: LLM
    attempts: int = 3
    profile: Profile = PROFILES["default"]
    temperature: float = 0.0
    seed: int | None = None

    def __post_init__(self) -> None:
        check_count(f"attempts of {self.name}", self.attempts)


@dataclass(frozen=True, slots=True)
class Knowledge(_Baseline):
    """The question alone goes to the model; rows in JSON come back.

    Attributes:
        llm: The model.
        attempts: Replies at the most, where one is no list of rows.
        profile: What the answer should look like.
        temperature: 0 is greedy.
        seed: For the model.
    """

    def steps(self, question: str, boxes: BoxSet) -> Steps[Answer]:  # noqa: ARG002 - a baseline that sees no data
        """Ask, read; see the class."""
        return _asked(self, question, web_search=False)


@dataclass(frozen=True, slots=True)
class Search(_Baseline):
    """The same with the model's own web-search tool (OpenAI's search models have one).

    Attributes:
        llm: The model; one that cannot search is an `LLMError`.
        attempts: Replies at the most, where one is no list of rows.
        profile: What the answer should look like.
        temperature: 0 is greedy; search models may not take one.
        seed: For the model.
    """

    def steps(self, question: str, boxes: BoxSet) -> Steps[Answer]:  # noqa: ARG002 - a baseline that sees no data
        """Ask, read; see the class."""
        return _asked(self, question, web_search=True)


def _asked(baseline: _Baseline, question: str, *, web_search: bool) -> Steps[Answer]:
    prompt = render("knowledge", question=question, profile=baseline.profile, web_search=web_search)
    parameters = Parameters(
        temperature=baseline.temperature,
        max_tokens=layout_for(baseline.llm.layout).max_tokens,
        seed=baseline.seed,
        web_search=web_search,
        salt=prompt_version(),
    )
    retry = template_retry("knowledge_retry")
    conversation = Conversation(baseline.llm, (Message("user", prompt),), parameters, baseline.attempts, retry)
    outcome: Outcome = yield from conversation.run(_read)
    return answer_of(question, outcome.product, outcome.attempts, baseline.name)


def _read(completion: Completion) -> Generator[Request, Any, Tried]:
    reply = parse_json_reply(completion.text)
    made = Attempt(0, completion.text, reply.rationale)
    if not reply.code:
        return replace(made, failure=Failure("no code", reply.problem)), None
    try:
        rows = json.loads(reply.code)
    except (ValueError, RecursionError) as error:
        return replace(made, failure=Failure("syntax", f"the JSON cannot be read: {error}")), None
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        return replace(made, failure=Failure("wrong shape", "the JSON is no list of rows")), None
    return made, [tuple(row) for row in rows]
    yield  # a generator that asks for nothing
