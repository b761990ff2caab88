"""An `Answer`: canonical rows, the code that gave them, every attempt, and what it cost."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from boxkit.canonical import canonical_rows, json_value
from boxkit.errors import AnswerError
from boxkit.failure import Failure

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Answer", "Attempt", "Usage"]


@dataclass(frozen=True, slots=True)
class Usage:
    """What models were asked and what it cost.

    Attributes:
        calls: Completions asked for, cached ones included.
        cached_calls: Of these, answered from boxkit's own disk cache.
        prompt_tokens: Tokens sent.
        completion_tokens: Tokens received.
        cached_tokens: Of the tokens sent, those the server had in its cache.
        seconds: Time spent waiting for models.
        dollars: What it did cost (physical); None where a price is unknown.
        virtual_dollars: What it would have cost with no cache of ours; None where a price is unknown.
        steps: The same by step (``"decompose"``, ``"sql"``…), where a strategy has steps.
        estimated_calls: Of the calls, those whose tokens are (in part) estimated, since the server did not give them.
    """

    calls: int = 0
    cached_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    seconds: float = 0.0
    dollars: float | None = 0.0
    virtual_dollars: float | None = 0.0
    steps: Mapping[str, Usage] = field(default_factory=dict)
    estimated_calls: int = 0

    def __add__(self, other: Usage) -> Usage:
        steps = dict(self.steps)
        for name, usage in other.steps.items():
            steps[name] = steps[name] + usage if name in steps else usage
        return Usage(
            self.calls + other.calls,
            self.cached_calls + other.cached_calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.cached_tokens + other.cached_tokens,
            self.seconds + other.seconds,
            _sum(self.dollars, other.dollars),
            _sum(self.virtual_dollars, other.virtual_dollars),
            steps,
            self.estimated_calls + other.estimated_calls,
        )

    def of_step(self, name: str) -> Usage:
        """The same usage, booked under a step's name."""
        return dataclasses.replace(self, steps={name: dataclasses.replace(self, steps={})})


def _sum(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one + other


@dataclass(frozen=True, slots=True)
class Attempt:
    """One reply of a model (or one plan) and what came of it.

    Attributes:
        number: From 1.
        reply: The model's text, whole; empty for a plan.
        rationale: What the reply says before its code.
        code: The code found in it; empty where there was none.
        failure: Why it gave no answer; None where it did.
        stdout: What the code printed.
        seconds: Time the code ran.
        usage: What the model's call cost.
        isolation: How the code was confined (``"full"``, ``"strict"``, ``"weak"``); empty where nothing ran.
        prompt_hash: SHA-256 of the messages sent; empty for a plan.
        model: Which model the server says has replied; empty for a plan, or where it does not say.
    """

    number: int
    reply: str = ""
    rationale: str = ""
    code: str = ""
    failure: Failure | None = None
    stdout: str = ""
    seconds: float = 0.0
    usage: Usage = Usage()
    isolation: str = ""
    prompt_hash: str = ""
    model: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a question.

    Attributes:
        question: As asked.
        value: What the code returned, unchanged (a number, a frame…); None where no attempt succeeded.
        rows: The canonical form, ``list[tuple]`` of plain Python values, None for missing; empty on failure.
        columns: The columns' names; positions as text where the value had none.
        code: The code that gave the answer, or the last that failed.
        rationale: Why that code, in words.
        attempts: Every attempt, in order.
        usage: All that models cost.
        demonstrations: The ids of the demonstrations shown.
        strategy: The strategy's name.
        boxes: The names of the boxes that the code used.
        failure: Why there is no answer; None where there is one.
        entities: For a graph, the ids behind the labels in ``rows``, by label; empty elsewhere.
        details: What else the strategy has to say: candidate answers, agreement, what was not understood.
        seconds: From the question to the answer.
    """

    question: str
    value: Any = None
    rows: list[tuple[Any, ...]] = field(default_factory=list)
    columns: tuple[str, ...] = ()
    code: str = ""
    rationale: str = ""
    attempts: tuple[Attempt, ...] = ()
    usage: Usage = Usage()
    demonstrations: tuple[str, ...] = ()
    strategy: str = ""
    boxes: tuple[str, ...] = ()
    failure: Failure | None = None
    entities: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        """Whether there is an answer."""
        return self.failure is None

    @property
    def frame(self) -> pd.DataFrame:
        """The rows as a DataFrame."""
        import pandas as pd

        return pd.DataFrame.from_records(self.rows, columns=list(self.columns))

    def check(self) -> Answer:
        """This answer, if it is one.

        Raises:
            AnswerError: No attempt succeeded; the error holds this object with every attempt.
        """
        if self.failure is None:
            return self
        tried = f" after {len(self.attempts)} attempt{'s' if len(self.attempts) != 1 else ''}" if self.attempts else ""
        raise AnswerError(
            f"no answer to {self.question!r}{tried}: {self.failure.message}", self, hint=self.failure.hint or None
        )

    def to_json(self, *, without: Collection[str] = ()) -> dict[str, Any]:
        """Everything but ``value`` as JSON values (dates in ISO form, decimals as text, bytes in hex).

        Args:
            without: Attributes to leave out, such as rows that are kept elsewhere.
        """
        names = [each.name for each in dataclasses.fields(self) if each.name not in ("value", *without)]
        json: dict[str, Any] = json_value({name: getattr(self, name) for name in names})
        json["ok"] = self.ok
        return json

    @classmethod
    def of(cls, question: str, value: Any, **rest: Any) -> Answer:
        """An answer whose rows and columns come from what the code returned.

        Raises:
            ValueError: The value has no canonical rows (``boxkit.canonical``).
        """
        rows, columns = canonical_rows(value)
        return cls(question, value, rows, columns, **rest)
