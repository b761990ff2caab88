"""Masked questions and program skeletons keep the shape and drop the subject."""

from __future__ import annotations

from pathlib import Path

import pytest

import boxkit
from boxkit.memory import Demonstration, Drafted, Memory
from boxkit.memory.masking import likeness, mask, masked_question, skeleton
from boxkit.testing import ScriptedLLM

BOXES = 'lamp = pd.DataFrame({\n    "maker": [],  # text\n    "net_price": [],  # number\n})\n'


@pytest.mark.parametrize(
    ("question", "labels", "values", "masked"),
    [
        ("How many lamps cost over 1,200.50 EUR?", ["lamp"], [], "How many <field> cost over <number> EUR?"),
        ("Which lamp is called 'Big Light'?", ["lamp"], [], "Which <field> is called <value>?"),
        ("How many lamps did Ada von Quill buy?", ["lamp"], [], "How many <field> did <value> buy?"),
        ("What is the net price of a glow worm?", ["net_price"], ["Glow worm"], "What is the <field> of a <value>?"),
        ("Count the netPrices above 5 %.", ["netPrice"], [], "Count the <field> above <number>."),
        ("How many names are there?", ["name"], [], "How many names are there?"),
        ("", ["lamp"], ["x"], ""),
    ],
)
def test_values_names_and_labels_are_masked(question: str, labels: list, values: list, masked: str) -> None:
    assert mask(question, labels, values) == masked


def test_a_demonstration_is_masked_by_its_own_boxes_and_code() -> None:
    demonstration = Demonstration(
        "", "Which makers sell amber lamps?", BOXES, "", "answer = lamp[lamp['k'] == 'amber']"
    )
    assert masked_question(demonstration) == "Which <field> sell <value> <field>?"


def test_programs_of_one_shape_are_more_alike_than_others() -> None:
    own = skeleton("many = lamp[lamp['price'] > 20]\nanswer = len(many)")
    same = skeleton("old = person[person['age'] > 7]\nanswer = len(old)")
    other = skeleton("answer = person.groupby('town')['age'].mean()")
    assert likeness(own, same) == 1 > likeness(own, other)
    assert likeness(own, skeleton("this is (not code")) == 0


def test_masked_selection_looks_past_the_subject() -> None:
    memory = Memory(
        [
            Demonstration(
                "shape", "Which town has the most lamps?", BOXES + "town = pd.DataFrame({})", "", "answer = 1"
            ),
            Demonstration("topic", "What is the colour of the sea dog in the pet shop?", "", "", "answer = 2"),
        ],
        "lexical",
    )
    boxes = 'sea_dog = pd.DataFrame({\n    "pet_shop": [],\n})'
    chosen = memory.select("Which pet shop has the most sea dogs?", k=1, mode="masked", boxes=boxes)
    assert chosen[0].demonstration.id == "shape"
    assert chosen[0].similarity > 0.9


def test_a_draft_program_brings_its_like_to_the_front() -> None:
    memory = Memory(
        [
            Demonstration("count", "How many lamps are there?", "", "", "answer = len(lamp[lamp['price'] > 3])"),
            Demonstration("group", "How many lamps are here?", "", "", "answer = lamp.groupby('maker').size()"),
        ],
        "lexical",
    )
    for draft, first in {"len(box[box['x'] > 1])": "count", "box.groupby('y').size()": "group"}.items():
        chosen = memory.select("How many doors are there?", k=2, mode="masked", draft=draft)
        assert chosen[0].demonstration.id == first
        assert len(chosen) == 2


def test_a_planners_answer_serves_as_the_draft_of_a_models(tmp_path: Path) -> None:
    (tmp_path / "lamp.csv").write_text("name,maker,price\na,x,10\nb,x,30\nc,y,5\n", encoding="utf-8")
    boxes = boxkit.load(tmp_path / "lamp.csv")
    memory = Memory(
        [
            Demonstration("many", "What is the top price?", "", "", "answer = box.groupby('y').agg(n=('z', 'max'))"),
            Demonstration("sum", "What is the highest weight?", "", "", "answer = box['weight'].sum()"),
        ],
        "lexical",
    )
    asked = []

    def draft(question: str, boxes: boxkit.BoxSet) -> str:
        asked.append(question)
        return boxkit.Planner().ask(question, boxes).code

    llm = ScriptedLLM(lambda _: "```python\nanswer = 45\n```")
    for select, first in {"similar": "many", "masked": "sum"}.items():
        answer = boxkit.Pandora(llm, Drafted(memory, draft), k=1, select=select).ask("What is the total price?", boxes)
        assert answer.demonstrations == (first,)
    assert asked == ["What is the total price?"]
