"""Any OpenAI-compatible server, through the ``openai`` package."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from boxkit.bounds import LONGEST_S, check_count, check_number
from boxkit.errors import MissingKey
from boxkit.llm.adjust import Adjustments
from boxkit.llm.clients import Clients, client_errors
from boxkit.llm.exchange import Exchange, HangUp, Received, RetryPolicy, Send, Step
from boxkit.llm.layout import layout_for, parameters_named
from boxkit.llm.prices import Price, price_of
from boxkit.llm.protocol import Completion, Message, Parameters, PromptLayoutName
from boxkit.llm.repeats import Repeats
from boxkit.llm.server_errors import Server

if TYPE_CHECKING:
    import openai

__all__ = ["OpenAI"]

_DEFAULT_URL = "https://api.openai.com/v1"
_MAX_BYTES = 64 * 2**20


class OpenAI:
    """A model behind an OpenAI-compatible server: OpenAI, Azure, vLLM, Ollama, llama.cpp, LM Studio…

    Args:
        model: The model's name, as the server knows it.
        base_url: The server's address, most often ending in ``/v1``; else ``OPENAI_BASE_URL``, else OpenAI's own.
        api_key: The key; else ``OPENAI_API_KEY``. A server given by address may do without one.
        timeout_s: The longest one try may take, from the request to the reply's last byte, in seconds. While a reply
            comes in, the blocking client looks at the clock between its pieces, so one stalled piece may double it.
        max_retries: Tries after the first, on a busy or failing server, a timeout, or a reply that is none.
        backoff_s: The first wait between tries where the server names none, in seconds; it doubles.
        max_wait_s: A server that asks for a longer wait than this, in seconds, is not waited for.
        layout: The prompt layout; by default the size in the model's name decides (below 3 billion parameters:
            ``compact``), and ``full`` where it gives none.
        stream: Ask for the reply piece by piece, so that a reply that breaks off is counted to the word.
        price: What the model costs; else the table of known models, else its cost is unknown (None).
        extra: More of the request's body, such as ``{"reasoning_effort": "low"}``; part of a cache's key.
        headers: More HTTP headers, for gateways.

    One object may be shared by threads, event loops, notebooks and forked processes, and can be pickled. A model that
    takes no ``temperature``, or wants ``max_completion_tokens``, is found out by its first refusal (see `adjustments`).

    Raises:
        MissingKey: There is no key, and the server is OpenAI's own.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        timeout_s: float = 120.0,
        max_retries: int = 4,
        backoff_s: float = 0.5,
        max_wait_s: float = 60.0,
        layout: PromptLayoutName | None = None,
        stream: bool = False,
        price: Price | None = None,
        extra: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        if not model or not model.strip():
            raise ValueError("model is empty; give the name of a model that the server has")
        check_number("timeout_s", timeout_s, most=LONGEST_S)
        check_count("max_retries", max_retries, least=0)
        for name, seconds in (("backoff_s", backoff_s), ("max_wait_s", max_wait_s)):
            check_number(name, seconds, positive=False, most=LONGEST_S)
        self._model = model.strip()
        self._base_url = _address(base_url or os.environ.get("OPENAI_BASE_URL") or _DEFAULT_URL)
        self._key_given = api_key
        self._key = _key(api_key or os.environ.get("OPENAI_API_KEY") or "", self._base_url)
        self._timeout_s = float(timeout_s)
        self._policy = RetryPolicy(max_retries, backoff_s, max_wait_s=max_wait_s)
        self._layout = layout or layout_for(parameters_named(self._model))
        self._stream = stream
        self._price = price or price_of(self._model)
        self._extra = dict(extra or {})
        self._headers = dict(headers or {})
        self._adjustments = Adjustments()
        self._repeats = Repeats()
        self._clients = Clients(self._base_url, self._key, self._headers)

    @property
    def name(self) -> str:
        """The model's name."""
        return self._model

    @property
    def layout(self) -> PromptLayoutName:
        """The prompt layout that suits the model."""
        return self._layout

    @property
    def base_url(self) -> str:
        """The server's address."""
        return self._base_url

    @property
    def identity(self) -> Mapping[str, Any]:
        """What tells its replies from another model's, for cache keys."""
        return {"kind": "openai", "model": self._model, "base_url": self._base_url, "extra": self._extra}

    @property
    def adjustments(self) -> str:
        """How requests differ from what was asked, because the model refuses it; empty where they do not."""
        return str(self._adjustments)

    def complete(self, messages: Sequence[Message], parameters: Parameters = Parameters()) -> Completion:
        """The reply to ``messages``, after polite retries.

        Raises:
            MissingKey: The server does not accept the key.
            ModelNotFound: It has no such model, or the address is wrong.
            PromptTooLong: The prompt is longer than the model's context.
            RateLimited: It went on asking for fewer requests, or for too long a wait.
            LLMTimeout: No complete reply came in time.
            BadReply: What came was no completion.
            Refused: The model or a filter declined.
            ServerUnavailable: The server failed or cannot be reached.
            LLMError: It does not accept the request for another reason. Each has the cost in ``usage``.
        """
        client = self._clients.blocking()
        steps = self._steps(messages, parameters)
        step = next(steps)
        try:
            while True:
                if isinstance(step, Send):
                    step = steps.send(self._send(client, step))
                    continue
                if isinstance(step, HangUp):
                    if step.connection is not None:
                        step.connection.close()
                else:
                    time.sleep(step.seconds)
                step = next(steps)
        except StopIteration as done:
            completion: Completion = done.value
            return completion

    async def acomplete(self, messages: Sequence[Message], parameters: Parameters = Parameters()) -> Completion:
        """The same without blocking the event loop; cancelling it ends the request."""
        client = await self._clients.of_running_loop()
        steps = self._steps(messages, parameters)
        step = next(steps)
        try:
            while True:
                if isinstance(step, Send):
                    step = steps.send(await self._asend(client, step))
                    continue
                if isinstance(step, HangUp):
                    if step.connection is not None:
                        await step.connection.aclose()
                else:
                    await asyncio.sleep(step.seconds)
                step = next(steps)
        except StopIteration as done:
            completion: Completion = done.value
            return completion

    def close(self) -> None:
        """Close the connections kept open by threads of this process; the object stays usable."""
        self._clients.close()

    def _steps(
        self, messages: Sequence[Message], parameters: Parameters
    ) -> Generator[Step, Received | None, Completion]:
        server = Server(self._model, self._base_url, self._key)
        body = self._body(messages, parameters)
        exchange = Exchange(
            server,
            messages,
            parameters,
            body,
            self._price,
            self._policy,
            self._timeout_s,
            self._adjustments,
            self._adjust,
            self._repeats,
        )
        return exchange.steps()

    def _body(self, messages: Sequence[Message], parameters: Parameters) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": message.role, "content": message.content} for message in messages],
            "temperature": parameters.temperature,
            "max_tokens": parameters.max_tokens,
        }
        if parameters.stop:
            body["stop"] = list(parameters.stop)
        if parameters.seed is not None:
            body["seed"] = parameters.seed
        if parameters.web_search:
            body["web_search_options"] = {}
        if self._stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        return body | self._extra

    def _adjust(self, learnt: Adjustments) -> None:
        self._adjustments = self._adjustments.merged(learnt)

    def _arguments(self, body: Mapping[str, Any]) -> dict[str, Any]:
        import openai

        rest = {name: value for name, value in body.items() if name not in ("model", "messages")}
        timeout = openai.Timeout(self._timeout_s, connect=min(10.0, self._timeout_s))
        arguments = {"model": body["model"], "messages": body["messages"], "extra_body": rest, "timeout": timeout}
        return arguments | ({"extra_headers": {"Connection": "close"}} if self._repeats.found else {})

    def _send(self, client: openai.OpenAI, step: Send) -> Received:
        deadline = time.monotonic() + self._timeout_s
        body, headers, connection = bytearray(), {}, None
        completions = client.chat.completions.with_streaming_response
        try:
            with completions.create(**self._arguments(step.body)) as response:
                headers = dict(response.headers)
                connection = response.http_response.extensions.get("network_stream")
                for piece in response.iter_bytes():
                    body += piece
                    if time.monotonic() > deadline:
                        raise TimeoutError
                    _check_size(body)
        except client_errors() as error:
            return Received(bytes(body), headers, error)
        return Received(bytes(body), headers, connection=connection)

    async def _asend(self, client: openai.AsyncOpenAI, step: Send) -> Received:
        body, headers, connection = bytearray(), {}, None
        completions = client.chat.completions.with_streaming_response
        try:
            async with (
                asyncio.timeout(self._timeout_s),
                completions.create(**self._arguments(step.body)) as response,
            ):
                headers = dict(response.headers)
                connection = response.http_response.extensions.get("network_stream")
                async for piece in response.iter_bytes():
                    body += piece
                    _check_size(body)
        except client_errors() as error:
            return Received(bytes(body), headers, error)
        return Received(bytes(body), headers, connection=connection)

    def __repr__(self) -> str:
        return f"OpenAI({self._model!r}, base_url={self._base_url!r})"

    def __getstate__(self) -> dict[str, Any]:
        # A key from the environment stays there: the other process reads its own.
        dropped = ("_clients", "_repeats", *(("_key",) if self._key_given is None else ()))
        return {name: value for name, value in self.__dict__.items() if name not in dropped}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if self._key_given is None:
            self._key = _key(os.environ.get("OPENAI_API_KEY") or "", self._base_url)
        self._repeats = Repeats()
        self._clients = Clients(self._base_url, self._key, self._headers)


def _check_size(body: bytearray) -> None:
    if len(body) > _MAX_BYTES:
        raise ConnectionError(f"the reply is longer than {_MAX_BYTES // 2**20} MB")


def _address(url: str) -> str:
    url = url.strip().rstrip("/")
    if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname:
        raise ValueError(f"base_url is {url!r}; an address like 'http://localhost:11434/v1' is meant")
    return url


def _key(key: str, base_url: str) -> str:
    key = key.strip()
    if not key and base_url == _DEFAULT_URL:
        hint = "set OPENAI_API_KEY, pass api_key=…, or name another server with base_url=…"
        raise MissingKey("there is no key for OpenAI's own server", where=base_url, hint=hint)
    if not key.isascii() or not key.isprintable():
        hint = "copy it again: a key is plain letters, digits and signs"
        raise MissingKey("the key holds characters that no key has", where=base_url, hint=hint)
    return key or "none"
