"""`boxkit.OpenAI` shared by threads, event loops and processes, and requests that are given up."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import pickle
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from boxkit.llm import Message, OpenAI
from boxkit.testing import Fault, FaultyServer, faults

from .asking import QUESTION, model

pytestmark = pytest.mark.usefixtures("no_key")


def test_many_threads_share_one_model():
    with FaultyServer(lambda request: request.body["messages"][-1]["content"]) as server:
        llm = model(server)
        with ThreadPoolExecutor(16) as pool:
            texts = list(pool.map(lambda n: llm.complete([Message("user", str(n))]).text, range(64)))
        llm.close()
    assert texts == [str(n) for n in range(64)]


def test_several_event_loops_at_once_share_one_model():
    with FaultyServer(lambda request: request.body["messages"][-1]["content"]) as server:
        llm = model(server)

        async def several(thread: int) -> list[str]:
            asked = (llm.acomplete([Message("user", f"{thread}.{n}")]) for n in range(8))
            return [reply.text for reply in await asyncio.gather(*asked)]

        with ThreadPoolExecutor(4) as pool:
            texts = list(pool.map(lambda thread: asyncio.run(several(thread)), range(4)))
        again = asyncio.run(several(9))
    assert texts == [[f"{thread}.{n}" for n in range(8)] for thread in range(4)] and len(again) == 8


async def test_blocking_calls_work_while_a_loop_runs_as_in_a_notebook():
    with FaultyServer(["blocking", "async"]) as server:
        llm = model(server)
        assert llm.complete(QUESTION).text == "blocking"
        assert (await llm.acomplete(QUESTION)).text == "async"


async def test_the_event_loop_goes_on_while_a_reply_is_awaited():
    with FaultyServer([Fault(body=faults.ok("42").body, pause_s=0.4)]) as server:
        llm = model(server)
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                await asyncio.sleep(0.02)
                ticks += 1

        ticking = asyncio.create_task(tick())
        await llm.acomplete(QUESTION)
        ticking.cancel()
    assert ticks >= 5


async def test_cancelling_ends_the_request_at_once():
    with FaultyServer(faults.hang()) as server:
        asked = asyncio.create_task(model(server).acomplete(QUESTION))
        await asyncio.sleep(0.3)
        asked.cancel()
        started = time.perf_counter()
        with pytest.raises(asyncio.CancelledError):
            await asked
        assert time.perf_counter() - started < 1


def test_ctrl_c_ends_a_blocking_request_at_once():
    with FaultyServer(faults.hang()) as server:
        timer = threading.Timer(0.4, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        started = time.perf_counter()
        with pytest.raises(KeyboardInterrupt):
            model(server, timeout_s=20).complete(QUESTION)
        assert time.perf_counter() - started < 5
        timer.join()


def test_a_copy_in_another_process_works_and_learns_for_itself():
    with FaultyServer(lambda request: request.body["messages"][-1]["content"]) as server:
        llm = model(server, api_key="sk-given")
        copy = pickle.loads(pickle.dumps(llm))
        assert copy.complete(QUESTION).text == QUESTION[-1].content
        assert server.requests[0].headers["authorization"] == "Bearer sk-given"


def _in_child(llm: OpenAI, replies: Any) -> None:
    texts = [llm.complete([Message("user", f"child {n}")]).text for n in range(3)]
    replies.put([*texts, asyncio.run(llm.acomplete([Message("user", "child async")])).text])


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")
def test_it_works_after_a_fork_while_the_parent_goes_on():
    with FaultyServer(lambda request: request.body["messages"][-1]["content"]) as server:
        llm = model(server)
        llm.complete(QUESTION)
        forking = multiprocessing.get_context("fork")
        replies = forking.Queue()
        children = [forking.Process(target=_in_child, args=(llm, replies)) for _ in range(2)]
        for child in children:
            child.start()
        mine = [llm.complete([Message("user", f"parent {n}")]).text for n in range(5)]
        theirs = [replies.get(timeout=60) for _ in children]
        for child in children:
            child.join(timeout=30)
    assert mine == [f"parent {n}" for n in range(5)]
    assert theirs == [["child 0", "child 1", "child 2", "child async"]] * 2
    assert [child.exitcode for child in children] == [0, 0]
