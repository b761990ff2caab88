"""What a `FaultyServer` can answer, one function a kind of answer."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

__all__ = [
    "Fault",
    "broken_json",
    "cut_by_length",
    "drip",
    "dropped",
    "empty_body",
    "error_under_200",
    "filtered",
    "hang",
    "html_page",
    "no_choices",
    "no_such_model",
    "no_usage",
    "ok",
    "prompt_too_long",
    "rate_limited",
    "refusal",
    "server_error",
    "unavailable",
    "unsupported",
    "wrong_key",
]


@dataclass(frozen=True, slots=True)
class Fault:
    """One answer of the server's, good or bad.

    Attributes:
        status: The HTTP status.
        body: What is sent: a dict as JSON, text or bytes as they are.
        headers: More headers.
        pause_s: Seconds before the first byte.
        send_bytes: How many bytes of the body are sent before the connection breaks; None for all.
        stall_s: Seconds of silence after these bytes and before it breaks.
        drip_s: Seconds between one byte and the next; 0 to send all at once.
        as_stream: Whether a completion goes out as a stream where the request asks for one.
    """

    status: int = 200
    body: dict[str, Any] | str | bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    pause_s: float = 0.0
    send_bytes: int | None = None
    stall_s: float = 0.0
    drip_s: float = 0.0
    as_stream: bool = True

    def payload(self) -> bytes:
        """The body's bytes."""
        if isinstance(self.body, dict):
            return json.dumps(self.body).encode()
        return self.body.encode() if isinstance(self.body, str) else self.body


def _completion(
    text: str | None, *, reason: str = "stop", refusal: str | None = None, usage: dict[str, Any] | None = None
) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if refusal is not None:
        message["refusal"] = refusal
    body: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "faulty-1",
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
    }
    return body if usage is None else body | {"usage": usage}


def _usage(prompt: int, completion: int, cached: int = 0) -> dict[str, Any]:
    counts = {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
    return counts | {"prompt_tokens_details": {"cached_tokens": cached}}


def _error(status: int, message: str, *, code: str | None = None, param: str | None = None, **rest: Any) -> Fault:
    error = {"message": message, "type": "error", "param": param, "code": code}
    return Fault(status, {"error": error}, **rest)


def ok(text: str, *, prompt_tokens: int = 100, completion_tokens: int = 20, cached_tokens: int = 0) -> Fault:
    """A completion."""
    return Fault(body=_completion(text, usage=_usage(prompt_tokens, completion_tokens, cached_tokens)))


def no_usage(text: str) -> Fault:
    """A completion without a usage block."""
    return Fault(body=_completion(text))


def cut_by_length(text: str, *, completion_tokens: int = 20) -> Fault:
    """A completion that ended at the token limit."""
    return Fault(body=_completion(text, reason="length", usage=_usage(100, completion_tokens)))


def refusal(why: str = "I can't help with that.") -> Fault:
    """A completion in which the model declines."""
    return Fault(body=_completion(None, refusal=why, usage=_usage(100, 8)))


def filtered() -> Fault:
    """A completion that a content filter withheld."""
    return Fault(body=_completion(None, reason="content_filter", usage=_usage(100, 3)))


def no_choices() -> Fault:
    """A completion whose list of choices is empty; its tokens are billed all the same."""
    return Fault(body=_completion("") | {"choices": [], "usage": _usage(100, 5)})


def broken_json() -> Fault:
    """Status 200 and JSON that stops in the middle, its length as announced."""
    return Fault(body='{"id": "chatcmpl-1", "choices": [{"message": {"role": "assistant", "content": "ans')


def empty_body() -> Fault:
    """Status 200 and nothing."""
    return Fault()


def html_page(status: int = 200, title: str = "Sign in to the network") -> Fault:
    """A web page where a completion should be, as proxies and sign-in pages send."""
    page = f"<!doctype html><html><head><title>{title}</title></head><body><h1>{title}</h1></body></html>"
    return Fault(status, page, {"Content-Type": "text/html; charset=utf-8"})


def error_under_200(message: str = "upstream overloaded", code: int | str | None = 429) -> Fault:
    """An error object under status 200, as some gateways send."""
    return Fault(body={"error": {"message": message, "code": code}})


def rate_limited(retry_after: float | str | None = 0.05, *, message: str = "Rate limit reached") -> Fault:
    """Status 429; ``retry_after`` in seconds or as a date, None to leave the header out."""
    headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
    return _error(429, message, code="rate_limit_exceeded", headers=headers)


def server_error(status: int = 500) -> Fault:
    """A failure of the server's own."""
    return _error(status, "The server had an error while processing your request")


def unavailable(retry_after: float | None = None) -> Fault:
    """Status 503."""
    headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
    return _error(503, "The server is overloaded", headers=headers)


def wrong_key() -> Fault:
    """Status 401."""
    return _error(401, "Incorrect API key provided", code="invalid_api_key")


def no_such_model(model: str = "no-such-model") -> Fault:
    """Status 404 for a model."""
    return _error(404, f"The model `{model}` does not exist", code="model_not_found", param="model")


def unsupported(parameter: str, message: str | None = None, *, status: int = 400, with_param: bool = True) -> Fault:
    """Status 400 for a parameter that the model does not take, in OpenAI's words unless others are given."""
    said = message or f"Unsupported parameter: '{parameter}' is not supported with this model."
    return _error(status, said, code="unsupported_parameter", param=parameter if with_param else None)


def prompt_too_long() -> Fault:
    """Status 400 for a prompt longer than the model's context."""
    said = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens."
    return _error(400, said, code="context_length_exceeded", param="messages")


def hang(seconds: float = 30.0, *, after_bytes: int | None = None, text: str = "an answer that never ends") -> Fault:
    """Silence: before the first byte, or after so many bytes of a completion; then the connection breaks."""
    body = _completion(text, usage=_usage(100, 20))
    if after_bytes is None:
        return Fault(body=body, pause_s=seconds)
    return Fault(body=body, send_bytes=after_bytes, stall_s=seconds)


def dropped(after_bytes: int = 120, *, text: str = "an answer that breaks off") -> Fault:
    """A completion whose connection breaks after so many bytes."""
    return Fault(body=_completion(text, usage=_usage(100, 20)), send_bytes=after_bytes)


def drip(text: str, *, seconds_per_byte: float = 0.01) -> Fault:
    """A completion sent one byte at a time."""
    return Fault(body=_completion(text, usage=_usage(100, 20)), drip_s=seconds_per_byte)
