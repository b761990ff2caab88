"""Idioms are put in plainer words that ask for the same, and only where the data has what they speak of."""

from __future__ import annotations

import pytest

from boxkit.strategies.planner.rewording import reworded
from boxkit.strategies.planner.rewriting import Known, Rule, rewritten


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
        # Which rows come first, and that the names will do, is said in many ways.
        ("the five longest, starting with the longest", "the five longest"),
        ("the 3 plants that cost the most, from the dearest down", "the 3 plants that cost the most"),
        ("Plants ordered by price, from the dearest one down", "Plants ordered by price, dearest first"),
        ("Top two plants by price - names only", "Top two plants by price"),
        ("Which plants cost over 9, just the names?", "Which plants cost over 9?"),
        ("Which plants are red? Just the height.", "Which plants are red. Give the height."),
        ('Who wrote "The pen of all, called so"?', 'Who wrote "The pen of all, called so"?'),
    ],
)
def test_idioms_are_put_plainly(question: str, plain: str) -> None:
    assert reworded(question, lambda word: True, lambda words: True) == plain


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
    plain = reworded(question, lambda word: word == "price", lambda words: True)
    assert plain == question.replace("page count", "number of pages")


def test_of_several_rules_the_first_that_fits_is_applied_as_often_as_it_says() -> None:
    known = Known(lambda word: word == "tree", lambda words: False)
    rules = (Rule("oak", "fir", "bush"), Rule("oak", "elm", "trees"), Rule("oak", "ash"))
    assert rewritten("oak oak", [rules], known) == "elm oak"
    assert rewritten("oak oak", [rules, Rule("oak", "ash", times="all")], known) == "elm ash"
    assert rewritten("so so well", [Rule("^so ", "", times="while")], known) == "well"
    assert rewritten("Oak oak", [Rule("[A-Z]ak", "fir"), Rule("OAK", lambda match, _: None)], known) == "fir oak"
