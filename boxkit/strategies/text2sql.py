"""Text2SQL: one query, corrected from the engine's errors; its rows are the answer (StarQA, section 4)."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Any

from boxkit.answer import Answer, Attempt
from boxkit.box import BoxSet
from boxkit.failure import Failure
from boxkit.llm.protocol import LLM, Completion, Message, Parameters
from boxkit.profile import PROFILES, Profile
from boxkit.prompts import prompt_version, render
from boxkit.prompts.reply import parse_sql_reply
from boxkit.sql import Fetched, SqlEngine, SqlLimits, engine_for, schema_text
from boxkit.strategies.loop import Conversation, Outcome, Tried, answer_of, template_retry
from boxkit.strategies.steps import Compute, Request, Steps, StrategyBase

__all__ = ["Text2SQL", "empty_failure", "fetch"]

DIALECTS = {"sqlite": "SQLite", "duckdb": "DuckDB", "postgres": "PostgreSQL", "mysql": "MySQL"}


@dataclass(frozen=True, slots=True)
class Text2SQL(StrategyBase):
    """Schema, types, descriptions, keys and true values in; one SQL query out.

    A database is asked in its own SQL and by its own names; tables, graphs and several sources through DuckDB.

    Attributes:
        llm: The model.
        corrections: How often a failed query is asked for again (3).
        profile: What the answer should look like.
        limits: What a query may use.
        samples: Example values a column.
        budget: Tokens that the schema may take.
        temperature: 0 is greedy.
        seed: For the model; tells samples of one prompt apart.
    """

    llm: LLM
    corrections: int = 3
    profile: Profile = PROFILES["default"]
    limits: SqlLimits = SqlLimits()
    samples: int = 3
    budget: int = 12000
    temperature: float = 0.0
    seed: int | None = None

    def __post_init__(self) -> None:
        if self.corrections < 0:
            raise ValueError(f"corrections counts retries and cannot be {self.corrections}")

    def steps(self, question: str, boxes: BoxSet) -> Steps[Answer]:
        """Prompt, run, correct; see the class."""
        engine: SqlEngine = yield Compute(lambda: engine_for(boxes))
        outcome: Outcome = yield from fetch(self, question, boxes, engine)
        fetched: Fetched | None = outcome.product
        details: dict[str, Any] = {"truncated": True} if fetched and fetched.truncated else {}
        if fetched and fetched.notes:
            details["notes"] = fetched.notes
        value = fetched.frame if fetched else None
        return answer_of(question, value, outcome.attempts, self.name, details=details)


def fetch(
    settings: Text2SQL, question: str, boxes: BoxSet, engine: SqlEngine, *, context: str = "", step: str = "sql"
) -> Steps[Outcome]:
    """One query for ``question``, with corrections; the outcome's product is what was `Fetched`.

    Args:
        settings: The model, the profile, the limits.
        question: What to fetch, in words.
        boxes: The data.
        engine: Theirs.
        context: The whole question, where this is one step of it. An empty result is then no failure.
        step: The name under which the cost is booked.
    """
    schema = yield Compute(
        lambda: schema_text(
            boxes, native=engine.native, samples=settings.samples, budget=settings.budget, as_text=engine.as_text
        )
    )
    prompt = render(
        "text2sql",
        dialect=DIALECTS.get(engine.dialect, engine.dialect),
        schema=schema,
        question=question,
        context=context,
        profile=settings.profile,
    )
    parameters = Parameters(
        temperature=settings.temperature, seed=settings.seed, salt=f"{boxes.fingerprint}:{prompt_version()}"
    )

    def attempt(completion: Completion) -> Generator[Request, Any, Tried]:
        reply = parse_sql_reply(completion.text)
        made = Attempt(0, completion.text, reply.rationale, reply.code)
        if not reply.code:
            return replace(made, failure=Failure("no code", reply.problem)), None
        fetched: Fetched | Failure = yield Compute(lambda: engine.query(reply.code, settings.limits))
        if isinstance(fetched, Failure):
            return replace(made, failure=fetched), None
        failure = None if context else _shape_failure(fetched, settings.profile)
        return replace(made, failure=failure, seconds=fetched.seconds), fetched

    conversation = Conversation(
        settings.llm,
        (Message("user", prompt),),
        parameters,
        settings.corrections + 1,
        template_retry("text2sql_retry"),
        step,
    )
    return (yield from conversation.run(attempt))


def _shape_failure(fetched: Fetched, profile: Profile) -> Failure | None:
    width = fetched.frame.shape[1]
    if profile.single_column and width != 1:
        return Failure("wrong shape", f"the query gives {width} columns; the answer has one")
    if profile.empty_is_error and (fetched.frame.empty or bool(fetched.frame.isna().all(axis=None))):
        return empty_failure()
    return None


def empty_failure() -> Failure:
    """The failure that an empty result is, for a profile that calls it one."""
    return Failure(
        "empty",
        "the query ran and found nothing",
        hint="compare the values in its conditions with the true values in the schema: spelling, case, format, type",
    )
