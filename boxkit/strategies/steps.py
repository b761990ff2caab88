"""A strategy as a generator of requests, so that one piece of logic serves `ask`, `aask` and wrappers of strategies.

A strategy's ``steps`` yields what it wants done (`Call` a model, `Execute` code, run several generators `Together`) and
is sent the outcome. Two small drivers do it, one blocking, one on an event loop.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar, runtime_checkable

from boxkit.answer import Answer, Usage
from boxkit.box import BoxSet
from boxkit.errors import LLMError
from boxkit.executor import acompute_result, aexecute, compute_result, execute
from boxkit.executor.limits import Limits
from boxkit.llm.protocol import LLM, Completion, Message, Parameters
from boxkit.threads import in_turn, threads

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Call",
    "Compute",
    "Execute",
    "ExecuteFrames",
    "ExecuteOnDatabase",
    "Request",
    "Steps",
    "Strategy",
    "StrategyBase",
    "Together",
    "aask_then",
    "adrive",
    "calls_counted",
    "drive",
]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Call:
    """Ask a model; answered with a `Completion`, or the `LLMError` is raised at the yield."""

    llm: LLM
    messages: Sequence[Message]
    parameters: Parameters = Parameters()


@dataclass(frozen=True, slots=True)
class Execute:
    """Run code over boxes; answered with a `Run`."""

    code: str
    boxes: BoxSet
    limits: Limits = Limits()


@dataclass(frozen=True, slots=True)
class ExecuteFrames:
    """Run code over frames by name, fetched by SQL say; answered with a `Run`."""

    code: str
    frames: Mapping[str, pd.DataFrame]
    limits: Limits = Limits()


@dataclass(frozen=True, slots=True)
class ExecuteOnDatabase:
    """Run code that defines ``compute_result(database_path)`` with that SQLite file readable; answered with a `Run`."""

    code: str
    path: str
    limits: Limits = Limits()


@dataclass(frozen=True, slots=True)
class Compute:
    """Call a function that may take a while (a query in a database) off the event loop; answered with its result."""

    function: Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Together:
    """Several generators at once; answered with their results in the same order.

    The first error is raised at the yield, with what the others cost, when all have come to their end.
    """

    generators: Sequence[Generator[Any, Any, Any]]


Request: TypeAlias = Call | Execute | ExecuteFrames | ExecuteOnDatabase | Compute | Together
Steps: TypeAlias = Generator[Request, Any, T]


def drive(steps: Steps[T]) -> T:
    """Do what the generator asks, blocking, until it returns."""
    return _loop(steps, _do)


def _loop(steps: Steps[T], do: Callable[[Request], Any]) -> T:
    try:
        request = next(steps)
        while True:
            try:
                outcome = do(request)
            except Exception as error:
                request = steps.throw(error)
            else:
                request = steps.send(outcome)
    except StopIteration as stop:
        result: T = stop.value
        return result
    finally:
        steps.close()


def _do(request: Request) -> Any:
    match request:
        case Call(llm, messages, parameters):
            return llm.complete(messages, parameters)
        case Execute(code, boxes, limits):
            return execute(code, boxes, limits=limits)
        case ExecuteFrames(code, frames, limits):
            return execute(code, frames, limits=limits)
        case ExecuteOnDatabase(code, path, limits):
            return compute_result(code, path, limits=limits)
        case Compute(function):
            return function()
        case Together(generators):
            if not generators:
                return []
            with threads(len(generators)) as pool:
                return _all_of(list(pool.map(_driven, generators)))


async def adrive(steps: Steps[T]) -> T:
    """The same on the running event loop; cancelling it closes the generator."""
    try:
        request: Request | _End = await _until_it_waits(steps, _resumed(steps.send, None))
        while not isinstance(request, _End):
            try:
                outcome = await _ado(request)
            except Exception as error:
                request = _resumed(steps.throw, error)
            else:
                request = _resumed(steps.send, outcome)
            request = await _until_it_waits(steps, request)
        result: T = request.value
        return result
    finally:
        with suppress(ValueError):  # a thread is at work in it, and closes it when it is through
            steps.close()


@dataclass(frozen=True, slots=True)
class _End:
    """A generator has returned this."""

    value: Any


def _resumed(resume: Callable[[Any], Request], value: Any) -> Request | _End:
    """What a generator wants next; its end as a value, for a `StopIteration` passes through no future."""
    try:
        return resume(value)
    except StopIteration as stop:
        return _End(stop.value)


async def _until_it_waits(steps: Steps[Any], request: Request | _End) -> Request | _End:
    """The next request that is no computation.

    One thread does all computations up to there, and the generator's own work between them: each way to a thread and
    back costs as much as a small query, and prompts are made off the event loop.
    """
    if not isinstance(request, Compute):
        return request
    cancelled = threading.Event()
    try:
        return await in_turn(_computed, steps, request, cancelled)
    except asyncio.CancelledError:
        cancelled.set()
        raise


def _computed(steps: Steps[Any], request: Request | _End, cancelled: threading.Event) -> Request | _End:
    while isinstance(request, Compute):
        try:
            outcome = request.function()
        except Exception as error:
            request = _resumed(steps.throw, error)
        else:
            request = _resumed(steps.send, outcome)
        if cancelled.is_set():
            steps.close()
            break
    return request


#: What the calls that are counted have cost so far.
_SPENT: ContextVar[list[Usage] | None] = ContextVar("boxkit_spent", default=None)


@contextmanager
def calls_counted() -> Iterator[list[Usage]]:
    """What each model's call inside costs, as it ends: a strategy that raises has no answer that would tell."""
    spent: list[Usage] = []
    token = _SPENT.set(spent)
    try:
        yield spent
    finally:
        _SPENT.reset(token)


async def _counted(reply: Awaitable[Completion]) -> Completion:
    spent = _SPENT.get()
    try:
        completion = await reply
    except LLMError as error:
        if spent is not None and error.usage is not None:
            spent.append(error.usage)
        raise
    if spent is not None:
        spent.append(completion.usage)
    return completion


async def _ado(request: Request) -> Any:
    match request:
        case Call(llm, messages, parameters):
            return await _counted(llm.acomplete(messages, parameters))
        case Execute(code, boxes, limits):
            return await aexecute(code, boxes, limits=limits)
        case ExecuteFrames(code, frames, limits):
            return await aexecute(code, frames, limits=limits)
        case ExecuteOnDatabase(code, path, limits):
            return await acompute_result(code, path, limits=limits)
        case Compute():
            raise AssertionError("computations are done on the way to the next request")
        case Together(generators):
            return _all_of(await asyncio.gather(*map(adrive, generators), return_exceptions=True))


def _driven(steps: Steps[Any]) -> Any:
    try:
        return drive(steps)
    except Exception as error:
        return error


def _all_of(outcomes: Sequence[Any]) -> list[Any]:
    """The outcomes; the first error among them, with what all others cost, is raised."""
    failed = next((outcome for outcome in outcomes if isinstance(outcome, BaseException)), None)
    if failed is None:
        return list(outcomes)
    if isinstance(failed, LLMError):
        spent = (getattr(outcome, "usage", None) for outcome in outcomes if outcome is not failed)
        failed.usage = sum((usage for usage in spent if usage is not None), failed.usage or Usage())
    raise failed


@runtime_checkable
class Strategy(Protocol):
    """A way from a question to an answer. Strategies are frozen dataclasses, and may wrap other strategies."""

    @property
    def name(self) -> str:
        """The strategy's name in reports."""
        ...

    def steps(self, question: str, boxes: BoxSet) -> Steps[Answer]:
        """What it wants done, request by request."""
        ...

    def sampled(self, temperature: float, seed: int) -> Strategy:
        """A copy that samples its model at that temperature, with that seed."""
        ...

    def ask(self, question: str, boxes: BoxSet) -> Answer:
        """Answer ``question`` from ``boxes``."""
        ...

    async def aask(self, question: str, boxes: BoxSet) -> Answer:
        """The same on an event loop."""
        ...


class StrategyBase:
    """`ask` and `aask` for whatever has `steps`."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """The strategy's name in reports."""
        return type(self).__name__

    def steps(self, question: str, boxes: BoxSet) -> Steps[Answer]:
        """The strategy itself; see the module's docstring."""
        raise NotImplementedError(f"{type(self).__name__} has no steps")

    def sampled(self, temperature: float, seed: int) -> Strategy:
        """A copy that samples its model at that temperature, with that seed.

        Raises:
            TypeError: The strategy has no model to sample.
        """
        if not hasattr(self, "temperature") or not hasattr(self, "seed"):
            raise TypeError(f"{self.name} asks no model, so that there is nothing to sample")
        changed: Strategy = replace(self, temperature=temperature, seed=seed)  # type: ignore[type-var]  # every strategy is a dataclass, which the protocol cannot say
        return changed

    def ask(self, question: str, boxes: BoxSet) -> Answer:
        """Answer ``question`` from ``boxes``. A failure is in the answer (``answer.failure``), not raised.

        Raises:
            LLMError: The model could not be asked.
            ExecutorError: The sandbox broke.
        """
        _check(self, question, boxes)
        return drive(_answer(self, question, boxes))

    async def aask(self, question: str, boxes: BoxSet) -> Answer:
        """The same without blocking the event loop."""
        _check(self, question, boxes)
        return await adrive(_answer(self, question, boxes))


async def aask_then(strategy: Strategy, question: str, boxes: BoxSet, then: Callable[[Answer], T]) -> T:
    """What ``then``, which may take a while, makes of a strategy's answer.

    It is called in the thread of the strategy's last computation, where the strategy has steps: each way to a thread
    and back costs as much as a small query.
    """
    if not isinstance(strategy, StrategyBase) or type(strategy).aask is not StrategyBase.aask:
        answer = await strategy.aask(question, boxes)
        return await in_turn(then, answer)
    _check(strategy, question, boxes)

    def whole() -> Steps[T]:
        answer = yield from _answer(strategy, question, boxes)
        made: T = yield Compute(lambda: then(answer))
        return made

    return await adrive(whole())


def _answer(strategy: StrategyBase, question: str, boxes: BoxSet) -> Steps[Answer]:
    started = time.perf_counter()
    return _finished((yield from strategy.steps(question, boxes)), boxes, started)


#: What a strategy is made with: the method it must have, and what has it.
_PARTS = {"llm": ("complete", "boxkit.OpenAI(…) or boxkit.LocalLLM(…)"), "memory": ("select", "boxkit.Memory.open(…)")}


def _check(strategy: StrategyBase, question: object, boxes: object) -> None:
    """A slip of the caller's, told before anything is asked."""
    for part, (method, makers) in _PARTS.items():
        given = getattr(strategy, part, None)
        if given is not None and not hasattr(given, method):
            raise TypeError(
                f"{part}={given!r} of {type(strategy).__name__} is a {type(given).__name__}: {makers} makes one"
            )
    if not isinstance(question, str):
        raise TypeError(f"the question is a text, not {type(question).__name__}")
    if not isinstance(boxes, BoxSet):
        raise TypeError(f"a question is asked of a BoxSet, not of {type(boxes).__name__}: boxkit.load(…) makes one")


def _finished(answer: Answer, boxes: BoxSet, started: float) -> Answer:
    """The answer with the time it took and, where it comes from a graph, the entities that its labels stand for."""
    entities = answer.entities
    if answer.ok and answer.rows and any(box.kind == "graph" for box in boxes.values()):
        from boxkit.converters.graph.entities import entities_of

        # What a strategy knows of its own query stands; labels alone do not tell what else may be called so.
        entities = {**entities_of(answer.rows, boxes, [name for name in answer.boxes if name in boxes]), **entities}
    return replace(answer, entities=entities, seconds=time.perf_counter() - started)
