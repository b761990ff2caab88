"""Ctrl-C while a model is asked, and in a conversation on a terminal."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from boxkit.testing import FaultyServer, faults

pty = pytest.importorskip("pty")

#: A shell whose children begin with Ctrl-C ignored, as those in the background do.
IGNORING = ("sh", "-c", "trap '' INT; exec \"$@\"", "sh")

REPLY = "It adds up.\n\n```python\nanswer = sales['amount'].sum()\n```"


class Conversation:
    """``boxkit chat`` on a terminal of its own."""

    def __init__(self, *arguments: object, under: tuple[str, ...] = ()) -> None:
        self.leader, follower = pty.openpty()
        self.process = subprocess.Popen(
            [*under, sys.executable, "-m", "boxkit", "chat", *map(str, arguments)],
            stdin=follower,
            stdout=follower,
            stderr=follower,
            env={**os.environ, "TERM": "dumb"},
            start_new_session=True,
        )
        os.close(follower)
        self.seen = ""

    def wait_for(self, text: str, within_s: float = 60.0) -> None:
        """Read until ``text`` has come since the last wait."""
        deadline = time.monotonic() + within_s
        while text not in self.seen:
            ready, _, _ = select.select([self.leader], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, f"{text!r} did not come; there came {self.seen!r}"
            self.seen += os.read(self.leader, 4096).decode(errors="replace")
        self.seen = self.seen.partition(text)[2]

    def say(self, line: str) -> None:
        """Type a line."""
        os.write(self.leader, f"{line}\n".encode())

    def interrupt(self) -> None:
        """Press Ctrl-C."""
        self.process.send_signal(signal.SIGINT)

    def end(self) -> int:
        """How it ended."""
        return self.process.wait(timeout=30)


@pytest.fixture
def talk() -> Iterator[list[Conversation]]:
    """Conversations to be cleared up."""
    begun: list[Conversation] = []
    yield begun
    for each in begun:
        if each.process.poll() is None:
            each.process.kill()
            each.process.wait()
        os.close(each.leader)


def wait_for_request(server: FaultyServer, within_s: float = 60.0) -> None:
    deadline = time.monotonic() + within_s
    while not server.requests and time.monotonic() < deadline:
        time.sleep(0.05)
    assert server.requests, "the model was not asked"


def test_ctrl_c_gives_up_one_question_and_the_conversation_goes_on(talk: list[Conversation], sales: Path) -> None:
    with FaultyServer([faults.hang(60), REPLY]) as server:
        chat = Conversation(sales, "--base-url", server.base_url, "--model", "m", "--k", "0")
        talk.append(chat)
        chat.wait_for("boxkit> ")
        chat.say("In all?")
        wait_for_request(server)
        chat.interrupt()
        chat.wait_for("given up")
        chat.wait_for("boxkit> ")
        chat.say("And now?")
        chat.wait_for("40")
        chat.wait_for("boxkit> ")
        chat.say("/quit")
        assert chat.end() == 0


@pytest.mark.parametrize("under", [(), IGNORING], ids=["heeded", "ignored by the shell"])
def test_ctrl_c_at_the_prompt_ends_the_conversation_with_130(
    talk: list[Conversation], sales: Path, under: tuple[str, ...]
) -> None:
    chat = Conversation(sales, "--model", "planner", under=under)
    talk.append(chat)
    chat.wait_for("boxkit> ")
    chat.interrupt()
    chat.wait_for("interrupted")
    assert chat.end() == 130


def test_ctrl_d_ends_the_conversation(talk: list[Conversation], sales: Path) -> None:
    chat = Conversation(sales, "--model", "planner")
    talk.append(chat)
    chat.wait_for("boxkit> ")
    os.write(chat.leader, b"\x04")
    assert chat.end() == 0


def test_ctrl_c_while_a_model_is_asked_ends_with_130(boxkit_process, sales: Path) -> None:
    with FaultyServer([faults.hang(60)]) as server:
        process = boxkit_process("ask", sales, "In all?", "--base-url", server.base_url, "--model", "m", "--k", "0")
        wait_for_request(server)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=30)
    assert (process.returncode, stdout) == (130, "")
    assert "interrupted" in stderr
    assert "Traceback" not in stderr
