"""With a memory: what was verified for a similar question tells readings apart that cost about the same."""

from __future__ import annotations

import pandas as pd
import pytest

from boxkit import Memory, Planner, load
from boxkit.memory import Demonstration


@pytest.fixture(scope="module")
def trips():
    frame = pd.DataFrame({"start_town": ["Ulm", "Bonn", "Ulm"], "end_town": ["Bonn", "Ulm", "Jena"], "cost": [5, 8, 9]})
    return load({"trip": frame})


def remembered(question: str, code: str) -> Memory:
    return Memory([Demonstration("", question, "", "", code)], "lexical")


QUESTION = "What is the average cost of the trips with Ulm?"


def test_demonstrations_of_no_shape_in_question_leave_the_choice_to_the_user(trips):
    # both readings are an average of filtered rows: the memory cannot know which town is meant
    memory = remembered(
        "What is the average price of the tours with Rome?", "answer = t[t['to'] == 'Rome']['p'].mean()"
    )
    answer = Planner(memory=memory).ask(QUESTION, trips)
    assert answer.failure is not None
    assert len(answer.details["choices"]) == 2


def test_an_unlike_demonstration_changes_nothing(trips):
    memory = remembered("How many lamps are there?", "answer = len(lamp)")
    assert Planner(memory=memory).ask("What is the highest cost?", trips).rows == [(9,)]
    assert Planner(memory=memory).ask(QUESTION, trips).failure is not None


def test_a_demonstration_of_the_same_shape_settles_what_is_counted():
    sales = pd.DataFrame({"sale_id": [1, 2, 3, 4], "customer": ["Al", "Bo", "Al", "Cy"], "amount": [5, 8, 9, 1]})
    boxes = load({"sales": sales})
    question = "How many customers are in the sales?"
    memory = remembered("How many buyers are in the orders?", "answer = orders['buyer'].nunique()")
    assert Planner(memory=memory).ask(question, boxes).rows == [(3,)]
