"""Learning keeps what executes to the gold answer, with a model, without one, and with one for the rest."""

from __future__ import annotations

import json
import sqlite3

import pytest

import boxkit
from boxkit.memory.learning import Example
from boxkit.testing import ScriptedLLM


@pytest.fixture
def examples(tmp_path):
    path = tmp_path / "shop.sqlite"
    database = sqlite3.connect(path)
    database.executescript("CREATE TABLE item(name TEXT, price REAL); INSERT INTO item VALUES ('pen', 2), ('ink', 5);")
    database.close()
    boxes = boxkit.load(path)

    def example(number, question, gold, program=""):
        language = "sql" if program else ""
        return Example(str(number), question, lambda: boxes, lambda: gold, program, language, dataset="own")

    return [
        example(1, "How many items are there?", [(2,)], "SELECT count(*) FROM item"),
        example(2, "What is the dearest item?", [("ink",)]),
        example(3, "What is a wrong gold?", [(7,)], "SELECT count(*) FROM item"),
    ]


def test_without_a_model_gold_programs_are_transpiled(examples):
    memory = boxkit.Memory()
    report = boxkit.learn(examples, None, memory)
    assert [each.question for each in memory] == ["How many items are there?"]
    assert len(report.finished) == 3


def test_a_file_of_ones_own_questions_is_learned_from_by_its_path(examples, tmp_path):
    program = {"program": "SELECT count(*) FROM item", "language": "sql"}
    record = {"question": "How many items are there?", "source": "shop.sqlite", "answer": 2, **program}
    (tmp_path / "own.jsonl").write_text(json.dumps(record), encoding="utf-8")
    memory = boxkit.Memory()
    boxkit.learn(tmp_path / "own.jsonl", None, memory)
    assert [(each.question, each.split) for each in memory] == [("How many items are there?", "train")]


def test_a_model_is_asked_only_for_what_was_refused(examples):
    llm = ScriptedLLM(["```python\nanswer = item.nlargest(1, 'price')[['name']]\n```"])
    memory = boxkit.Memory()
    boxkit.learn(examples, llm, memory, concurrency=1)
    assert {each.question for each in memory} == {"How many items are there?", "What is the dearest item?"}
    assert len(llm.requests) == 1


@pytest.mark.parametrize("shown", [True, False])
def test_the_gold_program_is_shown_only_if_wanted(examples, shown):
    llm = ScriptedLLM(lambda _: "```python\nanswer = len(item)\n```")
    boxkit.learn(examples[:1], llm, boxkit.Memory(), annotator="llm", show_gold=shown)
    assert ("SELECT count(*)" in llm.requests[0].text) is shown


@pytest.mark.parametrize(("name", "word"), [("llm", "needs a model"), ("magic", "not 'magic'")])
def test_an_annotator_that_cannot_be_had_says_why(examples, name, word):
    with pytest.raises(ValueError, match=word):
        boxkit.learn(examples, None, boxkit.Memory(), annotator=name)
