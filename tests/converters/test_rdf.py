from __future__ import annotations

import gzip
import warnings
from pathlib import Path

import pandas as pd
import pytest
import rdflib

import boxkit
from boxkit.box import BoxSet
from boxkit.errors import UnreadableSource

ZOO = """
@prefix : <http://zoo.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Kiri a :GreatApe ; rdfs:label "Kiri"@en, "Kiri die Große"@de ; :bornOn "2001-05-06"^^xsd:date ; :weight 41.5 ;
    :livesIn :house1 ; :likes :banana, :mango ; :legs 2 ; :tame true .
:Momo a :GreatApe ; rdfs:label "Momo" ; :livesIn :house1 ; :likes :banana ; :legs 2 .
:house1 a :Enclosure ; rdfs:label "Ape House" ; :builtIn "1999"^^xsd:gYear .
:banana a :Fruit . :mango a :Fruit .
"""


def written(syntax: str) -> str:
    """The zoo in another syntax; rdflib warns of its own use of a dataset's default context."""
    graph = rdflib.Dataset() if syntax in ("trig", "nquads", "trix", "hext") else rdflib.Graph()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return graph.parse(data=ZOO, format="turtle").serialize(format=syntax)


def load(path: Path, text: str) -> BoxSet:
    path.write_text(text, encoding="utf-8")
    return boxkit.load(path)


@pytest.fixture
def zoo(tmp_path: Path) -> BoxSet:
    return load(tmp_path / "zoo.ttl", ZOO)


def test_one_box_a_type_with_one_row_a_subject(zoo: BoxSet) -> None:
    apes = zoo["great_ape"].frame
    assert list(apes["great_ape_id"]) == ["Kiri", "Momo"]
    assert list(apes["great_ape_label"]) == ["Kiri", "Momo"]
    assert zoo["great_ape"].labels[:2] == ("great_ape_id", "great_ape_label")
    assert zoo["great_ape"].source_name == "http://zoo.example/GreatApe"


def test_values_have_their_types(zoo: BoxSet) -> None:
    apes = zoo["great_ape"].frame
    assert str(apes["legs"].dtype) == "Int64"
    assert apes["weight"].iloc[0] == 41.5
    assert apes["born_on"].iloc[0] == "2001-05-06"
    assert zoo["great_ape"].field("born_on").type == "text, ISO date"
    assert bool(apes["tame"].iloc[0]) is True
    assert zoo["enclosure"].frame["built_in"].iloc[0] == 1999


def test_a_relation_of_one_value_is_a_column_of_ids_with_labels_beside(zoo: BoxSet) -> None:
    apes = zoo["great_ape"].frame
    assert list(apes["lives_in"]) == ["house1", "house1"]
    assert list(apes["lives_in_label"]) == ["Ape House", "Ape House"]
    assert zoo["great_ape"].field("lives_in").source_name == "http://zoo.example/livesIn"


def test_a_relation_of_several_values_is_a_box_that_merges_plainly(zoo: BoxSet) -> None:
    likes = zoo["great_ape_likes"].frame
    assert list(likes.columns) == ["great_ape_id", "likes"]
    merged = likes.merge(zoo["great_ape"].frame, on="great_ape_id")
    assert merged.groupby("great_ape_label").size().to_dict() == {"Kiri": 2, "Momo": 1}


def test_foreign_keys_lead_from_relations_to_the_boxes_of_their_values(zoo: BoxSet) -> None:
    keys = {str(key) for key in zoo.foreign_keys}
    assert keys == {
        "great_ape_likes['great_ape_id'] -> great_ape['great_ape_id']",
        "great_ape_likes['likes'] -> fruit['fruit_id']",
        "great_ape['lives_in'] -> enclosure['enclosure_id']",
    }


@pytest.mark.parametrize(
    ("suffix", "syntax"),
    [
        ("nt", "nt"),
        ("rdf", "xml"),
        ("n3", "n3"),
        ("jsonld", "json-ld"),
        ("trig", "trig"),
        ("nq", "nquads"),
        ("trix", "trix"),
        ("hext", "hext"),
    ],
)
def test_every_syntax_gives_the_same_boxes(tmp_path: Path, zoo: BoxSet, suffix: str, syntax: str) -> None:
    boxes = load(tmp_path / f"again.{suffix}", written(syntax))
    assert list(boxes) == list(zoo)
    for name in zoo:
        pd.testing.assert_frame_equal(boxes[name].frame, zoo[name].frame)


def test_a_gzipped_file_loads(tmp_path: Path, zoo: BoxSet) -> None:
    path = tmp_path / "zoo.ttl.gz"
    path.write_bytes(gzip.compress(ZOO.encode()))
    assert list(boxkit.load(path)) == list(zoo)


def test_the_content_decides_not_the_suffix(tmp_path: Path, zoo: BoxSet) -> None:
    assert list(load(tmp_path / "zoo.txt", ZOO)) == list(zoo)


def test_an_rdflib_graph_loads_as_its_file_does(zoo: BoxSet) -> None:
    graph = rdflib.Graph().parse(data=ZOO, format="turtle")
    boxes = boxkit.load(graph)
    for name in zoo:
        pd.testing.assert_frame_equal(boxes[name].frame, zoo[name].frame)


def test_a_file_that_is_not_valid_says_where(tmp_path: Path) -> None:
    with pytest.raises(UnreadableSource, match="line 2"):
        load(tmp_path / "bad.nt", '<http://a> <http://b> "c" .\n<http://a> <http://b "c .\n')


def test_a_file_that_is_not_in_utf_8_is_read_with_a_note(tmp_path: Path) -> None:
    path = tmp_path / "latin.ttl"
    path.write_bytes('@prefix : <http://e/> . :a :called "café" .'.encode("latin-1"))
    boxes = boxkit.load(path)
    assert list(boxes["entity"].frame["called"]) == ["café"]
    assert [note.kind for note in boxes.notes] == ["undecodable"]


def test_an_iri_with_a_blank_in_it_is_read_with_a_note(tmp_path: Path) -> None:
    boxes = load(tmp_path / "bad.ttl", "@prefix : <http://e/> . :a :at <http://bad iri> ; :n 3 .")
    assert list(boxes["entity"].frame["n"]) == [3]
    assert "not strictly valid" in str(boxes.notes[0])


def test_names_in_any_script_and_percent_coded_ones_are_readable(tmp_path: Path) -> None:
    boxes = load(tmp_path / "names.ttl", "@prefix : <http://e/> . :a :M%C3%BCnchen 3 ; :日付 4 .")
    assert set(boxes["entity"].labels) >= {"münchen", "日付"}


def test_a_changed_file_makes_its_boxes_stale(tmp_path: Path, zoo: BoxSet) -> None:
    path = tmp_path / "zoo.ttl"
    before = boxkit.load(path)
    assert not before.is_stale
    path.write_text(ZOO + ":Bobo a :GreatApe .", encoding="utf-8")
    assert before.is_stale
    assert boxkit.load(path).fingerprint != before.fingerprint


def test_remote_contexts_are_not_fetched(tmp_path: Path) -> None:
    with pytest.raises(UnreadableSource, match="put the context into the file"):
        load(tmp_path / "a.jsonld", '{"@context": "https://schema.org/", "@id": "http://e/a", "name": "x"}')
