"""Answers over graphs, real graphs, drawings, the guide."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

import boxkit
from boxkit.box import BoxSet
from boxkit.converters.graph import entities_of, iri_of
from boxkit.converters.graph.drawing import draw, mermaid_entities

Boxes: TypeAlias = Callable[..., BoxSet]


def test_labels_in_an_answer_lead_back_to_ids(boxes_of: Boxes, music: str) -> None:
    boxes = boxes_of(music)
    assert entities_of([("The Beatles", 4), ("mick", 2)], boxes) == {"The Beatles": ("beatles",), "mick": ("mick",)}
    assert iri_of("beatles", boxes) == "http://ex.example/beatles"


def test_a_label_of_several_entities_leads_to_all_unless_the_boxes_used_tell(boxes_of: Boxes, music: str) -> None:
    boxes = boxes_of(music + ':song2 a :Song ; rdfs:label "Liverpool" ; :year 1970 .')
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


def test_boxes_and_entities_can_be_drawn(boxes_of: Boxes, music: str, tmp_path: Path) -> None:
    boxes = boxes_of(music, topics=["The Beatles"], hops=1)
    drawn = mermaid_entities(boxes)
    assert '["The Beatles"]' in drawn
    assert drawn.count('-->|"member"|') == 2
    assert "and 2 more links" in mermaid_entities(boxes, max_links=1)
    twins = boxes_of(music + ':l2 a :City ; rdfs:label "London" . :band2 a :Band ; :from :l2 .')
    assert mermaid_entities(twins).count('["London"]') == 2
    draw(boxes, tmp_path / "both.md")
    draw(boxes, tmp_path / "entities.mmd")
    assert (tmp_path / "both.md").read_text(encoding="utf-8").count("```mermaid") == 2
    assert boxes.diagram() in (tmp_path / "both.md").read_text(encoding="utf-8")
    assert (tmp_path / "entities.mmd").read_text(encoding="utf-8") == drawn
    draw(boxes, tmp_path / "picture.svg", max_links=1)
    assert "the first 1 of 3 links" in (tmp_path / "picture.svg").read_text(encoding="utf-8")


def test_the_guides_examples_run() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "graphs.md").read_text(encoding="utf-8")
    names: dict[str, object] = {}
    for block in re.findall(r"^```python\n(.*?)^```", page, re.M | re.S):
        exec(block, names)
    boxes, around, asked = (names[name] for name in ("boxes", "around", "asked"))
    assert list(boxes["ape"].labels[:2]) == ["ape_id", "ape_label"]
    assert len(boxes["ape_likes"].frame.merge(boxes["ape"].frame, on="ape_id")) == 3
    assert "kiri" in set(around["ape"].frame["ape_id"])
    assert "momo" in set(asked["ape"].frame["ape_id"])
    assert list(names["nearest"]["ape"].labels) == ["ape_id", "ape_label", "mother", "mother_label"]
