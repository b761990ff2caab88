"""SPARQL to plans and to pandas: rdflib's algebra, read into plans over the boxes of a graph."""

from __future__ import annotations

from boxkit.box import BoxSet
from boxkit.errors import PlanError, UnsupportedQuery
from boxkit.plan import Plan, emit

__all__ = ["sparql_to_pandas", "sparql_to_plan"]


def sparql_to_pandas(query: str, boxes: BoxSet) -> str:
    """A query as pandas code over the boxes; run, its ``answer`` holds the engine's bindings, entities by their ids.

    Args:
        query: A SELECT or ASK. What Virtuoso allows besides is understood where its meaning is clear: infix ``OR`` and
            ``AND``, well-known prefixes that are not declared, ``xsd:datetime``.
        boxes: The graph, loaded.

    Raises:
        UnsupportedQuery: The query has a construct that is refused rather than guessed, or names what no box holds.
        MissingExtra: rdflib is not installed.
    """
    try:
        return emit(sparql_to_plan(query, boxes), boxes)
    except UnsupportedQuery:
        raise
    except PlanError as error:
        raise UnsupportedQuery(error.what, detail=query) from error


def sparql_to_plan(query: str, boxes: BoxSet) -> Plan:
    """A query as a plan over the boxes.

    Raises:
        UnsupportedQuery: As `sparql_to_pandas`.
        MissingExtra: rdflib is not installed.
    """
    from boxkit.memory.transpile.sparql_query import QueryReader
    from boxkit.memory.transpile.sparql_text import algebra_of

    try:
        return QueryReader(boxes).read(algebra_of(query))
    except UnsupportedQuery:
        raise
    except PlanError as error:
        raise UnsupportedQuery(error.what, detail=query) from error
