"""A small lending library with doubles, ties, NULLs and cells of mixed types."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

import boxkit
from boxkit.box import BoxSet

SCHEMA = """
CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL, country TEXT, born INTEGER, mentor_id INTEGER);
CREATE TABLE book (
    id INTEGER PRIMARY KEY, title TEXT, author_id INTEGER REFERENCES author (id), year INTEGER, price REAL, genre TEXT,
    pages TEXT, rating INTEGER
);
CREATE TABLE loan (
    book_id INTEGER, reader TEXT, day DATE, days INTEGER, shelf TEXT, PRIMARY KEY (book_id, reader, day)
);
INSERT INTO author VALUES
    (1, 'Ada Blum', 'Norway', 1950, NULL), (2, 'Ben Cole', 'Peru', 1962, 1), (3, 'Cy Dorn', NULL, 1962, 1),
    (4, 'Dee Ash', 'Norway', 1980, 2), (5, 'Eva Fox', 'Chad', NULL, NULL);
INSERT INTO book VALUES
    (1, 'Snow', 1, 1990, 12.5, 'novel', '120', 4), (2, 'Ice', 1, 1995, 9.0, 'poems', '80', 5),
    (3, 'Sand', 2, 1995, NULL, 'novel', '300', ''), (4, 'Rain', 3, 2001, 20.0, NULL, '95', 3),
    (5, 'snow again', 4, 2010, 12.5, 'novel', '210', 5), (6, 'Lost', NULL, NULL, 7.25, 'essay', NULL, NULL);
INSERT INTO loan VALUES
    (1, 'Kim', '2020-01-31', 14, 'a'), (1, 'Lee', '2020-02-29', 7, 'b'), (2, 'Kim', '2021-03-01', NULL, 'a'),
    (3, 'Moe', '2021-03-01', 21, NULL), (5, 'Kim', '2021-12-24', 7, 'b'), (5, 'Moe', '2022-01-02', 3, 'c');
"""


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database's file."""
    path = tmp_path_factory.mktemp("library") / "library.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript(SCHEMA)
    connection.close()
    return path


@pytest.fixture(scope="session")
def boxes(library: Path) -> BoxSet:
    """The library's boxes."""
    return boxkit.load(library)
