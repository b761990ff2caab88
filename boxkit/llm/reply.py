"""From the bytes that an OpenAI-compatible server sent to a reply; whole JSON and event streams alike."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from types import NoneType
from typing import Any

from boxkit.errors import BadReply

__all__ = ["Reply", "TokenCount", "count_in", "error_in", "partial_text", "read_reply"]

_CUT = {"length", "max_tokens", "MAX_TOKENS"}
_FILTERED = {"content_filter", "safety", "SAFETY"}
#: No model takes so many in one call: a count like that would empty a budget, or have callers wait for years.
_MOST_TOKENS = 1e8
_CONTENT = re.compile(r'"content"\s*:\s*"((?:[^"\\]|\\.)*)')


@dataclass(frozen=True, slots=True)
class TokenCount:
    """What the server counted.

    Attributes:
        prompt: Tokens sent.
        completion: Tokens received, hidden reasoning included.
        cached: Of those sent, the ones in the server's own cache.
    """

    prompt: int
    completion: int
    cached: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """What a server answered.

    Attributes:
        text: The reply; empty where the model said nothing.
        finish_reason: ``"stop"``, ``"length"`` where it was cut, else the server's own word.
        model: The model the server says it used; empty where it does not say.
        refusal: Why the model or a filter declined; empty where neither did.
        count: The server's token counts; None where it gave none that make sense.
        complete: False for a stream that ended before its end.
        id: What the server calls it; empty where it does not say.
    """

    text: str = ""
    finish_reason: str = "stop"
    model: str = ""
    refusal: str = ""
    count: TokenCount | None = None
    complete: bool = True
    id: str = ""


def read_reply(body: bytes) -> Reply:
    """The reply in a response's body.

    Raises:
        BadReply: The body is neither a chat completion nor a stream of its pieces.
    """
    text = _decoded(body)
    if _is_stream(text):
        return _of_stream(text)
    return _of_completion(_parsed(text))


def error_in(body: bytes) -> Mapping[str, Any] | None:
    """The ``error`` object of a body; None where it has none. Some servers send one under status 200."""
    for payload in _payloads(body):
        error = payload.get("error")
        if isinstance(error, Mapping) and error:
            return error
        if isinstance(error, str) and error:
            return {"message": error}
    return None


def count_in(body: bytes) -> TokenCount | None:
    """The token counts in a body, be it a completion or not; None where it has none that make sense."""
    counts = [count for payload in _payloads(body) if (count := _count(payload)) is not None]
    return counts[-1] if counts else None


def _payloads(body: bytes) -> list[Mapping[str, Any]]:
    """The JSON objects in a body, as far as they can be read."""
    payloads = []
    with suppress(BadReply):
        text = _decoded(body)
        for payload in _events(text) if _is_stream(text) else [_parsed(text)]:
            payloads.append(payload)
    return payloads


def _is_stream(text: str) -> bool:
    return text.lstrip().startswith(("data:", ":", "event:"))


def partial_text(body: bytes) -> str:
    """What can be read of a reply that broke off: its text so far, for counting its cost. Never raises."""
    return "".join(map(_unescaped, _CONTENT.findall(body.decode("utf-8", "replace"))))


def _unescaped(piece: str) -> str:
    try:
        return str(json.loads(f'"{piece}"', strict=False))
    except ValueError:
        return piece


def _decoded(body: bytes) -> str:
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadReply(f"the reply is no text: {error.reason} at byte {error.start}") from error


def _parsed(text: str) -> Mapping[str, Any]:
    if not text.strip():
        raise BadReply("the reply is empty")
    try:
        payload = json.loads(text)
    except (ValueError, RecursionError) as error:
        if text.lstrip()[:1] == "<":
            raise BadReply(f"the reply is a web page, not JSON: {_shown(_title(text))}") from error
        raise BadReply(f"the reply is broken JSON ({error}): {_shown(text)}") from error
    if not isinstance(payload, dict):
        raise BadReply(f"the reply is JSON but no completion: {_shown(text)}")
    return payload


def _title(page: str) -> str:
    found = re.search(r"<title[^>]*>(.*?)</title>", page, re.IGNORECASE | re.DOTALL)
    return " ".join((found.group(1) if found else re.sub(r"<[^>]*>", " ", page)).split())


def _shown(text: str, limit: int = 200) -> str:
    return repr(text if len(text) <= limit else text[:limit] + "…")


def _of_completion(payload: Mapping[str, Any]) -> Reply:
    choices = payload.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise BadReply(f"the reply holds no choices: {_shown(json.dumps(payload))}")
    choice = choices[0]
    message = choice.get("message")
    if not isinstance(message, dict):
        raise BadReply(f"the reply's choice holds no message: {_shown(json.dumps(choice))}")
    text = _content_of(message)
    reply = _finished(choice.get("finish_reason"), text, _text_of(message.get("refusal")))
    return replace(reply, model=_text_of(payload.get("model")), id=_text_of(payload.get("id")), count=_count(payload))


def _finished(reason: Any, text: str, refusal: str) -> Reply:
    reason = reason if isinstance(reason, str) and reason else "stop"
    if not refusal and reason in _FILTERED:
        refusal = "a content filter withheld the reply"
    return Reply(_printable(text), "length" if reason in _CUT else reason, refusal=_printable(refusal))


def _content_of(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if not isinstance(content, (str, list, NoneType)):
        raise BadReply(f"the reply's content is no text: {_shown(json.dumps(content))}")
    return _text_of(content)


def _text_of(content: Any) -> str:
    """Text, or the text among a list of parts; reasoning parts are not the reply."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(map(_text_of_part, content))
    return ""


def _text_of_part(part: Any) -> str:
    if isinstance(part, dict):
        return _text_of(part.get("text")) if part.get("type", "text") in ("text", "output_text") else ""
    return part if isinstance(part, str) else ""


def _printable(text: str) -> str:
    """The same without lone surrogates, which nothing can write to a file."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _count(payload: Mapping[str, Any]) -> TokenCount | None:
    usage = payload.get("usage")
    if not isinstance(usage, dict):
        return None
    prompt, completion = _number(usage.get("prompt_tokens")), _number(usage.get("completion_tokens"))
    total = _number(usage.get("total_tokens"))
    if prompt is not None and completion is None and total is not None and total >= prompt:
        completion = total - prompt
    if prompt is None or completion is None:
        return None
    details = usage.get("prompt_tokens_details")
    cached = _number(details.get("cached_tokens")) if isinstance(details, dict) else None
    if cached is None:
        cached = _number(usage.get("prompt_cache_hit_tokens"))
    return TokenCount(prompt, completion, min(cached or 0, prompt))


def _number(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return int(value) if 0 <= value < _MOST_TOKENS else None


def _events(text: str) -> Iterator[Mapping[str, Any]]:
    for line in text.splitlines():
        data = line.removeprefix("data:").strip() if line.startswith("data:") else ""
        if data and data != "[DONE]":
            yield _parsed(data)


def _of_stream(text: str) -> Reply:
    pieces, refusals, reason, model, reply_id = [], [], None, "", ""
    count: TokenCount | None = None
    for event in _events(text):
        model = model or _text_of(event.get("model"))
        reply_id = reply_id or _text_of(event.get("id"))
        count = _count(event) or count
        choices = event.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
        delta = choice.get("delta")
        if isinstance(delta, dict):
            pieces.append(_content_of(delta))
            refusals.append(_text_of(delta.get("refusal")))
        reason = choice.get("finish_reason") or reason
    done = any(line.removeprefix("data:").strip() == "[DONE]" for line in text.splitlines() if line.startswith("data:"))
    reply = _finished(reason, "".join(pieces), "".join(refusals))
    return replace(reply, model=model, id=reply_id, count=count, complete=reason is not None or done)
