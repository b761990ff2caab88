"""Questions that invite a silently wrong answer: answered rightly, or the word that stands in the way is named."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import pytest

from boxkit import BoxSet, Planner, Profile, load

STUDIO = """
CREATE TABLE person (person_id INTEGER PRIMARY KEY, name TEXT, born INTEGER);
CREATE TABLE movie (
    movie_id INTEGER PRIMARY KEY, title TEXT, director_id INTEGER REFERENCES person (person_id), year INTEGER
);
CREATE TABLE casting (
    movie_id INTEGER REFERENCES movie (movie_id),
    person_id INTEGER REFERENCES person (person_id),
    role TEXT,
    PRIMARY KEY (movie_id, person_id)
);
CREATE TABLE team (team_id INTEGER PRIMARY KEY, name TEXT, city TEXT);
CREATE TABLE membership (
    member_id INTEGER REFERENCES person (person_id),
    team_id INTEGER REFERENCES team (team_id),
    PRIMARY KEY (member_id, team_id)
);
CREATE TABLE staff (staff_id INTEGER PRIMARY KEY, name TEXT, reports_to INTEGER REFERENCES staff (staff_id));
INSERT INTO person VALUES
    (1, 'Ida Moor', 1960), (2, 'Hal Ford', 1950), (3, 'Uma Reed', 1970), (4, 'Sol Kane', 1980);
INSERT INTO movie VALUES (1, 'Dust', 1, 1999), (2, 'Rain', 1, 2001), (3, 'Snow', 3, 2005), (4, 'Sun', 3, 2010);
INSERT INTO casting VALUES
    (1, 2, 'Pilot'), (1, 4, 'Cook'), (2, 4, 'Spy'), (3, 2, 'King'), (4, 4, 'Clown'), (4, 1, 'Nurse');
INSERT INTO team VALUES (1, 'Reds', 'Ulm'), (2, 'Blues', 'Bonn');
INSERT INTO membership VALUES (1, 1), (1, 2), (2, 1), (3, 2);
INSERT INTO staff VALUES (1, 'Andrew Adams', NULL), (2, 'Nan Edwards', 1), (3, 'Jan Park', 1);
"""


@pytest.fixture(scope="module")
def office() -> BoxSet:
    employees = pd.DataFrame(
        {
            "employee_id": [1, 2, 3, 4, 5],
            "name": ["Ada Byrne", "Bo Lund", "Cy Rao", "Di Holm", "Ed Kerr"],
            "salary": [10, 20, 30, 45, 45],
            "birth_date": pd.to_datetime(["1990-01-02", "1985-03-04", "1970-05-06", "1960-07-08", "2000-01-01"]),
            "city": ["Ulm", "Bonn", "Ulm", "Bonn", "Jena"],
        }
    )
    projects = pd.DataFrame(
        {"project_id": [1, 2, 3, 4], "title": ["Alpha", "Beta", "Gamma", "Delta"], "size": [4, 9, 2, 7]}
    )
    return load({"employee": employees, "project": projects})


def why(question: str, boxes: BoxSet) -> str:
    answer = Planner().ask(question, boxes)
    assert answer.failure is not None, f"{answer.rows} by {answer.code}"
    assert answer.failure.kind == "abstained"
    return answer.failure.message


def test_a_median_is_taken_of_all_rows_and_of_groups(office):
    assert Planner().ask("What is the median salary?", office).rows == [(30.0,)]
    of_groups = Planner().ask("What is the median salary for each city?", office)
    assert sorted(of_groups.rows) == [("Bonn", 32.5), ("Jena", 45.0), ("Ulm", 20.0)]


def test_a_share_without_a_condition_is_no_share(office):
    assert "bool" not in why("What share of projects is done?", office)


@pytest.fixture(scope="module")
def studio(from_sql: Callable[[str, str], BoxSet]) -> BoxSet:
    return from_sql("studio", STUDIO)


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("Who is the second oldest employee?", "second"),
        ("Which employee has the second highest salary?", "second"),
        ("What is the 2nd largest project?", "2nd"),
        ("What is the third largest project?", "third"),
        ("How old is Ada Byrne?", "How old"),
        ("Which cities are not home of Ada Byrne?", "city"),
    ],
)
def test_a_word_that_changes_the_answer_is_named(office, question, word):
    assert word in why(question, office)


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("Which persons are only in the Reds?", "only"),
        ("Which persons are in every team?", "every"),
        ("Which movies also have Sol Kane?", "also"),
        ("How many staff report to Andrew Adams?", "report"),
        ("Which cities have no team of Ida Moor?", ""),
    ],
)
def test_a_word_that_changes_the_answer_is_named_where_boxes_are_joined(studio, question, word):
    assert word in why(question, studio)


def test_a_count_of_nothing_is_an_abstention_unless_the_profile_takes_empty_answers(office):
    question = "How many employees from Jena have a salary over 100?"
    assert "nothing in the data" in why(question, office).lower()
    assert Planner(profile=Profile(empty_is_error=False)).ask(question, office).rows == [(0,)]


@pytest.mark.parametrize(
    ("question", "count"),
    [("Show only the names of all employees", 5), ("Show all projects", 4), ("Which employees are not from Ulm?", 3)],
)
def test_the_same_words_where_they_are_harmless_do_not_stop_it(office, question, count):
    assert len(Planner().ask(question, office).rows) == count


@pytest.fixture(scope="module")
def household() -> BoxSet:
    expenses = pd.DataFrame(
        {
            "expense_id": [1, 2, 3, 4],
            "description": ["February rent", "April rent", "Books", "Food"],
            "category": ["Rent", "Rent", "Groceries ", "groceries"],
            "amount": [100.0, 200.0, 30.0, 70.0],
            "paid_on": pd.to_datetime(["2024-02-01", "2024-04-03", "2024-02-20", "2024-03-01"]),
        }
    )
    return load({"expense": expenses})


def test_a_month_is_not_taken_for_a_word_of_a_text_where_there_are_dates(household):
    assert "February" in why("What is the total amount in February?", household)


def test_values_that_differ_in_case_or_spaces_only_are_one(household):
    assert Planner().ask("How many expenses are in groceries?", household).rows == [(2,)]


@pytest.fixture(scope="module")
def films() -> BoxSet:
    frame = pd.DataFrame(
        {
            "film_id": [1, 2, 3, 4],
            "title": ["Dust", "Rain", "Snow", "Sun"],
            "runtime": [90, 100, 150, 200],
            "shot_at_elevation_m": [1, 2, 3, 4],
            "length_km": [10, 20, 3001, 5000],
            "price": [3.0, 70.0, 50.0, 60.0],
        }
    )
    return load({"film": frame})


@pytest.mark.parametrize(
    ("question", "unit"),
    [
        ("Which films have a runtime over 2 hours?", "hours"),
        ("Which films have a runtime over two hours?", "hours"),
        ("Which films have an elevation above 2 km?", "km"),
        ("Which films have a length above 3000 miles?", "miles"),
        ("Which films have a length above three thousand miles?", "miles"),
        ("Which films cost more than 50%?", "%"),
    ],
)
def test_an_amount_in_another_unit_than_the_field_is_not_compared(films, question, unit):
    assert f"says {unit}" in why(question, films).replace("'", "")


def test_an_amount_in_the_units_of_the_field_is_compared(films):
    assert Planner().ask("Which films have a length above 3,000 km?", films).rows == [("Snow",), ("Sun",)]


@pytest.mark.parametrize(
    "question", ["How many movies have Hal Ford?", "Which movies have Ida Moor?", "Which persons did not play in Dust?"]
)
def test_a_name_that_may_be_tied_in_several_roles_is_not_looked_up_in_one(studio, question):
    assert why(question, studio)


def test_a_role_that_is_said_is_looked_up(studio):
    answer = Planner().ask("Which movies were directed by Ida Moor?", studio)
    assert sorted(answer.rows) == [("Dust",), ("Rain",)]


def test_different_rows_of_the_same_name_are_all_shown():
    orders = pd.DataFrame({"order_id": [1, 2, 3], "customer_name": ["Al", "Bea", "Al"], "amount": [5, 6, 7]})
    boxes = load({"orders": orders, "guest": pd.DataFrame({"guest_id": [1, 2, 3], "name": ["Al", "Bea", "Al"]})})
    assert Planner().ask("List all orders", boxes).rows == [(1, "Al"), (2, "Bea"), (3, "Al")]
    assert Planner().ask("List all guests", boxes).rows == [("Al",), ("Bea",), ("Al",)]
