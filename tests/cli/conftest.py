"""A way to run commands as a user does: in this process, or in one of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from boxkit.cli.app import app

Invoke = Callable[..., Result]


@pytest.fixture(autouse=True, scope="session")
def _ctrl_c_is_heeded() -> Iterator[None]:
    """Commands started here heed Ctrl-C even where the tests run in the background, whose children would ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def boxkit_command() -> Invoke:
    """Run a command in this process; ``input`` is its stdin."""

    def invoke(*arguments: object, **options: object) -> Result:
        result = CliRunner().invoke(app, [str(each) for each in arguments], **options)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return invoke


@pytest.fixture
def boxkit_process() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start a command in a process of its own, with pipes and a session to itself; ended with the test."""
    with ExitStack() as started:

        def start(*arguments: object, **environment: str) -> subprocess.Popen[str]:
            process = subprocess.Popen(
                [sys.executable, "-m", "boxkit", *map(str, arguments)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                env={**os.environ, **environment},
                start_new_session=True,
            )
            started.callback(process.communicate)  # closes the pipes, which would be missed in another test
            started.callback(process.kill)
            return process

        yield start


@pytest.fixture
def sales(tmp_path: Path) -> Path:
    """A small table."""
    path = tmp_path / "sales.csv"
    path.write_text("month,amount\nJanuary,10\nFebruary,30\nMarch,\n", encoding="utf-8")
    return path
