"""Graphs around a question, and the odd corners of RDF."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pandas as pd
import pytest
import rdflib

import boxkit
from boxkit.box import BoxSet
from boxkit.converters.graph import Vocabulary, entities_of, iri_of
from boxkit.converters.graph.drawing import mermaid_boxes, mermaid_entities
from boxkit.errors import SourceError, SourceNotFound

PREFIXES = """
@prefix : <http://ex.example/> .
@prefix other: <http://other.example/ns#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""


def boxes_of(turtle: str, **options: object) -> BoxSet:
    return boxkit.from_graph(rdflib.Graph().parse(data=PREFIXES + turtle, format="turtle"), **options)


def notes(boxes: BoxSet) -> str:
    return "\n".join(map(str, boxes.notes))


# What RDF files hold ----------------------------------------------------------------------------------------------


def test_restrictions_and_classes_are_no_rows_but_are_said_to_be_left_out() -> None:
    boxes = boxes_of("""
        :Person a owl:Class ; rdfs:comment "A human being." ;
            rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :knows ; owl:someValuesFrom :Person ] .
        :knows a owl:ObjectProperty ; rdfs:comment "Has met." .
        :ann a :Person ; :knows :bob . :bob a :Person .
    """)
    assert list(boxes) == ["person"]
    assert boxes["person"].description == "A human being."
    assert boxes["person"].field("knows").description == "Has met."
    assert "parts of the schema make no rows" in notes(boxes)


def test_a_schema_alone_becomes_rows() -> None:
    boxes = boxes_of(":Dog a owl:Class ; rdfs:label 'Dog' ; rdfs:subClassOf :Animal . :Animal a owl:Class .")
    frame = next(iter(boxes.values())).frame
    assert set(frame.iloc[:, 0]) == {"Animal", "Dog"}


def test_the_schema_stays_where_asked_for() -> None:
    assert len(boxes_of(":Dog a owl:Class . :rex a :Dog .", schema=True)) == 2


@pytest.mark.parametrize(
    ("labels", "chosen"),
    [
        ('"Rom"@de, "Rome"@en', "Rome"),
        ('"Rom"@de, "Roma"', "Roma"),
        ('"Rom"@de, "Rome"@fr, "Roma"@it', "Rom"),
        ('"Roma"@it, "Rome"@en-GB', "Rome"),
        ('"Roma", "Rome"@en', "Rome"),
    ],
)
def test_labels_are_english_then_untagged_then_any(labels: str, chosen: str) -> None:
    assert list(boxes_of(f":rome a :City ; rdfs:label {labels} .")["city"].frame["city_label"]) == [chosen]


def test_texts_in_other_languages_are_left_out_and_said_to_be() -> None:
    boxes = boxes_of(':rome a :City ; :motto "Senatus"@la, "The Senate"@en ; :size 3 .')
    assert list(boxes["city"].frame["motto"]) == ["The Senate"]
    assert "la 1" in notes(boxes)


def test_a_vocabulary_can_prefer_another_language() -> None:
    german = Vocabulary("german", labels=(str(rdflib.RDFS.label),), languages=("de", ""))
    boxes = boxes_of(':rome a :City ; rdfs:label "Rom"@de, "Rome"@en .', vocabulary=german)
    assert list(boxes["city"].frame["city_label"]) == ["Rom"]


@pytest.mark.parametrize(
    ("literal", "datatype", "value"),
    [
        ("1,000", "integer", "1,000"),
        ("12 apples", "int", "12 apples"),
        ("1e5", "decimal", 100000.0),
        ("yes", "boolean", "yes"),
        ("1999-02-30", "date", "1999-02-30"),
        ("31/12/1999", "date", "31/12/1999"),
        ("1999-13-01T00:00:00", "dateTime", "1999-13-01T00:00:00"),
        ("99", "gYear", "99"),
    ],
)
def test_a_value_that_is_not_written_as_it_claims_stays_text_with_a_note(
    literal: str, datatype: str, value: object
) -> None:
    boxes = boxes_of(f':x a :Thing ; :value "{literal}"^^xsd:{datatype} ; :size 1 .')
    assert boxes["thing"].frame["value"].iloc[0] == value
    assert (f"to be {datatype}" in notes(boxes)) == isinstance(value, str)


def test_one_ill_typed_number_leaves_the_others_numbers_and_says_how_to_get_them() -> None:
    boxes = boxes_of(':a a :T ; :n 7 . :b a :T ; :n "1,000"^^xsd:integer . :c a :T .')
    assert list(boxes["t"].frame["n"])[:2] == [7, "1,000"]
    (note,) = [note for note in boxes.notes if note.field == "n"]
    assert (note.box, note.row, note.fix) == ("t", 1, 'pd.to_numeric(t["n"], errors="coerce")')
    assert boxes["t"].field("n").type == "mixed"


@pytest.mark.parametrize(
    ("values", "dtype", "expected"),
    [
        (["9007199254740993", None], "Int64", [9007199254740993, pd.NA]),
        (["1.5", "2"], "float64", [1.5, 2.0]),
        (["true", None], "boolean", [True, pd.NA]),
        (['"1999"^^xsd:gYear', '"2001"^^xsd:gYear'], "Int64", [1999, 2001]),
        (['"1999"^^xsd:gYear', '"2001-05-06"^^xsd:date'], None, ["1999", "2001-05-06"]),
        (['"2001-05-06T07:08:09"^^xsd:dateTime', None], None, ["2001-05-06T07:08:09", None]),
        (['"123456789012345678901234567890"^^xsd:integer', None], "object", [123456789012345678901234567890, None]),
        (['"007"', None], None, ["007", None]),
        (['"-0044-03-15"^^xsd:date', None], None, ["-0044-03-15", None]),
    ],
)
def test_literals_are_typed(values: list[str | None], dtype: str | None, expected: list[object]) -> None:
    said = "".join(f":e{at} a :T" + (f" ; :v {value} . " if value else " . ") for at, value in enumerate(values))
    series = boxes_of(said)["t"].frame["v"]
    assert dtype is None or str(series.dtype) == dtype
    for found, wanted in zip(series, expected, strict=True):
        assert (pd.isna(found) and pd.isna(wanted)) or found == wanted


def test_relations_types_and_entities_of_one_local_name_are_told_apart() -> None:
    boxes = boxes_of("""
        :x a :Thing ; :size 1 ; other:size 2 ; :near :paris, other:paris .
        :y a other:Thing ; :size 3 . :paris a :City . other:paris a :City .
    """)
    sources = {field.source_name: field.label for box in boxes.values() for field in box.fields}
    assert sources["http://ex.example/size"] != sources["http://other.example/ns#size"]
    assert boxes["city"].frame["city_id"].is_unique
    assert len(boxes["city"].frame) == 2
    assert len({box.source_name for box in boxes.values() if box.source_name.endswith("Thing")}) == 2
    assert {iri_of(entity, boxes) for entity in boxes["city"].frame["city_id"]} == {
        "http://ex.example/paris",
        "http://other.example/ns#paris",
    }


def test_blank_nodes_are_entities_named_by_what_leads_to_them() -> None:
    boxes = boxes_of(
        ':ann a :Person ; :address [ :street "High Street" ; :number 5 ] . :bob a :Person ; :address [ :number 7 ] .'
    )
    joined = boxes["person"].frame.merge(boxes["address"].frame, left_on="address", right_on="address_id")
    assert dict(zip(joined["person_id"], joined["number"], strict=True)) == {"ann": 5, "bob": 7}
    assert "address_label" not in boxes["address"].labels


def test_the_members_of_a_list_are_values() -> None:
    boxes = boxes_of(":menu a :Menu ; :dishes (:soup :fish) . :soup a :Dish . :fish a :Dish .")
    assert set(boxes["menu_dishes"].frame["dishes"]) == {"soup", "fish"}


def test_an_entity_of_several_types_stands_in_each() -> None:
    boxes = boxes_of(":ann a :Singer, :Actor ; :age 5 . :bob a :Actor ; :age 6 .")
    assert list(boxes["singer"].frame["singer_id"]) == ["ann"]
    assert list(boxes["actor"].frame["actor_id"]) == ["ann", "bob"]
    assert "singer['singer_id'] -> actor['actor_id']" in {str(key) for key in boxes.foreign_keys}


def test_entities_without_a_type_take_it_from_domains_and_ranges() -> None:
    boxes = boxes_of(
        ":plays rdfs:domain :Musician ; rdfs:range :Instrument . :ann :plays :lute . :eve :hums :song . :song :long 3 ."
    )
    assert list(boxes["musician"].frame["musician_id"]) == ["ann"]
    assert list(boxes["instrument"].frame["instrument_id"]) == ["lute"]
    assert set(boxes["entity"].frame["entity_id"]) == {"eve", "song"}


def test_inverse_relations_are_one() -> None:
    boxes = boxes_of(":parentOf owl:inverseOf :childOf . :a a :P ; :parentOf :b . :c a :P ; :childOf :a . :b a :P .")
    columns = [field.label for box in boxes.values() for field in box.fields]
    assert ("parent_of" in columns) + ("child_of" in columns) == 1
    assert list(boxes["p"].frame.dropna(subset=["child_of"])["p_id"]) == ["b", "c"]
    assert list(boxes["p"].frame["child_of"].dropna()) == ["a", "a"]


def test_counts_are_right_for_a_relation_of_several_values() -> None:
    boxes = boxes_of(':a a :Film ; :star :x, :y ; :tag "p", "q", "r" . :b a :Film ; :star :x . :x a :P . :y a :P .')
    assert boxes["film_star"].frame.groupby("film_id").size().to_dict() == {"a": 2, "b": 1}
    assert len(boxes["film_tag"].frame) == 3
    assert len(boxes["film"].frame) == 2


def test_foreign_keys_are_only_between_columns_of_entities() -> None:
    boxes = boxes_of(':a a :P ; :n 1 ; :s "x" . :b a :Q ; :n 1 ; :s "x" ; :of :a .')
    assert [str(key) for key in boxes.foreign_keys] == ["q['of'] -> p['p_id']"]


def test_a_declared_range_makes_a_declared_key_and_missing_values_make_it_dangle() -> None:
    boxes = boxes_of(
        ":of rdfs:range :P . :a a :P ; :n 1 . :b a :Q ; :of :a . :c a :Q ; :of <http://elsewhere.example/z> ."
    )
    (key,) = boxes.foreign_keys
    assert (key.origin, key.parent) == ("declared", "p")


def test_one_graph_gives_one_boxset_whatever_its_order() -> None:
    lines = [
        '<http://e/a> <http://e/p> "1"',
        "<http://e/a> <http://e/q> _:x",
        '_:x <http://e/r> "2"',
        '_:y <http://e/r> "3"',
    ]
    seen = set()
    for order in itertools.permutations(lines):
        graph = rdflib.Graph().parse(data=" .\n".join(order) + " .", format="nt")
        boxes = boxkit.from_graph(graph)
        seen.add((boxes.to_prompt(), boxes.fingerprint))
    assert len(seen) == 1


def test_an_empty_graph_is_an_empty_boxset() -> None:
    assert list(boxkit.from_graph(rdflib.Graph())) == []


def test_named_graphs_are_read_as_one_with_a_note() -> None:
    data = rdflib.Dataset()
    for name in "gh":
        data.graph(rdflib.URIRef(f"http://e/{name}")).add(
            (rdflib.URIRef("http://e/a"), rdflib.URIRef(f"http://e/{name}p"), rdflib.Literal(1))
        )
    boxes = boxkit.from_graph(data)
    assert set(boxes["entity"].labels) >= {"gp", "hp"}
    assert "2 graphs" in notes(boxes)


# Around a question ------------------------------------------------------------------------------------------------

MUSIC = """
:beatles a :Band ; rdfs:label "The Beatles" ; skos:altLabel "Fab Four" ; :member :john, :paul ; :from :liverpool .
:stones a :Band ; rdfs:label "The Rolling Stones" ; :member :mick ; :from :london .
:john a :Artist ; rdfs:label "John Lennon" ; :born :liverpool ; :wrote :imagine .
:paul a :Artist ; rdfs:label "Paul McCartney" ; :born :liverpool .
:mick a :Artist ; rdfs:label "Mick Jagger" ; :born :dartford .
:liverpool a :City ; rdfs:label "Liverpool" ; :country :uk . :london a :City ; rdfs:label "London" ; :country :uk .
:dartford a :City ; rdfs:label "Dartford" ; :country :uk . :uk a :Country ; rdfs:label "United Kingdom" .
:imagine a :Song ; rdfs:label "Imagine" ; :year 1971 .
"""


@pytest.mark.parametrize(
    "topic",
    [
        "The Beatles",
        "the beatles",
        "http://ex.example/beatles",
        "<http://ex.example/beatles>",
        "beatles",
        "Fab Four",
        "The Beetles",
    ],
)
def test_a_topic_may_be_an_iri_an_id_a_label_or_nearly_one(topic: str) -> None:
    boxes = boxes_of(MUSIC, topics=[topic], hops=1)
    assert list(boxes["band"].frame["band_id"]) == ["beatles"]
    assert set(boxes["band_member"].frame["member"]) == {"john", "paul"}


@pytest.mark.parametrize(
    "question",
    [
        "Who was in the Beatles?",
        "Who were the Fab Four's members?",
        "Members of “The Beatles”",
        "members of the beatlse?",
    ],
)
def test_topics_are_found_in_the_question(question: str) -> None:
    assert list(boxes_of(MUSIC, question=question, hops=1)["band"].frame["band_id"]) == ["beatles"]


def test_the_longest_name_wins() -> None:
    boxes = boxes_of(
        MUSIC + ':j a :Artist ; rdfs:label "John" ; :age 3 .', question="What did John Lennon write?", hops=1
    )
    assert "j" not in set(boxes["artist"].frame["artist_id"])


def test_ambiguous_names_are_all_kept() -> None:
    boxes = boxes_of(MUSIC + ':l2 a :City ; rdfs:label "London" ; :country :ca .', topics=["London"], hops=1)
    assert {"london", "l2"} <= set(boxes["city"].frame["city_id"])


def test_hops_are_followed_both_ways() -> None:
    one = boxes_of(MUSIC, topics=["Liverpool"], hops=1)
    two = boxes_of(MUSIC, topics=["Liverpool"], hops=2)
    assert set(one["artist"].frame["artist_id"]) == {"john", "paul"}
    assert "song" not in one
    assert list(two["song"].frame["song_id"]) == ["imagine"]
    assert "mick" not in set(two["artist"].frame["artist_id"])


def test_types_are_not_walked_through() -> None:
    boxes = boxes_of(MUSIC, topics=["The Beatles"], hops=3)
    assert "mick" not in set(boxes["artist"].frame["artist_id"])


def test_what_a_subgraph_leaves_out_is_said() -> None:
    assert "entities at the edge show less" in notes(boxes_of(MUSIC, topics=["The Beatles"], hops=1))


def test_an_unknown_topic_is_an_error_that_names_the_nearest() -> None:
    with pytest.raises(SourceNotFound, match="The Rolling Stones"):
        boxes_of(MUSIC, topics=["Roling Stoned People"])


def test_one_unknown_topic_among_known_ones_is_a_note() -> None:
    assert "no topic 'Nirvana'" in notes(boxes_of(MUSIC, topics=["The Beatles", "Nirvana"]))


def test_topics_as_one_text_are_refused() -> None:
    with pytest.raises(TypeError, match="list"):
        boxes_of(MUSIC, topics="The Beatles")


def test_a_question_that_names_nothing_gets_the_whole_graph() -> None:
    assert len(boxes_of(MUSIC, question="How many bands are there?")["band"].frame) == 2


@pytest.mark.parametrize("relations", [["member"], ["http://ex.example/member"], 1, 0.3])
def test_relations_are_chosen_by_name_number_or_threshold(relations: object) -> None:
    boxes = boxes_of(MUSIC, question="Which members do the Beatles have?", topics=["The Beatles"], relations=relations)
    fields = {field.source_name.rsplit("/", 1)[-1] for box in boxes.values() for field in box.fields}
    assert "member" in fields
    assert "from" not in fields


def test_similarity_can_be_brought_along() -> None:
    def asked_for(question: str, texts: list[str]) -> list[float]:
        return [float("born" in text) for text in texts]

    boxes = boxes_of(MUSIC, question="?", topics=["John Lennon"], relations=1, similarity=asked_for)
    assert "born" in boxes["artist"].labels


def test_an_unknown_relation_is_an_error() -> None:
    with pytest.raises(SourceNotFound, match="'member'"):
        boxes_of(MUSIC, topics=["The Beatles"], relations=["membr"])


def test_a_hub_is_bounded_with_a_note() -> None:
    many = "".join(f":p{n} a :Fan ; :likes :beatles . " for n in range(5100))
    boxes = boxes_of(MUSIC + many, topics=["The Beatles"], hops=1)
    assert len(boxes["fan"].frame) == 5000
    assert "5,100 triples 'likes' that enter 'beatles'" in notes(boxes)


def test_a_large_graph_needs_a_topic() -> None:
    graph = [(f"n{number}", "p", f"n{number + 1}") for number in range(200_001)]
    with pytest.raises(SourceError, match="topics="):
        boxkit.from_graph(graph)
    assert len(boxkit.from_graph(graph, topics=["n5"])["entity"].frame) == 4


# Answers ------------------------------------------------------------------------------------------------------------


def test_labels_in_an_answer_lead_back_to_ids() -> None:
    boxes = boxes_of(MUSIC)
    assert entities_of([("The Beatles", 4), ("mick", 2)], boxes) == {"The Beatles": ("beatles",), "mick": ("mick",)}
    assert iri_of("beatles", boxes) == "http://ex.example/beatles"


def test_a_label_of_several_entities_leads_to_all_unless_the_boxes_used_tell() -> None:
    boxes = boxes_of(MUSIC + ':song2 a :Song ; rdfs:label "Liverpool" ; :year 1970 .')
    assert entities_of([("Liverpool",)], boxes) == {"Liverpool": ("liverpool", "song2")}
    assert entities_of([("Liverpool",)], boxes, used=["song"]) == {"Liverpool": ("song2",)}


def test_the_beatles_graph_reads_as_a_person_would(data: Path) -> None:
    boxes = boxkit.load(data / "rdf" / "stardog_music" / "beatles.ttl")
    members = boxes["band_member"].frame.merge(boxes["solo_artist"].frame, left_on="member", right_on="solo_artist_id")
    assert set(members["solo_artist_label"]) == {"George Harrison", "John Lennon", "Paul McCartney", "Ringo Starr"}


@pytest.mark.parametrize("name", ["timbl-card.n3", "foaf.n3", "adms.rdf"])
def test_graphs_from_the_wild_load(data: Path, name: str) -> None:
    boxes = boxkit.load(data / "rdf" / "rdflib" / name)
    assert len(boxes) > 1
    assert all(box.frame.iloc[:, 0].notna().all() for box in boxes.values())


def test_load_takes_a_small_graph_whole_and_from_graph_what_the_question_names(data: Path) -> None:
    path = data / "rdf" / "stardog_music" / "beatles.ttl"
    assert "album" in boxkit.load(path, question="Which member of The Beatles wrote no song?")
    assert set(boxkit.from_graph(path, question="How long is Love Me Do?", hops=1)["album"].frame["album_id"]) == {
        "Please_Please_Me"
    }


def test_boxes_and_entities_can_be_drawn() -> None:
    boxes = boxes_of(MUSIC, topics=["The Beatles"], hops=1)
    assert 'band_member }o--|| artist : "member"' in mermaid_boxes(boxes)
    drawn = mermaid_entities(boxes)
    assert '["The Beatles"]' in drawn
    assert drawn.count('-->|"member"|') == 2
    assert "and 2 more links" in mermaid_entities(boxes, max_links=1)


def test_the_guides_examples_run() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "graphs.md").read_text(encoding="utf-8")
    names: dict[str, object] = {}
    for block in re.findall(r"^```python\n(.*?)^```", page, re.M | re.S):
        exec(block, names)
    boxes, around, asked = (names[name] for name in ("boxes", "around", "asked"))
    assert list(boxes["ape"].labels[:2]) == ["ape_id", "ape_label"]  # type: ignore[index]
    assert len(boxes["ape_likes"].frame.merge(boxes["ape"].frame, on="ape_id")) == 3  # type: ignore[index]
    assert "kiri" in set(around["ape"].frame["ape_id"])  # type: ignore[index]
    assert "momo" in set(asked["ape"].frame["ape_id"])  # type: ignore[index]
    assert list(names["nearest"]["ape"].labels) == ["ape_id", "ape_label", "mother", "mother_label"]  # type: ignore[index]
