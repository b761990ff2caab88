"""Small worlds of our own: bands, venues and the concerts that tie them; a nursery and the trails around it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from boxkit import BoxSet, load
from boxkit.canonical import canonical_rows
from boxkit.strategies.planner.reading import Reading, read

FESTIVAL = """
CREATE TABLE band (band_id INTEGER PRIMARY KEY, name TEXT, country TEXT, genre TEXT, founded_year INTEGER);
CREATE TABLE venue (venue_id INTEGER PRIMARY KEY, name TEXT, city TEXT, capacity INTEGER, is_open_air TEXT);
CREATE TABLE concert (
    concert_id INTEGER PRIMARY KEY,
    band_id INTEGER REFERENCES band (band_id),
    venue_id INTEGER REFERENCES venue (venue_id),
    played_on TEXT,
    price REAL,
    visitors INTEGER
);
CREATE TABLE weather_report (report_id INTEGER PRIMARY KEY, humidity INTEGER);
INSERT INTO band VALUES
    (1, 'Glass Harbour', 'France', 'rock', 1994), (2, 'The Quiet Ones', 'Germany', 'jazz', 2005),
    (3, 'Red Lanterns', 'France', 'jazz', 2011), (4, 'Nordlys', 'Denmark', 'folk', 1988),
    (5, 'Paper Kites', 'Germany', 'rock', 2016);
INSERT INTO venue VALUES
    (1, 'Old Mill', 'Lyon', 400, 'no'), (2, 'River Stage', 'Berlin', 1200, 'yes'), (3, 'Kiel Arena', 'Kiel', 900, 'no'),
    (4, 'Hill Garden', 'Lyon', 250, 'yes');
INSERT INTO concert VALUES
    (1, 1, 1, '2019-05-02', 20.0, 350), (2, 1, 2, '2020-06-11', 35.5, 1100), (3, 2, 2, '2020-08-01', 30.0, 900),
    (4, 3, 1, '2021-03-15', 18.0, 390), (5, 1, 3, '2021-09-30', 28.0, 700), (6, 4, 3, '2022-01-20', 22.0, 640),
    (7, 3, 2, '2022-07-07', 40.0, 1200);
INSERT INTO weather_report VALUES (1, 61), (2, 74);
"""


NURSERY = """
CREATE TABLE grower (grower_id INTEGER PRIMARY KEY, name TEXT, town TEXT, founded_year INTEGER);
CREATE TABLE plant (
    plant_id INTEGER PRIMARY KEY, name TEXT, grower_id INTEGER REFERENCES grower (grower_id), height_cm INTEGER,
    price REAL, colour TEXT
);
CREATE TABLE trail (trail_id INTEGER PRIMARY KEY, name TEXT, length_km REAL, region TEXT, opened_year INTEGER);
INSERT INTO grower VALUES
    (1, 'Fern & Co', 'Lund', 1950), (2, 'Moss Hall', 'Ystad', 1984), (3, 'Green Yard', 'Lund', 2003);
INSERT INTO plant VALUES
    (1, 'Rose', 1, 80, 9.5, 'red'), (2, 'Lily', 1, 60, 4.0, 'white'), (3, 'Oak', 2, 900, 80.0, 'green'),
    (4, 'Mint', 2, 30, 2.5, 'green'), (5, 'Ivy', 2, 200, 5.0, 'green'), (6, 'Poppy', 3, 50, 3.0, 'red');
INSERT INTO trail VALUES
    (1, 'Ridge', 620.5, 'Skane', 1960), (2, 'Coast', 410, 'Skane', 1990), (3, 'Lake Loop', 12, 'Blekinge', 2010);
"""


@pytest.fixture(scope="session")
def from_sql(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], BoxSet]:
    """The boxes of a new SQLite file of a name, which a script fills."""

    def loaded(name: str, script: str) -> BoxSet:
        path: Path = tmp_path_factory.mktemp("planner") / f"{name}.sqlite"
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(script)
        return load(path)

    return loaded


@pytest.fixture(scope="session")
def festival(from_sql: Callable[[str, str], BoxSet]) -> BoxSet:
    return from_sql("festival", FESTIVAL)


@pytest.fixture(scope="session")
def nursery(from_sql: Callable[[str, str], BoxSet]) -> BoxSet:
    return from_sql("nursery", NURSERY)


@pytest.fixture(scope="session")
def rows_of() -> Callable[[Reading, BoxSet], list[tuple[Any, ...]]]:
    """Runs what the Planner wrote in this process: its own code, many times faster than a confined one."""

    def run(reading: Reading, boxes: BoxSet) -> list[tuple[Any, ...]]:
        assert reading.best, f"no reading; unplaced: {reading.unplaced}"
        scope: dict[str, Any] = {name: box.frame for name, box in boxes.items()}
        exec(f"import pandas as pd\nimport numpy as np\n{reading.best[0].code}", scope)
        return canonical_rows(scope["answer"])[0]

    return run


@pytest.fixture(scope="session")
def ask(rows_of: Callable[[Reading, BoxSet], list[tuple[Any, ...]]]) -> Callable[[str, BoxSet], list[tuple[Any, ...]]]:
    return lambda question, boxes: rows_of(read(question, boxes), boxes)
