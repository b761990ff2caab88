"""A model whose price the caller knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from boxkit.llm.cache import identity_of
from boxkit.llm.prices import Price
from boxkit.llm.protocol import LLM, Completion, Message, Parameters, PromptLayoutName
from boxkit.llm.reply import TokenCount

__all__ = ["Priced"]


@dataclass(frozen=True, slots=True)
class Priced:
    """The same model, its calls costed at a price that is not in the table.

    Attributes:
        llm: The model.
        price: For a million tokens.
    """

    llm: LLM
    price: Price

    @property
    def name(self) -> str:
        """The model's name."""
        return self.llm.name

    @property
    def layout(self) -> PromptLayoutName:
        """The model's layout."""
        return self.llm.layout

    @property
    def identity(self) -> Mapping[str, Any]:
        """The model's identity."""
        return identity_of(self.llm)

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
