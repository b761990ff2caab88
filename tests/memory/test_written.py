"""Demonstrations written in Markdown are read, run and checked."""

from __future__ import annotations

import pandas as pd
import pytest

import boxkit
from boxkit.errors import MemoryStoreError
from boxkit.memory.rows import same_rows
from boxkit.memory.written import Written, boxes_used, demonstrated, read_written


def test_a_section_without_code_is_named() -> None:
    with pytest.raises(MemoryStoreError, match="### How many"):
        read_written("### How many?\nJust count.\n")


@pytest.mark.parametrize(
    ("code", "gold", "message"),
    [
        ("answer = len(lamp)", [(7,)], r"gives \[\(3,\)\], not \[\(7,\)\]"),
        ("answer = lamp['nme']", None, "its code fails"),
        ("x = 1", None, "its code fails"),
    ],
)
def test_code_that_is_not_right_is_refused_by_its_question(code: str, gold: list | None, message: str) -> None:
    boxes = boxkit.load({"lamp": pd.DataFrame({"name": ["a", "b", "c"]})})
    with pytest.raises(MemoryStoreError, match=message):
        demonstrated(Written("How many?", "", code), boxes, gold)


def test_only_the_boxes_that_code_uses_are_kept() -> None:
    frame = pd.DataFrame({"name": ["a"]})
    boxes = boxkit.load({"lamp": frame, "shop": frame, "town": frame})
    made = demonstrated(Written("How many?", "", 'answer = len(lamp) + len(boxes["town"])'), boxes, [(2,)])
    assert "lamp = pd.DataFrame(" in made.boxes and "town = " in made.boxes and "shop" not in made.boxes
    assert boxes_used("lamp = 1\nx['shop']", ["lamp", "shop", "town"]) == ["lamp", "shop"]


@pytest.mark.parametrize(
    ("one", "other", "ordered", "same"),
    [
        ([(1, "a"), (2, "b")], [(2, "b"), (1, "a")], False, True),
        ([(1, "a"), (2, "b")], [(2, "b"), (1, "a")], True, False),
        ([(1,), (1,)], [(1,)], False, False),
        ([(0.1 + 0.2,)], [(0.3,)], False, True),
        ([(True,)], [(1,)], False, True),
        ([(None,)], [("",)], False, False),
        ([("1",)], [(1,)], False, False),
        ([(1, 2)], [(1,)], False, False),
        ([], [], True, True),
        ([(None, 1), ("x", 2)], [("x", 2), (None, 1)], False, True),
    ],
)
def test_rows_are_the_same_or_not(one: list, other: list, ordered: bool, same: bool) -> None:
    assert same_rows(one, other, ordered=ordered) is same
