"""What RDF files hold, down to the odd corners, and the boxes that it becomes."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import TypeAlias

import pandas as pd
import pytest
import rdflib

import boxkit
from boxkit.box import BoxSet
from boxkit.converters.graph import Vocabulary, iri_of

Boxes: TypeAlias = Callable[..., BoxSet]


def notes(boxes: BoxSet) -> str:
    return "\n".join(map(str, boxes.notes))


def test_restrictions_and_classes_are_no_rows_but_are_said_to_be_left_out(boxes_of: Boxes) -> None:
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


def test_a_schema_alone_becomes_rows(boxes_of: Boxes) -> None:
    boxes = boxes_of(":Dog a owl:Class ; rdfs:label 'Dog' ; rdfs:subClassOf :Animal . :Animal a owl:Class .")
    frame = next(iter(boxes.values())).frame
    assert set(frame.iloc[:, 0]) == {"Animal", "Dog"}


def test_the_schema_stays_where_asked_for(boxes_of: Boxes) -> None:
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
def test_labels_are_english_then_untagged_then_any(labels: str, chosen: str, boxes_of: Boxes) -> None:
    assert list(boxes_of(f":rome a :City ; rdfs:label {labels} .")["city"].frame["city_label"]) == [chosen]


def test_texts_in_other_languages_are_left_out_and_said_to_be(boxes_of: Boxes) -> None:
    boxes = boxes_of(':rome a :City ; :motto "Senatus"@la, "The Senate"@en ; :size 3 .')
    assert list(boxes["city"].frame["motto"]) == ["The Senate"]
    assert "la 1" in notes(boxes)


def test_a_vocabulary_can_prefer_another_language(boxes_of: Boxes) -> None:
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
    literal: str, datatype: str, value: object, boxes_of: Boxes
) -> None:
    boxes = boxes_of(f':x a :Thing ; :value "{literal}"^^xsd:{datatype} ; :size 1 .')
    assert boxes["thing"].frame["value"].iloc[0] == value
    assert (f"to be {datatype}" in notes(boxes)) == isinstance(value, str)


def test_one_ill_typed_number_leaves_the_others_numbers_and_says_how_to_get_them(boxes_of: Boxes) -> None:
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
        (['"-0044"^^xsd:gYear', '"-0043-01-07"^^xsd:date'], None, ["-0044", "-0043-01-07"]),
        (
            ['"0044"^^xsd:gYear', '"2001-02-30"^^xsd:date', '"2001-05"^^xsd:gYearMonth'],
            None,
            ["0044", "2001-02-30", "2001-05"],
        ),
        (['"2001-05-06T07:08:09"^^xsd:dateTime', None], None, ["2001-05-06T07:08:09", None]),
        (['"123456789012345678901234567890"^^xsd:integer', None], "object", [123456789012345678901234567890, None]),
        (['"007"', None], None, ["007", None]),
        (['"-0044-03-15"^^xsd:date', None], None, ["-0044-03-15", None]),
    ],
)
def test_literals_are_typed(
    values: list[str | None], dtype: str | None, expected: list[object], boxes_of: Boxes
) -> None:
    said = "".join(f":e{at} a :T" + (f" ; :v {value} . " if value else " . ") for at, value in enumerate(values))
    series = boxes_of(said)["t"].frame["v"]
    assert dtype is None or str(series.dtype) == dtype
    for found, wanted in zip(series, expected, strict=True):
        assert (pd.isna(found) and pd.isna(wanted)) or found == wanted


def test_relations_types_and_entities_of_one_local_name_are_told_apart(boxes_of: Boxes) -> None:
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


def test_blank_nodes_are_entities_named_by_what_leads_to_them(boxes_of: Boxes) -> None:
    boxes = boxes_of(
        ':ann a :Person ; :address [ :street "High Street" ; :number 5 ] . :bob a :Person ; :address [ :number 7 ] .'
    )
    joined = boxes["person"].frame.merge(boxes["address"].frame, left_on="address", right_on="address_id")
    assert dict(zip(joined["person_id"], joined["number"], strict=True)) == {"ann": 5, "bob": 7}
    assert "address_label" not in boxes["address"].labels


def test_the_members_of_a_list_are_values(boxes_of: Boxes) -> None:
    boxes = boxes_of(":menu a :Menu ; :dishes (:soup :fish) . :soup a :Dish . :fish a :Dish .")
    assert set(boxes["menu_dishes"].frame["dishes"]) == {"soup", "fish"}


def test_an_entity_of_several_types_stands_in_each(boxes_of: Boxes) -> None:
    boxes = boxes_of(":ann a :Singer, :Actor ; :age 5 . :bob a :Actor ; :age 6 .")
    assert list(boxes["singer"].frame["singer_id"]) == ["ann"]
    assert list(boxes["actor"].frame["actor_id"]) == ["ann", "bob"]
    assert "singer['singer_id'] -> actor['actor_id']" in {str(key) for key in boxes.foreign_keys}


def test_entities_without_a_type_take_it_from_domains_and_ranges(boxes_of: Boxes) -> None:
    boxes = boxes_of(
        ":plays rdfs:domain :Musician ; rdfs:range :Instrument . :ann :plays :lute . :eve :hums :song . :song :long 3 ."
    )
    assert list(boxes["musician"].frame["musician_id"]) == ["ann"]
    assert list(boxes["instrument"].frame["instrument_id"]) == ["lute"]
    assert set(boxes["entity"].frame["entity_id"]) == {"eve", "song"}


def test_inverse_relations_are_one(boxes_of: Boxes) -> None:
    boxes = boxes_of(":parentOf owl:inverseOf :childOf . :a a :P ; :parentOf :b . :c a :P ; :childOf :a . :b a :P .")
    columns = [field.label for box in boxes.values() for field in box.fields]
    assert ("parent_of" in columns) + ("child_of" in columns) == 1
    assert list(boxes["p"].frame.dropna(subset=["child_of"])["p_id"]) == ["b", "c"]
    assert list(boxes["p"].frame["child_of"].dropna()) == ["a", "a"]


def test_counts_are_right_for_a_relation_of_several_values(boxes_of: Boxes) -> None:
    boxes = boxes_of(':a a :Film ; :star :x, :y ; :tag "p", "q", "r" . :b a :Film ; :star :x . :x a :P . :y a :P .')
    assert boxes["film_star"].frame.groupby("film_id").size().to_dict() == {"a": 2, "b": 1}
    assert len(boxes["film_tag"].frame) == 3
    assert len(boxes["film"].frame) == 2


def test_foreign_keys_are_only_between_columns_of_entities(boxes_of: Boxes) -> None:
    boxes = boxes_of(':a a :P ; :n 1 ; :s "x" . :b a :Q ; :n 1 ; :s "x" ; :of :a .')
    assert [str(key) for key in boxes.foreign_keys] == ["q['of'] -> p['p_id']"]


def test_a_declared_range_makes_a_declared_key_and_missing_values_make_it_dangle(boxes_of: Boxes) -> None:
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
