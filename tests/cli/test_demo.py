"""``boxkit demo``: four true answers with no model and no key."""

from __future__ import annotations

import pytest

import boxkit
from boxkit.cli.demo import DEMO
from boxkit.examples import questions

ASKED = {question.id: question for question in questions()}


def test_the_demo_asks_a_table_a_database_a_graph_and_two_joined(boxkit_command) -> None:
    assert sorted(key[0] for key in DEMO) == ["c", "d", "g", "j"]
    result = boxkit_command("demo")
    assert result.exit_code == 0, result.stderr
    for key in DEMO:
        assert ASKED[key].question in result.stderr
    assert all(value in result.stdout for value in ("Africa", "54", "Rhine", "23", "2355"))


@pytest.mark.parametrize("key", DEMO)
def test_what_the_demo_answers_is_true(key: str) -> None:
    question = ASKED[key]
    answer = boxkit.Planner().ask(question.question, boxkit.load(*question.paths)).check()
    assert sorted(map(str, answer.rows)) == sorted(str(row) for row in question.rows)
