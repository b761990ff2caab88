"""What learning came to: right, refused, wrong, by dataset, and what it cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from boxkit.answer import Usage

__all__ = ["OUTCOMES", "Finished", "OutcomeName", "Report"]

#: ``right`` is kept. ``refused``: the annotator declined. ``wrong``: other rows. ``failed``: no rows.
#: ``unreadable``: the boxes could not be loaded.
OutcomeName = Literal["right", "refused", "wrong", "failed", "unreadable"]

OUTCOMES: tuple[OutcomeName, ...] = get_args(OutcomeName)


@dataclass(frozen=True, slots=True)
class Finished:
    """One example that is done.

    Attributes:
        key: The example's.
        dataset: Its dataset.
        outcome: What it came to.
        detail: Why, where it is not right.
        dollars: What models cost; None where a price is unknown.
        calls: How often models were asked.
        tokens: Sent and received.
        seconds: How long it took.
    """

    key: str
    dataset: str
    outcome: OutcomeName
    detail: str = ""
    dollars: float | None = 0.0
    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0

    @classmethod
    def of(
        cls,
        key: str,
        dataset: str,
        outcome: OutcomeName,
        detail: str = "",
        usage: Usage = Usage(),
        seconds: float = 0.0,
    ) -> Finished:
        """One with what it cost."""
        tokens = usage.prompt_tokens + usage.completion_tokens
        return cls(key, dataset, outcome, detail[:500], usage.dollars, usage.calls, tokens, seconds)


@dataclass(slots=True)
class Report:
    """The examples finished so far, in earlier runs too.

    Attributes:
        total: How many examples there are.
        finished: Those that are done.
        stopped: Why it ended before all were done; empty where it did not.
    """

    total: int = 0
    finished: list[Finished] = field(default_factory=list)
    stopped: str = ""

    def count(self, outcome: OutcomeName, dataset: str | None = None) -> int:
        """How many came to this."""
        return sum(each.outcome == outcome and dataset in (None, each.dataset) for each in self.finished)

    @property
    def done(self) -> int:
        """How many are done."""
        return len(self.finished)

    @property
    def kept(self) -> int:
        """How many became demonstrations."""
        return self.count("right")

    @property
    def yield_(self) -> float:
        """The share kept, of those done."""
        return self.kept / self.done if self.done else 0.0

    @property
    def dollars(self) -> float | None:
        """What models cost so far; None where a price is unknown."""
        prices = [each.dollars for each in self.finished]
        return None if None in prices else sum(price for price in prices if price is not None)

    @property
    def dollars_to_come(self) -> float | None:
        """What the rest will cost at this rate."""
        if self.dollars is None or not self.done:
            return None
        return self.dollars / self.done * (self.total - self.done)

    def reasons(self, outcome: OutcomeName, most: int = 10) -> list[tuple[str, int]]:
        """The commonest details of an outcome."""
        return Counter(each.detail for each in self.finished if each.outcome == outcome).most_common(most)

    def rows(self) -> Iterator[dict[str, Any]]:
        """One row a dataset: its name, each outcome's count, the share kept, and the cost."""
        for dataset in sorted({each.dataset for each in self.finished}):
            own = [each for each in self.finished if each.dataset == dataset]
            counts: dict[str, int] = {outcome: self.count(outcome, dataset) for outcome in OUTCOMES}
            prices = [each.dollars for each in own if each.dollars is not None]
            yield {"dataset": dataset, **counts, "share": counts["right"] / len(own), "dollars": sum(prices)}
