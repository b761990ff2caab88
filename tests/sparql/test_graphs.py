"""SPARQL on the graph that boxes came from: read-only, stopped in time, bounded, its terms shown as the boxes do."""

from __future__ import annotations

import gzip
import os
import threading
import time

import networkx
import pandas as pd
import pytest
import rdflib

import boxkit
from boxkit.errors import SourceError, UnsafeSPARQL
from boxkit.sparql import graph_engine, graph_text
from boxkit.sparqlguard import check
from boxkit.sql import SqlLimits

TURTLE = """@prefix ex: <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
ex:ada a ex:Author ; rdfs:label "Ada"@en, "Adah"@he ; ex:born "1815-12-10"^^xsd:date ; ex:wrote ex:b1, ex:b2 .
ex:b1 a ex:Book ; rdfs:label "One" ; ex:price 9.5 ; ex:pages 120 ; ex:new true .
ex:b2 a ex:Book ; rdfs:label "Two" ; ex:price 3.25 .
"""

ENDLESS = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?o ?p . ?q ?r ?s . ?t ?u ?v }"


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("graph") / "shelf.ttl"
    path.write_text(TURTLE, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def engine(file):
    return graph_engine(boxkit.load(file))


def rows(fetched):
    return [tuple(row) for row in fetched.frame.astype(object).where(fetched.frame.notna(), None).to_numpy()]


def test_terms_come_as_the_boxes_show_them(engine):
    fetched = engine.query(
        "SELECT ?b ?price ?pages ?new ?born { ?a ex:wrote ?b ; ex:born ?born . ?b ex:price ?price"
        " OPTIONAL { ?b ex:pages ?pages ; ex:new ?new } } ORDER BY ?b"
    )
    assert rows(fetched) == [("b1", 9.5, 120, True, "1815-12-10"), ("b2", 3.25, None, None, "1815-12-10")]
    assert list(fetched.frame.columns) == ["b", "price", "pages", "new", "born"]


@pytest.mark.parametrize(("query", "truth"), [("ASK { ex:ada ex:wrote ex:b1 }", True), ("ASK { ex:b1 a 7 }", False)])
def test_a_yes_or_no_is_one_truth_value(engine, query, truth):
    assert rows(engine.query(query)) == [(truth,)]


def test_own_prefixes_win_over_those_shown(engine):
    fetched = engine.query("PREFIX ex: <http://other.example/> SELECT ?x { ?x ex:wrote ?y }")
    assert fetched.frame.empty


@pytest.mark.filterwarnings("ignore:Dataset:DeprecationWarning")  # rdflib's own parser
@pytest.mark.parametrize("source", ["file", "gz", "rdflib", "dataset", "triples"])
def test_whatever_holds_a_graph_is_asked(file, source, tmp_path):
    if source == "gz":
        path = tmp_path / "shelf.ttl.gz"
        path.write_bytes(gzip.compress(TURTLE.encode()))
        boxes = boxkit.load(path)
    elif source == "file":
        boxes = boxkit.load(file)
    elif source == "triples":
        boxes = boxkit.load([("Ada Byron", "wrote", "One"), ("Ada Byron", "wrote", "Two")])
        assert rows(graph_engine(boxes).query("SELECT ?b { ?a <urn:boxkit:wrote> ?b } ORDER BY ?b")) == [
            ("One",),
            ("Two",),
        ]
        return
    else:
        graph = rdflib.Graph() if source == "rdflib" else rdflib.Dataset(default_union=True)
        boxes = boxkit.load(graph.parse(data=TURTLE, format="turtle"))
    assert rows(graph_engine(boxes).query("SELECT (COUNT(?b) AS ?n) { ex:ada ex:wrote ?b }")) == [(2,)]


def test_freebases_plain_names_are_its_own_iris():
    boxes = boxkit.load([("m.01", "people.person.nationality", "m.02"), ("m.02", "type.object.name", "France")])
    found = graph_engine(boxes).query("SELECT ?x { ?x ns:people.person.nationality ns:m.02 }")
    assert rows(found) == [("m.01",)]


def test_boxes_of_no_graph_say_what_to_load(tmp_path):
    for boxes in (
        boxkit.load({"t": pd.DataFrame({"a": [1]})}),
        boxkit.load(networkx.path_graph(3)),
    ):
        with pytest.raises(SourceError, match=r"SPARQL") as caught:
            graph_engine(boxes)
        assert "RDF file" in caught.value.hint


def test_two_graphs_are_one_too_many(file, tmp_path):
    other = tmp_path / "other.ttl"
    other.write_text(TURTLE, encoding="utf-8")
    with pytest.raises(SourceError, match="one graph"):
        graph_engine(boxkit.load(file, other))


def test_a_table_beside_the_graph_does_no_harm(file, tmp_path):
    (tmp_path / "t.csv").write_text("a\n1\n", encoding="utf-8")
    assert rows(graph_engine(boxkit.load(file, tmp_path / "t.csv")).query("ASK { ?s ?p ?o }")) == [(True,)]


def test_an_endless_query_is_stopped_and_the_next_one_runs(engine):
    started = time.monotonic()
    assert engine.query(ENDLESS, SqlLimits(seconds=0.5)).kind == "timeout"
    assert time.monotonic() - started < 5
    assert rows(engine.query("ASK { ?s ?p ?o }")) == [(True,)]


def test_rows_past_the_limit_are_left_out_and_that_is_said(engine):
    fetched = engine.query("SELECT ?s { ?s ?p ?o }", SqlLimits(rows=2))
    assert (len(fetched.frame), fetched.truncated) == (2, True)
    assert not engine.query("SELECT ?s { ?s ?p ?o }").truncated


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="memory is bounded on Linux")
def test_a_query_that_would_fill_the_memory_is_stopped(engine, monkeypatch, file):
    monkeypatch.setattr("boxkit.sparql.local.MEMORY_MB", 60)
    doubled = " ".join(f"BIND(CONCAT(?x{at}, ?x{at}) AS ?x{at + 1})" for at in range(27))
    query = f'SELECT (STRLEN(?x27) AS ?n) {{ BIND("ab" AS ?x0) {doubled} }}'
    failure = graph_engine(boxkit.load(file)).query(query, SqlLimits(seconds=20))
    assert failure.kind == "memory"


def test_many_threads_share_one_process(engine):
    found = []
    threads = [threading.Thread(target=lambda: found.append(rows(engine.query("ASK { ?s ?p ?o }")))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[(True,)]] * 6


def test_the_engine_itself_reaches_no_server(engine, monkeypatch):
    monkeypatch.setattr("boxkit.sparql.engine.check", lambda _: check("ASK {}"))
    query = "SELECT ?x { SERVICE <http://127.0.0.1:8080/sparql> { ?x ?p ?o } }"
    failure = engine.query(query)
    assert failure.kind == "exception"
    assert "files" in failure.message or "descriptor" in failure.message.lower()


def test_an_error_of_the_engines_is_told(engine):
    failure = engine.query("SELECT ?y (COUNT(?x) AS ?n) { ?x ?p ?y } GROUP BY ?x")
    assert failure.kind == "exception"


@pytest.mark.parametrize(
    "query",
    [
        "SELECT ?x { ?x ?p ?o }",
        "ask { ?s ?p ?o }",
        "# SERVICE\nPREFIX a: <http://a/> SELECT * { ?s a:service 'DROP ALL' } ORDER BY ?s LIMIT 3",
        "SELECT (COUNT(DISTINCT ?x) AS ?n) { { SELECT ?x { ?x ?p ?o } LIMIT 5 } UNION { ?x a ?t } }",
        "SELECT ?x { ?x <http://a/p>+/^<http://a/q> ?y FILTER NOT EXISTS { ?x a ?t } } VALUES ?y { 1 }",
    ],
)
def test_a_query_that_only_reads_this_graph_passes(query):
    assert check(query).form in ("SELECT", "ASK")


@pytest.mark.parametrize(
    "query",
    [
        "",
        "words",
        "INSERT DATA { <http://a> <http://b> 1 }",
        "PREFIX a: <http://a/> DELETE WHERE { ?s ?p ?o }",
        "DROP ALL",
        "LOAD <http://a/>",
        "CLEAR GRAPH <http://a/>",
        "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }",
        "DESCRIBE <http://a/>",
        "SELECT ?x { ?x ?p ?o } ; DROP ALL",
        "SELECT ?x { ?x ?p ?o } SELECT ?y { ?y ?p ?o }",
        "SELECT ?x FROM <http://a/> { ?x ?p ?o }",
        "ASK FROM NAMED <file:///etc/passwd> { ?s ?p ?o }",
        "SELECT ?x { SERVICE <http://a/> { ?x ?p ?o } }",
        "SELECT ?x { OPTIONAL { { SELECT ?x { SERVICE SILENT ?s { ?x ?p ?o } } } } }",
        "SELECT ?x { ?x ?p ?o FILTER(1 = 2 || NOT EXISTS { SERVICE <http://a/> { ?x ?p ?o } }) }",
        "SELECT (IF(EXISTS { SERVICE <http://a/> { ?s ?p ?o } }, 1, 2) AS ?v) {}",
        "SELECT ?x { ?x ?p ?o MINUS { GRAPH ?g { \\u0053ERVICE <http://a/> { ?x ?p ?o } } } }",
        "SELECT " + "(" * 3000,
    ],
)
def test_what_changes_or_leads_out_is_refused(query):
    with pytest.raises(UnsafeSPARQL) as caught:
        check(query)
    assert str(caught.value)


def test_the_prompt_shows_classes_relations_values_and_the_questions_entities(engine):
    text = graph_text(engine, "What did Ada write?")
    assert 'ex:Author  # entities: 1; e.g. ex:ada ("Ada")' in text
    assert "  ex:wrote  # to ex:Book; several values; e.g. ex:b1, ex:b2" in text
    assert '  ex:born  # text, ISO date; e.g. "1815-12-10"' in text
    assert '# named in the question\n# ex:ada ("Ada"), ex:Author' in text
    assert text.startswith("PREFIX ")
    assert "left out" in graph_text(engine, "?", budget=20)
