"""Text2SPARQL: one query to the graph that the boxes came from, corrected from the engine's errors."""

from __future__ import annotations

from dataclasses import dataclass, replace

from boxkit.answer import Answer
from boxkit.box import BoxSet
from boxkit.failure import Failure
from boxkit.prompts import render
from boxkit.prompts.reply import parse_sparql_reply
from boxkit.sparql import GraphEngine, graph_engine, graph_text, unknown_words
from boxkit.sql import Fetched, SqlLimits
from boxkit.strategies.loop import Outcome
from boxkit.strategies.querying import Querying, query_answer, shape_failure, tried_queries
from boxkit.strategies.steps import Compute, Steps

__all__ = ["Text2SPARQL"]


@dataclass(frozen=True, slots=True)
class Text2SPARQL(Querying):
    """Classes, relations, prefixes, true values and the question's entities in; one SPARQL query out.

    The query is put to the graph itself, whole as its source has it: an RDF file, an rdflib graph, a SPARQL endpoint.
    What the boxes show of it is what the prompt shows. Settings: those of `Querying`, and

    Attributes:
        limits: What a query may use.
    """

    limits: SqlLimits = SqlLimits()

    def steps(self, question: str, boxes: BoxSet) -> Steps[Answer]:
        """Prompt, run, correct; see the class.

        Raises:
            SourceError: The boxes come from no graph that SPARQL can ask, or from several.
        """
        engine: GraphEngine = yield Compute(lambda: graph_engine(boxes))
        graph: str = yield Compute(lambda: graph_text(engine, question, samples=self.samples, budget=self.budget))
        prompt = render("text2sparql", graph=graph, question=question, profile=self.profile)
        outcome: Outcome = yield from tried_queries(
            self.conversation(prompt, boxes, "text2sparql_retry", "sparql"),
            parse_sparql_reply,
            lambda query: engine.query(query, self.limits),
            lambda query, fetched: self._judged(query, fetched, engine),
        )
        return query_answer(question, outcome, self.name)

    def _judged(self, query: str, fetched: Fetched, engine: GraphEngine) -> Failure | None:
        failure = shape_failure(fetched, self.profile)
        if failure is None or failure.kind != "empty":
            return failure
        return replace(failure, hint=f"{unknown_words(engine, query)}{failure.hint}")
