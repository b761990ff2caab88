"""Text2SQL: one query, corrected from the engine's errors; its rows are the answer (StarQA, section 4)."""

from __future__ import annotations

import weakref
from dataclasses import dataclass

from boxkit.answer import Answer
from boxkit.box import BoxSet
from boxkit.prompts import render
from boxkit.prompts.reply import parse_sql_reply
from boxkit.sql import SqlEngine, SqlLimits, engine_for, schema_text
from boxkit.strategies.loop import Outcome
from boxkit.strategies.querying import Querying, query_answer, shape_failure, tried_queries
from boxkit.strategies.steps import Compute, Steps

__all__ = ["Text2SQL", "dialect_name", "engine_of", "fetch", "schema_for"]

_DIALECTS = {"sqlite": "SQLite", "duckdb": "DuckDB", "postgres": "PostgreSQL", "mysql": "MySQL"}


def dialect_name(engine: SqlEngine) -> str:
    """The engine's dialect as people write it."""
    return _DIALECTS.get(engine.dialect, engine.dialect)


@dataclass(frozen=True, slots=True)
class Text2SQL(Querying):
    """Schema, types, descriptions, keys and true values in; one SQL query out.

    A database is asked in its own SQL and by its own names; tables, graphs and several sources through DuckDB.
    Settings: those of `Querying`, and

    Attributes:
        limits: What a query may use.
    """

    limits: SqlLimits = SqlLimits()

    def steps(self, question: str, boxes: BoxSet) -> Steps[Answer]:
        """Prompt, run, correct; see the class."""
        engine: SqlEngine = yield from engine_of(boxes)
        outcome: Outcome = yield from fetch(self, question, boxes, engine, self.limits)
        return query_answer(question, outcome, self.name)


def engine_of(boxes: BoxSet) -> Steps[SqlEngine]:
    """What runs queries over them; no thread is needed for it once they have been described."""
    if _SCHEMAS.of(boxes):
        return engine_for(boxes)
    engine: SqlEngine = yield Compute(lambda: engine_for(boxes))
    return engine


def schema_for(settings: Querying, boxes: BoxSet, engine: SqlEngine) -> Steps[str]:
    """The tables, for a prompt."""
    shape = (engine.dialect, engine.native, settings.samples, settings.budget)
    known = _SCHEMAS.of(boxes)
    if shape not in known:
        known[shape] = yield Compute(
            lambda: schema_text(
                boxes,
                native=engine.native,
                samples=settings.samples,
                budget=settings.budget,
                as_text=engine.as_text,
                renamed=engine.renamed,
                dialect=engine.dialect,
            )
        )
    return known[shape]


class _Schemas:
    """The schemas of BoxSets, as long as these live: a benchmark asks hundreds of questions of each."""

    def __init__(self) -> None:
        self._known: dict[int, dict[object, str]] = {}

    def of(self, boxes: BoxSet) -> dict[object, str]:
        """By their shape, the schemas made so far."""
        known = self._known.get(id(boxes))
        if known is None:
            known = self._known[id(boxes)] = {}
            weakref.finalize(boxes, self._known.pop, id(boxes), None).atexit = False
        return known


_SCHEMAS = _Schemas()


def fetch(
    settings: Querying, question: str, boxes: BoxSet, engine: SqlEngine, limits: SqlLimits, *, context: str = ""
) -> Steps[Outcome]:
    """One query for ``question``, with corrections; the outcome's product is what was `Fetched`.

    Args:
        settings: The model and the profile.
        question: What to fetch, in words.
        boxes: The data.
        engine: Theirs.
        limits: What the query may use.
        context: The whole question, where this is one step of it. An empty result is then no failure.
    """
    prompt = render(
        "text2sql",
        dialect=dialect_name(engine),
        schema=(yield from schema_for(settings, boxes, engine)),
        question=question,
        context=context,
        profile=settings.profile,
    )
    engine.prepare()
    return (
        yield from tried_queries(
            settings.conversation(prompt, boxes, "text2sql_retry", "sql"),
            parse_sql_reply,
            lambda sql: engine.query(sql, limits),
            lambda _, fetched: None if context else shape_failure(fetched, settings.profile),
        )
    )
