"""The starter memory: each demonstration runs and gives the answer that a second engine gives."""

from __future__ import annotations

import importlib.util
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

from boxkit.memory import Memory
from boxkit.memory.rows import same_rows
from boxkit.memory.written import boxes_used, demonstrated

NAMES = sorted(file.stem for file in (Path(__file__).parent.parent / "data" / "starter").glob("*.md"))


@pytest.fixture(scope="module")
def builder() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_starter", Path(__file__).with_name("build_starter.py"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def starter() -> Memory:
    return Memory.starter("lexical")


@pytest.mark.parametrize("name", NAMES)
def test_every_demonstration_gives_the_answer_of_a_second_engine(
    name: str, builder: ModuleType, starter: Memory, tmp_path: Path
) -> None:
    world = builder.World(builder.WORLDS / f"{name}.md", tmp_path)
    shipped = list(starter.only(source=name))
    assert len(shipped) == len(world.written)
    for kept, written in zip(shipped, world.written, strict=True):
        assert (kept.question, kept.rationale, kept.code) == (written.question, written.rationale, written.code)
        gold = world.gold(written)
        ordered = "ORDER BY" in written.gold.rsplit(")", 1)[-1]
        assert same_rows(kept.answer, gold, ordered=ordered), written.question
        now = demonstrated(written, world.boxes, gold)
        assert same_rows(now.answer, kept.answer, ordered=ordered), written.question
        for box in boxes_used(kept.code, list(world.boxes)):
            assert f"{box} = pd.DataFrame(" in kept.boxes
            assert all(f'"{label}"' in kept.boxes for label in world.boxes[box].labels)


def test_the_starter_covers_all_kinds_and_repeats_no_question(starter: Memory) -> None:
    assert len(starter) >= 150
    assert all(count >= 30 for count in Counter(each.kind for each in starter).values())
    assert len({each.question for each in starter}) == len(starter)
    assert sum(not each.answer for each in starter) == 0


def test_a_newcomers_question_has_neighbours_of_its_shape(starter: Memory) -> None:
    first = starter.select("Which author has written the most novels?", k=3)
    assert any("max()" in each.demonstration.code and "groupby" in each.demonstration.code for each in first)
    none = starter.select("Which planets have no moons?", k=4)
    assert any("~" in each.demonstration.code or "isna" in each.demonstration.code for each in none)
