"""Readings that give something, but not what was asked: nobody should be told the words of their own question."""

from __future__ import annotations

import pandas as pd
import pytest

from boxkit import Planner, load


@pytest.fixture(scope="module")
def towns():
    frame = pd.DataFrame(
        {
            "Official Name": ["Moncton", "Dieppe", "Sackville", "Total"],
            "Designation": ["City", "City", "Town", ""],
            "Area km2": [141.92, 54.05, 74.32, 270.29],
            "Population": ["69,074", "23,310", "5,558", "97,942"],
            "Parishes": ["Moncton, Coverdale", "Moncton", "Sackville, Dorchester, Botsford", ""],
        }
    )
    return load({"towns": frame})


def test_the_words_of_the_question_are_no_answer(festival):
    # "who was in the war?" was answered by the war's name
    message = Planner().ask("What band is Glass Harbour?", festival).failure.message
    assert "only repeat" in message


@pytest.mark.parametrize(
    ("question", "why"),
    [
        ("Which city has the least area?", "gives only Area km2"),  # 54.05 was given for a city
        ("Which city has the largest population?", "cannot be ordered"),  # ranked by the area instead
        ("What is the total area?", "row of totals"),  # twice the sum
        ("How many parishes does Sackville have?", ""),  # 1: a cell was counted, which holds three
    ],
)
def test_a_figure_that_was_not_asked_for_is_not_given(towns, question, why):
    answer = Planner().ask(question, towns)
    assert answer.failure is not None, f"{answer.rows} by {answer.code}"
    assert why in answer.failure.message


def test_two_names_of_which_is_asked_are_no_repetition(festival):
    rows = Planner().ask("Which genre have Glass Harbour and Paper Kites?", festival).rows
    assert rows == [("rock",)]
