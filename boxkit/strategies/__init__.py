"""Ways from a question to an answer; each a small frozen dataclass."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from boxkit.strategies.consistency import Hybrid, SelfConsistency
    from boxkit.strategies.decompose import Decompose
    from boxkit.strategies.knowledge import Knowledge, Search
    from boxkit.strategies.pandora import Pandora
    from boxkit.strategies.planner import Planner
    from boxkit.strategies.select import Select
    from boxkit.strategies.sqlcode import Text2SQLCode
    from boxkit.strategies.steps import Strategy
    from boxkit.strategies.text2sparql import Text2SPARQL
    from boxkit.strategies.text2sql import Text2SQL

_HOMES = {
    "Decompose": "boxkit.strategies.decompose",
    "Hybrid": "boxkit.strategies.consistency",
    "Knowledge": "boxkit.strategies.knowledge",
    "Pandora": "boxkit.strategies.pandora",
    "Planner": "boxkit.strategies.planner",
    "Search": "boxkit.strategies.knowledge",
    "Select": "boxkit.strategies.select",
    "SelfConsistency": "boxkit.strategies.consistency",
    "Strategy": "boxkit.strategies.steps",
    "Text2SPARQL": "boxkit.strategies.text2sparql",
    "Text2SQL": "boxkit.strategies.text2sql",
    "Text2SQLCode": "boxkit.strategies.sqlcode",
}

__all__ = [
    "Decompose",
    "Hybrid",
    "Knowledge",
    "Pandora",
    "Planner",
    "Search",
    "Select",
    "SelfConsistency",
    "Strategy",
    "Text2SPARQL",
    "Text2SQL",
    "Text2SQLCode",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
