"""Ctrl-C at any moment of a command: while modules load, while a model is asked, in a conversation on a terminal."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import textwrap
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


def interrupted(program: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run Python that presses Ctrl-C itself, at a moment that no one outside could meet."""
    command = [sys.executable, "-c", textwrap.dedent(program), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("which", [1, 2, 40, 400])
def test_ctrl_c_while_modules_load_is_not_lost_in_the_import_system(sales: Path, which: int) -> None:
    # At the end of each import CPython calls back for its lock, and drops what is raised there; pandas has 400 modules.
    done = interrupted(
        """
        import signal, sys
        left = int(sys.argv.pop(1))

        def press(frame, event, _):
            global left
            if event == "call" and frame.f_code.co_name == "cb" and "importlib" in frame.f_code.co_filename:
                left -= 1
                if not left:
                    sys.setprofile(None)
                    signal.raise_signal(signal.SIGINT)

        from boxkit.cli import main
        sys.setprofile(press)
        main()
        """,
        which,
        *("run", sales, "-c", "while True: pass", "--seconds", "20"),
    )
    assert done.returncode == 130, done.stderr
    assert "Traceback" not in done.stderr


WITHIN = """
    import signal, sys
    from boxkit.cli.interrupt import dropped_are_told, leave_at_once, none_lost
    leave_at_once()
    dropped_are_told()
    try:
        with none_lost(0.2, 2.0):
            exec(compile(sys.argv[1], "code", "exec"))
    except KeyboardInterrupt:
        print("heeded")
"""

FINALIZER = """
class Noisy:
    def __del__(self): signal.raise_signal(signal.SIGINT)
Noisy()
"""


@pytest.mark.parametrize(
    "code",
    [
        f"{FINALIZER}\nwhile True: pass",
        "try: signal.raise_signal(signal.SIGINT)\nexcept: pass\nwhile True: pass",
        "try: signal.raise_signal(signal.SIGINT)\nexcept: raise ImportError",
        "try: signal.raise_signal(signal.SIGINT)\nexcept: pass",
    ],
    ids=["in a finalizer", "caught by other code", "made another error", "caught at the very end"],
)
def test_ctrl_c_that_other_code_swallows_is_heeded_all_the_same(code: str) -> None:
    done = interrupted(WITHIN, code)
    assert (done.returncode, done.stdout, done.stderr) == (0, "heeded\n", "")


def test_ctrl_c_ends_a_process_that_is_busy_in_c() -> None:
    # A view without an end, say: SQLite does not come back to Python, which could raise nothing.
    endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
    program = "import os, sqlite3, threading\nthreading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
    done = interrupted(WITHIN, f"{program}sqlite3.connect(':memory:').execute({endless!r}).fetchall()")
    assert done.returncode == 130
    assert "interrupted" in done.stderr


def test_ctrl_c_while_code_is_read_from_a_pipe_ends_with_130(boxkit_process, sales: Path) -> None:
    fcntl, termios = pytest.importorskip("fcntl"), pytest.importorskip("termios")
    process = boxkit_process("run", sales)
    os.write(process.stdin.fileno(), b"sales\n")
    deadline = time.monotonic() + 30
    while fcntl.ioctl(process.stdin, termios.FIONREAD, b"    ") != b"\0\0\0\0" and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == 130


def test_ctrl_c_does_not_wait_for_models_asked_at_once(boxkit_process, sales: Path) -> None:
    pytest.importorskip("duckdb", reason="needs the extra `sql`")
    with FaultyServer([faults.hang(60)] * 2) as server:
        options = ("--base-url", server.base_url, "--model", "m", "--k", "0", "--strategy", "hybrid")
        process = boxkit_process("ask", sales, "In all?", *options)
        wait_for_request(server)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "Traceback" not in stderr
