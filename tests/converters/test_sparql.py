"""Boxes from SPARQL endpoints equal those of the file that they serve; every fault is a boxkit error."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
import pytest
import rdflib

import boxkit
from boxkit.converters import sparql
from boxkit.converters.graph.endpoint import Endpoint
from boxkit.errors import SourceError, SourceNotFound, UnreadableSource


def _servers() -> ModuleType:
    spec = importlib.util.spec_from_file_location("boxkit_test_sparql", Path(__file__).parent / "sparql_server.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


servers = _servers()
oxigraph, rdflib_endpoint, virtuoso = servers.oxigraph, servers.rdflib_endpoint, servers.virtuoso
Service: TypeAlias = Any

TURTLE = """
@prefix : <http://ex.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:beatles a :Band ; rdfs:label "The Beatles"@en, "Die Beatles"@de ;
    :founded "1960-08-01"^^<http://www.w3.org/2001/XMLSchema#date> ;
    :motto "Alles ist Liebe"@de ; :slogan "Help!"@en, "Hilfe!"@de, "A l'aide !"@fr ; :share 0.25 ;
    :albums ("Help" ("Abbey Road" :m1) [ :called "Anthology" ]) ; :extras () ;
    :office [ :street "Savile Row" ; :number 3 ; :at [ :town "London" ] ] .
[] a :Review ; :of :beatles ; :stars 5 .
""" + "".join(
    f':m{n} a :Artist ; rdfs:label "Member {n}"@en ; :in :beatles ; :age {n} ; :knows :m{n + 1} .\n' for n in range(60)
)


@pytest.fixture(scope="module")
def nt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("graph") / "graph.nt"
    path.write_text(rdflib.Graph().parse(data=TURTLE, format="turtle").serialize(format="nt"))
    return path


@pytest.fixture
def service(nt: Path) -> Iterator[Service]:
    with oxigraph(nt.read_text()) as running:
        yield running


@pytest.fixture(scope="module", params=["oxigraph", "rdflib-endpoint", "virtuoso"])
def url(request: pytest.FixtureRequest, nt: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of each kind of server, over the same graph; two of them give few rows at a time."""
    if request.param == "oxigraph":
        with oxigraph(nt.read_text(), row_cap=7) as running:
            yield running.url
    elif request.param == "rdflib-endpoint":
        with rdflib_endpoint(nt) as running:
            yield running
    else:
        with virtuoso(nt, tmp_path_factory.mktemp("virtuoso") / "db", row_cap=20) as running:
            yield running


def same_boxes(one: boxkit.BoxSet, other: boxkit.BoxSet) -> None:
    """Blank nodes have no names that two graphs could share: one with a box of its own is called by that."""
    assert set(one) == set(other)
    ones, others = (_with_blanks_named(boxes) for boxes in (one, other))
    for name in one:
        pd.testing.assert_frame_equal(ones[name], others[name])


def _with_blanks_named(boxes: boxkit.BoxSet) -> dict[str, pd.DataFrame]:
    frames = {name: box.frame for name, box in boxes.items()}
    firsts = {frame.iloc[0, 0]: f"the {name}" for name, frame in frames.items() if len(frame) == 1}
    cells = {cell for frame in frames.values() for label in frame for cell in frame[label] if str(cell)[:2] == "_:"}
    named = {cell: firsts.get(cell, "a blank node") for cell in cells}
    renamed = {name: frame.replace(named) if named else frame for name, frame in frames.items()}
    return {
        name: frame.sort_values(list(frame)[:2], key=_as_text, ignore_index=True) for name, frame in renamed.items()
    }


def _as_text(column: pd.Series[Any]) -> pd.Series[Any]:
    return column.astype(str)


@pytest.mark.parametrize("address", ["http://127.0.0.1:{}/", "http://127.0.0.1:{}", "http://127.0.0.1:{}/data.ttl"])
def test_an_endpoint_whose_address_does_not_say_so_is_asked_by_format(service: Service, nt: Path, address: str) -> None:
    url = address.format(service.server_port)
    expected = boxkit.from_graph(nt, topics=["The Beatles"])
    same_boxes(boxkit.from_graph(url, topics=["The Beatles"], format="sparql"), expected)
    same_boxes(boxkit.load(url, topics=["The Beatles"], format="sparql"), expected)


@pytest.mark.timeout(240)
def test_every_server_gives_lists_blank_nodes_and_texts_of_any_language(url: str) -> None:
    boxes = sparql.convert(url, topics=["http://ex.example/beatles"], hops=1)
    band = boxes["band"].frame.iloc[0]
    assert (band["motto"], band["slogan"], band["share"]) == ("Alles ist Liebe", "Help!", 0.25)
    assert pd.isna(band["extras"])
    assert {"Help", "Abbey Road", "m1"} < set(boxes["band_albums"].frame["albums"])
    said = [str(note) for note in boxes.notes]
    assert "of 'slogan', texts in other languages than the preferred are left out (de 1, fr 1)" in said
    assert "of 'label', texts in other languages than the preferred are left out (de 1)" in said
    assert any("the members of lists under 'albums'" in note for note in said)
    whole = sparql.convert(url, topics=["http://ex.example/beatles"], hops=2)
    assert list(whole["office"].frame["street"]) == ["Savile Row"] and list(whole["review"].frame["stars"]) == [5]


def test_members_of_lists_are_fetched_whole() -> None:
    graph = rdflib.Graph().parse(data="@prefix : <http://ex.example/> . :s a :T ; :l (1 (2 3) :x) .", format="turtle")
    with oxigraph(graph.serialize(format="nt")) as running:
        boxes = sparql.convert(running.url, topics=["http://ex.example/s"])
    assert set(boxes["t_l"].frame["l"]) == {1, 2, 3, "x"}
    assert any("the members of lists under 'l'" in note.message for note in boxes.notes)


def test_from_graph_names_its_formats(nt: Path) -> None:
    same_boxes(boxkit.from_graph(nt, format="rdf"), boxkit.from_graph(nt))
    with pytest.raises(ValueError, match=r"rdf, networkx, sparql, triples, not 'csv'"):
        boxkit.from_graph(nt, format="csv")


@pytest.mark.timeout(240)
def test_every_server_gives_the_boxes_of_the_file_it_serves(url: str, nt: Path) -> None:
    same_boxes(sparql.convert(url, topics=["The Beatles"]), boxkit.from_graph(nt, topics=["The Beatles"]))


@pytest.mark.timeout(240)
def test_every_server_gives_a_small_graph_whole(url: str, nt: Path) -> None:
    graph = {"graph": "http://boxkit.example/graph"} if url.endswith("/sparql") and "oxigraph" not in url else {}
    boxes = sparql.convert(url, **graph)
    assert len(boxes["artist"].frame) == 60
    assert len(boxes["artist"].frame.dropna(subset=["age"])) == 60


def test_a_row_cap_loses_nothing_and_is_said(nt: Path) -> None:
    with oxigraph(nt.read_text(), row_cap=7) as running:
        boxes = sparql.convert(running.url, topics=["The Beatles"], hops=1)
    assert len(boxes["artist"].frame) == 60
    assert any("at most 7 rows at a time" in str(note) for note in boxes.notes)


@pytest.mark.parametrize("rows", [1, 6, 7, 8, 14, 15])
def test_pages_hold_every_row_once_whatever_the_cap(nt: Path, rows: int) -> None:
    with oxigraph(nt.read_text(), row_cap=7) as running:
        endpoint = Endpoint(running.url)
        for wanted in (7, rows, 60):
            pattern = f"?s <http://ex.example/age> ?o FILTER(?o < {wanted})"
            assert sum(len(page) for page in endpoint.pages(pattern, "?s ?o")) == wanted


@pytest.mark.parametrize(
    "topics", [["<http://ex.example/beatles>"], ["http://ex.example/beatles"], ["the beatles"], ["The Beatles"]]
)
def test_topics_are_iris_or_labels(service: Service, topics: list[str]) -> None:
    assert list(sparql.convert(service.url, topics=topics, hops=1)["band"].frame["band_id"]) == ["beatles"]


def test_topics_are_found_in_the_question(service: Service) -> None:
    assert len(sparql.convert(service.url, question="Who knows member 7?", hops=1)["artist"].frame) == 3


def test_a_hub_is_not_fetched_whole(service: Service) -> None:
    boxes = sparql.convert(service.url, topics=["The Beatles"], hops=1, hub=10)
    assert len(boxes["artist"].frame) == 10
    assert any("of 60 triples" in str(note) for note in boxes.notes)


def test_an_unknown_topic_is_an_error(service: Service) -> None:
    with pytest.raises(SourceNotFound, match="Nirvana"):
        sparql.convert(service.url, topics=["Nirvana"])


@pytest.mark.parametrize("fault", ["drop", "503", "500", "429", "half"])
def test_a_passing_fault_is_retried(service: Service, fault: str) -> None:
    service.faults = [fault, fault]
    waits: list[float] = []
    endpoint = Endpoint(service.url, sleep=waits.append)
    assert endpoint.ask("ASK { ?s ?p ?o }")
    assert waits == [0.5, 1.5]


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("drop", "the connection broke"),
        ("500", "status 500: The server is not well"),
        ("half", "break off"),
        ("hang", "no answer within 0.3 s"),
    ],
)
def test_a_lasting_fault_is_an_error_after_polite_retries(service: Service, fault: str, words: str) -> None:
    service.faults = [fault] * 3
    with pytest.raises(UnreadableSource, match=words) as caught:
        Endpoint(service.url, timeout_s=0.3, sleep=lambda _: None).ask("ASK { ?s ?p ?o }")
    assert "3 times" in str(caught.value)
    assert len(service.queries) == 3


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("html", "text/html, no SPARQL results: Welcome Our data portal"),
        ("json", "no SPARQL results"),
        ("403", "lets us not in"),
        ("400", "refused"),
    ],
)
def test_what_will_not_pass_is_an_error_at_once(service: Service, fault: str, words: str) -> None:
    service.faults = [fault]
    with pytest.raises(UnreadableSource, match=words):
        Endpoint(service.url).ask("ASK { ?s ?p ?o }")
    assert len(service.queries) == 1


def test_a_query_that_the_server_refuses_is_an_error_with_its_words(service: Service) -> None:
    with pytest.raises(UnreadableSource, match="MALFORMED QUERY"):
        Endpoint(service.url).select("SELECT nonsense")


def test_nothing_at_the_address_is_an_error() -> None:
    with pytest.raises(SourceNotFound, match="nothing answers"):
        sparql.convert("http://127.0.0.1:9/sparql", topics=["x"])


def test_a_password_is_sent_and_never_shown(service: Service) -> None:
    address = service.url.replace("http://", "http://ann:s3cret@")
    service.faults = ["403"]
    with pytest.raises(UnreadableSource) as caught:
        sparql.convert(address, topics=["The Beatles"])
    assert "s3cret" not in str(caught.value)
    assert "s3cret" not in " ".join(sparql.convert(address, topics=["The Beatles"], hops=1).sources)
    assert set(service.authorizations) == {"Basic YW5uOnMzY3JldA=="}


def test_a_large_graph_without_a_topic_is_not_fetched(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boxkit.converters.graph.remote.MAX_WHOLE", 100)
    with pytest.raises(SourceError, match="topics="):
        sparql.convert(service.url)


@pytest.mark.parametrize(
    ("source", "score"),
    [
        ("https://query.wikidata.org/sparql", 0.9),
        ("http://localhost:7200/repositories/zoo", 0.9),
        ("http://localhost:3030/ds/query", 0.9),
        ("https://example.org/data.csv", 0.0),
        ("zoo.sparql", 0.0),
        (5, 0.0),
    ],
)
def test_addresses_of_query_services_are_known(source: object, score: float) -> None:
    assert sparql.accepts(source) == score


@pytest.mark.parametrize("cap", [None, 7])
def test_blank_nodes_are_whole_in_spite_of_a_row_cap(cap: int | None) -> None:
    said = " ; ".join(f':office [ :street "Street {n}" ; :number {n} ]' for n in range(12))
    text = (
        f"@prefix : <http://ex.example/> . :firm a :Firm ; {said} . [] :of :firm ; :stars 5 . [] :of :firm ; :stars 4 ."
    )
    graph = rdflib.Graph().parse(data=text, format="turtle")
    with oxigraph(graph.serialize(format="nt"), row_cap=cap) as running:
        boxes = sparql.convert(running.url, topics=["http://ex.example/firm"])
    offices = boxes["office"].frame
    assert dict(zip(offices["number"], offices["street"], strict=True)) == {n: f"Street {n}" for n in range(12)}
    assert set(boxes["entity"].frame["stars"]) == {4, 5}
    assert any("came in several answers" in str(note) for note in boxes.notes) == (cap is not None)


def test_blank_nodes_deeper_than_three_and_lists_in_them_are_said_to_be_left_out() -> None:
    text = "@prefix : <http://ex.example/> . :s :a [ :b [ :c [ :d [ :e 1 ] ] ] ] ; :f [ :g (1 2) ] . (:s) :h 1 ."
    graph = rdflib.Graph().parse(data=text, format="turtle")
    with oxigraph(graph.serialize(format="nt")) as running:
        said = " ".join(map(str, sparql.convert(running.url, topics=["http://ex.example/s"]).notes))
    assert "blank nodes more than three deep under 'a' are not fetched" in said
    assert "lists inside the blank nodes under 'f' are not fetched" in said
    assert "lists are not followed back" in said


def test_relations_of_an_endpoint_are_chosen_by_an_embedding(service: Service) -> None:
    class Ages:
        name = "ages"

        def documents(self, texts: list[str]) -> Any:
            return np.array([[float("age" in text)] for text in texts])

        def queries(self, texts: list[str]) -> Any:
            return np.ones((len(texts), 1))

    boxes = sparql.convert(service.url, question="How old?", topics=["Member 7"], relations=1, hops=1, embedding=Ages())
    assert {"age", "knows"} & {label for box in boxes.values() for label in box.labels} == {"age"}


def test_an_endpoint_takes_a_folder_with_freebases_ontology_as_its_words(service: Service, tmp_path: Path) -> None:
    (tmp_path / "fb_roles").write_text("people.person people.person.age type.int\n")
    assert len(sparql.convert(service.url, vocabulary=str(tmp_path), topics=["http://ex.example/m7"], hops=1)) > 0
    with pytest.raises(ValueError, match="freebase"):
        sparql.convert(service.url, vocabulary="freebas")


def test_freebase_is_known_behind_a_servers_own_triples() -> None:
    own = "".join(
        f"<http://www.openlinksw.com/a{n:04d}> <http://www.openlinksw.com/p> <http://o/{n}> .\n" for n in range(2000)
    )
    space = "http://rdf.freebase.com/ns/"
    graph = f"<{space}m.01> <{space}people.person.place_of_birth> <{space}m.02> .\n"
    names = "".join(f'<{space}m.0{n}> <{space}type.object.name> "Name {n}"@en .\n' for n in (1, 2))
    with oxigraph(own + graph + names) as running:
        for topic in ("m.01", "Name 1"):
            boxes = sparql.convert(running.url, topics=[topic])
            assert list(boxes["person"].frame["person_label"]) == ["Name 1"]
            assert list(boxes["person"].frame["place_of_birth_label"]) == ["Name 2"]
