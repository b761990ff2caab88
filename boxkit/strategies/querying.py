"""What strategies share whose model writes queries: their settings, a conversation, and a query tried and corrected."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from typing import Any

from boxkit.answer import Answer, Attempt
from boxkit.bounds import check_count
from boxkit.box import BoxSet
from boxkit.failure import Failure
from boxkit.llm.protocol import LLM, Completion, Message
from boxkit.profile import PROFILES, Profile
from boxkit.prompts.reply import Reply
from boxkit.sql import Fetched
from boxkit.strategies.loop import Conversation, Outcome, Tried, answer_of, parameters_for, template_retry
from boxkit.strategies.steps import Compute, Request, Steps, StrategyBase

__all__ = ["Querying", "query_answer", "shape_failure", "tried_queries"]


@dataclass(frozen=True, slots=True)
class Querying(StrategyBase):
    """The settings of a strategy whose model writes queries.

    Attributes:
        llm: The model.
        corrections: How often a failed query, or another failed step, is asked for again (3).
        profile: What the answer should look like.
        samples: Example values a column or relation.
        budget: Tokens that the schema may take.
        temperature: 0 is greedy.
        seed: For the model; tells samples of one prompt apart.
    """

    llm: LLM
    corrections: int = 3
    profile: Profile = PROFILES["default"]
    samples: int = 3
    budget: int = 12000
    temperature: float = 0.0
    seed: int | None = None

    def __post_init__(self) -> None:
        check_count(f"corrections of {type(self).__name__}", self.corrections, least=0)

    def conversation(self, prompt: str, boxes: BoxSet, retry: str, step: str) -> Conversation:
        """One prompt with its corrections.

        Args:
            prompt: What the model is sent.
            boxes: The data; what they hold shapes the key under which a reply is cached.
            retry: The template of what follows a failed reply.
            step: The name under which the cost is booked.
        """
        parameters = parameters_for(self.llm, boxes, self.temperature, self.seed)
        messages = (Message("user", prompt),)
        return Conversation(self.llm, messages, parameters, self.corrections + 1, template_retry(retry), step)


def tried_queries(
    conversation: Conversation,
    read: Callable[[str], Reply],
    run: Callable[[str], Fetched | Failure],
    judge: Callable[[str, Fetched], Failure | None],
) -> Steps[Outcome]:
    """Ask for a query until one runs and its result passes; the outcome's product is what was `Fetched`.

    Args:
        conversation: With the model.
        read: Finds the query in a reply.
        run: Runs it.
        judge: Why a query's result is no answer; None where it is one.
    """

    def attempt(completion: Completion) -> Generator[Request, Any, Tried]:
        reply = read(completion.text)
        made = Attempt(0, completion.text, reply.rationale, reply.code)
        if not reply.code:
            return replace(made, failure=Failure("no code", reply.problem)), None
        fetched: Fetched | Failure = yield Compute(lambda: run(reply.code))
        if isinstance(fetched, Failure):
            return replace(made, failure=fetched), None
        return replace(made, failure=judge(reply.code, fetched), seconds=fetched.seconds), fetched

    return (yield from conversation.run(attempt))


def query_answer(question: str, outcome: Outcome, strategy: str) -> Answer:
    """The answer that a query's rows are."""
    fetched: Fetched | None = outcome.product
    details: dict[str, Any] = {"truncated": True} if fetched and fetched.truncated else {}
    if fetched and fetched.notes:
        details["notes"] = fetched.notes
    return answer_of(question, fetched.frame if fetched else None, outcome.attempts, strategy, details=details)


def shape_failure(fetched: Fetched, profile: Profile) -> Failure | None:
    """Why a query's result is no answer under ``profile``; None where it is one."""
    width = fetched.frame.shape[1]
    if profile.single_column and width != 1:
        return Failure("wrong shape", f"the query gives {width} columns; the answer has one")
    if profile.empty_is_error and (fetched.frame.empty or bool(fetched.frame.isna().all(axis=None))):
        return _empty_failure()
    return None


def _empty_failure() -> Failure:
    """The failure that an empty result is, for a profile that calls it one."""
    return Failure(
        "empty",
        "the query ran and found nothing",
        hint="compare the values in its conditions with the true values in the schema: spelling, case, format, type",
    )
