"""The example world holds together: keys, symmetry, and one spelling of a country in all three files."""

from __future__ import annotations

import csv
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
import rdflib
from rdflib import RDF, RDFS, XSD

from boxkit.examples import COUNTRIES, GEOGRAPHY, ORGANISATIONS, sources
from boxkit.examples.build import build

WORLD = rdflib.Namespace("https://example.org/world/")


@pytest.fixture(scope="module")
def table() -> list[dict[str, str]]:
    with COUNTRIES.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def graph() -> rdflib.Graph:
    return rdflib.Graph().parse(ORGANISATIONS)


def dump(path: Path) -> list[str]:
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        return list(connection.iterdump())


def rows(query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(f"file:{GEOGRAPHY}?mode=ro", uri=True)) as connection:
        return connection.execute(query).fetchall()


def test_the_files_are_where_the_package_says() -> None:
    assert [path.name for path in sources()] == ["countries.csv", "geography.sqlite", "organisations.ttl"]
    assert all(path.is_file() for path in sources())


def test_the_database_is_what_its_readable_source_says(tmp_path: Path) -> None:
    build(tmp_path / "again.sqlite")
    assert dump(tmp_path / "again.sqlite") == dump(GEOGRAPHY)


def test_no_key_of_the_database_dangles() -> None:
    assert rows("PRAGMA foreign_key_check") == []
    assert rows("PRAGMA integrity_check") == [("ok",)]
    assert len(rows("PRAGMA foreign_key_list(dam)")) == 2, "the composite key is gone"


def test_the_world_is_large_enough_to_be_interesting(graph: rdflib.Graph) -> None:
    least = {"city": 200, "river": 90, "language": 90, "dam": 20, "mountain": 50, "lake": 30}
    for name, count in least.items():
        assert rows(f"SELECT count(*) FROM {name}")[0][0] >= count, name
    assert len(set(graph.subjects(RDF.type, WORLD.Organisation))) >= 45
    assert len(list(graph.triples((None, WORLD.member, None)))) >= 700


def test_a_country_is_called_the_same_in_all_three(table: list[dict[str, str]], graph: rdflib.Graph) -> None:
    named = {row["iso_code"]: row["name"] for row in table}
    assert len(named) == len(table) == 193
    assert dict(rows("SELECT iso_code, name FROM country")) == named
    labels = {
        str(graph.value(country, WORLD.isoCode)): str(label)
        for country in graph.subjects(RDF.type, WORLD.Country)
        for label in graph.objects(country, RDFS.label)
        if label.language == "en"
    }
    assert labels == named


def test_cities_of_the_graph_stand_in_the_database(graph: rdflib.Graph) -> None:
    known = set(rows("SELECT name, iso_code FROM city"))
    for city in graph.subjects(RDF.type, WORLD.City):
        country = graph.value(city, WORLD.country)
        english = [str(label) for label in graph.objects(city, RDFS.label) if label.language == "en"]
        assert (english[0], str(graph.value(country, WORLD.isoCode))) in known


def test_borders_go_both_ways_and_members_are_countries(graph: rdflib.Graph) -> None:
    borders = set(graph.subject_objects(WORLD.borders))
    assert len(borders) >= 600
    assert borders == {(other, country) for country, other in borders}
    assert not any(country == other for country, other in borders)
    countries = set(graph.subjects(RDF.type, WORLD.Country))
    assert set(graph.objects(None, WORLD.member)) <= countries
    assert {country for pair in borders for country in pair} <= countries


def test_no_two_things_of_the_graph_share_the_last_part_of_their_address(graph: rdflib.Graph) -> None:
    things = {str(thing) for thing in graph.subjects(RDF.type, None)}
    assert len({thing.rpartition("/")[2] for thing in things}) == len(things)


def test_a_country_without_coast_borders_something(table: list[dict[str, str]], graph: rdflib.Graph) -> None:
    landlocked = {row["iso_code"] for row in table if row["landlocked"] == "yes"}
    bordered = {str(graph.value(country, WORLD.isoCode)) for country in graph.subjects(WORLD.borders, None)}
    assert len(landlocked) == 43
    assert landlocked <= bordered


def test_a_founding_date_agrees_with_its_year(graph: rdflib.Graph) -> None:
    dates = dict(graph.subject_objects(WORLD.foundedOn))
    assert len(dates) >= 30
    for organisation, date in dates.items():
        assert date.datatype == XSD.date
        assert date.toPython().year == graph.value(organisation, WORLD.foundedYear).toPython()


def test_namibia_keeps_its_code(table: list[dict[str, str]]) -> None:
    assert [row["iso2"] for row in table if row["name"] == "Namibia"] == ["NA"]
