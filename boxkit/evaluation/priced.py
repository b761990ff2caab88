"""A model whose price the caller knows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from boxkit.answer import Usage
from boxkit.errors import LLMError
from boxkit.llm.prices import Price
from boxkit.llm.protocol import LLM, Completion, Message, Parameters
from boxkit.llm.reply import TokenCount
from boxkit.llm.wrapper import Wrapper

__all__ = ["Priced"]


@dataclass(frozen=True, slots=True)
class Priced(Wrapper):
    """The same model, its calls costed at a price that is not in the table.

    Attributes:
        llm: The model.
        price: For a million tokens.
    """

    llm: LLM
    price: Price

    def complete(self, messages: Sequence[Message], parameters: Parameters = Parameters()) -> Completion:
        """The model's reply, costed.

        Raises:
            LLMError: As the model raises it, its cost at this price too.
        """
        with self._errors_costed():
            return self._costed(self.llm.complete(messages, parameters))

    async def acomplete(self, messages: Sequence[Message], parameters: Parameters = Parameters()) -> Completion:
        """The same without blocking the event loop."""
        with self._errors_costed():
            return self._costed(await self.llm.acomplete(messages, parameters))

    def _costed(self, completion: Completion) -> Completion:
        usage = self._at_price(completion.usage)
        return replace(completion, usage=replace(usage, dollars=0.0) if completion.cached else usage)

    @contextmanager
    def _errors_costed(self) -> Iterator[None]:
        try:
            yield
        except LLMError as error:
            error.usage = None if error.usage is None else self._at_price(error.usage)
            raise

    def _at_price(self, usage: Usage) -> Usage:
        count = TokenCount(usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens)
        dollars = self.price.dollars(count)
        return replace(usage, dollars=dollars, virtual_dollars=dollars)
