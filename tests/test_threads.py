"""Turns of an event loop's threads: quick ones do not run at once, and none that waits holds up the others."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from boxkit import threads
from boxkit.threads import in_turn


async def test_a_computation_that_waits_for_a_server_holds_up_no_other() -> None:
    server = threading.Event()
    waiting = [asyncio.create_task(in_turn(server.wait, 30)) for _ in range(3)]
    await asyncio.sleep(0)
    assert await in_turn(lambda: "answered") == "answered"
    assert not any(each.done() for each in waiting)
    server.set()
    assert await asyncio.gather(*waiting) == [True] * 3


async def test_quick_computations_run_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_PATIENCE_S", 60)
    running = 0

    def compute() -> int:
        nonlocal running
        running += 1
        time.sleep(0.001)
        seen, running = running, running - 1
        return seen

    assert set(await asyncio.gather(*(in_turn(compute) for _ in range(20)))) == {1}


async def test_what_fails_or_is_cancelled_gives_its_turn_to_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_PATIENCE_S", 60)
    with pytest.raises(ZeroDivisionError):
        await in_turn(lambda: 1 / 0)
    goes_on = threading.Event()
    running, waiting = (asyncio.create_task(in_turn(goes_on.wait, 30)) for _ in range(2))
    await asyncio.sleep(0)
    waiting.cancel()
    running.cancel()
    assert await in_turn(lambda: "answered") == "answered"
    goes_on.set()
