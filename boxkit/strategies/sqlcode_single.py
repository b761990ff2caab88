"""Text2SQLCode in one call: a function with its SQL inside."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from boxkit.answer import Answer, Attempt
from boxkit.box import BoxSet
from boxkit.executor import Run
from boxkit.failure import Failure
from boxkit.llm.protocol import Completion
from boxkit.prompts import render
from boxkit.sql import Fetched, SqlEngine, schema_text
from boxkit.strategies.loop import Outcome, Tried, answer_of
from boxkit.strategies.pandora import ran
from boxkit.strategies.sqlcode import parse_function, with_function
from boxkit.strategies.sqlcode_multi import has_analytics
from boxkit.strategies.steps import Compute, ExecuteFrames, ExecuteOnDatabase, Request, Steps
from boxkit.strategies.text2sql import DIALECTS

if TYPE_CHECKING:
    import pandas as pd

    from boxkit.strategies.sqlcode import Text2SQLCode

__all__ = ["one_call"]

#: Queries that one function may send.
MAX_QUERIES = 20

#: What the function's ``query`` is: it gives a frame that has been fetched, or stops the run with what to fetch.
_QUERY = """
class _Wanted(BaseException):
    pass

def query(sql):
    if sql not in _names:
        raise _Wanted(sql)
    return boxes[_names[sql]].copy()

try:
    answer = compute_result(query)
except _Wanted as wanted:
    answer = {"fetch this query": str(wanted)}
"""


def one_call(settings: Text2SQLCode, question: str, boxes: BoxSet, engine: SqlEngine) -> Steps[Answer]:
    """Prompt, run, correct."""
    schema = yield Compute(
        lambda: schema_text(
            boxes, native=engine.native, samples=settings.samples, budget=settings.budget, as_text=engine.as_text
        )
    )
    prompt = render(
        "sqlcode_single",
        engine="file" if engine.path else "server",
        dialect=DIALECTS.get(engine.dialect, engine.dialect),
        schema=schema,
        question=question,
        profile=settings.profile,
        analytics=has_analytics(),
    )

    def attempt(completion: Completion) -> Generator[Request, Any, Tried]:
        reply = parse_function(completion.text)
        made = Attempt(0, completion.text, reply.rationale, reply.code)
        if not reply.code:
            return replace(made, failure=Failure("no code", reply.problem)), None
        code = with_function(reply.code)
        if isinstance(code, Failure):
            return replace(made, failure=code), None
        if engine.path:
            run: Run | Failure = yield ExecuteOnDatabase(code, engine.path, settings.limits)
        else:
            run = yield from _run_with_query(settings, code, engine)
        if isinstance(run, Failure):
            return replace(made, failure=run), None
        return replace(ran(made, code, run, settings.profile), code=reply.code), run

    conversation = settings.conversation(prompt, boxes, "sqlcode_retry", "single")
    outcome: Outcome = yield from conversation.run(attempt)
    result: Run | None = outcome.product
    return answer_of(question, result.answer if result else None, outcome.attempts, settings.name)


@dataclass(slots=True)
class _Fetching:
    """What has been fetched for one function so far, by query."""

    frames: dict[str, pd.DataFrame] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)


def _run_with_query(settings: Text2SQLCode, code: str, engine: SqlEngine) -> Generator[Request, Any, Run | Failure]:
    """Run the function anew each time it asks for a query that has not been fetched: it never reaches the server."""
    fetching = _Fetching()
    for _ in range(MAX_QUERIES + 1):
        program = f"{code}\n\n_names = {fetching.names!r}\n{_QUERY}"
        run: Run = yield ExecuteFrames(program, fetching.frames, settings.limits)
        sql = run.answer.get("fetch this query") if isinstance(run.answer, dict) and len(run.answer) == 1 else None
        if not isinstance(sql, str):
            return run
        fetched: Fetched | Failure = yield Compute(partial(engine.query, sql, settings.sql_limits))
        if isinstance(fetched, Failure):
            return fetched
        fetching.names[sql] = f"fetched_{len(fetching.names)}"
        fetching.frames[fetching.names[sql]] = fetched.frame
    return Failure(
        "too large", f"the function sends more than {MAX_QUERIES} queries", hint="fetch more in fewer queries"
    )
