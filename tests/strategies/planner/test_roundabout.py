"""Questions in a roundabout way get the answer of the straight one; what a condition may hide in is kept."""

from __future__ import annotations

import pytest

from boxkit import BoxSet, Planner

IVY, OAK, ROSE = ("Ivy",), ("Oak",), ("Rose",)


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        # Who wants to know.
        ("A customer wants to know for how many of our plants the price is over four.", [(3,)]),
        ("One of my students asked which plants are taller than 100 cm.", [IVY, OAK]),
        # How large the whole is, said twice.
        ("What's the size of our plant collection, i.e. how many plants does it comprise?", [(6,)]),
        # In two steps.
        ("Take the plants that Moss Hall offers and work out their mean price.", [(87.5 / 3,)]),
        ("Look at the growers in Lund and count them.", [(2,)]),
        # Behind a statement.
        ("Our plants come in a variety of colours - how many in total, counting each one once?", [(3,)]),
        ("Of the growers, name the one that was founded first.", [("Fern & Co",)]),
        ("How much does one pay for a plant on average?", [(104 / 6,)]),
        ("How many plants don't even cost 4?", [(2,)]),
        ("Show the colour of every plant, without repeats.", [("green",), ("red",), ("white",)]),
        ("Top two plants by price - names only, starting with the dearest.", [OAK, ROSE]),
        ("average plant price across our whole catalogue", [(104 / 6,)]),
        ("Break the mean plant price down by colour.", [("green", 87.5 / 3), ("red", 6.25), ("white", 4.0)]),
        ("Subtract the minimum plant price from the maximum one and tell me the result.", [(77.5,)]),
        ("Name the most prolific grower.", [("Moss Hall",)]),
        # Who is asked for is a thing, and no person.
        ("Who is our longest-established grower?", [("Fern & Co",)]),
        ("How many names are priced at more than 4?", [(3,)]),
        ("Give me the two priciest plants by name.", [OAK, ROSE]),
        ("Sort the plants by height in descending order and show me the names of the first two.", [OAK, IVY]),
        ("How many green plants do we have on our shelves?", [(3,)]),
        ("The plants that cost more than any other?", [OAK]),
        ("By how much do the highest and lowest plant prices differ?", [(77.5,)]),
        ("The maximum plant price minus the minimum plant price?", [(77.5,)]),
        ("What is the height gap between the tallest and the shortest plant?", [(870,)]),
        ("Which of the plants is the dearest one?", [OAK]),
        # What is asked comes last, what it is about first.
        ("Green Yard was founded in what year?", [(2003,)]),
        ("Fern & Co offers how many plants?", [(2,)]),
        ("Green plants: what's their average price?", [(87.5 / 3,)]),
        ("Red plants - total price?", [(12.5,)]),
        ("Which growers were already around before 1960?", [("Fern & Co",)]),
        # Slips of the pen in words of ours.
        ("On avergae, how tall is a plant?", [(220.0,)]),
        ("What is the higest price of a plant?", [(80.0,)]),
    ],
)
def test_what_is_asked_is_found_behind_the_turn_of_phrase(
    nursery: BoxSet, question: str, rows: list[tuple[object, ...]]
) -> None:
    answer = Planner().ask(question, nursery)

    assert answer.failure is None, answer.failure
    assert sorted(answer.rows) == [pytest.approx(row) for row in sorted(rows)]


@pytest.mark.parametrize(
    "question",
    [
        "How many plants do we have in our heated greenhouse?",
        # "hardy" may be a condition, and a beverage is no average.
        "What's the size of our hardy collection, i.e. how many plants does it comprise?",
        "What is the beverage of the plants?",
        "A gardener wants to know how many hardy plants there are.",
    ],
)
def test_a_word_that_may_be_a_condition_is_not_passed_over(nursery: BoxSet, question: str) -> None:
    assert Planner().ask(question, nursery).failure is not None


@pytest.mark.parametrize(
    ("question", "first"),
    [
        # A measure's noun that the data does not have; which end comes first is said behind.
        ("List the plants in descending order of height.", "Oak"),
        ("List the growers in order of age, oldest first.", "Fern & Co"),
        ("List the growers in order of age, youngest first.", "Green Yard"),
        ("List the plants ordered by price, cheapest first.", "Mint"),
    ],
)
def test_rows_come_in_the_order_that_is_said_in_two_ways(nursery: BoxSet, question: str, first: str) -> None:
    answer = Planner(threshold=0).ask(question, nursery)

    assert answer.failure is None, answer.failure
    assert answer.rows[0] == (first,)
