"""The same questions in other words: what adds nothing stops no answer, and what says something is not passed over."""

from __future__ import annotations

import pandas as pd
import pytest

from boxkit import Planner, load


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        # The whole of the data, by any name and its own.
        ("How many plants are in the nursery?", [(6,)]),
        ("How many red plants are there in our collection?", [(2,)]),
        ("How many growers are in the data set?", [(3,)]),
        # Where a thing stands in a list, and what we do with it.
        ("Which plants are listed under green?", [("Ivy",), ("Mint",), ("Oak",)]),
        ("What green plants do we stock?", [("Ivy",), ("Mint",), ("Oak",)]),
        # Titles, and what is asked behind what it is about.
        ("Number of trails in Skane", [(2,)]),
        ("Growers in Lund: how many?", [(2,)]),
        ("Trails in Skane, how many are there?", [(2,)]),
        ("Top 2 growers by number of plants", [("Fern & Co",), ("Moss Hall",)]),
        ("top 2 growers by plant count", [("Fern & Co",), ("Moss Hall",)]),
        # A unit says which field.
        ("Which trails are over 500 km?", [("Ridge",)]),
        ("Plants above 100 cm in height", [("Ivy",), ("Oak",)]),
        ("Which trails are in Skane and also over 500 km?", [("Ridge",)]),
        ("Which growers were founded earlier than 1980?", [("Fern & Co",)]),
        ("Which plants are green as well as cheaper than 4?", [("Mint",)]),
        # What it costs; the name was given.
        ("How much is the Rose?", [(9.5,)]),
        ("What would I pay for the Ivy?", [(5.0,)]),
        # Frames of politeness ask for nothing; what is added behind says what to show, in which order.
        ("Could you please tell me how many growers there are?", [(3,)]),
        ("I was wondering which plants cost more than 50, if you don't mind", [("Oak",)]),
        ("I'd like the Lund-based growers", [("Fern & Co",), ("Green Yard",)]),
        ("Which plant is taller than all the others? Just the name.", [("Oak",)]),
        ("Of all the plants we have, how many are green?", [(3,)]),
        ("Lund: how many growers are there?", [(2,)]),
        ("Give me a breakdown of the plants by colour", [("green", 3), ("red", 2), ("white", 1)]),
        ("What's the typical price of a plant?", [(pytest.approx(17.3333, abs=1e-3),)]),
        # Amounts in words and short.
        ("Which plants are taller than five dozen cm?", [("Ivy",), ("Oak",), ("Rose",)]),
        ("Which plants are over twenty-nine cm but under 50 cm?", [("Mint",)]),
        # Amounts without the field's name: by money, by a unit with its adjective, "or more" in front of a noun.
        ("Plants under 4 euros", [("Mint",), ("Poppy",)]),
        ("Which plants cost no fewer than 10 euros?", [("Oak",)]),
        ("Which trails are upwards of 400 km long?", [("Coast",), ("Ridge",)]),
        ("Which growers have three or more plants?", [("Moss Hall",)]),
        ("Number of growers founded prior to 1960", [(1,)]),
        ("How high is the highest price?", [(80.0,)]),
        ("Which grower's got the most plants?", [("Moss Hall",)]),
        # What is counted, ordered, the first of a time, who does it.
        ("plants per colour", [("green", 3), ("red", 2), ("white", 1)]),
        ("plant count?", [(6,)]),
        ("By how much does the dearest plant's price exceed that of the cheapest one?", [(77.5,)]),
        ("Which grower was founded earliest?", [("Fern & Co",)]),
        ("Top 2 trails by length, names only", [("Coast",), ("Ridge",)]),
        ("Which plants have the greatest price, and give that price", [("Oak", 80.0)]),
        # Other words for the same.
        ("What is the dearest plant?", [("Oak",)]),
        ("Which plants does Moss Hall bring out?", [("Ivy",), ("Mint",), ("Oak",)]),
        ("List every plant of Moss Hall", [("Ivy",), ("Mint",), ("Oak",)]),
    ],
)
def test_another_wording_gets_the_same_answer(nursery, question, rows):
    answer = Planner().ask(question, nursery)
    assert sorted(answer.rows) == rows, answer.failure or answer.code


@pytest.mark.parametrize(
    "question",
    [
        # Each says more than the same question without the word.
        "How many plants are in the greenhouse?",
        "How many plants did we sell?",
        "Which plants do we not stock?",
        "Which trails are over 500 miles?",
        "How much are the growers?",
        "How many rows are there?",
    ],
)
def test_a_word_that_says_something_is_not_passed_over(nursery, question):
    answer = Planner().ask(question, nursery)
    assert answer.failure is not None, f"{answer.rows} by {answer.code}"


def test_who_does_it_is_told_by_the_verb_and_a_key_by_the_name_behind_it():
    shop = load(
        {
            "publisher": pd.DataFrame({"id": [1, 2], "name": ["Elm", "Ash"], "founder": ["Ida", "Bo"]}),
            "author": pd.DataFrame({"id": [7, 8], "name": ["Kai", "Lu"], "birth_date": ["1950-02-01", "1961-03-04"]}),
            "book": pd.DataFrame(
                {
                    "id": [1, 2, 3],
                    "title": ["Reed", "Moor", "Fen"],
                    "publisher_id": [1, 2, 2],
                    "author_id": [8, 7, 8],
                    "published_date": ["2001-05-06", "2003-07-08", "2009-09-10"],
                    "pages": [90, 120, 300],
                }
            ),
        }
    )
    ask = Planner().ask
    assert ask("Who published 'Reed'?", shop).rows == [("Elm",)]
    assert ask("Who penned 'Moor'?", shop).rows == [("Kai",)]
    assert ask("Who founded Ash?", shop).rows == [("Bo",)]
    assert ask("Tell me the publication year of 'Fen'", shop).rows == [(2009,)]
    assert ask("What is the mean page count?", shop).rows == [(170,)]


def test_names_that_look_like_short_forms_or_codes_are_names():
    cats = load({"cat": pd.DataFrame({"cat_id": [1, 2], "name": ["Tom", "Kit"], "age": [3, 5]})})
    assert Planner().ask("How many cats are there?", cats).rows == [(2,)]
    survey = load({"survey": pd.DataFrame({"c77": [1.0, 3.0], "q12": [5.0, 7.0]})})
    assert Planner().ask("What is the average c77?", survey).rows == [(2.0,)]
    assert Planner().ask("How many rows are there?", survey).rows == [(2,)]


def test_what_was_understood_tells_comparisons_and_superlatives(nursery):
    told = Planner().ask("Which trails are longer than 500 km?", nursery).details["understood"]
    assert "'longer than': trail['length_km'] > 500" in told
    told = Planner().ask("What is the cheapest plant?", nursery).details["understood"]
    assert "'cheapest': the smallest plant['price']" in told


def test_words_that_only_tie_others_are_not_named_as_unplaced(nursery):
    message = Planner().ask("Which of which have with that?", nursery).failure.message
    assert "'which'" not in message.lower()
