"""Idioms are put in plainer words that ask for the same, and only where the data has what they speak of."""

from __future__ import annotations

import pytest

from boxkit.strategies.planner.idioms import say_plainly


@pytest.mark.parametrize(
    ("question", "plain"),
    [
        ("What is the priciest plant called?", "which is the priciest plant?"),
        ("London growers count", "how many London growers"),
        ("Which grower was established before all the others?", "Which grower was established first?"),
        (
            "How much more does the dearest plant cost than the cheapest one?",
            "What is the difference between the highest and the lowest price of the plant?",
        ),
        ("Which clubs has Norway joined?", "Which clubs is Norway a member of?"),
        ("the rivers that Peru and Chile share", "the rivers in both Peru and Chile"),
        ("Name every genre with over 12 books", "Name all genres with over 12 books"),
        ("the five longest, starting with the longest", "the five longest"),
        ('Who wrote "The pen of all, called so"?', 'Who wrote "The pen of all, called so"?'),
    ],
)
def test_idioms_are_put_plainly(question: str, plain: str) -> None:
    assert say_plainly(question, lambda word: True) == plain


@pytest.mark.parametrize(
    "question",
    [
        "Which clubs has Norway joined?",
        "Who came into the world after 1950?",
        "How much do the boxes weigh on average?",
        "Select the name and price of the cheapest product",
        "the shortest book by page count",
        "the average price for every genre",
    ],
)
def test_what_the_data_does_not_speak_of_stays_as_it_is(question: str) -> None:
    assert say_plainly(question, lambda word: word == "price") == question.replace("page count", "number of pages")
