"""llama.cpp in this process, by way of ``xllamacpp``: loading a model, one generation, and what goes wrong."""

from __future__ import annotations

import ctypes
import os
import secrets
import threading
import time
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from boxkit.errors import LLMError, LLMTimeout, MissingExtra, PromptTooLong
from boxkit.llm.gguf import GGUF

__all__ = ["Engine", "Generated", "Generation", "Settings", "default_threads"]


def default_threads() -> int:
    """One less than the cores this process may use, at least 1: with every core busy generation slows down manyfold."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, available - 1)


@dataclass(frozen=True, slots=True)
class Settings:
    """How a model is loaded.

    Attributes:
        threads: Threads for prompt and reply.
        context_tokens: The context's size in tokens.
        port: The port on 127.0.0.1 that its server listens on; 0 for any free one.
        key: What HTTP clients must send; nobody else on this machine is let in.
        alias: The model's name for HTTP clients.
    """

    threads: int
    context_tokens: int
    port: int
    key: str
    alias: str

    @staticmethod
    def new_key() -> str:
        """A key nobody can guess."""
        return secrets.token_urlsafe(24)


class Engine:
    """A loaded model. Its server listens on 127.0.0.1 as long as the object lives."""

    def __init__(self, header: GGUF, settings: Settings) -> None:
        try:
            import xllamacpp
        except ImportError as error:
            raise MissingExtra("xllamacpp", "local") from error
        params = xllamacpp.CommonParams()
        params.model.path = str(header.path)
        params.model_alias = {settings.alias}
        params.n_ctx = settings.context_tokens
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = settings.threads
        params.hostnames = ["127.0.0.1"]
        params.port = settings.port
        params.api_keys = [settings.key]
        params.n_parallel = 1
        params.cache_ram_mib = 0
        params.warmup = params.ui = False
        params.verbosity = -1
        try:
            self._server = xllamacpp.Server(params)
        except (RuntimeError, ValueError, OSError) as error:
            hint = "check the file (is its download complete?) and the memory that is free"
            raise LLMError(f"the model cannot be loaded: {error}", where=str(header.path), hint=hint) from error
        self._where = str(header.path)
        self._settings = settings
        self._pid = os.getpid()

    @property
    def base_url(self) -> str:
        """The address for OpenAI-compatible clients."""
        return f"{self._server.listening_address}/v1"

    def start(self, body: Mapping[str, Any], timeout_s: float) -> Generation:
        """Begin one reply to a chat request (OpenAI's body)."""
        return Generation(self._server, dict(body), timeout_s, self._where, self._settings.context_tokens)

    def abandon(self) -> None:
        """Never free this, in a forked child: its threads stayed with the parent, and waiting for them has no end."""
        if self._pid != os.getpid():
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._server))


@dataclass(frozen=True, slots=True)
class Generated:
    """One reply.

    Attributes:
        text: The reply.
        finish_reason: ``"stop"`` or ``"length"``.
        usage: The engine's counts, in OpenAI's form.
    """

    text: str
    finish_reason: str
    usage: Mapping[str, Any]


@dataclass(slots=True)
class _Progress:
    pieces: list[str] = field(default_factory=list)
    reason: str = "stop"
    usage: Mapping[str, Any] = field(default_factory=dict)
    error: Mapping[str, Any] | None = None


class Generation:
    """One reply under way, in a thread of its own, so that Ctrl-C, a time limit or a cancelled task can end it.

    Attributes:
        done: Resolves to `Generated`, or to the `LLMError` that says why there is none.
    """

    def __init__(self, server: Any, body: dict[str, Any], timeout_s: float, where: str, context_tokens: int) -> None:
        self.done: Future[Generated] = Future()
        # Nobody cancels it from outside: a cancelled task just stops listening.
        self.done.set_running_or_notify_cancel()
        self._server = server
        self._body = body | {"stream": True, "stream_options": {"include_usage": True}}
        self._deadline = time.monotonic() + timeout_s
        self._timeout_s = timeout_s
        self._where = where
        self._context_tokens = context_tokens
        self._progress = _Progress()
        self._stopped = False
        threading.Thread(target=self._run, name="boxkit-local-llm").start()

    def stop(self) -> None:
        """End it at the next token; `done` is left to whoever waits."""
        self._stopped = True

    @property
    def tokens_so_far(self) -> int:
        """Tokens generated so far."""
        return len(self._progress.pieces)

    def _run(self) -> None:
        try:
            reply = self._server.handle_chat_completions(self._body, self._piece)
            if isinstance(reply, Mapping):
                self._piece(reply)
            self.done.set_result(self._generated())
        except (LLMError, RuntimeError, ValueError, TypeError) as error:
            if not isinstance(error, LLMError):
                error = LLMError(f"the model's engine failed: {error}", where=self._where)
            self.done.set_exception(error)

    def _piece(self, piece: Mapping[str, Any]) -> bool:
        """Take one piece of the reply; True ends the generation (an exception here would be swallowed)."""
        progress = self._progress
        progress.error = piece.get("error") or progress.error
        progress.usage = piece.get("usage") or progress.usage
        for choice in piece.get("choices") or ():
            text = (choice.get("delta") or choice.get("message") or {}).get("content")
            if text:
                progress.pieces.append(text)
            progress.reason = choice.get("finish_reason") or progress.reason
        return self._stopped or progress.error is not None or time.monotonic() > self._deadline

    def _generated(self) -> Generated:
        progress = self._progress
        if progress.error is not None:
            raise self._error(progress.error)
        if not progress.usage:
            hint = "raise timeout_s, or ask for fewer tokens"
            what = f"no complete answer within {self._timeout_s:g} s ({self.tokens_so_far} tokens came)"
            raise LLMTimeout(what, where=self._where, hint=hint)
        return Generated("".join(progress.pieces), progress.reason, progress.usage)

    def _error(self, error: Mapping[str, Any]) -> LLMError:
        if error.get("type") == "exceed_context_size_error" or "context size" in str(error.get("message")):
            tokens = error.get("n_prompt_tokens")
            what = f"the prompt is {tokens or 'too many'} tokens long; the context holds {self._context_tokens}"
            hint = "raise context_tokens, or show fewer demonstrations or boxes"
            return PromptTooLong(what, where=self._where, hint=hint)
        return LLMError(f"the model's engine refused: {error.get('message')}", where=self._where)
