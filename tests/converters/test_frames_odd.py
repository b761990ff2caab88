"""Types of frames that are seldom seen: held, turned into text with a note, or refused by name; never bent."""

from __future__ import annotations

import decimal
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import boxkit
from boxkit.errors import UnknownFormat, UnsupportedValue


def read(source: Any) -> tuple[list[object], list[str]]:
    """The first column's cells, None for missing, and the notes on it."""
    boxes = boxkit.load(source)
    (box,) = boxes.values()
    cells = [None if pd.isna(cell) else cell for cell in box.frame.iloc[:, 0].tolist()]
    return cells, [note.message for note in boxes.notes if note.field == box.labels[0]]


def test_what_cut_makes_is_text_in_the_order_of_the_values() -> None:
    cells, said = read(pd.DataFrame({"band": pd.cut([1.0, 3.0, float("nan")], [0, 2, 4])}))
    assert cells == ["(0, 2]", "(2, 4]", None] and "in this order: (0, 2], (2, 4]" in said[0]


@pytest.mark.parametrize(
    ("array", "cells"),
    [
        (pa.RunEndEncodedArray.from_arrays([1, 3], ["a", "b"]), ["a", "b", "b"]),
        (pa.array([pa.MonthDayNano([1, 2, 3]), None]), ["1 months 2 days 3 nanoseconds", None]),
        (pa.array([decimal.Decimal("1.5"), None], pa.decimal256(50, 2)), [decimal.Decimal("1.50"), None]),
        (pa.array([255, None], pa.uint8()), [255, None]),
        (pa.array(["x", None], pa.string_view()), ["x", None]),
    ],
    ids=["run-end encoded", "interval", "decimal256", "uint8", "string view"],
)
def test_arrow_types_keep_their_values(array: Any, cells: list[object]) -> None:
    assert read(pa.table({"a": array}))[0] == cells


def test_not_a_number_beside_null_is_noted() -> None:
    cells, said = read(pa.table({"a": [1.0, float("nan"), None]}))
    assert cells == [1.0, None, None] and any("NaN" in each for each in said)
    assert not any("NaN" in each for each in read(pa.table({"a": [1.0, float("nan")]}))[1])


def test_a_dictionary_of_pandas_arrow_types_becomes_its_values() -> None:
    kind = pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))
    frame = pd.DataFrame({"a": pd.Series(["x", None], dtype=kind)})
    assert read(frame)[0] == ["x", None] and frame["a"].dtype == kind


def test_integers_of_128_bits_are_exact_and_objects_of_polars_refused_by_name() -> None:
    polars = pytest.importorskip("polars", reason="polars is not installed")
    wide = polars.Series("n", [2**100, None, -(2**126)], dtype=polars.Int128)
    assert read(polars.DataFrame({"n": wide}))[0] == read(wide)[0] == [2**100, None, -(2**126)]
    with pytest.raises(UnsupportedValue, match="'odd'"):
        boxkit.load(polars.DataFrame({"n": [1], "odd": polars.Series([object()], dtype=polars.Object)}))


def test_an_index_is_refused_by_name() -> None:
    with pytest.raises(UnknownFormat, match="Index"):
        boxkit.load(pd.Index([1, 2]))
