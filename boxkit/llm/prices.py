"""What models cost: a small dated table, and prices that the caller gives."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from boxkit.bounds import check_number
from boxkit.llm.reply import TokenCount

__all__ = ["FREE", "Price", "price_of", "prices_as_of"]

_SNAPSHOT = re.compile(r"-(\d{4}-\d{2}-\d{2}|\d{4})$")


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars for a million tokens.

    Attributes:
        prompt: For tokens sent.
        completion: For tokens received.
        cached: For tokens sent that the server had in its cache; None where it gives no discount.
    """

    prompt: float
    completion: float
    cached: float | None = None

    def __post_init__(self) -> None:
        for name in ("prompt", "completion", "cached"):
            if name != "cached" or self.cached is not None:
                check_number(f"{name} of Price", getattr(self, name), positive=False)

    def dollars(self, count: TokenCount) -> float:
        """What that many tokens cost.

        >>> round(Price(2.5, 10, 1.25).dollars(TokenCount(prompt=1000, completion=100, cached=400)), 6)
        0.003
        """
        cached = self.prompt if self.cached is None else self.cached
        sent = (count.prompt - count.cached) * self.prompt + count.cached * cached
        return (sent + count.completion * self.completion) / 1_000_000


#: What a model on the user's own machine costs.
FREE = Price(0.0, 0.0, 0.0)


def price_of(model: str) -> Price | None:
    """The listed price of an OpenAI model, a dated snapshot going by its family; None where none is known.

    >>> price_of("gpt-4o-mini-2024-07-18") == price_of("gpt-4o-mini")
    True
    >>> price_of("llama3.2") is None
    True
    """
    listed = _table()["models"]
    found = listed.get(model) or listed.get(_SNAPSHOT.sub("", model))
    return None if found is None else Price(*found)


def prices_as_of() -> str:
    """The day, in ISO form, that the table was last checked on."""
    return str(_table()["as_of"])


@lru_cache(maxsize=1)
def _table() -> dict[str, Any]:
    table: dict[str, Any] = json.loads(files("boxkit.llm").joinpath("prices.json").read_text("utf-8"))
    return table
