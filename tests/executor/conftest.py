"""What the executor's tests share."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import pytest

from boxkit.box import Box, BoxSet, Field, Reading


def _harness() -> ModuleType:
    name = "boxkit_test_harness"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, Path(__file__).parent / "harness.py")
        assert spec is not None and spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


@pytest.fixture(scope="session")
def harness() -> ModuleType:
    """Runs unreviewed code with layers switched off at will."""
    return _harness()


@pytest.fixture(scope="session")
def stage(harness: ModuleType) -> Iterator[Any]:
    """A secret, two open ports, a folder anyone may write to."""
    stage = harness.Stage()
    yield stage
    stage.close()


class FrameReader:
    """A reader that counts what it is asked for."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.frame = frame
        self.asked: list[tuple[str, ...] | None] = []

    def read(self, columns: Sequence[str] | None = None, limit: int | None = None) -> Reading:
        self.asked.append(None if columns is None else tuple(columns))
        frame = self.frame if columns is None else self.frame[list(columns)]
        return Reading(frame if limit is None else frame.head(limit))

    def count(self) -> int:
        return len(self.frame)

    def fingerprint(self) -> str:
        return str(id(self))


@pytest.fixture(scope="session")
def boxset() -> Callable[..., BoxSet]:
    """Makes a BoxSet of frames."""

    def make(**frames: pd.DataFrame) -> BoxSet:
        return BoxSet(Box(name, tuple(map(Field, frame.columns)), FrameReader(frame)) for name, frame in frames.items())

    return make


@pytest.fixture(scope="session")
def library(boxset: Callable[..., BoxSet]) -> BoxSet:
    """Authors and books."""
    author = pd.DataFrame(
        {
            "id": [1, 2, 3],
            "name": ["Ann", "Bob", "Cy"],
            "country": ["United States", "France", "Germany"],
            "born": pd.to_datetime(["1950-01-01", "1960-01-01", "1970-01-01"]),
        }
    )
    book = pd.DataFrame(
        {"bid": [1, 2, 3], "author_id": ["1", "2", "x"], "title": ["A", "B", "C"], "price": [1.5, 2, None]}
    )
    return boxset(author=author, book=book)
