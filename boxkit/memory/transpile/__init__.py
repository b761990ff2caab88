"""Readers of gold programs: SQL, SPARQL and s-expressions become pandas."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from boxkit.memory.transpile.sexpr import sexpr_to_pandas, sexpr_to_plan
    from boxkit.memory.transpile.sparql import sparql_to_pandas, sparql_to_plan
    from boxkit.memory.transpile.sql import sql_to_pandas, sql_to_plan

__all__ = [
    "sexpr_to_pandas",
    "sexpr_to_plan",
    "sparql_to_pandas",
    "sparql_to_plan",
    "sql_to_pandas",
    "sql_to_plan",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{name.partition('_')[0]}"), name)
