"""The one place where the openai package's exceptions, and a server's error answers, become boxkit's.

By status, refined by what the server says (`of_status`); by the exception's kind where there was no answer
(`of_exception`). Classes are known by name, so that no version of openai need be imported to read the table.
"""

from __future__ import annotations

import datetime
import email.utils
import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from boxkit.errors import (
    BadReply,
    LLMError,
    LLMTimeout,
    MissingKey,
    ModelNotFound,
    PromptTooLong,
    RateLimited,
    Refused,
    ServerUnavailable,
)
from boxkit.exhausted import FEWER_AT_ONCE, is_exhausted

__all__ = ["KINDS", "Server", "of_exception", "of_status", "retry_after_s"]

#: Every exception of the openai package's, and what it is to boxkit. A test holds this against the installed version.
KINDS: Mapping[str, type[LLMError]] = {
    "APIConnectionError": ServerUnavailable,
    "APIError": BadReply,
    "APIResponseValidationError": BadReply,
    "APIStatusError": LLMError,
    "APITimeoutError": LLMTimeout,
    "AuthenticationError": MissingKey,
    "BadRequestError": LLMError,
    "ConflictError": ServerUnavailable,
    "ContentFilterFinishReasonError": Refused,
    "InternalServerError": ServerUnavailable,
    "InvalidWebhookSignatureError": BadReply,
    "LengthFinishReasonError": BadReply,
    "NotFoundError": ModelNotFound,
    "OAuthError": MissingKey,
    "OpenAIError": LLMError,
    "PermissionDeniedError": MissingKey,
    "RateLimitError": RateLimited,
    "SubjectTokenProviderError": MissingKey,
    "UnprocessableEntityError": LLMError,
    "WebSocketConnectionClosedError": ServerUnavailable,
    "WebSocketQueueFullError": ServerUnavailable,
}

_BY_STATUS: Mapping[int, type[LLMError]] = {
    401: MissingKey,
    402: RateLimited,
    403: MissingKey,
    404: ModelNotFound,
    408: LLMTimeout,
    409: ServerUnavailable,
    425: ServerUnavailable,
    429: RateLimited,
    504: LLMTimeout,
    524: LLMTimeout,
}
_TOO_LONG = re.compile(
    r"context.{0,20}(length|window|size)|exceeds? the (available|maximum) context|prompt is too long|too many tokens",
    re.I,
)
_FILTERED = re.compile(r"content_filter|content.{0,3}policy|content management policy|safety (system|filter)", re.I)
_NO_CREDIT = re.compile(r"insufficient.{0,3}(quota|balance|credit)|exceeded your current quota|billing", re.I)


@dataclass(frozen=True, slots=True)
class Server:
    """Whom an error is about.

    Attributes:
        model: The model asked for.
        base_url: The server's address.
        key: The key sent, so that no message repeats it.
    """

    model: str
    base_url: str
    key: str

    @property
    def where(self) -> str:
        """The model and its address, as errors name them."""
        return f"{self.model} at {self.base_url}"

    def clean(self, text: str, limit: int = 500) -> str:
        """A server's text in one line, cut visibly, the key blotted out."""
        text = " ".join(text.split())
        if len(self.key) >= 6:
            text = text.replace(self.key, "<key>")
        return text if len(text) <= limit else text[:limit] + "…"


def of_status(status: int, error: Mapping[str, Any], headers: Mapping[str, str], server: Server) -> LLMError:
    """The error behind an answer with an error status.

    Args:
        status: The HTTP status, or the code inside an error body.
        error: The body's error object; ``message``, ``code``, ``type`` and ``param`` are looked at.
        headers: The response's, names in lower case.
        server: Whom it is about.
    """
    said = server.clean(str(error.get("message") or error.get("detail") or ""))
    text = f"{error.get('code') or ''} {error.get('type') or ''} {said}"
    kind = _kind_of_status(status, text)
    is_over = kind is RateLimited and (status == 402 or _NO_CREDIT.search(text))
    wait = math.inf if is_over else retry_after_s(headers)
    what = f"{_SENTENCES[kind]} (HTTP {status})" + (f": {said}" if said else "")
    return kind(what, where=server.where, hint=_hint(kind, wait, server), status=status, retry_after_s=wait)


_SENTENCES: Mapping[type[LLMError], str] = {
    LLMError: "the server does not accept the request",
    LLMTimeout: "the server gave up waiting",
    MissingKey: "the server does not accept the key",
    ModelNotFound: "the server has no such model",
    PromptTooLong: "the prompt is longer than the model's context",
    RateLimited: "the server asks for fewer requests",
    Refused: "a filter refused the request",
    ServerUnavailable: "the server failed",
}


def _kind_of_status(status: int, text: str) -> type[LLMError]:
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    if status >= 500:
        return ServerUnavailable
    if _TOO_LONG.search(text):
        return PromptTooLong
    if _FILTERED.search(text):
        return Refused
    return LLMError


def _hint(kind: type[LLMError], wait: float | None, server: Server) -> str | None:
    if kind is MissingKey:
        return "check the key (argument api_key, or OPENAI_API_KEY) and that it belongs to this server"
    if kind is ModelNotFound:
        return f"check the model's name and the address: most servers' ends in /v1 (given: {server.base_url})"
    if kind is RateLimited:
        if wait == math.inf:
            return "the account has no credit left: see its billing page"
        return f"wait {_duration(wait)}" if wait else "ask less at a time, or wait a minute"
    if kind is PromptTooLong:
        return "show fewer demonstrations or boxes, or use a model with a longer context"
    return None


def _duration(seconds: float) -> str:
    """A wait as a person would say it; never shorter than it is."""
    if seconds < 2 * 3600:
        return f"{math.ceil(seconds)} s"
    hours = math.ceil(seconds / 3600)
    return f"{hours} hours" if hours <= 48 else f"{math.ceil(hours / 24)} days" if hours < 24e4 else "for ever"


def of_exception(error: BaseException, server: Server, timeout_s: float) -> LLMError:
    """The error behind an exception of the openai package, or of the HTTP library under it."""
    status, response = getattr(error, "status_code", None), getattr(error, "response", None)
    if isinstance(status, int) and response is not None and status >= 300:
        return of_status(status, _error_object(error), dict(response.headers), server)
    kind = _kind_of_class(type(error))
    if kind is LLMTimeout:
        hint = "raise timeout_s, or ask for fewer tokens"
        return kind(f"no complete answer within {timeout_s:g} s", where=server.where, hint=hint)
    cause = error.__cause__ or error
    said = server.clean(str(cause)) or type(cause).__name__
    if kind is ServerUnavailable and is_exhausted(error):
        return kind("this machine opens no more connections", where=server.where, hint=FEWER_AT_ONCE)
    if kind is ServerUnavailable:
        hint = "check that the server runs, and its address (argument base_url, or OPENAI_BASE_URL)"
        return kind(f"the server cannot be reached: {said}", where=server.where, hint=hint)
    return kind(f"{type(error).__name__}: {said}", where=server.where)


def _kind_of_class(cls: type[BaseException]) -> type[LLMError]:
    if any(base is TimeoutError or base.__name__ == "TimeoutException" for base in cls.__mro__):
        return LLMTimeout
    for base in cls.__mro__:
        if base.__name__ in KINDS and base.__module__.split(".")[0] == "openai":
            return KINDS[base.__name__]
        if base is OSError or _is_http_library(base):
            return ServerUnavailable
    return LLMError


def _is_http_library(cls: type[BaseException]) -> bool:
    return cls.__module__.split(".")[0].startswith(("httpx", "httpcore"))


def _error_object(error: BaseException) -> Mapping[str, Any]:
    """What the server said, in the shapes that servers use: OpenAI's, FastAPI's, plain text."""
    body = getattr(error, "body", None)
    if isinstance(body, Mapping):
        inner = body.get("error", body)
        if isinstance(inner, Mapping):
            return inner if inner.get("message") or inner.get("detail") else {"message": str(dict(inner))}
        return {"message": str(inner)}
    text = str(body or getattr(error, "message", "") or "")
    return {"message": re.sub(r"<[^>]*>", " ", text) if text.lstrip().startswith("<") else text}


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """How long the server asks to wait, in seconds from now (it says ms, s or a date); None where it does not.

    Of several waits, as proxies add theirs, the longest counts.
    """
    for name, divisor in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            wait = max(float(each) for each in headers[name].split(",")) / divisor
        except (KeyError, ValueError):
            continue
        return max(0.0, wait) if math.isfinite(wait) else None
    try:
        moment = email.utils.parsedate_to_datetime(headers["retry-after"])
        # A date in HTTP is in GMT, also where a server leaves that out.
        utc = moment if moment.tzinfo is not None else moment.replace(tzinfo=datetime.UTC)
        return max(0.0, utc.timestamp() - time.time())
    except (KeyError, ValueError, TypeError, OverflowError):
        return None
