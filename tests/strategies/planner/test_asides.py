"""What a question says besides: what it is for, a group between commas, "at the same time", a count said twice."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from boxkit import BoxSet, Planner, load
from boxkit.strategies.planner.reading import read


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        # What an answer is for was taken for a condition, and nothing answered; what that is about is one.
        ("For tonight's pub quiz: which bands were founded before 1990?", [("Nordlys",)]),
        ("For a talk on Glass Harbour, how many concerts did they play?", [(3,)]),
        ("While preparing a leaflet, how many venues are in Lyon?", [(2,)]),
        # A group between commas was no group, and the bands were named besides.
        ("Count, country by country, the bands in each.", [("Denmark", 1), ("France", 2), ("Germany", 2)]),
        (
            "Break the bands down by country and give the number of bands for each.",
            [("Denmark", 1), ("France", 2), ("Germany", 2)],
        ),
        # "also" was a union, or no answer.
        ("Which bands played in Lyon and also in Berlin?", [("Glass Harbour",), ("Red Lanterns",)]),
        (
            "Which bands played at Old Mill and at River Stage at the same time?",
            [("Glass Harbour",), ("Red Lanterns",)],
        ),
        # Behind "per", only the count said what is wanted: every band was named besides.
        ("Bands per country, how many there are", [("Denmark", 1), ("France", 2), ("Germany", 2)]),
        # Said twice, the first wording was left over; the second says it all.
        ("Which bands were founded earliest? Name the two oldest bands.", [("Glass Harbour",), ("Nordlys",)]),
        # What is asked for stands last, or is pointed at behind.
        ("Lyon is home to which venues?", [("Hill Garden",), ("Old Mill",)]),
        ("Germany's oldest band - which group is that?", [("The Quiet Ones",)]),
        ("How many bands that played at Old Mill played at River Stage as well?", [(2,)]),
        # Two letters that changed places in a name of the data.
        ("How many cnocerts are there?", [(7,)]),
        # To share is no share.
        ("Which genres do at least two bands share?", [("jazz",), ("rock",)]),
        ("Add up the visitors of all French bands' concerts.", [(3740,)]),
    ],
)
def test_what_is_said_besides_asks_for_nothing(festival: BoxSet, question: str, rows: list[tuple[Any, ...]]) -> None:
    # How it is read, however sure the Planner must be of it: that is calibrated, and changes.
    answer = Planner(threshold=0.6).ask(question, festival)
    assert answer.failure is None, answer.failure
    assert sorted(answer.rows) == rows


@pytest.mark.parametrize(
    "question",
    [
        # An edition is no occasion: what stands in front may be a condition that the data does not know.
        "For the paperback edition, how many concerts are there?",
        # The second sentence leans on the first.
        "Which band is the oldest? List the venues where it played the most.",
        # "Where more than 500 came" is a figure, and no occasion.
        "For concerts with more than 500 posters, what is the average price?",
    ],
)
def test_a_condition_in_front_is_not_passed_over(festival: BoxSet, question: str) -> None:
    assert Planner().ask(question, festival).failure is not None


def test_two_fields_that_say_the_same_of_the_same_rows_are_one_reading() -> None:
    frame = pd.DataFrame(
        {
            "lake": ["Inari", "Saimaa", "Como", "Garda"],
            "part": ["North", "North", "South", "South"],
            "zone": ["North", "North", "South", "Centre"],
        }
    )
    boxes = load({"lake": frame})
    alike, apart = (read(f"How many lakes are in the {where}?", boxes).best[0] for where in ("North", "South"))
    assert alike.signs["lead"] > apart.signs["lead"] == 0.0
