"""The canonical form of whatever generated code returned."""

from __future__ import annotations

import datetime
import json
from collections import Counter
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from boxkit.answer import Answer
from boxkit.canonical import NoCanonicalRows, canonical_rows, json_value, plain, vote_key

MOMENT = datetime.datetime(2024, 2, 29, 12)


@pytest.mark.parametrize(
    ("value", "rows", "columns"),
    [
        (None, [], ()),
        (7, [(7,)], ("answer",)),
        (np.int64(7), [(7,)], ("answer",)),
        (True, [(True,)], ("answer",)),
        (float("nan"), [(None,)], ("answer",)),
        ("Paris", [("Paris",)], ("answer",)),
        ([], [], ()),
        (["a", "b"], [("a",), ("b",)], ("answer",)),
        ([("a", 1), ("b", 2)], [("a", 1), ("b", 2)], ("0", "1")),
        (("a", 1), [("a", 1)], ("0", "1")),
        (({"x": 1}, {"y": 2}), [(1, None), (None, 2)], ("x", "y")),
        ({"a": 1, "b": 2}, [("a", 1), ("b", 2)], ("key", "value")),
        ({"a": [1, 2], "b": [3, 4]}, [(1, 3), (2, 4)], ("a", "b")),
        (Counter("aab"), [("a", 2), ("b", 1)], ("key", "value")),
        ({"b", "a"}, [("a",), ("b",)], ("answer",)),
        (np.array([[1, 2], [3, 4]]), [(1, 2), (3, 4)], ("0", "1")),
        (pd.Series([1, 2], name="n"), [(1,), (2,)], ("n",)),
        (pd.Series([1, 2], index=["x", "y"], name="n"), [("x", 1), ("y", 2)], ("index", "n")),
        (pd.Series({"x": 1}).rename_axis("kind"), [("x", 1)], ("kind", "answer")),
        (pd.DataFrame({"a": [1]}, index=[9]), [(1,)], ("a",)),
        (pd.DataFrame({"a": [1, 1], "b": [2, 3]}).groupby("a").b.sum(), [(1, 5)], ("a", "b")),
        (pd.DataFrame([[1, 2]], columns=["id", "id"]), [(1, 2)], ("id", "id")),
        (pd.DataFrame({"a": []}), [], ("a",)),
        (pd.Index(["x"]), [("x",)], ("answer",)),
    ],
)
def test_every_shape_has_one_canonical_form(value, rows, columns):
    assert canonical_rows(value) == (rows, columns)


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        (pd.Timestamp(MOMENT), MOMENT),
        (pd.NaT, None),
        (pd.NA, None),
        (np.datetime64("NaT"), None),
        (Decimal("NaN"), None),
        (Decimal("1.50"), Decimal("1.50")),
        (np.float32(0.5), 0.5),
        (np.bool_(True), True),
        (b"\x00", b"\x00"),
        (pd.Period("2024-02"), "2024-02"),
        (pd.Timedelta(days=1), datetime.timedelta(days=1)),
        (pd.Timestamp(2**60 + 1), "2006-07-14T23:58:24.606846977"),
        ({2, 1}, [1, 2]),
        (9007199254740993, 9007199254740993),
        (np.array([1.0, np.nan]), [1.0, None]),
    ],
)
def test_every_cell_becomes_plain_python(cell, expected):
    got = plain(cell)
    assert got == expected
    assert type(got) is type(expected)
    json.dumps(json_value(got), allow_nan=False)


@pytest.mark.parametrize("value", [object(), {"a": [1], "b": [1, 2]}, np.zeros((2, 2, 2)), lambda: 1])
def test_what_has_no_rows_is_refused_rather_than_turned_into_text(value):
    with pytest.raises(NoCanonicalRows):
        canonical_rows(value)


def test_an_answer_gives_its_rows_as_a_frame_and_as_json():
    answer = Answer.of("q", pd.DataFrame({"a": [1, None], "b": [MOMENT, pd.NaT]}))
    assert answer.rows == [(1.0, MOMENT), (None, None)]
    assert list(answer.frame.columns) == ["a", "b"]
    assert json.loads(json.dumps(answer.to_json()))["rows"] == [[1.0, "2024-02-29T12:00:00"], [None, None]]


def test_answers_of_thousands_of_digits_are_voted_on():
    assert vote_key([(10**5000,)]) == vote_key([(10**5000,)]) != vote_key([(10**5000 + 1,)])
