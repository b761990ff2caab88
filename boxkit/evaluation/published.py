"""Figures that the papers print, for the same benchmark, model and strategy; see ``published.toml``."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

__all__ = ["published_calls", "published_drop", "published_oracle", "published_score"]


@cache
def _published() -> dict[str, Any]:
    return tomllib.loads(files("boxkit.evaluation").joinpath("published.toml").read_text(encoding="utf-8"))


def _is(model: str, published: str) -> bool:
    """Whether a model is the published one: of a day or from a provider perhaps, but no smaller sister.

    >>> _is("openai/gpt-4.1-2025-04-14", "gpt-4.1"), _is("gpt-4.1-mini", "gpt-4.1")
    (True, False)
    """
    day = r"(?:[-@](?:\d{4}-?\d\d-?\d\d|\d{4}|latest|preview))?"
    return re.fullmatch(rf"(?:.*/)?{re.escape(published)}{day}", model.lower()) is not None


def _of(dataset: str, model: str) -> dict[str, Any]:
    found = (each for each in _published()["figure"] if each["dataset"] == dataset and _is(model, each["model"]))
    return next(found, {"values": {}})


def published_score(dataset: str, model: str, variant: str) -> str:
    """A score in points; empty where none is known."""
    value = _of(dataset, model)["values"].get(variant)
    return "" if value is None else f"{value:.1f}"


def published_oracle(dataset: str, model: str, variants: Sequence[str]) -> str:
    """What a perfect choice between these strategies scored; empty where none is known."""
    for each in _of(dataset, model).get("oracle", ()):
        if set(each["of"]) == set(variants):
            return f"{each['score']:.1f}"
    return ""


def published_calls(dataset: str, variant: str) -> str:
    """Calls a question, over the paper's models; empty where none is known."""
    found = (each["values"].get(variant, "") for each in _published()["calls"] if each["dataset"] == dataset)
    return next(found, "")


def published_drop(variant: str) -> str:
    """What leaving a component out cost, on the average over the paper's benchmarks; empty where none is known."""
    drops = _published()["drop"][0]["values"]
    return f"-{drops[variant]:.1f} on the average" if variant in drops else ""
