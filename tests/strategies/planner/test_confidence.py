"""How sure it says it is: lower for what is less certain, and never sure of a question of which a part is left over."""

from __future__ import annotations

import pytest

from boxkit import Planner
from boxkit.strategies.planner.reading import read


@pytest.mark.parametrize(
    ("surer", "less_sure"),
    [
        ("How many bands are there?", "How many bands have played in Berlin?"),
        ("Which venue has the largest capacity?", "Which venue has the biggest capasity?"),
        ("List the names of the bands.", "List the names, genres and countries of the bands sorted by founding year."),
    ],
)
def test_it_is_surer_of_the_simpler_question(festival, surer, less_sure):
    assert read(surer, festival).best[0].confidence > read(less_sure, festival).best[0].confidence


@pytest.mark.parametrize("word", ["purple", "touring"])
def test_a_word_that_nothing_accounts_for_stops_it_however_sure_it_is_of_the_rest(festival, word):
    answer = Planner(threshold=0).ask(f"How many {word} bands are there?", festival)
    assert answer.failure is not None
    assert repr(word) in answer.failure.message


def test_a_confidence_is_a_chance(festival):
    for question in ("How many bands are there?", "Which bands wear hats in Berlin since 2020 or so?"):
        assert all(0 <= planned.confidence <= 1 for planned in read(question, festival).best)
