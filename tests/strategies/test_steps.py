"""Computations of a strategy run off the event loop, several in one go, and end with the question that needs them."""

from __future__ import annotations

import asyncio
import threading

import pytest

from boxkit.llm import Message
from boxkit.strategies.steps import Call, Compute, adrive, drive
from boxkit.testing import ScriptedLLM


def steps(seen):
    seen.append((yield Compute(lambda: threading.current_thread())))
    seen.append(threading.current_thread())
    seen.append((yield Compute(lambda: threading.current_thread())))
    reply = yield Call(ScriptedLLM(["hello"]), (Message("user", "?"),))
    try:
        yield Compute(lambda: 1 / 0)
    except ZeroDivisionError:
        return reply.text
    return "not reached"


async def test_what_lies_between_two_replies_is_computed_in_one_thread_that_is_not_the_loops():
    seen = []
    assert await adrive(steps(seen)) == "hello" == drive(steps([]))
    assert len(set(seen)) == 1 and seen[0] is not threading.current_thread()


async def test_an_error_of_the_strategy_between_computations_reaches_the_caller():
    def failing():
        yield Compute(int)
        raise KeyError("a slip")

    with pytest.raises(KeyError, match="a slip"):
        await adrive(failing())


async def test_a_question_that_is_cancelled_computes_nothing_more_and_is_closed():
    going, told, closed, seen = threading.Event(), threading.Event(), threading.Event(), []

    def slow():
        try:
            yield Compute(lambda: (told.set(), going.wait(10)))
            seen.append("went on")
            yield Compute(lambda: seen.append("computed"))
        finally:
            closed.set()

    task = asyncio.create_task(adrive(slow()))
    await asyncio.to_thread(told.wait, 10)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    going.set()
    assert await asyncio.to_thread(closed.wait, 10) and "computed" not in seen
