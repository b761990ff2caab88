"""Classes under classes, and Decimals, against pyoxigraph's own answers."""

from __future__ import annotations

from pathlib import Path

import pyoxigraph
import pytest

import boxkit
from boxkit.errors import UnsupportedQuery
from boxkit.memory.transpile import sparql_to_pandas

from .oracle import run

PREFIXES = (
    "PREFIX s: <http://shop.example/> PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>"
    " PREFIX owl: <http://www.w3.org/2002/07/owl#> "
)
SHOP = """@prefix s: <http://shop.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
s:Part rdfs:subClassOf s:Product . s:Bolt rdfs:subClassOf s:Part . s:Service rdfs:subClassOf s:Product .
s:Product rdfs:subClassOf owl:Thing .
s:b1 a s:Bolt ; s:price 9007199254740993 ; s:fits s:p1 . s:b2 a s:Bolt, s:Part ; s:price 0.5 .
s:p1 a s:Part ; s:price 2.25 . s:v1 a s:Service ; s:price 4.0 ; s:fits s:b2 . s:x1 a s:Shelf ; s:holds s:b1, s:v1 .
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("shop") / "shop.ttl"
    path.write_text(SHOP, encoding="utf-8")
    return path


def rows(query: str, path: Path) -> list[tuple[object, ...]]:
    """The engine's rows, entities by their local names."""
    store = pyoxigraph.Store()
    store.load(path=str(path), format=pyoxigraph.RdfFormat.TURTLE)
    found = store.query(query)
    return [tuple(_plain(solution[variable]) for variable in found.variables) for solution in found]


def _plain(term: object) -> object:
    text = getattr(term, "value", "")
    return float(text) if isinstance(term, pyoxigraph.Literal) else text.rsplit("/", 1)[-1]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT ?x { ?c rdfs:subClassOf* s:Product . ?x a ?c }",
        "SELECT DISTINCT ?x { ?c rdfs:subClassOf* s:Product . ?x a ?c }",
        "SELECT ?x ?c { ?c rdfs:subClassOf* s:Product . ?x a ?c }",
        "SELECT ?x { ?c rdfs:subClassOf+ s:Part . ?x a ?c }",
        "SELECT ?x { ?c rdfs:subClassOf s:Product . ?x a ?c }",
        "SELECT ?x { ?x a ?c . ?c rdfs:subClassOf? s:Part }",
        "SELECT ?x ?p { ?c rdfs:subClassOf* s:Part . ?x a ?c ; s:price ?p }",
        "SELECT ?x ?y { ?c rdfs:subClassOf* s:Part . ?x a ?c ; s:fits ?y . ?d rdfs:subClassOf* s:Part . ?y a ?d }",
        "SELECT (COUNT(?x) AS ?n) { ?c rdfs:subClassOf* s:Product . ?x a ?c }",
        "SELECT ?c (COUNT(?x) AS ?n) { ?c rdfs:subClassOf* s:Product . ?x a ?c } GROUP BY ?c",
        "SELECT ?x ?y { s:x1 s:holds ?x . ?c rdfs:subClassOf* s:Product . ?x a ?c OPTIONAL { ?x s:fits ?y } }",
        "SELECT ?x ?p { ?x s:price ?p FILTER(?p > 2) }",
        "SELECT ?x (?p * 2 AS ?q) { ?x s:price ?p }",
        "SELECT (SUM(?p) AS ?q) (AVG(?p) AS ?r) (MAX(?p) AS ?m) { ?x s:price ?p }",
        "SELECT ?x { ?x s:price 0.5 }",
        "SELECT ?x (ROUND(?p) AS ?q) { ?x s:price ?p }",
    ],
)
@pytest.mark.parametrize("topics", [None, ["x1"]])
def test_answers_are_the_engines(query: str, file: Path, topics: list[str] | None) -> None:
    boxes = boxkit.from_graph(file, topics=topics, hops=4)
    ours = run(sparql_to_pandas(PREFIXES + query, boxes), boxes)
    assert sorted(map(_comparable, ours)) == sorted(map(_comparable, rows(PREFIXES + query, file)))


def _comparable(row: tuple[object, ...]) -> list[str]:
    return [each if isinstance(each, str) else "" if each is None else f"{float(str(each)):.12g}" for each in row]


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("SELECT ?x { ?c rdfs:subClassOf* owl:Thing . ?x a ?c }", "a type that says nothing"),
        ("SELECT ?x { ?c rdfs:subClassOf* s:Product . ?x a ?c . ?c rdfs:label ?l }", "in more than types"),
        ("SELECT ?c { ?c rdfs:subClassOf* s:Product }", "in more than types"),
        ("SELECT ?x { ?c rdfs:subClassOf+ s:Bolt . ?x a ?c }", "classes that no box holds"),
    ],
)
def test_what_the_boxes_do_not_tell_is_refused(query: str, why: str, file: Path) -> None:
    with pytest.raises(UnsupportedQuery, match=why):
        sparql_to_pandas(PREFIXES + query, boxkit.load(file))


def test_a_graph_that_is_no_longer_there_is_not_guessed_at(file: Path, tmp_path: Path) -> None:
    boxkit.load(file).save(tmp_path / "saved")
    with pytest.raises(UnsupportedQuery):
        sparql_to_pandas(
            PREFIXES + "SELECT ?x { ?c rdfs:subClassOf* s:Product . ?x a ?c }", boxkit.load(tmp_path / "saved")
        )
