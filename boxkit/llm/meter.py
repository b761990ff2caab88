"""What a model was asked and what it cost, as a wrapper that counts."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from boxkit.answer import Usage
from boxkit.errors import LLMError
from boxkit.llm.protocol import LLM, Completion, Message, Parameters
from boxkit.llm.wrapper import Wrapper

__all__ = ["Meter", "Metered"]


class Meter:
    """Totals that many models may write to, from any thread.

    >>> meter = Meter()
    >>> meter.add(Usage(calls=1, prompt_tokens=10), "gpt-4o-mini", step="sql")
    >>> meter.usage.prompt_tokens, meter.by_model["gpt-4o-mini"].calls, meter.usage.steps["sql"].calls
    (10, 1, 1)
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._usage = Usage()
        self._by_model: dict[str, Usage] = {}
        self._failed_calls = 0

    @property
    def usage(self) -> Usage:
        """Everything together; by step in its ``steps``."""
        with self._lock:
            return self._usage

    @property
    def by_model(self) -> Mapping[str, Usage]:
        """The same by model's name."""
        with self._lock:
            return MappingProxyType(dict(self._by_model))

    @property
    def failed_calls(self) -> int:
        """Calls that ended in an error; what they cost is in the totals."""
        with self._lock:
            return self._failed_calls

    def add(self, usage: Usage, model: str, *, step: str = "", failed: bool = False) -> None:
        """Count one call, under a step's name where one is given."""
        booked = usage.of_step(step) if step else usage
        with self._lock:
            self._usage += booked
            self._by_model[model] = self._by_model.get(model, Usage()) + booked
            self._failed_calls += int(failed)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Metered(Wrapper):
    """The same model, every call counted, those that fail too.

    Put it around a `Cached` to count hits (``usage.cached_calls``) and both costs, inside to count real calls only.

    Attributes:
        llm: The model.
        meter: Where it is counted; several models may share one.
        step: The step's name that calls are booked under; empty for none.
    """

    llm: LLM
    meter: Meter = field(default_factory=Meter)
    step: str = ""

    @property
    def usage(self) -> Usage:
        """The meter's total."""
        return self.meter.usage

    def of_step(self, step: str) -> Metered:
        """The same model and meter, its calls booked under a step's name."""
        return Metered(self.llm, self.meter, step)

    def complete(self, messages: Sequence[Message], parameters: Parameters = Parameters()) -> Completion:
        """The model's reply, counted.

        Raises:
            LLMError: As the model raises it; its cost is counted.
        """
        try:
            completion = self.llm.complete(messages, parameters)
        except LLMError as error:
            self._failed(error)
            raise
        self.meter.add(completion.usage, self.name, step=self.step)
        return completion

    async def acomplete(self, messages: Sequence[Message], parameters: Parameters = Parameters()) -> Completion:
        """The same without blocking the event loop."""
        try:
            completion = await self.llm.acomplete(messages, parameters)
        except LLMError as error:
            self._failed(error)
            raise
        self.meter.add(completion.usage, self.name, step=self.step)
        return completion

    def _failed(self, error: LLMError) -> None:
        self.meter.add(error.usage or Usage(calls=1), self.name, step=self.step, failed=True)
