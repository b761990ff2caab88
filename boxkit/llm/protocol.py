"""What a language model is to boxkit: messages in, a counted completion out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

from boxkit.answer import Usage
from boxkit.bounds import check_count, check_number

__all__ = ["LLM", "Completion", "Message", "Parameters", "PromptLayoutName", "request_hash"]

#: ``full`` for models that follow long instructions, ``compact`` for small ones (no prose, code completion style).
PromptLayoutName = Literal["full", "compact"]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Parameters:
    """What shapes a reply besides the messages.

    Attributes:
        temperature: 0 is greedy.
        max_tokens: The longest reply, in tokens.
        stop: Texts that end the reply.
        seed: For servers that sample reproducibly; also tells samples of one prompt apart in the cache.
        web_search: Whether the model shall search the web by its own tool; a model without one refuses.
        salt: What else a cached reply depends on (the data's fingerprint, the prompt's version); never sent.
    """

    temperature: float = 0.0
    max_tokens: int = 4096
    stop: tuple[str, ...] = ()
    seed: int | None = None
    web_search: bool = False
    salt: str = ""

    def __post_init__(self) -> None:
        check_number("temperature", self.temperature, positive=False)
        check_count("max_tokens", self.max_tokens)


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's reply.

    Attributes:
        text: The reply, whole.
        usage: One call's worth.
        model: The model that the server says it was.
        finish_reason: ``"stop"``, or ``"length"`` where the reply was cut.
        cached: Whether it came from boxkit's cache.
    """

    text: str
    usage: Usage = field(default_factory=lambda: Usage(calls=1))
    model: str = ""
    finish_reason: str = "stop"
    cached: bool = False


@runtime_checkable
class LLM(Protocol):
    """A language model, or a wrapper around one (cache, meter): both have this one Protocol.

    Attributes:
        name: The model's name, as in a run's record and a cache's key.
        layout: The prompt layout that suits it.
    """

    @property
    def name(self) -> str:
        """The model's name."""
        ...

    @property
    def layout(self) -> PromptLayoutName:
        """The layout that suits it."""
        ...

    def complete(self, messages: Sequence[Message], parameters: Parameters = Parameters()) -> Completion:
        """The reply to ``messages``.

        Raises:
            LLMError: One of its kinds says which way it failed, after polite retries.
        """
        ...

    async def acomplete(self, messages: Sequence[Message], parameters: Parameters = Parameters()) -> Completion:
        """The same without blocking the event loop."""
        ...


def request_hash(messages: Sequence[Message]) -> str:
    """SHA-256 (64 hex digits) of the messages."""
    text = json.dumps([[message.role, message.content] for message in messages], ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
