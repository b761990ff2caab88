"""A proxy that sends replies twice: no question gets another's reply."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socketserver
import threading
import uuid
from collections.abc import Iterator

import pytest

from boxkit.errors import BadReply
from boxkit.llm import Message, OpenAI
from boxkit.testing import Fault, FaultyServer, faults

pytestmark = pytest.mark.usefixtures("no_key")

WORDS = ["one", "two", "three", "four", "five", "six"]


class Doubling(socketserver.StreamRequestHandler):
    """Answers with the question, and sends each answer twice."""

    def handle(self) -> None:
        with contextlib.suppress(OSError):  # the client hangs up
            self.answer()

    def answer(self) -> None:
        while self.rfile.readline():
            headers = dict(line.decode().lower().split(": ", 1) for line in iter(self.rfile.readline, b"\r\n"))
            asked = json.loads(self.rfile.read(int(headers["content-length"])))["messages"][-1]["content"]
            body = faults.ok(asked).body
            assert isinstance(body, dict)
            payload = json.dumps(body | {"id": f"chatcmpl-{uuid.uuid4().hex}"}).encode()
            head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(payload)}\r\n\r\n"
            self.wfile.write(2 * (head.encode() + payload))


@pytest.fixture
def doubling() -> Iterator[str]:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Doubling) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
        server.shutdown()


def test_a_reply_that_is_sent_twice_is_no_answer_to_the_next_question(doubling: str):
    llm = OpenAI("doubled-1", base_url=doubling, backoff_s=0.01)
    assert [llm.complete([Message("user", word)]).text for word in WORDS] == WORDS
    llm.close()


def test_nor_where_many_are_asked_at_once(doubling: str):
    llm = OpenAI("doubled-1", base_url=doubling, backoff_s=0.01)

    async def asked_thrice() -> None:
        for _ in range(3):
            got = await asyncio.gather(*(llm.acomplete([Message("user", word)]) for word in WORDS))
            assert [each.text for each in got] == WORDS

    asyncio.run(asked_thrice())


def test_without_retries_it_is_an_error_and_the_next_question_gets_its_own(doubling: str):
    llm = OpenAI("doubled-1", base_url=doubling, max_retries=0)
    assert llm.complete([Message("user", "one")]).text == "one"
    with pytest.raises(BadReply, match="a second time"):
        llm.complete([Message("user", "two")])
    assert [llm.complete([Message("user", word)]).text for word in WORDS] == WORDS
    llm.close()


@pytest.mark.parametrize(
    ("ids", "texts"),
    [(["chatcmpl-1"] * 3, ["4", "4", "4"]), (["chatcmpl-of-a-server-with-one-id"] * 3, ["4", "5", "4"])],
    ids=["short", "always the same"],
)
def test_ids_that_tell_nothing_apart_are_left_alone(ids: list[str], texts: list[str]):
    bodies = [faults.ok(text).body for text in texts]
    script = [Fault(body=body | {"id": each}) for each, body in zip(ids, bodies, strict=True) if isinstance(body, dict)]
    with FaultyServer(script) as server:
        llm = OpenAI("faulty-1", base_url=server.base_url, max_retries=0)
        assert [llm.complete([Message("user", word)]).text for word in WORDS[:3]] == texts


def test_a_gateways_cache_may_give_the_same_reply_to_the_same_request():
    body = faults.ok("4").body
    assert isinstance(body, dict)
    with FaultyServer(Fault(body=body | {"id": f"chatcmpl-{uuid.uuid4().hex}"})) as server:
        llm = OpenAI("faulty-1", base_url=server.base_url, max_retries=0)
        assert [llm.complete([Message("user", "one")]).text for _ in range(3)] == ["4", "4", "4"]
