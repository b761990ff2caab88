"""Ways from a question to an answer; each a small frozen dataclass."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from boxkit.strategies.pandora import Pandora
    from boxkit.strategies.planner import Planner
    from boxkit.strategies.steps import Strategy

_HOMES = {
    "Pandora": "boxkit.strategies.pandora",
    "Planner": "boxkit.strategies.planner",
    "Strategy": "boxkit.strategies.steps",
}

__all__ = ["Pandora", "Planner", "Strategy"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
