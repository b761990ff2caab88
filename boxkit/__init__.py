"""boxkit: ask one question, in plain language, of any structured knowledge you have.

Public names resolve on first use (PEP 562), so that ``import boxkit`` loads none of what it does not need.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from boxkit.answer import Answer, Attempt, Usage
    from boxkit.box import Box, BoxSet, Field, ForeignKey, Note
    from boxkit.evaluation.datasets import open_dataset
    from boxkit.evaluation.learning import learn
    from boxkit.evaluation.runner import aevaluate, evaluate
    from boxkit.executor import Limits, Run
    from boxkit.executor.execute import aexecute, execute
    from boxkit.failure import Failure
    from boxkit.llm import LocalLLM, OpenAI
    from boxkit.load import from_database, from_graph, from_table, load
    from boxkit.memory import Demonstration, Memory
    from boxkit.profile import Profile
    from boxkit.strategies import (
        Decompose,
        Hybrid,
        Knowledge,
        Pandora,
        Planner,
        Search,
        Select,
        SelfConsistency,
        Text2SPARQL,
        Text2SQL,
        Text2SQLCode,
    )

__version__ = "0.1.0"

_HOMES = {
    "Answer": "boxkit.answer",
    "Attempt": "boxkit.answer",
    "Box": "boxkit.box",
    "BoxSet": "boxkit.box",
    "Decompose": "boxkit.strategies",
    "Demonstration": "boxkit.memory",
    "Failure": "boxkit.failure",
    "Field": "boxkit.box",
    "ForeignKey": "boxkit.box",
    "Hybrid": "boxkit.strategies",
    "Knowledge": "boxkit.strategies",
    "Limits": "boxkit.executor",
    "LocalLLM": "boxkit.llm",
    "Memory": "boxkit.memory",
    "Note": "boxkit.box",
    "OpenAI": "boxkit.llm",
    "Pandora": "boxkit.strategies",
    "Planner": "boxkit.strategies",
    "Profile": "boxkit.profile",
    "Run": "boxkit.executor",
    "Search": "boxkit.strategies",
    "Select": "boxkit.strategies",
    "SelfConsistency": "boxkit.strategies",
    "Text2SPARQL": "boxkit.strategies",
    "Text2SQL": "boxkit.strategies",
    "Text2SQLCode": "boxkit.strategies",
    "Usage": "boxkit.answer",
    "aevaluate": "boxkit.evaluation.runner",
    "aexecute": "boxkit.executor",
    "evaluate": "boxkit.evaluation.runner",
    "execute": "boxkit.executor",
    "from_database": "boxkit.load",
    "from_graph": "boxkit.load",
    "from_table": "boxkit.load",
    "learn": "boxkit.evaluation.learning",
    "load": "boxkit.load",
    "open_dataset": "boxkit.evaluation.datasets",
}

__all__ = [
    "Answer",
    "Attempt",
    "Box",
    "BoxSet",
    "Decompose",
    "Demonstration",
    "Failure",
    "Field",
    "ForeignKey",
    "Hybrid",
    "Knowledge",
    "Limits",
    "LocalLLM",
    "Memory",
    "Note",
    "OpenAI",
    "Pandora",
    "Planner",
    "Profile",
    "Run",
    "Search",
    "Select",
    "SelfConsistency",
    "Text2SPARQL",
    "Text2SQL",
    "Text2SQLCode",
    "Usage",
    "aevaluate",
    "aexecute",
    "evaluate",
    "execute",
    "from_database",
    "from_graph",
    "from_table",
    "learn",
    "load",
    "open_dataset",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'boxkit' has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


class _Package(ModuleType):
    """This package: ``load`` stays the function even after the import system has bound the module of that name."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "load" and isinstance(value, ModuleType):
            value = value.load
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
