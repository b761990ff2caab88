"""Profiles of vocabularies: what they take for types, labels, domains, inverses and mediators."""

from __future__ import annotations

from pathlib import Path

import pytest

import boxkit
from boxkit.converters.graph import Vocabulary, graph_boxes, released_boxes
from boxkit.converters.graph.plain import store_of_triples
from boxkit.converters.graph.vocabulary import DBPEDIA, FREEBASE, RDF_VOCABULARY, WIKIDATA, detect, freebase
from boxkit.errors import SourceNotFound

WD, WDT, LABEL = (
    "http://www.wikidata.org/entity/",
    "http://www.wikidata.org/prop/direct/",
    "http://www.w3.org/2000/01/rdf-schema#label",
)

DOUGLAS = [
    (f"<{WD}Q42>", f"<{WDT}P31>", f"<{WD}Q5>"),
    (f"<{WD}Q42>", f"<{LABEL}>", '"Douglas Adams"@en'),
    (f"<{WD}Q42>", f"<{WDT}P19>", f"<{WD}Q350>"),
    (f"<{WD}Q350>", f"<{LABEL}>", '"Cambridge"@en'),
    (f"<{WD}Q350>", f"<{WDT}P31>", f"<{WD}Q515>"),
    (f"<{WD}Q5>", f"<{LABEL}>", '"human"@en'),
    (f"<{WD}Q515>", f"<{LABEL}>", '"city"@en'),
    (f"<{WDT}P19>", f"<{LABEL}>", '"place of birth"@en'),
]


def test_wikidata_items_and_properties_are_named_by_their_labels() -> None:
    boxes = boxkit.from_graph(DOUGLAS)
    assert set(boxes) == {"human", "city"}
    person = boxes["human"].frame.iloc[0]
    assert (person["human_id"], person["human_label"]) == ("Q42", "Douglas Adams")
    assert (person["place_of_birth"], person["place_of_birth_label"]) == ("Q350", "Cambridge")
    assert boxes["human"].field("place_of_birth").source_name == f"{WDT}P19"


@pytest.mark.parametrize(
    ("relation", "vocabulary"),
    [
        (f"{WDT}P31", WIKIDATA),
        ("http://dbpedia.org/ontology/birthPlace", DBPEDIA),
        ("http://rdf.freebase.com/ns/people.person.education", FREEBASE),
        ("people.person.education", FREEBASE),
        ("http://ex.example/knows", RDF_VOCABULARY),
        ("knows", RDF_VOCABULARY),
    ],
)
def test_the_vocabulary_is_told_from_the_relations(relation: str, vocabulary: Vocabulary) -> None:
    assert detect([relation]) is vocabulary


def test_ones_own_vocabulary_takes_a_few_lines() -> None:
    zoo = Vocabulary("zoo", types=("kind",), labels=("called",), aliases=("nick",), inverses={"keeps": "kept_by"})
    triples = [
        ("k1", "kind", "Ape"), ("k1", "called", '"Kiri"'), ("k1", "nick", '"the Great"'), ("k1", "kept_by", "p"),
        ("k2", "kind", "Ape"), ("p", "kind", "Person"), ("p", "keeps", "k2"),
    ]  # fmt: skip  # triples, two a line
    boxes = boxkit.from_graph(triples, vocabulary=zoo)
    assert list(boxes["ape"].frame["kept_by"]) == ["p", "p"]
    assert list(boxkit.from_graph(triples, vocabulary=zoo, topics=["The Great"], hops=1)["ape"].frame["ape_label"]) == [
        "Kiri"
    ]


def test_an_unknown_vocabulary_is_an_error_that_lists_the_known() -> None:
    with pytest.raises(ValueError, match=r"wikidata.*nearest"):
        boxkit.from_graph(DOUGLAS, vocabulary="wikidate")


CAST = [
    ("m.film", "type.object.name", '"Ghost Rider"@en'),
    ("m.film", "film.film.starring", "m.cvt1"),
    ("m.film", "film.film.starring", "m.cvt2"),
    ("m.cvt1", "film.performance.actor", "m.eva"),
    ("m.cvt2", "film.performance.actor", "m.nick"),
    ("m.eva", "type.object.name", '"Eva Mendes"@en'),
    ("m.eva", "film.actor.film", "m.cvt1"),
    ("m.nick", "type.object.name", '"Nicolas Cage"@en'),
]


def test_freebase_entities_are_typed_by_their_relations_and_mediators_have_a_box() -> None:
    boxes = boxkit.from_graph(CAST)
    assert list(boxes["performance"].frame["actor_label"]) == ["Eva Mendes", "Nicolas Cage"]
    assert "performance_label" not in boxes["performance"].labels
    assert set(boxes["film_starring"].frame["starring"]) == {"m.cvt1", "m.cvt2"}


def test_freebases_ontology_types_values_and_merges_inverses(tmp_path: Path) -> None:
    (tmp_path / "fb_roles").write_text(
        "film.film film.film.starring film.performance\nfilm.performance film.performance.actor film.actor\n"
        "film.actor film.actor.film film.performance\nfilm.film film.film.initial_release_date type.datetime\n"
    )
    (tmp_path / "reverse_properties").write_text("film.performance.actor\tfilm.actor.film\n")
    boxes = boxkit.from_graph(CAST, vocabulary=str(tmp_path))
    assert list(boxes["actor"].frame["actor_label"]) == ["Eva Mendes", "Nicolas Cage"]
    labels = [field.label for box in boxes.values() for field in box.fields]
    assert "actor_film" not in boxes
    assert "actor" in labels
    key = next(key for key in boxes.foreign_keys if key.fields == ("actor",))
    assert (key.parent, key.origin) == ("actor", "declared")


def test_a_folder_without_an_ontology_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SourceNotFound, match="fb_roles"):
        freebase(tmp_path)


def test_the_ontology_of_the_data_covers_the_slices_relations(data: Path) -> None:
    vocabulary = freebase(data / "kg" / "freebase_ontology")
    assert (
        vocabulary.domain("http://rdf.freebase.com/ns/film.performance.actor")
        == "http://rdf.freebase.com/ns/film.performance"
    )
    assert vocabulary.ranges["film.performance.actor"] == "film.actor"


def test_a_graph_that_was_read_answers_many_questions() -> None:
    from boxkit.converters.graph import Graph

    store, _ = store_of_triples(CAST)
    graph = Graph(store, "cast")
    assert "performance" in graph_boxes(graph, topics=["Ghost Rider"], hops=2)
    assert "performance" in graph_boxes(graph, topics=["Eva Mendes"], hops=1)


def test_wikidatas_statements_are_mediators_named_by_their_property() -> None:
    statement = "<http://www.wikidata.org/entity/statement/Q42-F078E5B3>"
    triples = [
        *DOUGLAS,
        (f"<{WD}Q42>", "<http://www.wikidata.org/prop/P69>", statement),
        (statement, "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", "<http://wikiba.se/ontology#Statement>"),
        (statement, "<http://www.wikidata.org/prop/statement/P69>", f"<{WD}Q691283>"),
        (f"<{WD}Q691283>", f"<{LABEL}>", '"St John\'s College"@en'),
        ("<http://www.wikidata.org/prop/P69>", f"<{LABEL}>", '"educated at"@en'),
        ("<http://www.wikidata.org/prop/statement/P69>", f"<{LABEL}>", '"educated at"@en'),
    ]
    boxes = boxkit.from_graph(triples)
    assert "educated_at" in boxes
    assert list(boxes["educated_at"].frame["educated_at_label"]) == ["St John's College"]


def test_the_releases_folders_become_one_row_a_subject(tmp_path: Path) -> None:
    (tmp_path / "film.film.csv").write_text(
        "film,film_film_starring,film_film_directed_by\nm.1,m.c1,\nm.1,m.c2,\nm.1,,m.9\n", encoding="utf-8"
    )
    (tmp_path / "film.performance.csv").write_text(
        "performance,film_performance_actor\nm.c1,m.7\nm.c2,m.8\n", encoding="utf-8"
    )
    (tmp_path / "foreign_key.json").write_text('[["film-film_film_starring", "performance-performance"]]')
    boxes = released_boxes(tmp_path)
    assert list(boxes["film"].frame["film_film_directed_by"]) == ["m.9"]
    cast = boxes["film_film_film_starring"].frame.merge(
        boxes["performance"].frame, left_on="film_film_starring", right_on="performance_id"
    )
    assert set(cast["film_performance_actor"]) == {"m.7", "m.8"}
