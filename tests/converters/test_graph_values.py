"""Values of a graph arrive as they are: numbers to their last digit, and every value beside texts in languages."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import networkx as nx
import pytest

import boxkit
from boxkit.box import BoxSet


def turtle(folder: Path, text: str) -> BoxSet:
    path = folder / "graph.ttl"
    path.write_text(
        f"@prefix a: <http://a.example/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> . {text}", encoding="utf-8"
    )
    return boxkit.load(path)


def test_numbers_dates_and_iris_stay_beside_texts_in_languages(tmp_path: Path) -> None:
    boxes = turtle(tmp_path, 'a:s a a:T; a:p 5, 7, "2001-02-03"^^xsd:date, a:o, "x"@en, "y"@de .')
    (name,) = (name for name in boxes if "p" in boxes[name].labels)
    assert set(boxes[name].frame["p"]) == {5, 7, "2001-02-03", "o", "x"}
    assert [note.message for note in boxes.notes if note.kind == "dropped"] == [
        "of 'p', texts in other languages than the preferred are left out (de 1)"
    ]


def test_whole_numbers_past_2_53_beside_decimals_keep_every_digit_and_are_noted(tmp_path: Path) -> None:
    boxes = turtle(tmp_path, "a:s a a:T; a:v 9007199254740993 . a:u a a:T; a:v 0.5 . a:w a a:T .")
    values = boxes["t"].frame["v"]
    assert list(values.dropna()) == [Decimal("9007199254740993"), Decimal("0.5")]
    assert values.isna().sum() == 1
    (note,) = (note for note in boxes.notes if note.field == "v")
    assert "a number has more digits than a float can hold" in note.message
    assert note.fix is not None
    assert eval(note.fix, {"t": boxes["t"].frame}).dropna().tolist() == [9007199254740992.0, 0.5]


@pytest.mark.parametrize(
    "digits", ["1.12345678901234567890123", "9007199254740993.0", f"1{'0' * 400}.5", "-0." + "1" * 30]
)
@pytest.mark.parametrize("beside", ["0.25", "1e3", '"x"', "7"])
def test_decimals_that_a_float_cannot_hold_keep_every_digit(tmp_path: Path, digits: str, beside: str) -> None:
    boxes = turtle(tmp_path, f"a:s a a:T; a:v {digits} . a:u a a:T; a:v {beside} .")
    value = boxes["t"].frame["v"].iloc[0]
    assert isinstance(value, Decimal) and value == Decimal(digits)
    assert any("more digits than a float can hold" in note.message for note in boxes.notes)


def test_decimals_that_a_float_holds_are_floats_without_a_note(tmp_path: Path) -> None:
    boxes = turtle(tmp_path, "a:s a a:T; a:v 0.1 . a:u a a:T; a:v 12.50, 9007199254740991 .")
    assert boxes["t_v"].frame["v"].tolist() == [0.1, 12.5, 9007199254740991.0]
    assert not [note for note in boxes.notes if note.field == "v"]


def test_node_and_attribute_integers_past_64_bits_stay_whole() -> None:
    graph = nx.DiGraph()
    graph.add_node(2**70, weight=2**80)
    graph.add_node(1, weight=Decimal("0.1"))
    frame = boxkit.load(graph)["node"].frame.set_index("node_id")
    assert frame["weight"].to_dict() == {2**70: 2**80, 1: Decimal("0.1")}


def test_lists_inside_lists_lose_no_member(tmp_path: Path) -> None:
    boxes = turtle(tmp_path, "a:s a a:T; a:l (1 (2 (3)) (4)) . a:u a a:T; a:l (5 5) .")
    frame = boxes["t_l"].frame
    assert frame.groupby("t_id")["l"].agg(list).to_dict() == {"s": [1, 2, 3, 4], "u": [5]}
    assert [note.message for note in boxes.notes] == [
        "the members of 2 lists under 'l' are values of their own, without their order, and so are those of the lists"
        " inside them; 1 that stand in them again are left out"
    ]


def test_lists_that_nothing_leads_to_are_named_as_left_out(tmp_path: Path) -> None:
    boxes = turtle(tmp_path, "a:s a a:T; a:n 1 . (7 (8)) a:p 9 .")
    (note,) = boxes.notes
    assert note.kind == "skipped" and "1 lists that nothing leads to" in note.message and note.message.endswith("7, 8")
