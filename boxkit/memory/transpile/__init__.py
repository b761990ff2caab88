"""Readers of gold programs: SQL, SPARQL and s-expressions become pandas."""

from __future__ import annotations

from boxkit.memory.transpile.sql import sql_to_pandas, sql_to_plan

__all__ = ["sql_to_pandas", "sql_to_plan"]
