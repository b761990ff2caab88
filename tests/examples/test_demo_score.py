"""The score of the forty questions counts what it says it counts."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from boxkit.answer import Answer
from boxkit.examples import ExampleQuestion
from boxkit.failure import Failure

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "demo_score.py"
GOLD = ExampleQuestion("g00", "Which?", ("organisations.ttl",), (("Austria", 8.91), ("Chad", 16.6)))


@pytest.fixture(scope="module")
def demo_score() -> ModuleType:
    spec = importlib.util.spec_from_file_location("demo_score", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("rows", "expected", "why"),
    [
        ([("Austria", 8.91), ("Chad", 16.6)], "right", ""),
        ([(16.6, "Chad"), (8.9100000001, "Austria")], "right", ""),
        ([("Austria", 8.91)], "wrong", "1 rows"),
        ([("Austria", 8.91), ("Chad", 16.6), ("Chad", 16.6)], "wrong", "3 rows"),
        ([("Austria", 16.6), ("Chad", 8.91)], "wrong", "2 rows"),
        ([("Austria", 8.91, 1), ("Chad", 16.6, 2)], "wrong", "not asked for"),
        ([("AUT", 8.91), ("TCD", 16.6)], "wrong", "ids instead of names"),
        ([], "wrong", "0 rows"),
    ],
)
def test_rows_are_compared_as_a_bag(
    demo_score: ModuleType, rows: list[tuple[Any, ...]], expected: str, why: str
) -> None:
    columns = tuple("abc"[: len(rows[0])]) if rows else ()
    answer = Answer("Which?", rows, rows, columns, entities={"Austria": ("AUT",), "Chad": ("TCD",)})
    found, reason = demo_score.verdict(answer, GOLD)
    assert found == expected
    assert why in reason


def test_a_failure_counts_as_abstained(demo_score: ModuleType) -> None:
    answer = Answer("Which?", failure=Failure("abstained", "'which' could not be placed"))
    assert demo_score.verdict(answer, GOLD) == ("abstained", "abstained: 'which' could not be placed")
