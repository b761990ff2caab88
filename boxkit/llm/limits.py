"""Wrappers that keep a model within limits: calls and tokens a minute, and a budget."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from boxkit.bounds import check_number
from boxkit.errors import BudgetSpent
from boxkit.llm.meter import Meter, Metered
from boxkit.llm.protocol import LLM, Completion, Message, Parameters, PromptLayoutName
from boxkit.llm.tokens import estimate_prompt_tokens
from boxkit.llm.wrapper import Wrapper, identity_of

__all__ = ["Budgeted", "Paced"]


class _Pace:
    """A rate that callers queue for: each takes the next free moment, and moves it on by what it uses."""

    def __init__(self, per_minute: float | None) -> None:
        self._seconds_each = 0.0 if per_minute is None else 60.0 / per_minute
        self._free_at = 0.0
        self._lock = threading.Lock()

    def wait_for(self, amount: float) -> float:
        """Seconds to wait before using ``amount``."""
        with self._lock:
            now = time.monotonic()
            start = max(now, self._free_at)
            self._free_at = start + amount * self._seconds_each
            return start - now

    def correct(self, amount: float) -> None:
        """Use so much more (or less, below 0) than was said before."""
        with self._lock:
            self._free_at += amount * self._seconds_each


class Paced:
    """The same model, asked no faster than its server allows; callers wait for their turn, spread evenly.

    Args:
        llm: The model.
        requests_per_minute: None for no limit.
        tokens_per_minute: Sent and received together; the prompt is estimated before and put right after the reply.
    """

    def __init__(
        self, llm: LLM, *, requests_per_minute: float | None = None, tokens_per_minute: float | None = None
    ) -> None:
        for name, limit in (("requests_per_minute", requests_per_minute), ("tokens_per_minute", tokens_per_minute)):
            if limit is not None:
                check_number(name, limit)
        self._llm = llm
        self._options = (requests_per_minute, tokens_per_minute)
        self._requests, self._tokens = _Pace(requests_per_minute), _Pace(tokens_per_minute)

    @property
    def name(self) -> str:
        """The model's name."""
        return self._llm.name

    @property
    def layout(self) -> PromptLayoutName:
        """The model's layout."""
        return self._llm.layout

    @property
    def identity(self) -> Mapping[str, Any]:
        """The model's identity."""
        return identity_of(self._llm)

    def complete(self, messages: Sequence[Message], parameters: Parameters = Parameters()) -> Completion:
        """The model's reply, when its turn has come."""
        said = estimate_prompt_tokens(messages)
        time.sleep(max(self._requests.wait_for(1), self._tokens.wait_for(said)))
        return self._counted(self._llm.complete(messages, parameters), said)

    async def acomplete(self, messages: Sequence[Message], parameters: Parameters = Parameters()) -> Completion:
        """The same without blocking the event loop."""
        said = estimate_prompt_tokens(messages)
        await asyncio.sleep(max(self._requests.wait_for(1), self._tokens.wait_for(said)))
        return self._counted(await self._llm.acomplete(messages, parameters), said)

    def _counted(self, completion: Completion, said: int) -> Completion:
        self._tokens.correct(completion.usage.prompt_tokens + completion.usage.completion_tokens - said)
        return completion

    def __getstate__(self) -> dict[str, Any]:
        return {"llm": self._llm, "options": self._options}

    def __setstate__(self, state: dict[str, Any]) -> None:
        requests, tokens = state["options"]
        self.__init__(state["llm"], requests_per_minute=requests, tokens_per_minute=tokens)  # type: ignore[misc]  # an object that is being unpickled has not been made yet


@dataclass(frozen=True, slots=True)
class Budgeted(Wrapper):
    """The same model until a limit is reached; then `BudgetSpent`, before the next call.

    A call under way is not cut off: calls made at the same time can together pass the limit by what they cost.

    Attributes:
        llm: The model. Put a `Cached` inside: what the cache answers costs nothing.
        dollars: The most to pay; None for no limit.
        tokens: The most tokens to send and receive; None for no limit.
        calls: The most calls; None for no limit.
        meter: Where it is counted.
    """

    llm: LLM
    dollars: float | None = None
    tokens: int | None = None
    calls: int | None = None
    meter: Meter = field(default_factory=Meter)

    def __post_init__(self) -> None:
        # A limit that no number reaches would never stop anything.
        for name in ("dollars", "tokens", "calls"):
            if getattr(self, name) is not None:
                check_number(f"{name} of Budgeted", getattr(self, name), positive=False)

    def complete(self, messages: Sequence[Message], parameters: Parameters = Parameters()) -> Completion:
        """The model's reply.

        Raises:
            BudgetSpent: A limit is reached; nothing was asked.
        """
        self._check()
        return Metered(self.llm, self.meter).complete(messages, parameters)

    async def acomplete(self, messages: Sequence[Message], parameters: Parameters = Parameters()) -> Completion:
        """The same without blocking the event loop."""
        self._check()
        return await Metered(self.llm, self.meter).acomplete(messages, parameters)

    def _check(self) -> None:
        spent = self.meter.usage
        if self.dollars is not None and spent.dollars is None:
            hint = "give its price: boxkit.OpenAI(…, price=Price(prompt=…, completion=…)), or limit tokens instead"
            raise BudgetSpent("the model's price is unknown, so a limit in dollars cannot be kept", hint=hint)
        for what, limit, used in (
            ("dollars", self.dollars, spent.dollars or 0.0),
            ("tokens", self.tokens, spent.prompt_tokens + spent.completion_tokens),
            ("calls", self.calls, spent.calls),
        ):
            if limit is not None and used >= limit:
                raise BudgetSpent(f"the budget is spent: {used:g} of {limit:g} {what}", where=self.name)
