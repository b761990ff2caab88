"""Selecting among strategies, and answering in parts: each way a choice is made, and each way a part fails."""

from __future__ import annotations

import pandas as pd
import pytest

import boxkit
from boxkit.strategies import Decompose, Select
from boxkit.strategies.decompose import sample
from boxkit.testing import ScriptedLLM


def code(text):
    return f"```python\n{text}\n```"


@pytest.fixture(scope="module")
def boxes():
    frame = pd.DataFrame({"name": [f"n{at}" for at in range(100)] + ["Zoe"], "age": [*range(100), 7]})
    return boxkit.load({"person": frame})


def pandora(text):
    return boxkit.Pandora(ScriptedLLM([code(text)] * 3), attempts=1)


GOOD, BAD, WORSE = "answer = len(person)", "answer = -1", "answer = 'many'"

CHECKS = code("def check(rows):\n    return [len(rows) == 1, rows[0][0] == len(person)]")


class TestSelect:
    """Candidates."""

    @pytest.mark.parametrize(
        ("programs", "replies", "rows", "by"),
        [
            ((GOOD, GOOD, BAD), [], [(101,)], "agreement"),
            ((BAD, GOOD), [CHECKS], [(101,)], "checks"),
            ((BAD, WORSE, GOOD), ["no checks", "Third. Choice: 3"], [(101,)], "judge"),
            ((BAD, GOOD), [code("def check(rows):\n    raise ValueError"), "Choice: 2"], [(101,)], "judge"),
            ((BAD, GOOD), ["no checks", "I cannot tell"], [(-1,)], "order"),
            ((BAD, "nonsense("), [], [(-1,)], "agreement"),
        ],
    )
    def test_agreement_then_checks_then_a_judge_decide(self, boxes, programs, replies, rows, by):
        llm = ScriptedLLM(replies)
        answer = Select(tuple(pandora(each) for each in programs), llm).ask("How many?", boxes)
        assert answer.rows == rows
        assert answer.details["selected_by"] == by
        assert answer.usage.calls == len(programs) + len(replies)

    def test_where_all_fail_the_failure_is_told(self, boxes):
        answer = Select((pandora("nonsense("), pandora("x")), ScriptedLLM([])).ask("How many?", boxes)
        assert not answer.ok

    def test_one_strategy_is_nothing_to_select_from(self):
        with pytest.raises(ValueError, match="two strategies"):
            Select((pandora(GOOD),), ScriptedLLM([]))


PLAN = '```json\n{"subquestions": ["Find Zoe", "How old is she?"], "values": ["zoe"]}\n```'


class TestDecompose:
    """Sub-questions."""

    def test_parts_run_on_samples_that_hold_the_value_and_the_whole_on_all_rows(self, boxes):
        llm = ScriptedLLM(
            [
                PLAN,
                code("step_1 = person[person.name == 'Zoe']\nassert len(step_1) + len(person) == 52\nanswer = step_1"),
                code("step_2 = step_1.age\nanswer = step_2"),
                code("assert len(person) == 101\nanswer = person[person.name == 'Zoe'].age"),
            ]
        )
        answer = Decompose(llm).ask("How old is Zoe?", boxes)
        assert answer.check().rows == [(7,)]
        assert {name: usage.calls for name, usage in answer.usage.steps.items()} == {
            "decompose": 1,
            "part": 2,
            "merge": 1,
        }
        assert "step_1 = person" in llm.requests[2].text

    def test_a_part_is_corrected(self, boxes):
        one = '{"subquestions": ["How many?"]}'
        replies = ["no plan", one, code("step_1 = persn\nanswer = step_1"), code("answer = len(person)"), code(GOOD)]
        answer = Decompose(ScriptedLLM(replies)).ask("How many?", boxes)
        assert answer.check().rows == [(101,)]
        assert len(answer.attempts) == 5

    def test_a_part_that_never_succeeds_ends_it(self, boxes):
        answer = Decompose(ScriptedLLM([PLAN, "?"]), attempts=1).ask("How old is Zoe?", boxes)
        assert (answer.ok, answer.failure.kind) == (False, "no code")

    def test_a_sample_leaves_the_original_alone(self, boxes):
        small = sample(boxes, ["Zoe"], rows=2)
        assert small["person"].frame.name.tolist() == ["n0", "n1", "Zoe"]
        assert boxes["person"].count() == 101
        assert small.fingerprint != boxes.fingerprint
