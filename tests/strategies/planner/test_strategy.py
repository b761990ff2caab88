"""The Planner as a user meets it: answers with code and reasons, or an abstention that says why."""

from __future__ import annotations

import asyncio

import pandas as pd
import pytest

from boxkit import Planner, Profile, load
from boxkit.strategies.planner.reading import read


def test_an_answer_has_rows_code_a_rationale_and_a_confidence(festival):
    answer = Planner().ask("How many French bands are there?", festival)
    assert answer.ok
    assert answer.rows == [(2,)]
    assert "France" in answer.code
    assert answer.rationale == "Take the rows of band. Keep those where country is 'France'. Take the number of rows."
    assert 0.5 < answer.details["confidence"] <= 1
    assert answer.boxes == ("band",)
    assert answer.usage.calls == 0


def test_an_abstention_names_the_words_it_could_not_place(festival):
    answer = Planner().ask("Which bands wear purple hats?", festival)
    assert answer.failure is not None
    assert answer.failure.kind == "abstained"
    assert "'purple'" in answer.failure.message
    assert "'hats'" in answer.failure.message
    assert answer.details["unplaced"]
    assert answer.rows == []
    assert "OPENAI_API_KEY" in answer.failure.hint


def test_a_question_about_nothing_in_the_data_is_not_answered(festival):
    assert Planner().ask("What will the weather be tomorrow in Paris?", festival).failure.kind == "abstained"
    assert Planner().ask("", festival).failure.kind == "abstained"
    assert Planner().ask("?!", festival).failure.kind == "abstained"


def test_forced_it_gives_its_best_guess_and_says_that_it_is_one(festival):
    question = "Which bands from Germany wear hats?"
    assert not Planner().ask(question, festival).ok
    guess = Planner(force=True).ask(question, festival)
    assert guess.ok
    assert guess.details["guess"] is True
    assert "hats" in guess.details["doubt"]
    assert guess.rows == [("The Quiet Ones",), ("Paper Kites",)]


def test_forced_it_reads_a_question_without_the_phrase_that_is_in_the_way_and_names_it(festival):
    question = "How many French bands are below average?"
    assert read(question, festival).best == ()
    guess = Planner(force=True).ask(question, festival)
    assert guess.rows == [(2,)] and guess.details["guess"] is True, guess.failure
    assert "'below average', which is left out" in guess.details["doubt"]
    assert guess.details["unplaced"] == ["below average"] and guess.details["confidence"] == 0.0


@pytest.mark.parametrize("question", ["Why do zebras hum?", "", "how many bands " * 200])
def test_even_forced_it_abstains_where_nothing_can_be_read(festival, question):
    assert Planner(force=True).ask(question, festival).failure.kind == "abstained"


def test_two_readings_with_different_answers_are_shown_as_choices():
    trips = pd.DataFrame({"start_town": ["Ulm", "Bonn", "Ulm"], "end_town": ["Bonn", "Ulm", "Jena"], "cost": [5, 8, 9]})
    answer = Planner().ask("What is the average cost of the trips with Ulm?", load({"trip": trips}))
    assert answer.failure.kind == "abstained"
    assert "several ways" in answer.failure.message
    assert sorted(choice["rows"][0][0] for choice in answer.details["choices"]) == [7.0, 8.0]
    assert all(choice["reading"] for choice in answer.details["choices"])


def test_boxes_that_no_key_ties_are_never_crossed(festival):
    reading = read("What is the average humidity of the bands?", festival)
    assert all("cross" not in planned.code for planned in reading.best)
    assert all(not {"band", "weather_report"} <= set(planned.candidate.tree.boxes) for planned in reading.best)
    assert not Planner().ask("What is the average humidity for each band?", festival).ok


def test_a_superlative_gives_all_its_ties_unless_the_profile_wants_one():
    boxes = load({"runner": pd.DataFrame({"name": ["Ada", "Bo", "Cy"], "age": [31, 44, 44]})})
    question = "Which runner is the oldest?"
    assert Planner().ask(question, boxes).rows == [("Bo",), ("Cy",)]
    assert Planner(profile=Profile(ties="first")).ask(question, boxes).rows == [("Bo",)]


def test_an_answer_that_would_be_empty_is_an_abstention(festival):
    question = "Which bands from Denmark were founded after 2000?"
    assert Planner().ask(question, festival).failure.kind == "abstained"
    assert Planner(profile=Profile(empty_is_error=False)).ask(question, festival).rows == []


def test_the_same_question_gets_the_same_code_every_time(festival):
    question = "What is the average price of concerts in Lyon?"
    assert len({read(question, festival).best[0].code for _ in range(5)}) == 1


def test_it_works_on_an_event_loop(festival):
    assert asyncio.run(Planner().aask("How many venues are there?", festival)).rows == [(4,)]


def test_a_threshold_out_of_range_is_a_value_error():
    with pytest.raises(ValueError, match="between 0 and 1"):
        Planner(threshold=3)


def test_the_users_frame_is_not_changed():
    frame = pd.DataFrame({"name": ["Ada", "Bo"], "age": [31, 44]})
    before = frame.copy()
    Planner().ask("Who is the oldest?", load({"runner": frame}))
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How many teachers are there? " * 50, "words and marks, and no more than 250"),
        (
            "a" * 1_000_000,
            "1,000,000 characters, and no more than 10,000",
        ),  # spelling it right would take half a minute
    ],
)
def test_a_text_too_long_for_a_question_is_refused_at_once_with_its_length(question: str, said: str) -> None:
    boxes = load(pd.DataFrame({"teacher": ["Ann", "Bo"], "age": [30, 40]}))
    failure = Planner().ask(question, boxes).failure
    assert failure is not None and failure.kind == "abstained" and said in failure.message
