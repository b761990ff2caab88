"""JSON and JSON Lines: nothing lost of nested records."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import boxkit
from boxkit.box import BoxSet, ForeignKey
from boxkit.errors import SourceError, UnreadableSource


@pytest.fixture
def load(tmp_path: Path):
    def load(content: Any, name: str = "orders.json") -> BoxSet:
        path = tmp_path / name
        path.write_bytes(
            content
            if isinstance(content, bytes)
            else (content if isinstance(content, str) else json.dumps(content)).encode()
        )
        return boxkit.load(path)

    return load


def values(boxes: BoxSet, box: str, label: str) -> list[object]:
    return [None if pd.isna(cell) else cell for cell in boxes[box].frame[label].tolist()]


def test_nested_lists_are_boxes_with_keys(load) -> None:
    orders = [
        {"id": 7, "who": {"name": "A", "city": "Oslo"}, "items": [{"sku": "x", "tags": ["new"]}, {"sku": "y"}]},
        {"id": 8, "items": []},
    ]
    boxes = load(orders)
    assert values(boxes, "orders", "who.name") == ["A", None]
    assert values(boxes, "orders_items", "sku") == ["x", "y"]
    assert values(boxes, "orders_items_tags", "value") == ["new"]
    assert set(boxes.foreign_keys) == {
        ForeignKey("orders_items", ("orders_row",), "orders", ("orders_row",)),
        ForeignKey("orders_items_tags", ("orders_items_row",), "orders_items", ("orders_items_row",)),
    }
    joined = boxes["orders_items"].frame.merge(boxes["orders"].frame, on="orders_row")
    assert joined["id"].tolist() == [7, 7]


def test_records_with_different_keys_share_a_box(load) -> None:
    boxes = load([{"a": 1}, {"b": "x"}, {"a": 9007199254740993}])
    assert values(boxes, "orders", "a") == [1, None, 9007199254740993] and values(boxes, "orders", "b") == [
        None,
        "x",
        None,
    ]


def test_what_python_would_lose_is_kept_and_noted(load) -> None:
    boxes = load('[{"a": 1e400, "b": NaN, "c": 1, "c": 2, "d": 123456789012345678901234567890}]')
    box = boxes["orders"]
    assert box.labels == ("a", "b", "c", "c_2", "d")
    assert values(boxes, "orders", "a") == ["1e400"] and values(boxes, "orders", "b") == [None]
    assert values(boxes, "orders", "d") == [123456789012345678901234567890]
    said = " ".join(note.message for note in boxes.notes)
    assert "1e400" in said and "NaN" in said and "'c' twice" in said


def test_a_dict_of_lists_of_records_is_a_box_each(load) -> None:
    boxes = load(
        {
            "authors": [{"author_id": 1}, {"author_id": 2}, {"author_id": 5}],
            "books": [{"author_id": 1}, {"author_id": 5}],
        }
    )
    assert set(boxes) == {"authors", "books"}


def test_json_lines_are_read_line_by_line(load) -> None:
    text = "".join(json.dumps({"n": at, "s": f"s{at % 3}"}) + "\n" for at in range(20_000))
    boxes = load(text, "log.jsonl")
    assert values(boxes, "log", "n") == list(range(20_000))
    assert load(text, "log.txt")["log"].count() == 20_000


@pytest.mark.parametrize(
    ("content", "message"),
    [('{"a": 1}\n{"a": \n', "line 2"), ('[{"a": 1},]', "no JSON"), ("[]", "no record"), ("{}", "no record")],
)
def test_what_is_no_json_is_named(load, content: str, message: str) -> None:
    with pytest.raises(UnreadableSource, match=message):
        load(content, "x.jsonl" if "\n" in content else "x.json")


def test_utf16_and_a_mark(load) -> None:
    assert values(load('[{"a": "é"}]'.encode("utf-16")), "orders", "a") == ["é"]
    assert values(load(b'\xef\xbb\xbf[{"a": "x"}]'), "orders", "a") == ["x"]


def test_deep_nesting_is_an_error_and_no_crash(load) -> None:
    with pytest.raises(SourceError):
        load("[" * 100_000 + "]" * 100_000)


@pytest.mark.parametrize(
    "numbers",
    [
        ["9007199254740993", "0.5"],
        ["1.12345678901234567890123", "2", "0.5"],
        ["1" * 5000, "7"],
        ["1e999", "7"],
    ],
)
@pytest.mark.parametrize("digits", [4300, 200_000])
def test_numbers_that_no_number_type_holds_make_a_column_text_with_a_note(
    load, numbers: list[str], digits: int
) -> None:
    sys.set_int_max_str_digits(digits)  # as the command line does, which writes long results
    boxes = load("[" + ",".join(f'{{"a": {each}}}' for each in numbers) + ', {"a": null}]')
    assert values(boxes, "orders", "a") == [*numbers, None]
    assert any("stays text" in note.message or "stay text" in note.message for note in boxes.notes)


def test_records_that_hold_nothing_but_lists_keep_their_keys(load) -> None:
    boxes = load({"orders": [{"items": [{"sku": "x"}]}, {"items": [{"sku": "y"}, {"sku": "z"}]}]})
    joined = boxes["orders_items"].frame.merge(boxes["orders"].frame, on="orders_row")
    assert joined["orders_row"].tolist() == [0, 1, 1] and joined["sku"].tolist() == ["x", "y", "z"]


def test_fields_called_as_boxkit_would_call_its_own_keep_their_values(load) -> None:
    boxes = load([{"id": 1, "items": [{"position": 10, "orders_row": 77}, {"sku": "y"}]}])
    (key,) = boxes.foreign_keys
    assert values(boxes, "orders_items", "position") == [10, None]
    assert values(boxes, "orders_items", "orders_row") == [77, None]
    assert values(boxes, "orders_items", key.fields[0]) == [0, 0]
    flat = load([{"a": {"b": 1}, "a.b": 2}])
    assert flat["orders"].frame.iloc[0].tolist() == [1, 2]


def test_lists_whose_paths_read_alike_are_boxes_of_their_own(load) -> None:
    boxes = load([{"id": 1, "user": [{"names": ["x"]}], "user_names": ["q"]}])
    parents = {key.box: key.parent for key in boxes.foreign_keys}
    assert [values(boxes, box, "value") for box in ("orders_user_names", "orders_user_names_2")] == [["x"], ["q"]]
    assert parents["orders_user_names"] == "orders_user" and parents["orders_user_names_2"] == "orders"


def test_columns_that_change_their_type_late_hold_what_was_written(load) -> None:
    rows = [{"a": at, "b": at, "c": bool(at % 2), "d": f"t{at}", "e": 1} for at in range(30_000)]
    rows += [{"a": 0.5, "b": "x", "c": 7, "d": None, "e": 2**53 + 1}, {"e": 0.5}]
    for boxes in (load(rows, "log.json"), load("\n".join(map(json.dumps, rows)), "log.jsonl")):
        frame = boxes["log"].frame
        assert frame["a"].dtype == "float64" and frame["a"].iloc[[29_999, 30_000]].tolist() == [29_999.0, 0.5]
        assert frame["b"].iloc[[3, 30_000]].tolist() == [3, "x"]
        assert frame["c"].iloc[[1, 30_000]].tolist() == [True, 7]
        assert frame["d"].iloc[29_999] == "t29999" and frame["d"].iloc[30_000:].isna().all()
        # One integer past what floats hold, and a decimal: all stay as they are written.
        assert frame["e"].iloc[[0, 30_000, 30_001]].tolist() == ["1", "9007199254740993", "0.5"]


def test_long_lines_and_long_arrays_are_read_in_parts(load) -> None:
    long = "é" * 100_000
    lines = load(f'{{"a": 1, "b": "{long}"}}\n{{"a": 2}}\n', "log.json")
    assert values(lines, "log", "a") == [1, 2]
    numbers = list(range(10**6, 10**6 + 400_000))
    array = load(" [" + ", ".join(map(str, numbers)) + f', "{long}" ]\n')
    assert values(array, "orders", "value") == [*numbers, long]


@pytest.mark.parametrize(
    "content", ['[{"a": 1}] x', '[{"a": 1} {"a": 2}]', '[{"a": 1}, {"a": tru}]', '[{"a": 1}', "[1"]
)
def test_an_array_that_breaks_off_is_named_with_its_place(load, content: str) -> None:
    with pytest.raises(UnreadableSource, match=r"no JSON: .* \(line 1, column"):
        load(content)


def test_a_line_that_is_nested_too_deep_is_named(load) -> None:
    with pytest.raises(UnreadableSource, match="line 2 is nested too deep"):
        load('{"a": 1}\n' + '{"a": ' * 50_000 + "1" + "}" * 50_000 + "\n", "x.jsonl")
