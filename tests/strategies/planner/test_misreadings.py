"""Questions that were once answered wrongly: each says what a user would be told instead of the truth."""

from __future__ import annotations

import pytest

from boxkit import Planner

CLUB = """
CREATE TABLE region (region_id INTEGER PRIMARY KEY, region_name TEXT);
CREATE TABLE party (
    party_id INTEGER PRIMARY KEY, party_name TEXT, region_id INTEGER REFERENCES region (region_id), email TEXT
);
CREATE TABLE address (
    address_id INTEGER PRIMARY KEY, street TEXT, state_province_county TEXT, country TEXT
);
CREATE TABLE department (department_id INTEGER PRIMARY KEY, department_name TEXT);
CREATE TABLE employee (
    employee_id INTEGER PRIMARY KEY, last_name TEXT, department_id INTEGER REFERENCES department (department_id)
);
CREATE TABLE allergy_type (allergy TEXT PRIMARY KEY, allergy_kind TEXT);
CREATE TABLE has_allergy (student_id INTEGER, allergy TEXT REFERENCES allergy_type (allergy));
CREATE TABLE lesson (lesson_id INTEGER PRIMARY KEY, teacher TEXT, status TEXT);
CREATE TABLE person (name TEXT PRIMARY KEY, gender TEXT, age INTEGER);
CREATE TABLE friendship (
    name TEXT REFERENCES person (name), friend TEXT REFERENCES person (name), PRIMARY KEY (name, friend)
);
INSERT INTO region VALUES (1, 'North'), (2, 'South');
INSERT INTO party VALUES (1, 'Greens', 1, 'a@x.org'), (2, 'Blues', 2, 'b@x.org'), (3, 'Golds', 2, 'c@x.org');
INSERT INTO address VALUES (1, 'Oak 1', 'Ohio', 'USA'), (2, 'Elm 2', 'Iowa', 'USA'), (3, 'Ash 3', 'Iowa', 'USA');
INSERT INTO department VALUES (10, 'Sales'), (20, 'Research');
INSERT INTO employee VALUES (1, 'Byrne', 10), (2, 'Lund', 20), (3, 'Rao', 20);
INSERT INTO allergy_type VALUES ('Eggs', 'food'), ('Nuts', 'food'), ('Pollen', 'plant');
INSERT INTO has_allergy VALUES (1, 'Nuts'), (2, 'Nuts'), (3, 'Eggs');
INSERT INTO lesson VALUES (1, 'Ada', 'Completed'), (2, 'Ada', 'Cancelled'), (3, 'Bo', 'Completed');
INSERT INTO person VALUES ('Dan', 'male', 30), ('Eve', 'female', 41), ('Fay', 'female', 25), ('Gus', 'male', 52);
INSERT INTO friendship VALUES ('Dan', 'Eve'), ('Eve', 'Fay'), ('Fay', 'Dan'), ('Gus', 'Eve');
"""


@pytest.fixture(scope="module")
def club(from_sql):
    return from_sql("club", CLUB)


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        # The second thing asked for was dropped: it was taken for a word of what is done.
        (
            "List the names of the parties and their respective regions.",
            [("Greens", "North"), ("Blues", "South"), ("Golds", "South")],
        ),
        # One field was given for two words, and the other thing silently not at all.
        ("Show all allergies and their kinds.", [("Eggs", "food"), ("Nuts", "food"), ("Pollen", "plant")]),
        # "state" is a synonym of "country" only where no field is called a state.
        ("Show each state and the number of addresses in each state.", [("Iowa", 2), ("Ohio", 1)]),
        # A number was answered by a name.
        ("What is the department number of Lund?", [(20,)]),
        # Each kind stands once in its own box: the most common is counted where it occurs.
        ("Which allergy is the most common?", [("Nuts",)]),
        # A status was passed over as a word that says nothing.
        ("How many lessons of Ada were completed?", [(1,)]),
    ],
)
def test_what_is_asked_for_is_what_is_shown(club, question, rows):
    answer = Planner().ask(question, club)
    assert sorted(answer.rows) == sorted(rows), answer.failure or answer.code


@pytest.mark.parametrize(
    "question",
    [
        # Dan is in both fields of a friendship.
        "How many friends does Dan have?",
        "Who are Dan's friends?",
        # Which of these belong together is not said.
        "Which addresses are in Oak 1, Ohio or in Elm 2, Iowa?",
        # Every field is shown, and yet nothing says that these are friends.
        "Show all the information about the persons who are friends.",
        # The rows with the most common region, not the most common region.
        "Show the emails of the parties with the most common region.",
        "Which employees have no department number?",
    ],
)
def test_a_question_with_two_readings_is_not_guessed(club, question):
    answer = Planner().ask(question, club)
    assert answer.failure is not None, f"{answer.rows} by {answer.code}"


def test_a_kind_of_person_is_not_looked_up_among_those_they_are_tied_to(club):
    # "male" is about the persons asked for; it was looked up among their friends.
    assert sorted(Planner().ask("Which male persons are older than 40?", club).rows) == [("Gus",)]
