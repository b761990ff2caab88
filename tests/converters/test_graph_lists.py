"""Lists, containers and reified statements: members are values, and nothing is lost in silence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

import boxkit
from boxkit.box import BoxSet
from boxkit.converters.graph.store import XSD

Boxes: TypeAlias = Callable[..., BoxSet]


def notes(boxes: BoxSet) -> str:
    return "\n".join(map(str, boxes.notes))


def test_an_empty_list_is_a_missing_value_and_its_subject_keeps_its_row(boxes_of: Boxes) -> None:
    boxes = boxes_of(":a a :Menu ; :dish () . :b a :Menu ; :dish (1) . :c :side () .")
    frame = boxes["menu"].frame.set_index("menu_id")
    assert frame["dish"].isna().to_dict() == {"a": True, "b": False}
    assert list(boxes["entity"].frame["entity_id"]) == ["c"]
    assert "1 empty lists under 'dish' are missing values" in notes(boxes)


@pytest.mark.parametrize("kind", ["Bag", "Seq", "Alt"])
def test_the_members_of_a_container_are_values(kind: str, boxes_of: Boxes) -> None:
    boxes = boxes_of(f':a a :Menu ; :dish [ a rdf:{kind} ; rdf:_1 "soup" ; rdf:_2 :fish ; rdf:_10 (7 8) ] .')
    assert set(boxes["menu_dish"].frame["dish"]) == {"soup", "fish", 7, 8}
    assert "_1" not in str([box.labels for box in boxes.values()])


def test_a_container_with_a_name_keeps_its_row(boxes_of: Boxes) -> None:
    boxes = boxes_of(':a a :Menu ; :dish :list . :list a rdf:Seq ; rdf:_1 "soup" ; rdf:_2 "fish" .')
    assert list(boxes["menu"].frame["dish"]) == ["list"]
    assert list(boxes["seq"].frame.iloc[0])[-2:] == ["soup", "fish"]


def test_a_list_is_no_step_of_its_own_either_way(boxes_of: Boxes) -> None:
    text = ':a a :Menu ; :dish (:soup (:fish [ :called "pie" ])) . :soup :of :leek . :fish :of :cod . :cod :in :sea .'
    down = boxes_of(text, topics=["a"], hops=2)
    assert set(down["entity"].frame["of"].dropna()) == {"leek", "cod"}
    assert "pie" in set(down["dish"].frame["called"])
    up = boxes_of(text, topics=["cod"], hops=2)
    assert list(up["menu"].frame["menu_id"]) == ["a"]


def test_a_list_that_never_ends_is_read_once(boxes_of: Boxes) -> None:
    boxes = boxes_of(":a a :Menu ; :dish _:l . _:l rdf:first 1 ; rdf:rest _:l .")
    assert list(boxes["menu"].frame["dish"]) == [1]


def test_what_is_said_of_a_statement_is_a_row(boxes_of: Boxes) -> None:
    boxes = boxes_of(
        """:a a :Person ; :knows :b . :b a :Person .
        [] a rdf:Statement ; rdf:subject :a ; rdf:predicate :knows ; rdf:object :b ; :since 2001 ."""
    )
    (row,) = boxes["statement"].frame[["subject", "predicate", "object", "since"]].itertuples(index=False, name=None)
    assert row == ("a", "knows", "b", 2001)


def test_an_empty_graph_is_said_to_be_empty(boxes_of: Boxes) -> None:
    assert "holds no triples" in notes(boxes_of(""))


def test_the_zone_of_a_day_is_left_out_with_a_note_and_that_of_a_moment_stays(tmp_path: Path) -> None:
    path = tmp_path / "days.nt"
    said = {"day": ("2001-02-03Z", "date"), "year": ("1999-08:00", "gYear"), "at": ("2001-02-03T04:05:06Z", "dateTime")}
    path.write_text(
        "".join(f'<http://e/a> <http://e/{word}> "{text}"^^<{XSD}{kind}> .\n' for word, (text, kind) in said.items())
    )
    boxes = boxkit.load(path)
    (row,) = boxes["entity"].frame[["day", "year", "at"]].itertuples(index=False, name=None)
    assert row == ("2001-02-03", 1999, "2001-02-03T04:05:06Z")
    assert "entity['day'] row 0: the time zone of a value is left out: '2001-02-03Z'" in notes(boxes)
    assert notes(boxes).count("time zone") == 2
