"""A model whose replies are written beforehand, and which records what it was sent."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from boxkit.answer import Usage
from boxkit.llm.protocol import Completion, Message, Parameters, PromptLayoutName
from boxkit.llm.tokens import estimate_prompt_tokens, estimate_tokens

__all__ = ["Reply", "ScriptedLLM", "ScriptedRequest", "UnscriptedRequest"]

#: A text; a whole `Completion`, for its usage or finish reason; or an exception, which is raised.
Reply: TypeAlias = str | Completion | BaseException


class UnscriptedRequest(AssertionError):
    """The model was asked more, or something else, than its script holds."""


@dataclass(frozen=True, slots=True)
class ScriptedRequest:
    """What a `ScriptedLLM` was sent in one call."""

    messages: tuple[Message, ...]
    parameters: Parameters

    @property
    def text(self) -> str:
        """All messages' contents, with a blank line between."""
        return "\n\n".join(message.content for message in self.messages)

    @property
    def last(self) -> str:
        """The last message's content; empty where there was no message."""
        return self.messages[-1].content if self.messages else ""


class ScriptedLLM:
    """A language model that replies as scripted.

    Args:
        replies: A sequence of replies, given in order; or a mapping from a piece of the question to a reply (given
            every time) or a sequence of replies (given in order); or a function of the messages. A reply is a text, a
            whole `Completion`, or an exception to raise.
        name: The model's name.
        latency_s: How long each reply takes, in seconds.
        layout: The prompt layout it asks for.

    In a mapping, the key that occurs last in what the model was sent (its own earlier turns apart) decides, since a
    prompt puts the question after its demonstrations; of keys that end at the same place, the longest. The key ``""``
    serves whatever no other key matches. Safe to share among threads and event loops; a pickled copy goes on with
    its own script from where the original stood.

    Attributes:
        requests: Every call so far, in order, those that raised included.

    >>> llm = ScriptedLLM(["first", "second"])
    >>> llm.complete([Message("user", "How many?")]).text, len(llm.requests)
    ('first', 1)
    """

    def __init__(
        self,
        replies: Sequence[Reply] | Mapping[str, Reply | Sequence[Reply]] | Callable[[Sequence[Message]], Reply],
        *,
        name: str = "scripted",
        latency_s: float = 0.0,
        layout: PromptLayoutName = "full",
    ) -> None:
        if isinstance(replies, str):
            raise TypeError("replies is one text; a list of texts is meant, or a mapping from question to text")
        if latency_s < 0:
            raise ValueError(f"latency_s is {latency_s}; it cannot be negative")
        self.requests: list[ScriptedRequest] = []
        self._script = replies
        self._given: dict[str, int] = {}
        self._name = name
        self._latency_s = latency_s
        self._layout = layout
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """The model's name."""
        return self._name

    @property
    def layout(self) -> PromptLayoutName:
        """The layout that it asks for."""
        return self._layout

    def complete(self, messages: Sequence[Message], parameters: Parameters = Parameters()) -> Completion:
        """The next scripted reply.

        Raises:
            UnscriptedRequest: The script has no (further) reply for this.
        """
        started = time.perf_counter()
        reply = self._next(messages, parameters)
        if self._latency_s:
            time.sleep(self._latency_s)
        return self._completion(reply, messages, started)

    async def acomplete(self, messages: Sequence[Message], parameters: Parameters = Parameters()) -> Completion:
        """The same without blocking the event loop."""
        started = time.perf_counter()
        reply = self._next(messages, parameters)
        if self._latency_s:
            await asyncio.sleep(self._latency_s)
        return self._completion(reply, messages, started)

    def _next(self, messages: Sequence[Message], parameters: Parameters) -> Reply:
        with self._lock:
            request = ScriptedRequest(tuple(messages), parameters)
            self.requests.append(request)
            if isinstance(self._script, Mapping):
                return self._of_mapping(self._script, request)
            if not callable(self._script):
                return self._in_order(self._script, "", request)
        return self._script(request.messages)

    def _of_mapping(self, script: Mapping[str, Reply | Sequence[Reply]], request: ScriptedRequest) -> Reply:
        sent = "\n\n".join(message.content for message in request.messages if message.role != "assistant")
        ends = {key: sent.rfind(key) + len(key) for key in script if key and key in sent}
        if ends:
            key = max(ends, key=lambda key: (ends[key], len(key)))
        elif "" in script:
            key = ""
        else:
            raise UnscriptedRequest(
                f"no key of the script ({', '.join(map(repr, script))}) occurs in {_shown(request)}"
            )
        reply = script[key]
        return reply if isinstance(reply, (str, Completion, BaseException)) else self._in_order(reply, key, request)

    def _in_order(self, replies: Sequence[Reply], key: str, request: ScriptedRequest) -> Reply:
        at = self._given.get(key, 0)
        if at >= len(replies):
            which = f" for {key!r}" if key else ""
            raise UnscriptedRequest(
                f"the script holds {len(replies)} replies{which}; one more was asked: {_shown(request)}"
            )
        self._given[key] = at + 1
        return replies[at]

    def _completion(self, reply: Reply, messages: Sequence[Message], started: float) -> Completion:
        if isinstance(reply, BaseException):
            raise reply
        if isinstance(reply, Completion):
            return replace(reply, model=reply.model or self._name)
        usage = Usage(
            calls=1,
            prompt_tokens=estimate_prompt_tokens(messages),
            completion_tokens=estimate_tokens(reply),
            seconds=time.perf_counter() - started,
        )
        return Completion(reply, usage, self._name)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.Lock()


def _shown(request: ScriptedRequest) -> str:
    """The end of what was sent: the question stands there."""
    text = request.last
    return repr(text if len(text) <= 300 else "…" + text[-300:])
