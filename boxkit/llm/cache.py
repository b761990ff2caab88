"""A disk cache of completions, as a wrapper around any model."""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib
import json
import logging
import os
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from boxkit.answer import Usage
from boxkit.llm.protocol import LLM, Completion, Message, Parameters
from boxkit.llm.wrapper import Wrapper, identity_of

__all__ = ["Cached"]

_LOG = logging.getLogger(__name__)
_FORMAT = 1
_KEPT = ("calls", "prompt_tokens", "completion_tokens", "cached_tokens", "virtual_dollars", "estimated_calls")


@dataclass(frozen=True, slots=True)
class Cached(Wrapper):
    """The same model, but what it was asked before is read from disk.

    A reply is found again only where everything is the same that shapes it: the model and its server, the messages, the
    parameters (the seed too, so that samples of one prompt differ), and the salt. A hit costs nothing
    (``usage.dollars`` is 0, ``usage.cached_calls`` is 1), and keeps its tokens and what it would have cost
    (``usage.virtual_dollars``). Errors are not kept. Processes and threads may share a folder: a file is written whole
    or not at all. One that is damaged is asked for anew, and said in the log.

    Attributes:
        llm: The model.
        folder: Where replies lie: JSON, one file each, made when first needed. Delete it to forget.
        salt: More that shapes the reply but not the prompt, such as a BoxSet's fingerprint.
    """

    llm: LLM
    folder: str | os.PathLike[str]
    salt: str = ""

    def complete(self, messages: Sequence[Message], parameters: Parameters = Parameters()) -> Completion:
        """The reply from the cache, else the model's, which is kept.

        Raises:
            LLMError: As the model raises it.
        """
        path = self.path_of(messages, parameters)
        found = _read(path)
        if found is None:
            found = self.llm.complete(messages, parameters)
            _write(path, found, self.name)
        return found

    async def acomplete(self, messages: Sequence[Message], parameters: Parameters = Parameters()) -> Completion:
        """The same without blocking the event loop."""
        path = self.path_of(messages, parameters)
        found = await asyncio.to_thread(_read, path)
        if found is None:
            found = await self.llm.acomplete(messages, parameters)
            await asyncio.to_thread(_write, path, found, self.name)
        return found

    def path_of(self, messages: Sequence[Message], parameters: Parameters = Parameters()) -> Path:
        """The file that holds, or would hold, the reply."""
        key = {
            "format": _FORMAT,
            "model": identity_of(self.llm),
            "messages": [[message.role, message.content] for message in messages],
            "parameters": dataclasses.asdict(parameters),
            "salt": self.salt,
        }
        text = json.dumps(key, sort_keys=True, default=str)
        digest = hashlib.sha256(text.encode()).hexdigest()
        return Path(self.folder) / digest[:2] / f"{digest[2:]}.json"


def _read(path: Path) -> Completion | None:
    started = time.perf_counter()
    try:
        kept = json.loads(path.read_bytes())
        usage = {name: kept["usage"][name] for name in _KEPT}
        text, model, reason = kept["text"], kept["model"], kept["finish_reason"]
        if not (isinstance(text, str) and isinstance(model, str) and isinstance(reason, str)):
            raise TypeError("a field is no text")
        counted = Usage(**usage, cached_calls=usage["calls"], seconds=time.perf_counter() - started, dollars=0.0)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        _LOG.warning("the cached reply %s cannot be read, so the model is asked again: %s", path, error)
        return None
    return Completion(text, counted, model, reason, cached=True)


def _write(path: Path, completion: Completion, name: str) -> None:
    usage = dataclasses.asdict(completion.usage)
    kept = {
        "model": completion.model,
        "asked_of": name,
        "finish_reason": completion.finish_reason,
        "usage": {field: usage[field] for field in _KEPT},
        "text": completion.text,
    }
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(kept, file, indent=1)
            os.replace(temporary, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)
            raise
    except OSError as error:
        # The reply is paid for: it is worth more than its copy.
        _LOG.warning("the reply could not be kept in the cache: %s", error)
