"""A language model in this process, or served from it over HTTP: any GGUF file, with the extra ``local``."""

from __future__ import annotations

import asyncio
import hashlib
import os
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from boxkit.answer import Usage
from boxkit.errors import LLMError
from boxkit.llm.engine import Engine, Generated, Generation, Settings, default_threads
from boxkit.llm.gguf import GGUF, read_gguf
from boxkit.llm.layout import layout_for
from boxkit.llm.protocol import Completion, Message, Parameters, PromptLayoutName
from boxkit.llm.tokens import estimate_prompt_tokens

__all__ = ["LocalLLM", "LocalServer"]

_DEFAULT_CONTEXT = 8192


class LocalLLM:
    """A model file run in this process by llama.cpp: no server, no key, no network.

    Args:
        model: The path of a GGUF file, or the name of a model that ``boxkit models pull`` fetched.
        threads: Threads for the computation; by default one less than the cores, at least 1.
        context_tokens: The context's size; by default what the model was trained for, at most 8192.
        timeout_s: The longest one reply may take, in seconds; looked at from token to token.
        layout: The prompt layout; by default the number of parameters decides (below 3 billion: ``compact``).

    The file is loaded at the first question. Threads and event loops may share one object: their questions are
    answered one after the other. A forked or pickled copy loads the file again for itself. Tokens are the engine's own
    count, and cost nothing.

    Raises:
        ModelNotFound: No such file or fetched model.
        LLMError: The file is no GGUF file, or is damaged.
    """

    def __init__(
        self,
        model: str | os.PathLike[str],
        *,
        threads: int | None = None,
        context_tokens: int | None = None,
        timeout_s: float = 600.0,
        layout: PromptLayoutName | None = None,
    ) -> None:
        if timeout_s <= 0:
            raise ValueError(f"timeout_s is {timeout_s}; it must be positive")
        self._header = _header(model)
        self._settings = _settings(self._header, threads, context_tokens)
        self._timeout_s = float(timeout_s)
        self._layout = layout or layout_for(self._header.parameters)
        self._engines: dict[int, _Loaded] = {}

    @property
    def name(self) -> str:
        """The file's name without its ending."""
        return self._header.path.stem

    @property
    def layout(self) -> PromptLayoutName:
        """The prompt layout that suits the model's size."""
        return self._layout

    @property
    def path(self) -> Path:
        """The model file."""
        return self._header.path

    @property
    def parameters(self) -> int:
        """The number of the model's weights."""
        return self._header.parameters

    @property
    def context_tokens(self) -> int:
        """The context's size in tokens."""
        return self._settings.context_tokens

    @property
    def identity(self) -> Mapping[str, Any]:
        """What tells its replies from another model's, for cache keys: the file's content counts, not its place."""
        return {"kind": "local", "file": _fingerprint(self._header.path), "context_tokens": self.context_tokens}

    def complete(self, messages: Sequence[Message], parameters: Parameters = Parameters()) -> Completion:
        """The reply to ``messages``; messages that end with an assistant's turn are continued.

        Raises:
            PromptTooLong: The prompt has more tokens than the context; says how many.
            LLMTimeout: The reply took longer than ``timeout_s``.
            MissingExtra: The extra ``local`` is not installed.
        """
        engine = self._engine()
        started = time.perf_counter()
        generation = engine.start(_body(messages, parameters), self._timeout_s)
        try:
            return self._completion(generation.done.result(), started)
        except LLMError as error:
            raise _billed(error, generation, messages, started) from None
        finally:
            generation.stop()

    async def acomplete(self, messages: Sequence[Message], parameters: Parameters = Parameters()) -> Completion:
        """The same without blocking the event loop; cancelling it ends the generation at its next token."""
        engine = await asyncio.to_thread(self._engine)
        started = time.perf_counter()
        generation = engine.start(_body(messages, parameters), self._timeout_s)
        try:
            return self._completion(await asyncio.wrap_future(generation.done), started)
        except LLMError as error:
            raise _billed(error, generation, messages, started) from None
        finally:
            generation.stop()

    def close(self) -> None:
        """Free the model's memory; the next question loads it again."""
        self._engines.pop(os.getpid(), None)

    def _engine(self) -> Engine:
        # By process, and no lock outside: one held during a fork would stay locked in the child for ever.
        pid = os.getpid()
        loaded = self._engines.setdefault(pid, _Loaded())
        with loaded.lock:
            if loaded.engine is None:
                for other, left in self._engines.items():
                    if other != pid and left.engine is not None:
                        left.engine.abandon()
                loaded.engine = Engine(self._header, self._settings)
            return loaded.engine

    def _completion(self, generated: Generated, started: float) -> Completion:
        usage = Usage(
            calls=1,
            prompt_tokens=generated.usage["prompt_tokens"],
            completion_tokens=generated.usage["completion_tokens"],
            cached_tokens=(generated.usage.get("prompt_tokens_details") or {}).get("cached_tokens", 0),
            seconds=time.perf_counter() - started,
        )
        return Completion(generated.text, usage, self.name, generated.finish_reason)

    def __repr__(self) -> str:
        return f"LocalLLM({str(self._header.path)!r}, threads={self._settings.threads})"

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_engines": {}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


class LocalServer:
    """The same model behind an OpenAI-compatible HTTP server on this machine, as long as the ``with`` block runs.

    Args:
        model: As for `LocalLLM`.
        threads: Threads for the computation; by default one less than the cores, at least 1.
        context_tokens: The context's size; by default what the model was trained for, at most 8192.
        port: The port on 127.0.0.1; 0 for any free one.
        key: What clients must send; by default a new one nobody can guess.

    Attributes:
        model: The name that clients ask for.
        key: The key that they send.
    """

    def __init__(
        self,
        model: str | os.PathLike[str],
        *,
        threads: int | None = None,
        context_tokens: int | None = None,
        port: int = 0,
        key: str | None = None,
    ) -> None:
        self._header = _header(model)
        self._settings = _settings(self._header, threads, context_tokens, port, key)
        self._engine: Engine | None = None
        self.model = self._settings.alias
        self.key = self._settings.key

    @property
    def base_url(self) -> str:
        """The address for clients, ending in ``/v1``.

        Raises:
            RuntimeError: The server is not running.
        """
        if self._engine is None:
            raise RuntimeError("the server is not running: use it in a with block")
        return self._engine.base_url

    def __enter__(self) -> LocalServer:
        self._engine = Engine(self._header, self._settings)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._engine = None


class _Loaded:
    """A process's engine, and the lock under which it is loaded once."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.engine: Engine | None = None


def _header(model: str | os.PathLike[str]) -> GGUF:
    path = Path(model).expanduser()
    if not path.is_file() and path.suffix.lower() != ".gguf":
        from boxkit.llm.pull import pulled_path

        path = pulled_path(str(model)) or path
    return read_gguf(path.resolve() if path.is_file() else path)


def _settings(
    header: GGUF, threads: int | None, context_tokens: int | None, port: int = 0, key: str | None = None
) -> Settings:
    if threads is not None and threads < 1:
        raise ValueError(f"threads is {threads}; at least one is needed")
    if context_tokens is not None and context_tokens < 16:
        raise ValueError(f"context_tokens is {context_tokens}; no prompt fits into that")
    context = context_tokens or min(header.context_tokens or _DEFAULT_CONTEXT, _DEFAULT_CONTEXT)
    return Settings(threads or default_threads(), context, port, key or Settings.new_key(), header.path.stem)


def _body(messages: Sequence[Message], parameters: Parameters) -> dict[str, Any]:
    if parameters.web_search:
        raise LLMError("a local model has no web search", hint="ask one that has: boxkit.OpenAI(…)")
    body: dict[str, Any] = {
        "messages": [{"role": message.role, "content": message.content} for message in messages],
        "temperature": parameters.temperature,
        "max_tokens": parameters.max_tokens,
    }
    if parameters.stop:
        body["stop"] = list(parameters.stop)
    if parameters.seed is not None:
        body["seed"] = parameters.seed % 2**32
    return body


def _billed(error: LLMError, generation: Generation, messages: Sequence[Message], started: float) -> LLMError:
    error.usage = Usage(
        calls=1,
        prompt_tokens=estimate_prompt_tokens(messages),
        completion_tokens=generation.tokens_so_far,
        seconds=time.perf_counter() - started,
        estimated_calls=1,
    )
    return error


def _fingerprint(path: Path) -> str:
    """SHA-256 of the size, the first and the last megabyte: tells model files apart without reading gigabytes."""
    size, piece = path.stat().st_size, 2**20
    digest = hashlib.sha256(str(size).encode())
    with path.open("rb") as file:
        digest.update(file.read(piece))
        file.seek(max(0, size - piece))
        digest.update(file.read(piece))
    return digest.hexdigest()
