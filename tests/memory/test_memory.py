"""A memory finds, filters, merges and keeps demonstrations."""

from __future__ import annotations

import subprocess
import sys

import pytest

from boxkit.memory import MODES, Demonstration, Memory, Verification

QUESTIONS = {
    "How many lamps are there?": ("shop", "table", "train"),
    "Which mountain is the highest?": ("peaks", "graph", "train"),
    "What is the number of valleys?": ("peaks", "graph", "dev"),
    "List the lamps that cost more than 20 euros.": ("shop", "table", "dev"),
    "What is the average price of a lamp per shop?": ("shop", "database", "train"),
}


def demonstrations() -> list[Demonstration]:
    return [
        Demonstration("", question, "lamp = …", "Count.", "answer = len(lamp)", ((7,),), dataset, kind, "world", split)
        for question, (dataset, kind, split) in QUESTIONS.items()
    ]


@pytest.fixture
def memory() -> Memory:
    return Memory(demonstrations(), "lexical")


def asked(selected: list) -> list[str]:
    return [each.demonstration.question for each in selected]


def test_the_nearest_question_comes_first(memory: Memory) -> None:
    selected = memory.select("How many rivers are there?", k=2)
    assert asked(selected) == ["How many lamps are there?", "What is the number of valleys?"]
    assert selected[0].similarity > selected[1].similarity > 0


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_gives_k_different_demonstrations(memory: Memory, mode: str) -> None:
    selected = memory.select("How many rivers are there?", k=4, mode=mode)
    assert len({each.demonstration.id for each in selected}) == 4
    assert len(memory.select("How many rivers are there?", k=99, mode=mode)) == 5


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "asked_as", ["How many lamps are there?", "how many  LAMPS are there", "How many lamps, are there"]
)
def test_a_question_is_never_offered_its_own_demonstration(memory: Memory, mode: str, asked_as: str) -> None:
    selected = memory.select(asked_as, k=99, mode=mode)
    assert "How many lamps are there?" not in asked(selected)
    assert len(selected) == 4


@pytest.mark.parametrize(
    ("exclude", "left"),
    [("dev", 3), ("shop/dev", 4), (["train", "dev"], 0), (("peaks/dev", "shop/train"), 2), ("test", 5)],
)
def test_a_split_under_evaluation_is_left_out(memory: Memory, exclude: object, left: int) -> None:
    assert len(memory.select("anything at all", k=99, exclude=exclude)) == left


def test_random_depends_on_the_seed_and_the_question_alone(memory: Memory) -> None:
    draws = [asked(memory.select("What now?", k=3, mode="random", seed=seed)) for seed in (1, 1, *range(2, 9))]
    assert draws[0] == draws[1]
    assert len({tuple(draw) for draw in draws}) > 2


def test_an_unknown_mode_is_refused_by_name(memory: Memory) -> None:
    with pytest.raises(ValueError, match="'nearest'"):
        memory.select("What now?", mode="nearest")


def test_only_keeps_the_vectors_and_leaves_the_memory_alone(memory: Memory) -> None:
    shop = memory.only(dataset="shop")
    assert len(shop) == 3 and len(memory) == 5
    assert {each.dataset for each in shop} == {"shop"}
    assert asked(shop.select("How many rivers are there?", k=1)) == ["How many lamps are there?"]
    assert len(memory.only(dataset=["shop", "peaks"], kind="graph")) == 2
    shop.remove(next(iter(shop)).id)
    assert len(memory) == 5


def test_what_is_added_is_found_and_what_is_removed_is_not(memory: Memory) -> None:
    new = Demonstration("new", "How many rivers does each country have?", "", "", "answer = 1")
    memory.select("warm up the index")
    assert memory.add(new) == 1 and memory.add(new) == 0
    assert memory.select("How many rivers has each country?", k=1)[0].demonstration is new
    memory.remove("new")
    assert "new" not in memory
    assert len(memory.select("How many rivers has each country?", k=99)) == 5


def test_two_demonstrations_cannot_share_an_id(memory: Memory) -> None:
    memory.add(Demonstration("x", "One?", "", "", "answer = 1"))
    with pytest.raises(ValueError, match="'x'"):
        memory.add(Demonstration("x", "Two?", "", "", "answer = 2"))


def test_merging_changes_neither(memory: Memory) -> None:
    other = Memory([Demonstration("x", "One?", "", "", "answer = 1")], "lexical")
    assert len(memory.merge(other, memory)) == 6
    assert (len(memory), len(other)) == (5, 1)


def test_a_demonstration_read_back_equals_the_one_written() -> None:
    written = Demonstration(
        "",
        "Größe „é“ \u2028?",
        "b",
        "r",
        "answer = 1\n",
        ((1, None, "x", 2.5, True),),
        "d",
        "table",
        "s",
        "train",
        Verification("rows", 2, "person"),
        {"sql": "SELECT 1"},
    )
    assert "\n" not in written.to_line()
    assert Demonstration.from_line(written.to_line()) == written
    assert written.id == Demonstration.from_line(written.to_line().replace(written.id, "")).id


@pytest.mark.parametrize(
    "line", ["[]", "{}", '{"question": "a", "code": "b", "colour": 1}', '{"question": 1, "code": ""}', "{"]
)
def test_a_line_that_is_no_demonstration_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"demonstration|JSON|Expecting"):
        Demonstration.from_line(line)


def test_importing_loads_no_heavy_library() -> None:
    code = "import sys, boxkit.memory; print({'faiss', 'torch', 'pandas', 'numpy', 'openai'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "set()"


def test_vectors_are_the_same_in_every_process() -> None:
    code = (
        "from boxkit.memory import Demonstration, Memory\n"
        "questions = 'How many are red?', 'Who is the oldest?'\n"
        "m = Memory([Demonstration('', q, '', '', 'a') for q in questions], 'lexical')\n"
        "print([round(s.similarity, 6) for s in m.select('How many cars are blue?')])"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, env={"PYTHONHASHSEED": seed, "PATH": ""}
        ).stdout
        for seed in ("1", "2")
    }
    assert len(runs) == 1 and runs.pop().startswith("[0.")


@pytest.mark.parametrize("mode", MODES)
def test_nothing_asked_for_or_nothing_there_is_nothing_chosen(memory: Memory, mode: str) -> None:
    assert memory.select("What now?", k=0, mode=mode) == []
    assert Memory((), "lexical").select("What now?", mode=mode) == []
    assert Memory((), "lexical").only(kind="graph").select("What now?", mode=mode) == []
    assert len(memory.select("", k=2, mode=mode)) == 2


def test_excluding_splits_gives_a_memory_that_any_strategy_can_use(memory: Memory) -> None:
    assert {each.split for each in memory.excluding("dev")} == {"train"}
    assert len(memory.excluding("peaks/dev")) == 4 and len(memory) == 5


@pytest.mark.parametrize("part", ["id", "dataset", "source", "split"])
def test_a_name_of_two_lines_is_refused(part: str) -> None:
    with pytest.raises(ValueError, match=part):
        Demonstration(**{"id": "x", "question": "q", "boxes": "", "rationale": "", "code": "c", part: "a\nb"})
