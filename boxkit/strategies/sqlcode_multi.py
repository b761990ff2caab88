"""Text2SQLCode in several calls: decompose, fetch each SQL step, compute over the frames."""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from boxkit.answer import Answer, Attempt
from boxkit.box import BoxSet
from boxkit.executor import Run
from boxkit.failure import Failure
from boxkit.llm.protocol import Completion
from boxkit.prompts import render
from boxkit.sql import Fetched, SqlEngine
from boxkit.strategies.loop import Outcome, Tried, answer_of, spent_before, usage_of
from boxkit.strategies.pandora import ran
from boxkit.strategies.sqlcode import parse_function, with_function
from boxkit.strategies.steps import ExecuteFrames, Request, Steps, Together
from boxkit.strategies.text2sql import fetch, schema_for

if TYPE_CHECKING:
    import pandas as pd

    from boxkit.strategies.sqlcode import Text2SQLCode

__all__ = ["Decomposition", "has_analytics", "parse_decomposition", "several_calls"]

MAX_SQL_STEPS = 2

_STEP = re.compile(r"^[\W\d]*(?P<kind>text2sql|sql|python)\s*(?:step)?\s*\d*\W*:\W*(?P<text>\S.*)$", re.IGNORECASE)
_HEAD = re.compile(r"^\W*decomposition\W*$", re.IGNORECASE)
_QUERY = re.compile(r"`?SELECT\b.+\bFROM\b")
#: How a step says that it builds on another.
_DEPENDENT = re.compile(
    r"\b(?:(?:previous|above|first|earlier|preceding|prior) (?:step|query|result|table)s?"
    r"|(?:result|output)s? (?:of|from) (?:step|the (?:first|previous)|text2sql|query)"
    r"|step \d|from step)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Decomposition:
    """A question in steps.

    Attributes:
        sql: What to fetch; one or two, independent of each other.
        python: What to compute over what was fetched; none where SQL alone answers.
    """

    sql: tuple[str, ...]
    python: tuple[str, ...] = ()

    def __str__(self) -> str:
        steps = [*(f"Text2SQL: {step}" for step in self.sql), *(f"Python: {step}" for step in self.python)]
        return "\n".join(["Decomposition:", *steps])


def parse_decomposition(text: str) -> Decomposition | str:
    """The steps in a decomposer's reply, or what is wrong with it, for asking again."""
    lines = [line.strip() for line in text.splitlines()]
    heads = [at for at, line in enumerate(lines) if _HEAD.match(line)]
    if not heads:
        return 'the line "Decomposition:" is missing'
    sql: list[str] = []
    python: list[str] = []
    for line in filter(None, lines[heads[-1] + 1 :]):
        step = _STEP.match(line)
        if step is None:
            if set(line) <= set("`*-_ "):
                continue
            return f"only lines that begin with Text2SQL: or Python: may follow, not {line[:80]!r}"
        (python if step["kind"].lower() == "python" else sql).append(step["text"].strip("*` "))
    python = [step for step in python if not _QUERY.match(step)]  # a query is no Python: SQL alone answers
    if sql and python and _is_none(python):
        python = []
    if not sql:
        return "there is no Text2SQL step"
    if len(sql) > MAX_SQL_STEPS:
        return f"there are {len(sql)} Text2SQL steps; at most {MAX_SQL_STEPS} are allowed"
    dependent = [step for step in sql if _DEPENDENT.search(step)]
    if dependent:
        return f"each Text2SQL step must stand alone, but this one builds on another: {dependent[0]!r}"
    if len(sql) > 1 and not python:
        return "two Text2SQL steps need a Python step that puts their tables together"
    return Decomposition(tuple(sql), tuple(python))


def _is_none(python: Sequence[str]) -> bool:
    return all(re.fullmatch(r"\W*(?:none|no|n/?a|not needed)\W*", step, re.IGNORECASE) for step in python)


def several_calls(settings: Text2SQLCode, question: str, boxes: BoxSet, engine: SqlEngine) -> Steps[Answer]:
    """Decompose, fetch, compute."""
    decomposed: Outcome = yield from _decompose(settings, question, boxes, engine)
    decomposition: Decomposition | None = decomposed.product
    if decomposition is None:
        return answer_of(question, None, decomposed.attempts, settings.name)
    alone = len(decomposition.sql) == 1 and not decomposition.python
    with spent_before(decomposed.usage):
        fetches: list[Outcome] = yield Together(
            [
                fetch(settings, step, boxes, engine, settings.sql_limits, context="" if alone else question)
                for step in decomposition.sql
            ]
        )
    # Failed fetches last: the last attempt says whether there is an answer.
    in_order = sorted(fetches, key=lambda each: each.failure is not None)
    attempts = [*decomposed.attempts, *(attempt for each in in_order for attempt in each.attempts)]
    details: dict[str, Any] = {"decomposition": str(decomposition), "python": bool(decomposition.python)}
    if in_order[-1].failure is not None:
        return answer_of(question, None, attempts, settings.name, details=details)
    fetched: list[Fetched] = [each.product for each in fetches]
    if any(each.truncated for each in fetched):
        details["truncated"] = True
    if alone:
        return answer_of(question, fetched[0].frame, attempts, settings.name, details=details)
    with spent_before(usage_of(attempts)):
        computed: Outcome = yield from _compute(settings, question, boxes, decomposition, fetched)
    run: Run | None = computed.product
    queries = [f"-- {step}\n{each.attempts[-1].code}" for step, each in zip(decomposition.sql, fetches, strict=True)]
    return answer_of(
        question,
        run.answer if run else None,
        [*attempts, *computed.attempts],
        settings.name,
        code="\n\n".join([*queries, computed.attempts[-1].code]),
        details=details,
    )


def _decompose(settings: Text2SQLCode, question: str, boxes: BoxSet, engine: SqlEngine) -> Steps[Outcome]:
    schema = yield from schema_for(settings, boxes, engine)
    prompt = render("sqlcode_decompose", schema=schema, question=question, profile=settings.profile)

    def attempt(completion: Completion) -> Generator[Request, Any, Tried]:
        parsed = parse_decomposition(completion.text)
        made = Attempt(0, completion.text)
        if isinstance(parsed, str):
            return replace(made, failure=Failure("wrong shape", parsed)), None
        return replace(made, rationale=str(parsed)), parsed
        yield  # a generator that asks for nothing

    return (yield from settings.conversation(prompt, boxes, "sqlcode_decompose_retry", "decompose").run(attempt))


@dataclass(frozen=True, slots=True)
class _Shown:
    """A fetched frame, for the prompt."""

    purpose: str
    description: str


def _compute(
    settings: Text2SQLCode, question: str, boxes: BoxSet, decomposition: Decomposition, fetched: Sequence[Fetched]
) -> Steps[Outcome]:
    shown = [_Shown(step, _described(each)) for step, each in zip(decomposition.sql, fetched, strict=True)]
    prompt = render(
        "sqlcode_python",
        question=question,
        decomposition=str(decomposition),
        frames=shown,
        profile=settings.profile,
        analytics=has_analytics(),
    )
    names = [f"fetched_{at}" for at in range(len(fetched))]
    frames = {name: each.frame for name, each in zip(names, fetched, strict=True)}

    def attempt(completion: Completion) -> Generator[Request, Any, Tried]:
        reply = parse_function(completion.text)
        made = Attempt(0, completion.text, reply.rationale, reply.code)
        if not reply.code:
            return replace(made, failure=Failure("no code", reply.problem)), None
        code = with_function(reply.code)
        if isinstance(code, Failure):
            return replace(made, failure=code), None
        call = f"answer = compute_result([{', '.join(names)}])"
        run: Run = yield ExecuteFrames(f"{code}\n\n{call}", frames, settings.limits)
        return replace(ran(made, code, run, settings.profile), code=reply.code), run

    return (yield from settings.conversation(prompt, boxes, "sqlcode_retry", "python").run(attempt))


def _described(fetched: Fetched) -> str:
    """Columns with dtypes, then the first and last rows."""
    frame: pd.DataFrame = fetched.frame
    columns = ", ".join(f"{label!r} ({_dtype(frame[label])})" for label in frame.columns)
    head = frame.head(5).to_string(max_colwidth=40)
    tail = f"\n…\n{frame.tail(3).to_string(max_colwidth=40, header=False)}" if len(frame) > 8 else ""
    cut = " (cut at the row limit: there are more)" if fetched.truncated else ""
    return f"{len(frame)} rows{cut}; columns: {columns}\n{head}{tail}"


def _dtype(values: pd.Series[Any]) -> str:
    # pandas 2 calls a column of text "object"; "str" says more, and is what pandas 3 calls it.
    is_text = values.dtype == object and all(isinstance(value, str) for value in values.dropna())
    return "str" if is_text and values.notna().any() else str(values.dtype)


def has_analytics() -> bool:
    """Whether the extra ``analytics`` is installed, so that a prompt may offer it."""
    from importlib.util import find_spec

    return all(find_spec(package) is not None for package in ("scipy", "statsmodels", "sklearn"))
