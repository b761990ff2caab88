"""Small words that say who wants, about what or in which language: the answer would be of something else."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from boxkit import BoxSet, Planner

SHELF = """
CREATE TABLE author (author_id INTEGER PRIMARY KEY, name TEXT, country TEXT);
CREATE TABLE novel (
    novel_id INTEGER PRIMARY KEY, title TEXT, genre TEXT, price REAL, pages INTEGER,
    author_id INTEGER REFERENCES author (author_id)
);
INSERT INTO author VALUES (1, 'Ada Brandt', 'France'), (2, 'Bo Lind', 'Spain'), (3, 'Cy Marsh', 'France');
INSERT INTO novel VALUES
    (1, 'Low Water', 'crime', 12.0, 210, 1), (2, 'The Ferry', 'romance', 25.0, 480, 2),
    (3, 'Reeds', 'crime', 9.0, 150, 3);
"""


@pytest.fixture(scope="module")
def shelf(from_sql: Callable[[str, str], BoxSet]) -> BoxSet:
    return from_sql("shelf", SHELF)


@pytest.mark.parametrize(
    "question",
    [
        "Which living authors are from France?",  # living or not was passed over
        "What is the average price of used novels?",
        "Which novels are set in Spain?",  # those of Spanish authors were given
        "Which authors write about France?",
        "Which novels are out of print?",
        "Which novels does Ada Brandt like?",
        "Which authors want to live in France?",
        "Which novels are available in Spanish?",
    ],
)
def test_what_small_words_say_is_not_passed_over(question: str, shelf: BoxSet) -> None:
    assert Planner().ask(question, shelf).failure is not None


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("I would like the French authors", [("Ada Brandt",), ("Cy Marsh",)]),
        ("For crime novels, what is the average price?", [(10.5,)]),
        ("How many pages does a crime novel have on average?", [(180.0,)]),
        ("Novels count", [(3,)]),
    ],
)
def test_words_that_only_ask_stop_no_answer(question: str, rows: list[tuple[object, ...]], shelf: BoxSet) -> None:
    answer = Planner().ask(question, shelf)
    assert answer.failure is None, answer.failure
    assert sorted(answer.rows) == rows
