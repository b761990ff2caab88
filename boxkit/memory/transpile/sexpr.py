"""S-expressions of GrailQA (and of WebQSP in that form) to plans and to pandas over the boxes of a graph."""

from __future__ import annotations

import re

from boxkit.box import BoxSet
from boxkit.errors import PlanError, UnsupportedQuery
from boxkit.memory.transpile.sexpr_read import ExpressionReader, parsed
from boxkit.plan import Plan, emit

__all__ = ["sexpr_to_pandas", "sexpr_to_plan"]


def sexpr_to_pandas(expression: str, boxes: BoxSet) -> str:
    """An s-expression as pandas code over the boxes; run, its ``answer`` holds the entities, or the count.

    Args:
        expression: As GrailQA writes it, ``(AND people.person (JOIN people.person.profession m.02hrh1q))``.
        boxes: The graph, loaded.

    Raises:
        UnsupportedQuery: The expression has a construct that is refused rather than guessed, or a name that no box has.
    """
    try:
        return emit(sexpr_to_plan(expression, boxes), boxes)
    except UnsupportedQuery:
        raise
    except PlanError as error:
        raise UnsupportedQuery(error.what, detail=expression) from error


def sexpr_to_plan(expression: str, boxes: BoxSet) -> Plan:
    """An s-expression as a plan over the boxes.

    Raises:
        UnsupportedQuery: As `sexpr_to_pandas`.
    """
    tree = parsed(re.sub(r"\s+", " ", expression).strip())
    return ExpressionReader(boxes).read(tree)
