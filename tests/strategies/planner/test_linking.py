"""Words to boxes, fields and values: as they stand, and as people write them."""

from __future__ import annotations

import pandas as pd
import pytest

from boxkit import load
from boxkit.strategies.planner.fields import Place
from boxkit.strategies.planner.index import index_of
from boxkit.strategies.planner.naming import lexicon_of
from boxkit.strategies.planner.places import same_country
from boxkit.strategies.planner.tagging import tag
from boxkit.strategies.planner.words import name_words, singular, tokens


@pytest.fixture(scope="module")
def lexicon():
    people = pd.DataFrame(
        {
            "FName": ["Ana", "Ben", "Cleo"],
            "LName": ["Ruiz", "Okafor", "Lind"],
            "country": ["Spain", "United States", "Sweden"],
            "sex": ["F", "M", "F"],
            "birth_date": ["1980-02-01", "1975-10-11", "1991-06-30"],
            "body_height_cm": [170, 181, 165],
            "rank": ["full professor", "assistant professor", "lecturer"],
            "zip": ["01099", "10115", "20095"],
            "retired": ["yes", "no", "no"],
        }
    )
    return lexicon_of(index_of(load({"lecturers": people})))


def best(lexicon, question, text):
    (item,) = [each for each in tag(question, lexicon) if each.text == text]
    return item.links[0]


@pytest.mark.parametrize(
    ("question", "text", "field"),
    [
        ("Show the first name of all lecturers", "first name", "FName"),
        ("Show the last names of all lecturers", "last names", "LName"),
        ("What is the body height of Ana?", "body height", "body_height_cm"),
        ("What is the height of Ana?", "height", "body_height_cm"),
        ("Show the date of birth of Ana", "date of birth", "birth_date"),
        ("Who was born in 1980?", "born", "birth_date"),
        ("Which nation is Ana from?", "nation", "country"),
        ("Show the contry of Ana", "contry", "country"),
    ],
)
def test_a_field_is_found_however_it_is_called(lexicon, question, text, field):
    link = best(lexicon, question, text)
    assert (link.kind, link.field) == ("field", field)


@pytest.mark.parametrize(
    ("question", "text", "field", "values"),
    [
        ("How many are from Spain?", "Spain", "country", ("Spain",)),
        ("How many Spanish lecturers are there?", "Spanish", "country", ("Spain",)),
        ("How many Americans are there?", "Americans", "country", ("United States",)),
        ("How many are from the USA?", "USA", "country", ("United States",)),
        ("How many female lecturers are there?", "female", "sex", ("F",)),
        ("How many are called Okafr?", "Okafr", "LName", ("Okafor",)),
        ("How many professors are there?", "professors", "rank", ("full professor", "assistant professor")),
        ("Who lives in '01099'?", "01099", "zip", ("01099",)),
    ],
)
def test_a_value_is_found_as_people_write_it(lexicon, question, text, field, values):
    link = best(lexicon, question, text)
    assert (link.kind, link.field) == ("value", field)
    assert set(link.values) == set(values)


def test_what_a_field_is_for(lexicon):
    kinds = {place.field: known.kind for place, known in lexicon.index.fields.items()}
    assert kinds["birth_date"] == "date"
    assert kinds["body_height_cm"] == "number"
    assert kinds["retired"] == "boolean"
    assert lexicon.index.fields[Place("lecturers", "retired")].yes == ("yes",)
    assert lexicon.index.naming["lecturers"] == ("FName", "LName")


def test_leading_zeros_are_no_amounts(lexicon):
    assert lexicon.index.fields[Place("lecturers", "zip")].kind == "text"


def test_numbers_dates_and_quotes_are_read():
    values = [
        token.value
        for token in tokens("two million, $1,200.50 on 5 March 2020 or May 1990, since 2021-1-9; 'Don't Go'")
    ]
    assert [value for value in values if value is not None] == [
        2_000_000,
        1200.5,
        "2020-03-05",
        "1990-05",
        "2021-01-09",
        "Don't Go",
    ]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("founded_year", ("found", "year")),
        ("AlbumId", ("album", "id")),
        ("fname", ("first", "name")),
        ("gtype", ("type",)),
        ("Num_Employees", ("number", "employee")),
    ],
)
def test_names_become_words(name, words):
    assert name_words(name) == words


def test_singulars():
    assert [singular(word) for word in ("cities", "people", "buses", "series", "classes", "status")] == [
        "city",
        "person",
        "bus",
        "series",
        "class",
        "status",
    ]


@pytest.mark.parametrize(
    ("adjective", "country"),
    [("french", "france"), ("dutch", "netherlands"), ("south korean", "south korea"), ("costa rican", "costa rica")],
)
def test_nationalities(adjective, country):
    assert country in same_country(adjective)
