"""Answers on the screen."""

from __future__ import annotations

from boxkit.answer import Answer
from boxkit.cli.answers import print_answer
from boxkit.cli.exits import Exit
from boxkit.failure import Failure


def test_a_reading_that_was_not_run_is_shown_without_rows(capsys):
    choices = [{"reading": "Take the rows of river.", "code": "answer = river", "confidence": 0.4}]
    answer = Answer("?", failure=Failure("abstained", "Unsure"), details={"choices": choices})
    assert print_answer(answer) is Exit.NO_ANSWER
    shown = capsys.readouterr()
    assert "Take the rows of river." in shown.out + shown.err
    assert "no rows" not in shown.out + shown.err
