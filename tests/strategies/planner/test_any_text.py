"""Whatever is typed, the Planner answers or abstains; a service that passes questions on never falls over."""

from __future__ import annotations

import pandas as pd
import pytest

from boxkit import BoxSet, Planner, load


@pytest.fixture(scope="module")
def bakery() -> BoxSet:
    frame = pd.DataFrame(
        {
            "name": ["Rye", "Spelt", "Oat"],
            "price": [3.5, 4.0, 2.5],
            "baked_on": pd.to_datetime(["2024-01-03", "2024-02-04", "2024-03-05"]),
        }
    )
    return load({"loaf": frame})


@pytest.mark.parametrize(
    "question",
    [
        "",
        " \n\t ",
        "?!...,;()''",
        "'" * 3000 + "a",
        "🎉🥖 combien? 🍞",
        "パンはいくつありますか",
        "كم عدد الأرغفة؟",
        "loaves \x00 \ud800 ²",
        # More words than any question has: odds that no float holds, and a question read for minutes.
        "How many loaves are there " * 2000,
        "first and last name of " * 1000,
        "x" * 100_000,
        # Numbers and days that there are not.
        "loaves with a price over " + "9" * 6000,
        "loaves with a price over " + "9" * 290 + " billion billion million",
        "loaves with a price over " + "9" * 299 + ".5 million million",
        "loaves with a price between 2 and " + "9" * 400,
        "loaves baked on 2024-13-45",
        "loaves baked before 31 February 2024",
        "loaves baked after March 0000",
        "loaves baked before 9999-12-31",
        "loaves baked between 2023 and 99999",
    ],
)
def test_any_text_gives_an_answer_or_an_abstention_in_few_words(bakery, question):
    answer = Planner().ask(question, bakery)
    assert answer.rows or answer.failure is not None
    assert answer.failure is None or len(answer.failure.message) < 1000


def test_a_question_of_thousands_of_words_is_told_its_length(bakery):
    assert "10,000" in Planner().ask("How many loaves are there " * 2000, bakery).failure.message


def test_a_day_that_there_is_not_is_named(bakery):
    assert "31 February 2024" in Planner().ask("loaves baked before 31 February 2024", bakery).failure.message


def test_a_day_is_said_as_a_day_in_the_rationale(bakery):
    answer = Planner().ask("Which loaves were baked after 2024-02-01?", bakery)
    assert answer.rows == [("Spelt",), ("Oat",)]
    assert "2024-02-02" in answer.rationale
    assert "datetime" not in answer.rationale
