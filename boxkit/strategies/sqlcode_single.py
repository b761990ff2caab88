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
from boxkit.prompts.reply import Reply, parse_sql_reply
from boxkit.sql import Fetched, SqlEngine
from boxkit.sql.engine import guarded
from boxkit.strategies.loop import Outcome, Tried, answer_of
from boxkit.strategies.pandora import ran
from boxkit.strategies.sqlcode import parse_function, with_function
from boxkit.strategies.sqlcode_multi import has_analytics
from boxkit.strategies.steps import Compute, ExecuteFrames, ExecuteOnDatabase, Request, Steps
from boxkit.strategies.text2sql import dialect_name, schema_for

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
    schema = yield from schema_for(settings, boxes, engine)
    prompt = render(
        "sqlcode_single",
        engine="file" if engine.path else "server",
        dialect=dialect_name(engine),
        schema=schema,
        question=question,
        profile=settings.profile,
        analytics=has_analytics(),
    )

    fetching = _Fetching()

    def attempt(completion: Completion) -> Generator[Request, Any, Tried]:
        reply = _with_query(parse_function(completion.text), completion.text, engine)
        made = Attempt(0, completion.text, reply.rationale, reply.code)
        if not reply.code:
            return replace(made, failure=Failure("no code", reply.problem)), None
        code = with_function(reply.code)
        if isinstance(code, Failure):
            return replace(made, failure=code), None
        if engine.path:
            run: Run | Failure = yield ExecuteOnDatabase(code, engine.path, settings.limits)
        else:
            run = yield from _run_with_query(settings, code, engine, fetching)
        if isinstance(run, Failure):
            return replace(made, failure=run), None
        return replace(ran(made, code, run, settings.profile), code=reply.code), run

    conversation = settings.conversation(prompt, boxes, "sqlcode_retry", "single")
    outcome: Outcome = yield from conversation.run(attempt)
    result: Run | None = outcome.product
    details = {"truncated": True} if fetching.truncated else {}
    return answer_of(question, result.answer if result else None, outcome.attempts, settings.name, details=details)


def _with_query(reply: Reply, text: str, engine: SqlEngine) -> Reply:
    """A reply without a function whose text is the one query that answers: as the function that runs it."""
    found = parse_sql_reply(text)
    if reply.code or not found.code or guarded(found.code, engine.dialect) is not None:
        return reply
    sql = found.code.strip().rstrip(";")
    way = f"sqlite3.connect(source).execute({sql!r}).fetchall()" if engine.path else f"query({sql!r})"
    return Reply(f"def compute_result({'source' if engine.path else 'query'}):\n    return {way}", found.rationale)


@dataclass(slots=True)
class _Fetching:
    """What has been fetched for one function so far, by query."""

    frames: dict[str, pd.DataFrame] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    truncated: bool = False

    def clear(self) -> None:
        """Forget what an earlier function fetched."""
        self.frames.clear()
        self.names.clear()
        self.truncated = False

    def keep(self, sql: str, fetched: Fetched) -> None:
        """Have the frame ready for the next run."""
        self.names[sql] = f"fetched_{len(self.names)}"
        self.frames[self.names[sql]] = fetched.frame
        self.truncated |= fetched.truncated


def _run_with_query(
    settings: Text2SQLCode, code: str, engine: SqlEngine, fetching: _Fetching
) -> Generator[Request, Any, Run | Failure]:
    """Run the function anew each time it asks for a query that has not been fetched: it never reaches the server."""
    fetching.clear()
    for _ in range(MAX_QUERIES + 1):
        program = f"{code}\n\n_names = {fetching.names!r}\n{_QUERY}"
        run: Run = yield ExecuteFrames(program, fetching.frames, settings.limits)
        sql = run.answer.get("fetch this query") if isinstance(run.answer, dict) and len(run.answer) == 1 else None
        if not isinstance(sql, str):
            return run
        fetched: Fetched | Failure = yield Compute(partial(engine.query, sql, settings.sql_limits))
        if isinstance(fetched, Failure):
            return fetched
        fetching.keep(sql, fetched)
    return Failure(
        "too large", f"the function sends more than {MAX_QUERIES} queries", hint="fetch more in fewer queries"
    )
