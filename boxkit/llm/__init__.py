"""Language models behind one Protocol, and the wrappers that cache and count.

Names resolve on first use: ``import boxkit.llm`` loads neither openai nor a model's engine.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from boxkit.llm.protocol import LLM, Completion, Message, Parameters

if TYPE_CHECKING:
    from boxkit.llm.cache import Cached
    from boxkit.llm.limits import Budgeted, Paced
    from boxkit.llm.local import LocalLLM, LocalServer
    from boxkit.llm.meter import Meter, Metered
    from boxkit.llm.models import available, choose
    from boxkit.llm.openai import OpenAI
    from boxkit.llm.prices import Price

_HOMES = {
    "Budgeted": "boxkit.llm.limits",
    "Cached": "boxkit.llm.cache",
    "LocalLLM": "boxkit.llm.local",
    "LocalServer": "boxkit.llm.local",
    "Meter": "boxkit.llm.meter",
    "Metered": "boxkit.llm.meter",
    "OpenAI": "boxkit.llm.openai",
    "Paced": "boxkit.llm.limits",
    "Price": "boxkit.llm.prices",
    "available": "boxkit.llm.models",
    "choose": "boxkit.llm.models",
}

__all__ = [
    "LLM",
    "Budgeted",
    "Cached",
    "Completion",
    "LocalLLM",
    "LocalServer",
    "Message",
    "Meter",
    "Metered",
    "OpenAI",
    "Paced",
    "Parameters",
    "Price",
    "available",
    "choose",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'boxkit.llm' has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
