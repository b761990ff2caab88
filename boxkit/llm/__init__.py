"""Language models behind one Protocol, and the wrappers that cache and count.

Names resolve on first use: ``import boxkit.llm`` loads neither openai nor a model's engine.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from boxkit.llm.protocol import LLM, Completion, Message, Parameters

_HOMES: dict[str, str] = {}

__all__ = ["LLM", "Completion", "Message", "Parameters"]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'boxkit.llm' has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value
