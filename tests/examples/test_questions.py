"""The gold answers of the example questions, each worked out from the files by hand: no boxkit in between."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from typing import Any

import pandas as pd
import pytest
import rdflib

from boxkit.examples import COUNTRIES, GEOGRAPHY, ORGANISATIONS, ExampleQuestion, questions

QUESTIONS = {question.id: question for question in questions()}
NAMES = "PREFIX w: <https://example.org/world/> PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> "

SQL = {
    "d01": "SELECT count(*) FROM river WHERE length_km > 3000",
    "d02": "SELECT name FROM mountain ORDER BY elevation_m DESC LIMIT 1",
    "d03": """SELECT country.name FROM river JOIN river_country USING (river_id) JOIN country USING (iso_code)
        WHERE river.name = 'Danube'""",
    "d04": "SELECT family, count(*) FROM language GROUP BY family",
    "d05": """SELECT city.name FROM city JOIN country USING (iso_code)
        WHERE country.name = 'Brazil' AND population_2020 > 4000000""",
    "d06": """SELECT name FROM country_language JOIN language USING (language_id) WHERE is_official GROUP BY name
        HAVING count(*) = (SELECT max(n) FROM
            (SELECT count(*) AS n FROM country_language WHERE is_official GROUP BY language_id))""",
    "d07": """SELECT avg(elevation_m) FROM city JOIN country USING (iso_code) WHERE country.name = 'Switzerland'""",
    "d08": "SELECT DISTINCT dam.name FROM dam JOIN river USING (river_id) WHERE river.name = 'Zambezi'",
    "d09": "SELECT name, max_depth_m FROM lake ORDER BY max_depth_m DESC LIMIT 3",
    "d10": """SELECT river.name FROM river WHERE river_id IN (SELECT river_id FROM river_country WHERE iso_code = 'DEU')
        AND river_id IN (SELECT river_id FROM river_country WHERE iso_code = 'FRA')""",
}

SPARQL = {
    "g01": "SELECT (count(?m) AS ?n) { ?o rdfs:label 'European Union'@en ; w:member ?m }",
    "g02": "SELECT ?n { ?o w:abbreviation 'OPEC' ; w:headquarters/rdfs:label ?n FILTER(lang(?n) = 'en') }",
    "g03": "SELECT ?n { ?c rdfs:label 'Germany'@en ; w:borders/rdfs:label ?n FILTER(lang(?n) = 'en') }",
    "g05": "SELECT ?n { ?o w:foundedYear ?y ; rdfs:label ?n FILTER(?y < 1950 && lang(?n) = 'en') }",
    "g06": "SELECT ?n { ?o w:headquarters/rdfs:label 'Geneva'@en ; rdfs:label ?n FILTER(lang(?n) = 'en') }",
    "g07": """SELECT ?n { ?o w:member ?m ; rdfs:label ?n FILTER(lang(?n) = 'en') }
        GROUP BY ?n ORDER BY DESC(count(?m)) LIMIT 3""",
    "g08": """SELECT (count(?c) AS ?n) { ?c rdfs:label ?l FILTER(lang(?l) = 'en')
        ?eu w:abbreviation 'EU' ; w:member ?c . ?nato w:abbreviation 'NATO' ; w:member ?c }""",
    "g09": "SELECT ?k (count(?o) AS ?n) { ?o w:kind ?k } GROUP BY ?k",
    "g10": "SELECT ?n { ?o w:member/rdfs:label 'Norway'@en ; rdfs:label ?n FILTER(lang(?n) = 'en') }",
}


@pytest.fixture(scope="module")
def countries() -> pd.DataFrame:
    return pd.read_csv(COUNTRIES, keep_default_na=False, na_values={"area_km2": [""], "independence_year": [""]})


@pytest.fixture(scope="module")
def graph() -> rdflib.Graph:
    return rdflib.Graph().parse(ORGANISATIONS)


def sql(query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(f"file:{GEOGRAPHY}?mode=ro", uri=True)) as connection:
        return connection.execute(query).fetchall()


def sparql(graph: rdflib.Graph, query: str) -> list[tuple[Any, ...]]:
    return [tuple(cell.toPython() for cell in row) for row in graph.query(NAMES + query)]


def members(graph: rdflib.Graph, abbreviation: str) -> set[str]:
    query = f"SELECT ?i {{ ?o w:abbreviation '{abbreviation}' ; w:member/w:isoCode ?i }}"
    return {code for (code,) in sparql(graph, query)}


def column(values: Any) -> list[tuple[Any, ...]]:
    return [(value,) for value in values]


def agree(question: ExampleQuestion, worked_out: list[tuple[Any, ...]]) -> None:
    def bag(rows: Any) -> Counter[Any]:
        return Counter(tuple(round(cell, 6) if isinstance(cell, float) else cell for cell in row) for row in rows)

    assert worked_out
    assert bag(question.rows) == bag(worked_out), question.question


@pytest.mark.parametrize("key", SQL)
def test_the_database_gives_the_gold_rows(key: str) -> None:
    agree(QUESTIONS[key], sql(SQL[key]))


@pytest.mark.parametrize("key", SPARQL)
def test_the_graph_gives_the_gold_rows(graph: rdflib.Graph, key: str) -> None:
    agree(QUESTIONS[key], sparql(graph, SPARQL[key]))


def test_the_countries_with_the_most_borders(graph: rdflib.Graph) -> None:
    rows = sparql(graph, "SELECT ?n { ?c w:borders ?b ; rdfs:label ?n FILTER(lang(?n) = 'en') }")
    counts = Counter(name for (name,) in rows)
    agree(QUESTIONS["g04"], column(name for name, count in counts.items() if count == max(counts.values())))


def test_the_table_gives_the_gold_rows(countries: pd.DataFrame) -> None:
    table = countries
    worked_out = {
        "c01": [(int((table["continent"] == "Africa").sum()),)],
        "c02": column(table.loc[table["name"] == "Kazakhstan", "capital"]),
        "c03": column(table.nlargest(5, "population_2020")["name"]),
        "c04": column(table.query("landlocked == 'yes' and continent == 'South America'")["name"]),
        "c05": [(float(table.loc[table["continent"] == "Europe", "area_km2"].mean()),)],
        "c06": list(table["continent"].value_counts().items()),
        "c07": column(name for name, count in table["currency"].value_counts().items() if name and count > 5),
        "c08": column(table[table["continent"] == "Asia"].nlargest(1, "independence_year")["name"]),
        "c09": column(
            table.query("government == 'monarchy' and drives_on == 'left' and population_2020 > 10_000_000")["name"]
        ),
        "c10": column((table["population_2020"] / table["area_km2"])[table["name"] == "Bangladesh"]),
    }
    for key, rows in worked_out.items():
        agree(QUESTIONS[key], rows)


def test_table_and_graph_joined_give_the_gold_rows(countries: pd.DataFrame, graph: rdflib.Graph) -> None:
    def of(abbreviation: str) -> pd.DataFrame:
        return countries[countries["iso_code"].isin(members(graph, abbreviation))]

    agree(QUESTIONS["j01"], [(int(of("EU")["population_2020"].sum()),)])
    agree(QUESTIONS["j02"], column(of("NATO").query("landlocked == 'yes'")["name"]))
    agree(QUESTIONS["j03"], column(of("OPEC").nsmallest(1, "area_km2")["name"]))
    agree(QUESTIONS["j09"], [(float(of("ASEAN")["population_2020"].mean()),)])


def test_table_and_database_joined_give_the_gold_rows(countries: pd.DataFrame) -> None:
    cities = pd.DataFrame(
        sql("SELECT name, iso_code, elevation_m FROM city"), columns=["city", "iso_code", "elevation_m"]
    )
    capitals = countries.merge(cities, left_on=["iso_code", "capital"], right_on=["iso_code", "city"])
    agree(QUESTIONS["j04"], column(int(v) for v in capitals.loc[capitals["name"] == "Ethiopia", "elevation_m"]))
    agree(QUESTIONS["j08"], column(capitals.loc[capitals["elevation_m"] > 2000, "capital"]))

    continents = dict(zip(countries["iso_code"], countries["continent"], strict=True))
    rivers = {
        river
        for river, code in sql("SELECT river_id, iso_code FROM river_country")
        if continents[code] == "South America"
    }
    agree(QUESTIONS["j05"], [(len(rivers),)])

    official = {
        (continents[code], name)
        for code, name in sql("SELECT iso_code, language_id FROM country_language WHERE is_official = 1")
    }
    agree(QUESTIONS["j10"], list(Counter(continent for continent, _ in official).items()))


def test_database_and_graph_joined_give_the_gold_rows(graph: rdflib.Graph) -> None:
    union = members(graph, "EU")
    big = sql("SELECT name, iso_code FROM city WHERE population_2020 > 3000000")
    agree(QUESTIONS["j06"], column(name for name, code in big if code in union))

    near = {code for (code,) in sparql(graph, "SELECT ?i { ?c w:isoCode 'CHE' ; w:borders/w:isoCode ?i }")}
    spoken = sql("SELECT name, iso_code FROM country_language JOIN language USING (language_id) WHERE is_official = 1")
    agree(QUESTIONS["j07"], column({name for name, code in spoken if code in near}))


def test_there_are_ten_questions_of_each_kind() -> None:
    assert Counter(key[0] for key in QUESTIONS) == {"c": 10, "d": 10, "g": 10, "j": 10}
    assert all(path.is_file() for question in QUESTIONS.values() for path in question.paths)
    assert all(len(question.sources) == (2 if question.id[0] == "j" else 1) for question in QUESTIONS.values())
    assert len({question.question for question in QUESTIONS.values()}) == 40
