"""Graphs around a question: topics, steps, relations, hubs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest

import boxkit
from boxkit.box import BoxSet
from boxkit.errors import SourceError, SourceNotFound

Boxes: TypeAlias = Callable[..., BoxSet]


def notes(boxes: BoxSet) -> str:
    return "\n".join(map(str, boxes.notes))


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
def test_a_topic_may_be_an_iri_an_id_a_label_or_nearly_one(topic: str, boxes_of: Boxes, music: str) -> None:
    boxes = boxes_of(music, topics=[topic], hops=1)
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
def test_topics_are_found_in_the_question(question: str, boxes_of: Boxes, music: str) -> None:
    assert list(boxes_of(music, question=question, hops=1)["band"].frame["band_id"]) == ["beatles"]


def test_the_longest_name_wins(boxes_of: Boxes, music: str) -> None:
    boxes = boxes_of(
        music + ':j a :Artist ; rdfs:label "John" ; :age 3 .', question="What did John Lennon write?", hops=1
    )
    assert "j" not in set(boxes["artist"].frame["artist_id"])


def test_ambiguous_names_are_all_kept(boxes_of: Boxes, music: str) -> None:
    boxes = boxes_of(music + ':l2 a :City ; rdfs:label "London" ; :country :ca .', topics=["London"], hops=1)
    assert {"london", "l2"} <= set(boxes["city"].frame["city_id"])


def test_hops_are_followed_both_ways(boxes_of: Boxes, music: str) -> None:
    one = boxes_of(music, topics=["Liverpool"], hops=1)
    two = boxes_of(music, topics=["Liverpool"], hops=2)
    assert set(one["artist"].frame["artist_id"]) == {"john", "paul"}
    assert "song" not in one
    assert list(two["song"].frame["song_id"]) == ["imagine"]
    assert "mick" not in set(two["artist"].frame["artist_id"])


def test_types_are_not_walked_through(boxes_of: Boxes, music: str) -> None:
    boxes = boxes_of(music, topics=["The Beatles"], hops=3)
    assert "mick" not in set(boxes["artist"].frame["artist_id"])


def test_what_a_subgraph_leaves_out_is_said(boxes_of: Boxes, music: str) -> None:
    assert "entities at the edge show less" in notes(boxes_of(music, topics=["The Beatles"], hops=1))


def test_an_unknown_topic_is_an_error_that_names_the_nearest(boxes_of: Boxes, music: str) -> None:
    with pytest.raises(SourceNotFound, match="The Rolling Stones"):
        boxes_of(music, topics=["Roling Stoned People"])


def test_one_unknown_topic_among_known_ones_is_a_note(boxes_of: Boxes, music: str) -> None:
    assert "no topic 'Nirvana'" in notes(boxes_of(music, topics=["The Beatles", "Nirvana"]))


def test_topics_as_one_text_are_refused(boxes_of: Boxes, music: str) -> None:
    with pytest.raises(TypeError, match="list"):
        boxes_of(music, topics="The Beatles")


def test_a_question_that_names_nothing_gets_the_whole_graph(boxes_of: Boxes, music: str) -> None:
    assert len(boxes_of(music, question="How many bands are there?")["band"].frame) == 2


@pytest.mark.parametrize("relations", [["member"], ["http://ex.example/member"], 1, 0.3])
def test_relations_are_chosen_by_name_number_or_threshold(relations: object, boxes_of: Boxes, music: str) -> None:
    boxes = boxes_of(
        music,
        question="Which members do the Beatles have?",
        topics=["The Beatles"],
        relations=relations,
        embedding="words",
    )
    fields = {field.source_name.rsplit("/", 1)[-1] for box in boxes.values() for field in box.fields}
    assert "member" in fields
    assert "from" not in fields


def test_similarity_can_be_brought_along(boxes_of: Boxes, music: str) -> None:
    def asked_for(question: str, texts: list[str]) -> list[float]:
        return [float("born" in text) for text in texts]

    boxes = boxes_of(music, question="?", topics=["John Lennon"], relations=1, similarity=asked_for)
    assert "born" in boxes["artist"].labels


def test_an_unknown_relation_is_an_error(boxes_of: Boxes, music: str) -> None:
    with pytest.raises(SourceNotFound, match="'member'"):
        boxes_of(music, topics=["The Beatles"], relations=["membr"])


def test_a_hub_is_bounded_with_a_note(boxes_of: Boxes, music: str) -> None:
    many = "".join(f":p{n} a :Fan ; :likes :beatles . " for n in range(5100))
    boxes = boxes_of(music + many, topics=["The Beatles"], hops=1)
    assert len(boxes["fan"].frame) == 5000
    assert "5,100 triples 'likes' that enter 'beatles'" in notes(boxes)


def test_a_large_graph_needs_a_topic(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boxkit.converters.graph.convert.MAX_WHOLE", 1_000)
    graph = [(f"n{number}", "p", f"n{number + 1}") for number in range(1_001)]
    with pytest.raises(SourceError, match="topics="):
        boxkit.from_graph(graph)
    assert len(boxkit.from_graph(graph, topics=["n5"])["entity"].frame) == 4
    assert len(boxkit.from_graph(graph[1:])["entity"].frame) == 1_000


def test_several_words_of_a_longer_name_find_it_where_no_entity_is_called_so(boxes_of: Boxes) -> None:
    graph = """:mlk a :Person ; rdfs:label "Martin Luther King, Jr." ; :died :memphis .
        :usa a :Country ; rdfs:label "United States of America" ; :capital :washington .
        :klein a :Case ; rdfs:label "United States v. Klein" ."""
    person = boxes_of(graph, question="In what town was martin luther king assassinated?", hops=1)
    assert list(person["person"].frame["person_id"]) == ["mlk"]
    country = boxes_of(graph, question="What is the capital of the United States?", hops=1)
    assert "usa" in set(country["country"].frame["country_id"])


def test_words_that_ask_are_no_slip_of_a_names_pen(boxes_of: Boxes) -> None:
    graph = ':t a :Paper ; rdfs:label "That language" ; :by :x . :l a :Land ; rdfs:label "Brazil" ; :tongue :pt .'
    assert "paper" not in boxes_of(graph, question="what language is spoken in Brazil?", hops=1)
