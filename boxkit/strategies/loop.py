"""Asking a model, trying its reply, and asking again with what went wrong: the loop that strategies share."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from boxkit.answer import Answer, Attempt, Usage
from boxkit.box import BoxSet
from boxkit.errors import LLMError
from boxkit.failure import Failure
from boxkit.llm.protocol import LLM, Completion, Message, Parameters, request_hash
from boxkit.prompts import layout_for, prompt_version, render
from boxkit.strategies.steps import Call, Request, Steps

__all__ = ["Conversation", "Outcome", "Retry", "Tried", "answer_of", "parameters_for", "template_retry"]

#: What a reply came to: the attempt, and what it produced (None on failure).
Tried: TypeAlias = tuple[Attempt, Any]

#: The messages that follow a failed reply, from the reply and the feedback.
Retry: TypeAlias = Callable[[str, str], Sequence[Message]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a conversation came to.

    Attributes:
        attempts: Every attempt, in order; the last is the one that succeeded, or the last that failed.
        product: What the last attempt produced.
    """

    attempts: tuple[Attempt, ...]
    product: Any = None

    @property
    def failure(self) -> Failure | None:
        """Why it gave nothing; None where it did."""
        return self.attempts[-1].failure

    @property
    def usage(self) -> Usage:
        """What all attempts cost."""
        return usage_of(self.attempts)


def usage_of(parts: Iterable[Attempt | Answer]) -> Usage:
    """What all of them cost together."""
    return sum((part.usage for part in parts), Usage())


@contextmanager
def spent_before(usage: Usage) -> Iterator[None]:
    """What earlier steps cost is in the ``usage`` of an `LLMError` that a later one ends with."""
    try:
        yield
    except LLMError as error:
        error.usage = usage + (error.usage or Usage())
        raise


def template_retry(template: str) -> Retry:
    """A `Retry` whose feedback is put into a template."""

    def retry(reply: str, feedback: str) -> Sequence[Message]:
        # A server refuses an empty turn, which is what an empty reply would be.
        return Message("assistant", reply or "(empty)"), Message("user", render(template, feedback=feedback))

    return retry


def parameters_for(llm: LLM, boxes: BoxSet, temperature: float, seed: int | None) -> Parameters:
    """How a model is asked about boxes.

    A reply is as long as the model's layout allows: a small model may otherwise repeat itself for thousands of tokens.
    """
    return Parameters(
        temperature=temperature,
        max_tokens=layout_for(llm.layout).max_tokens,
        seed=seed,
        salt=f"{boxes.fingerprint}:{prompt_version()}",
    )


@dataclass(frozen=True, slots=True)
class Conversation:
    """One question to a model, with corrections.

    Attributes:
        llm: The model.
        messages: The first prompt.
        parameters: How it is asked.
        attempts: Replies at the most.
        retry: What follows a failed reply.
        step: The name under which its cost is booked; empty for none.
    """

    llm: LLM
    messages: Sequence[Message]
    parameters: Parameters
    attempts: int
    retry: Retry
    step: str = ""

    def run(self, attempt: Callable[[Completion], Generator[Request, Any, Tried]]) -> Steps[Outcome]:
        """Ask until ``attempt`` succeeds or the attempts are used up.

        Raises:
            LLMError: The model could not be asked; what the earlier attempts cost is in its ``usage``.
        """
        messages = tuple(self.messages)
        tried: tuple[Attempt, ...] = ()
        product: Any = None
        for number in range(1, self.attempts + 1):
            with spent_before(usage_of(tried)):
                completion: Completion = yield Call(self.llm, messages, self.parameters)
            # Half a surrogate pair is no text: neither a prompt nor a record could carry it on.
            completion = replace(completion, text=completion.text.encode("utf-8", "replace").decode())
            made, product = yield from attempt(completion)
            usage = completion.usage.of_step(self.step) if self.step else completion.usage
            failure = made.failure
            if failure is not None and completion.finish_reason == "length":
                failure = replace(failure, hint=f"the reply was cut at its longest; be brief. {failure.hint}".strip())
            made = replace(made, number=number, usage=usage, failure=failure)
            made = replace(made, prompt_hash=request_hash(messages), model=completion.model)
            tried = (*tried, made)
            if failure is None:
                break
            messages = (*messages, *self.retry(completion.text, failure.feedback()))
        return Outcome(tried, product)


def answer_of(question: str, value: Any, attempts: Sequence[Attempt], strategy: str, **rest: Any) -> Answer:
    """An answer after ``attempts``, renumbered in their order; the last decides whether there is one."""
    numbered = tuple(replace(attempt, number=at) for at, attempt in enumerate(attempts, start=1))
    last = numbered[-1]
    return Answer.of(
        question,
        value if last.failure is None else None,
        **{
            "code": last.code,
            "rationale": last.rationale,
            "attempts": numbered,
            "usage": usage_of(numbered),
            "strategy": strategy,
            "failure": last.failure,
            **rest,
        },
    )
