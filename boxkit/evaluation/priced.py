"""A model whose price the caller knows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

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
        """The model's reply, costed."""
        return self._costed(self.llm.complete(messages, parameters))

    async def acomplete(self, messages: Sequence[Message], parameters: Parameters = Parameters()) -> Completion:
        """The same without blocking the event loop."""
        return self._costed(await self.llm.acomplete(messages, parameters))

    def _costed(self, completion: Completion) -> Completion:
        usage = completion.usage
        count = TokenCount(usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens)
        virtual = self.price.dollars(count)
        paid = 0.0 if completion.cached else virtual
        return replace(completion, usage=replace(usage, dollars=paid, virtual_dollars=virtual))
