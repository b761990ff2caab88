"""Everyday words for what a source names otherwise are understood, and what may be a condition is never left out."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from boxkit import BoxSet, Planner

ATLAS = """
CREATE TABLE country (code TEXT PRIMARY KEY, name TEXT, capital TEXT, currency TEXT, landlocked TEXT, area_km2 INTEGER);
CREATE TABLE river (
    river_id INTEGER PRIMARY KEY, name TEXT, length_km INTEGER, code TEXT REFERENCES country (code)
);
CREATE TABLE novel (
    novel_id INTEGER PRIMARY KEY, title TEXT, pages INTEGER, price REAL, genre TEXT, released TEXT,
    river_id INTEGER REFERENCES river (river_id)
);
INSERT INTO country VALUES
    ('AA', 'Arvenia', 'Lomba', 'arven', 'yes', 500), ('BB', 'Borland', 'Sund', 'krone', 'no', 900),
    ('CC', 'Cassia', 'Vell', 'krone', 'yes', 200);
INSERT INTO river VALUES (1, 'Tave', 700, 'AA'), (2, 'Morr', 1200, 'BB'), (3, 'Issel', 90, 'BB');
INSERT INTO novel VALUES
    (1, 'Low Water', 210, 12.0, 'crime', '2001-03-04', 1), (2, 'The Ferry', 480, 25.0, 'romance', '2015-06-01', 2),
    (3, 'Reeds', 150, 9.0, 'crime', '2015-11-20', 2);
"""


@pytest.fixture(scope="module")
def atlas(from_sql: Callable[[str, str], BoxSet]) -> BoxSet:
    return from_sql("atlas", ATLAS)


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("How many waterways are longer than 500 km?", [(2,)]),
        ("What is the legal tender of Borland?", [("krone",)]),
        ("Which nations have no access to the sea?", [("Arvenia",), ("Cassia",)]),
        ("How many novels belong to the category crime?", [(2,)]),
        ("What is the capital city of Cassia?", [("Vell",)]),
        ("I love romance! Which novels do you have?", [("The Ferry",)]),
        ("Which countries have a surface area above 400?", [("Arvenia",), ("Borland",)]),
    ],
)
def test_other_words_for_what_the_source_holds_are_understood(
    question: str, rows: list[tuple[object, ...]], atlas: BoxSet
) -> None:
    answer = Planner().ask(question, atlas)
    assert answer.failure is None, answer.failure
    assert sorted(answer.rows) == rows


@pytest.mark.parametrize(
    "question",
    [
        "How many novels were sold in 2015?",
        "How many hardback novels are there?",
        "Which novels were reviewed by Ada?",
        "Which navigable waterways are longer than 500 km?",
        "How many kingdoms have no access to the sea?",
        "How many people per square kilometre live in Arvenia?",
        "I only read paperbacks. Which novels cost less than 20?",
        "What is the religion of Borland?",
    ],
)
def test_what_the_data_cannot_say_is_not_left_out_of_a_question(question: str, atlas: BoxSet) -> None:
    assert Planner().ask(question, atlas).failure is not None


def test_a_word_with_two_meanings_is_taken_for_the_same_one_in_every_process():
    code = (
        "import pandas as pd\nfrom boxkit import load\nfrom boxkit.strategies.planner.index import index_of\n"
        "from boxkit.strategies.planner.naming import lexicon_of\n"
        "boxes = load({'peak': pd.DataFrame({'name': ['a', 'b'], 'elevation': [1, 2], 'height': [3, 4]})})\n"
        "print([link.field for link in lexicon_of(index_of(boxes)).schema(('altitude',), ('altitud',))])"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert said == {b"['elevation', 'height']\n"}
