"""One completion over HTTP as a generator: what to send, how long to wait, and what to make of what comes back.

No I/O here, so that the blocking and the asynchronous client share every decision: `exchange` yields `Send` and `Wait`
and is sent a `Received` for the first.
"""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from boxkit.answer import Usage
from boxkit.errors import BadReply, LLMError, LLMTimeout, RateLimited, Refused, ServerUnavailable
from boxkit.llm.adjust import Adjustments
from boxkit.llm.prices import Price
from boxkit.llm.protocol import Completion, Message, Parameters
from boxkit.llm.repeats import Repeats
from boxkit.llm.reply import Reply, TokenCount, count_in, error_in, partial_text, read_reply
from boxkit.llm.server_errors import Server, of_exception, of_status
from boxkit.llm.tokens import estimate_prompt_tokens, estimate_tokens

__all__ = ["Exchange", "HangUp", "Received", "RetryPolicy", "Send", "Wait"]

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Send:
    """Post this body to the server's chat completions."""

    body: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Wait:
    """Sleep this long."""

    seconds: float


@dataclass(frozen=True, slots=True)
class HangUp:
    """Close this connection: what comes from it next is not what is asked next."""

    connection: Any


@dataclass(frozen=True, slots=True)
class Received:
    """What came of a `Send`.

    Attributes:
        body: The bytes read, all of them or those before it broke.
        headers: The response's, names in lower case.
        error: What was raised; None where the whole body is there.
        connection: From which it came; None where it broke.
    """

    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    error: Exception | None = None
    connection: Any = None


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How failed tries are repeated.

    Attributes:
        max_retries: Tries after the first.
        backoff_s: The first wait where the server names none; it doubles from try to try.
        max_backoff_s: The longest such wait.
        max_wait_s: A server that asks for a longer wait than this is not waited for.
    """

    max_retries: int = 4
    backoff_s: float = 0.5
    max_backoff_s: float = 20.0
    max_wait_s: float = 60.0

    def wait_s(self, error: LLMError, retries: int) -> float | None:
        """How long to wait before the next try; None where there should be none.

        What the server asks for is honoured and never shortened; else the wait doubles. Both carry some chance, so that
        many clients do not come back at once.
        """
        if retries >= self.max_retries or not _worth_retrying(error):
            return None
        if not error.retry_after_s:  # "at once" from a server that has just refused is no wait at all
            longest = min(self.max_backoff_s, self.backoff_s * 2.0 ** min(retries, 30))
            return longest * random.uniform(0.5, 1.0)  # noqa: S311 - spreads load, keeps no secret
        if error.retry_after_s > self.max_wait_s:
            return None
        return error.retry_after_s + random.uniform(0.0, min(1.0, 0.1 * error.retry_after_s))  # noqa: S311 - spreads load, keeps no secret


def _worth_retrying(error: LLMError) -> bool:
    return isinstance(error, (RateLimited, ServerUnavailable, LLMTimeout, BadReply)) and error.status != 501


Step: TypeAlias = Send | Wait | HangUp


class _Repeated(BadReply):
    """A reply that has come to another request before."""


@dataclass(slots=True)
class Exchange:
    """One completion, from the first try to the reply or the error that says why there is none.

    Attributes:
        server: Whom it is about.
        messages: What is asked.
        parameters: How.
        body: The request's body, before adjustments.
        price: What tokens cost; None where unknown.
        policy: How failed tries are repeated.
        timeout_s: The time one try is given, for messages.
        adjustments: How this model wants requests written.
        on_adjusted: Told when that changes.
        repeats: Which replies the server has sent so far.
    """

    server: Server
    messages: Sequence[Message]
    parameters: Parameters
    body: Mapping[str, Any]
    price: Price | None
    policy: RetryPolicy
    timeout_s: float
    adjustments: Adjustments
    on_adjusted: Callable[[Adjustments], None]
    repeats: Repeats = field(default_factory=Repeats)
    _spent: Usage = field(default_factory=Usage)

    def steps(self) -> Generator[Step, Received | None, Completion]:
        """Yields what to do, is sent what came of it, returns the completion.

        Raises:
            LLMError: One of its kinds, with all that the tries cost in ``usage``.
        """
        started = time.perf_counter()
        retries = 0
        while True:
            sent = self.adjustments.apply(self.body)
            received = yield Send(sent)
            assert received is not None, "a Send is answered with a Received"
            try:
                return self._completion(self._reply(received), started)
            except LLMError as error:
                if isinstance(error, _Repeated):
                    yield HangUp(received.connection)
                if self._adjusted(sent, received, error):
                    continue
                wait = self.policy.wait_s(error, retries)
                if wait is None:
                    raise self._final(error, retries, started) from received.error
                _LOG.info("try %d of %s failed, again in %.1f s: %s", retries + 1, self.server.where, wait, error.what)
            retries += 1
            yield Wait(wait)

    def _reply(self, received: Received) -> Reply:
        """The reply, what it cost counted where it is no good."""
        if received.error is not None:
            error = self._of_broken(received, received.error)
            if error.status is None and (received.headers or isinstance(error, LLMTimeout)):
                self._spend(count_in(received.body), partial_text(received.body))
            raise error
        told = error_in(received.body)
        if told is not None:
            code = str(told.get("code") or "")
            if code.isdecimal() and 400 <= int(code) < 600:
                raise of_status(int(code), told, received.headers, self.server)
            self._spend(count_in(received.body), partial_text(received.body))
            raise BadReply(f"the server answered with an error: {self._said(told)}", where=self.server.where)
        try:
            reply = read_reply(received.body)
        except BadReply as error:
            self._spend(count_in(received.body), partial_text(received.body))
            raise BadReply(self.server.clean(error.what), where=self.server.where) from error
        if reply.refusal:
            self._spend(reply.count, reply.text + reply.refusal)
            raise Refused(f"the model declined: {self.server.clean(reply.refusal)}", where=self.server.where)
        if not reply.complete:
            self._spend(reply.count, reply.text)
            raise BadReply("the reply's stream ended before its end", where=self.server.where)
        if self.repeats.is_one(reply.id, received.body, self.body):
            self._spend(reply.count, reply.text)
            raise _Repeated("the server sent its reply to another request a second time", where=self.server.where)
        return reply

    def _said(self, told: Mapping[str, Any]) -> str:
        return self.server.clean(str(told.get("message") or dict(told)))

    def _of_broken(self, received: Received, raised: Exception) -> LLMError:
        error = of_exception(raised, self.server, self.timeout_s)
        if error.status is None and received.headers and isinstance(error, ServerUnavailable):
            why = self.server.clean(str(raised)) or type(raised).__name__
            what = f"the connection broke after {len(received.body)} bytes of the reply: {why}"
            return BadReply(what, where=self.server.where)
        return error

    def _adjusted(self, sent: Mapping[str, Any], received: Received, error: LLMError) -> bool:
        """Whether the server named something that can be sent otherwise; remembered if so."""
        if error.status is None:
            return False
        said = getattr(received.error, "body", None) or error_in(received.body)
        said = said.get("error", said) if isinstance(said, Mapping) else said
        learnt = self.adjustments.learn(sent, error.status, said if isinstance(said, Mapping) else {"message": said})
        if learnt is None or learnt.apply(self.body) == sent:
            return False
        self.adjustments = learnt
        self.on_adjusted(learnt)
        _LOG.info("%s takes requests otherwise from now on: %s", self.server.where, learnt)
        return True

    def _usage(self, count: TokenCount | None, text: str) -> Usage:
        counted = count or TokenCount(estimate_prompt_tokens(self.messages), estimate_tokens(text))
        dollars = None if self.price is None else self.price.dollars(counted)
        return Usage(
            prompt_tokens=counted.prompt,
            completion_tokens=counted.completion,
            cached_tokens=counted.cached,
            dollars=dollars,
            virtual_dollars=dollars,
            estimated_calls=int(count is None),
        )

    def _spend(self, count: TokenCount | None, text: str) -> None:
        """Count a try that the server worked on and that gave no reply."""
        self._spent += self._usage(count, text)

    def _total(self, usage: Usage, started: float) -> Usage:
        total = self._spent + usage
        return replace(
            total, calls=1, seconds=time.perf_counter() - started, estimated_calls=min(1, total.estimated_calls)
        )

    def _completion(self, reply: Reply, started: float) -> Completion:
        text, reason = reply.text, reply.finish_reason
        for stop in self.parameters.stop if "stop" in self.adjustments.dropped else ():
            text, found, _ = text.partition(stop)
            reason = "stop" if found else reason
        usage = self._total(self._usage(reply.count, reply.text), started)
        return Completion(text, usage, reply.model or self.server.model, reason)

    def _final(self, error: LLMError, retries: int, started: float) -> LLMError:
        error.usage = self._total(Usage(), started)
        if retries:
            error.what = f"{error.what} ({retries + 1} tries in {time.perf_counter() - started:.1f} s)"
        return error
