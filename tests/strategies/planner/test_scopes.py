"""What a superlative, a figure, an adjective or "their" is about: each was once taken for something else's."""

from __future__ import annotations

import pytest

from boxkit import Planner

HOSTEL = """
CREATE TABLE guest (guest_id INTEGER PRIMARY KEY, first_name TEXT, age INTEGER, sex TEXT, town TEXT);
CREATE TABLE room (room_id INTEGER PRIMARY KEY, room_name TEXT, guest_capacity INTEGER, gender TEXT, price INTEGER);
CREATE TABLE stay (
    guest_id INTEGER REFERENCES guest (guest_id), room_id INTEGER REFERENCES room (room_id), nights INTEGER
);
CREATE TABLE feature (feature_id INTEGER PRIMARY KEY, feature_name TEXT);
CREATE TABLE room_feature (
    room_id INTEGER REFERENCES room (room_id), feature_id INTEGER REFERENCES feature (feature_id)
);
CREATE TABLE duty (duty_code TEXT PRIMARY KEY, duty_name TEXT);
CREATE TABLE worker (
    worker_id INTEGER PRIMARY KEY, worker_name TEXT, duty_code TEXT REFERENCES duty (duty_code), start_year INTEGER
);
CREATE TABLE payment (payment_id INTEGER PRIMARY KEY, amount_payment INTEGER);
CREATE TABLE shuttle (shuttle_number INTEGER PRIMARY KEY, destination TEXT, minutes INTEGER);
INSERT INTO guest VALUES
    (1, 'Ada', 19, 'F', 'Ulm'), (2, 'Bo', 24, 'M', 'Bonn'), (3, 'Cleo', 31, 'F', 'Ulm'), (4, 'Dev', 40, 'M', 'Jena');
INSERT INTO room VALUES (1, 'Attic', 4, 'F', 30), (2, 'Garden', 8, 'X', 25), (3, 'Cellar', 2, 'M', 20);
INSERT INTO stay VALUES (1, 1, 2), (2, 2, 1), (3, 2, 5), (4, 3, 1);
INSERT INTO feature VALUES (1, 'balcony'), (2, 'sink');
INSERT INTO room_feature VALUES (1, 1), (1, 2), (2, 2), (3, 2);
INSERT INTO duty VALUES ('KT', 'Kitchen'), ('DK', 'Front desk');
INSERT INTO worker VALUES (1, 'Rao', 'KT', 2011), (2, 'Lund', 'DK', 2019), (3, 'Byrne', 'DK', 2015);
INSERT INTO payment VALUES (1, 40), (2, 50);
INSERT INTO shuttle VALUES (12, 'Airport', 40), (31, 'Harbour', 15), (48, 'Airport', 55);
"""


@pytest.fixture(scope="module")
def hostel(from_sql):
    return from_sql("hostel", HOSTEL)


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        # The average of all guests was given, and the room forgotten.
        ("What is the average age of the guests who stay in the room with the largest capacity?", [(27.5,)]),
        # A guest was given for each town, and not its highest age.
        ("For each town, what is the highest age of its guests?", [("Ulm", 31), ("Bonn", 24), ("Jena", 40)]),
        # One sum over everything was given for "each".
        ("Find the total price for each room.", [("Attic", 30), ("Garden", 25), ("Cellar", 20)]),
        # Each amount was listed: "total" was another word for an amount.
        ("What is the total amount of payment?", [(90,)]),
        # Sums by room were given for one sum over all of them.
        ("What is the total price across rooms?", [(75,)]),
        # The shuttles were counted, where their numbers were asked for.
        ("What are the numbers of the shuttles to the Airport?", [(12,), (48,)]),
        # "older" was compared with a room's ``guest_capacity``, for its name has guests in it.
        ("Which guests are older than 30?", [("Cleo",), ("Dev",)]),
        # The women among the guests of rooms for women.
        ("How many female guests (sex is F) are there?", [(2,)]),
        # The names of the duties were given.
        ('Which workers have the duty with code "DK"? Find their names.', [("Lund",), ("Byrne",)]),
        # A letter was looked for as if it were a whole name.
        ('Which guests have a "v" in their first name?', [("Dev",)]),
    ],
)
def test_what_is_asked_of_one_thing_is_not_answered_of_another(hostel, question, rows):
    answer = Planner(threshold=0).ask(question, hostel)
    assert sorted(answer.rows) == sorted(rows), answer.failure or answer.code


def test_all_guests_of_the_largest_room_are_given_even_where_one_of_several_first_ones_would_do(hostel):
    from boxkit.profile import PROFILES

    question = "Find the first names of the guests who stay in the room with the largest capacity."
    answer = Planner(profile=PROFILES["spider"], threshold=0).ask(question, hostel)
    assert sorted(answer.rows) == [("Bo",), ("Cleo",)], answer.failure or answer.code


@pytest.mark.parametrize(
    "question",
    [
        # Those who stay in no room with a balcony.
        "Which guests stay in rooms that do not have a balcony?",
    ],
)
def test_what_cannot_be_told_apart_is_not_answered(hostel, question):
    assert Planner().ask(question, hostel).failure is not None
