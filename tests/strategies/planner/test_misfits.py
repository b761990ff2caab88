"""Answers that the words of a question cannot mean: the Planner abstains, or gives the right one."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from boxkit import BoxSet, Planner, load

FLIGHTS = pd.DataFrame(
    [
        (1, "LHR", "MAD", 150, 180.0, "Skyway"),
        (2, "MAD", "CDG", 125, 99.0, "Azul"),
        (3, "CDG", "LHR", 80, 140.0, "Skyway"),
        (4, "MAD", "LHR", 150, 150.0, "Azul"),
    ],
    columns=["flight_id", "origin", "destination", "minutes", "price", "airline"],
)
AIRPORTS = pd.DataFrame(
    [("LHR", "Heathrow", "London"), ("MAD", "Barajas", "Madrid"), ("CDG", "Roissy", "Paris"), ("ORY", "Orly", "Paris")],
    columns=["code", "name", "city"],
)
SALES = pd.DataFrame(
    [
        (1, "North", "Desk", "2023-01-09", 3, 120.5),
        (2, "South", "Chair", "2023-02-11", 10, 45.0),
        (3, "North", "Lamp", "2024-02-13", 4, 30.0),
        (4, "West", "Shelf", "2024-06-17", 1, 140.0),
        (5, "North", "Desk", "2024-07-01", 2, 118.0),
    ],
    columns=["sale_id", "region", "product", "sale_date", "quantity", "amount"],
)
DAMS = pd.DataFrame(
    [(1, "Kariba Dam", "Zambia"), (2, "Kariba Dam", "Zimbabwe"), (3, "Aswan Dam", "Egypt")],
    columns=["dam_id", "name", "country"],
)


@pytest.fixture(scope="module")
def airline(tmp_path_factory: pytest.TempPathFactory) -> BoxSet:
    return _loaded(tmp_path_factory.mktemp("airline"), flights=FLIGHTS, airports=AIRPORTS)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> BoxSet:
    return _loaded(tmp_path_factory.mktemp("shop"), sales=SALES)


@pytest.fixture(scope="module")
def dams(tmp_path_factory: pytest.TempPathFactory) -> BoxSet:
    return _loaded(tmp_path_factory.mktemp("dams"), dams=DAMS)


def _loaded(folder: Path, **frames: pd.DataFrame) -> BoxSet:
    for name, frame in frames.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
    return load(*sorted(folder.iterdir()))


@pytest.mark.parametrize(
    "question",
    [
        "How much is the cheapest and the dearest flight?",
        "What are the prices of the cheapest and the most expensive flight?",
        "Which is the longest flight but one?",
        "price per minute of flights",
        "average price per flight",
        "Which airlines serve meals?",
        "Which airlines go home?",
        "Which airlines hold a licence?",
        "Which airlines with flights over 140 pay in a case?",
        "how many prices?",
        "return flights to Paris, how many are there?",
    ],
)
def test_flights_are_not_told_what_their_rows_do_not_say(question: str, airline: BoxSet) -> None:
    answer = Planner().ask(question, airline)
    assert answer.failure is not None, (answer.rationale, answer.rows)


@pytest.mark.parametrize(
    "question",
    ["How many flights are there from Paris?", "Which airport has the most flights?"],
)
def test_a_flight_from_a_city_is_not_found_by_where_it_lands(question: str, airline: BoxSet) -> None:
    answer = Planner().ask(question, airline)
    assert answer.failure is not None or answer.rows == [(1,)]


@pytest.mark.parametrize(
    "question",
    [
        "How many desks were sold?",
        "total amount per year",
        "average amount per sale",
        "What was the most recent sale but one?",
        "Which sales are at home?",
    ],
)
def test_sales_are_not_counted_for_pieces_nor_years_for_all(question: str, shop: BoxSet) -> None:
    answer = Planner().ask(question, shop)
    assert answer.failure is not None, (answer.rationale, answer.rows)


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("Which region has the highest total amount?", [("North",)]),
        ("total amount per region", [("North", 268.5), ("South", 45.0), ("West", 140.0)]),
        ("Give me the total count of sales", [(5,)]),
        ("How many sales are there?", [(5,)]),
        ("Which regions do we have?", [("North",), ("South",), ("West",)]),
    ],
)
def test_sums_and_counts_of_groups_are_still_given(question: str, rows: list[tuple[object, ...]], shop: BoxSet) -> None:
    answer = Planner().ask(question, shop)
    assert answer.failure is None, answer.failure
    assert sorted(answer.rows, key=str) == rows


def test_a_name_in_two_rows_is_not_given_twice_as_if_it_were_two(dams: BoxSet) -> None:
    assert Planner().ask("the names of the dams", dams).failure is not None
    assert sorted(Planner().ask("Which dams are there?", dams).rows) == [("Aswan Dam",), ("Kariba Dam",)]


def test_who_lives_where_is_not_told_by_something_else(airline: BoxSet, shop: BoxSet) -> None:
    assert Planner().ask("Which people live in Paris?", airline).failure is not None
    assert Planner().ask("Who lives in the North?", shop).failure is not None


def test_a_thing_of_a_graph_called_by_its_name_is_found_by_its_id(tmp_path: Path) -> None:
    lines = ["@prefix ex: <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."]
    for at, (name, town) in enumerate([("Acme", "Lyon"), ("Bolt", "Brest"), ("Corda", "Nancy")]):
        lines.append(f'ex:s{at} a ex:Supplier ; rdfs:label "{name} Ltd" ; ex:name "{name}" ; ex:town "{town}" .')
    (tmp_path / "suppliers.ttl").write_text("\n".join(lines))
    answer = Planner().ask("Which suppliers do we have in Lyon?", load(tmp_path / "suppliers.ttl"))
    assert answer.rows in ([("Acme",)], [("Acme Ltd",)])
    assert [len(ids) for ids in answer.entities.values()] == [1]
    assert next(iter(answer.entities.values()))[0].endswith("s0")


def test_a_small_table_may_have_each_place_once():
    customers = pd.DataFrame({"id": [1, 2], "name": ["Ada", "Bo"], "country": ["France", "Spain"]})
    answer = Planner().ask("How many customers are in France?", load({"customer": customers}))
    assert answer.rows == [(1,)]
