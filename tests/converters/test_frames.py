"""Tables in memory: copied into boxes as they are, never changed."""

from __future__ import annotations

import datetime
import decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import boxkit
from boxkit.box import Box
from boxkit.errors import UnknownFormat, UnsupportedValue


def box_of(source: Any) -> Box:
    (box,) = boxkit.load(source).values()
    return box


def test_positions_become_text_labels() -> None:
    frame = pd.DataFrame([[1, 2]])
    assert box_of(frame).labels == ("0", "1") and list(frame.columns) == [0, 1]


def test_an_index_that_only_counts_is_dropped_with_a_note_and_one_that_says_something_kept() -> None:
    boxes = boxkit.load(pd.DataFrame({"a": [1, 2]}, index=[5, 9]))
    assert boxes["table"].frame.index.tolist() == [0, 1] and any(note.kind == "dropped" for note in boxes.notes)
    assert box_of(pd.DataFrame({"a": [1]}, index=pd.Index(["x"], name="key"))).frame.values.tolist() == [["x", 1]]


def test_levels_of_rows_and_columns_become_fields() -> None:
    frame = pd.DataFrame(
        [[1, 2], [3, 4]],
        index=pd.MultiIndex.from_tuples([("a", 1), ("b", 2)], names=["k", None]),
        columns=pd.MultiIndex.from_tuples([("x", "p"), ("x", "q")]),
    )
    box = box_of(frame)
    assert box.labels == ("k", "level_1", "x p", "x q") and box.frame.values.tolist() == [
        ["a", 1, 1, 2],
        ["b", 2, 3, 4],
    ]


def test_doubled_labels_are_told_apart() -> None:
    assert box_of(pd.DataFrame([[1, 2]], columns=["a", "a"])).labels == ("a", "a_2")


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (pd.Categorical(["x", None, "y"]), ["x", None, "y"]),
        (pd.Categorical([2, None, 1], ordered=True), [2, None, 1]),
        (pd.PeriodIndex(["2024-01", "2024-02", None], freq="M"), ["2024-01", "2024-02", None]),
        (pd.arrays.IntervalArray.from_breaks([0, 1, 2, 3]), ["(0, 1]", "(1, 2]", "(2, 3]"]),
        ([decimal.Decimal("1.10"), None, decimal.Decimal("2")], [decimal.Decimal("1.10"), None, decimal.Decimal("2")]),
        ([1 + 2j, 3j, 0j], ["(1+2j)", "3j", "0j"]),
        (pd.array([1, None, 3], dtype="Int64"), [1, None, 3]),
        (pd.arrays.SparseArray([0, 0, 7]), [0, 0, 7]),
        ([{"a": 1}, [1, 2], None], ['{"a": 1}', "[1, 2]", None]),
        ([2**70, None, 1], [2**70, None, 1]),
        ([b"\x00", None, b"x"], [b"\x00", None, b"x"]),
        (
            [datetime.date(2024, 1, 31), None, datetime.date(1, 1, 1)],
            [datetime.date(2024, 1, 31), None, datetime.date(1, 1, 1)],
        ),
    ],
)
def test_columns_of_every_type_are_held_or_turned_into_text_with_a_note(values: Any, expected: list[Any]) -> None:
    frame = pd.DataFrame({"v": values})
    before = frame.copy(deep=True)
    found = box_of(frame).frame["v"]
    assert [None if pd.isna(cell) else cell for cell in found.tolist()] == expected
    pd.testing.assert_frame_equal(frame, before)


def test_zones_stay() -> None:
    times = pd.to_datetime(["2024-03-31 12:00"]).tz_localize("Europe/Oslo")
    assert str(box_of(pd.DataFrame({"t": times})).frame["t"].dtype).endswith("Europe/Oslo]")


def test_what_no_box_holds_is_refused_by_name() -> None:
    with pytest.raises(UnsupportedValue, match="'odd'"):
        boxkit.load(pd.DataFrame({"odd": [object()]}))
    with pytest.raises(UnknownFormat, match=r"builtins\.int"):
        boxkit.load(7)


def test_changing_a_boxes_frame_leaves_the_users_alone() -> None:
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    box = box_of(frame)
    own = box.frame
    own.loc[0, "a"] = 99
    assert frame["a"].tolist() == [1, 2]


def test_a_dict_of_frames_and_the_keys_between_them() -> None:
    authors = pd.DataFrame({"author_id": [10, 20, 30], "name": ["A", "B", "C"]})
    books = pd.DataFrame({"book_id": [1, 2, 3, 4], "author_id": [10, 10, 20, 30]})
    boxes = boxkit.load({"authors": authors, "books": books})
    (key,) = boxes.foreign_keys
    assert (key.box, key.fields, key.parent, key.parent_fields) == ("books", ("author_id",), "authors", ("author_id",))
    assert key.origin == "inferred" and 0.75 < key.confidence < 1 and "100%" in key.evidence


def test_arrow_tables_batches_and_columns() -> None:
    table = pa.table({"a": [1, None, 9007199254740993], "b": ["x", None, "z"], "c": [[1], None, []]})
    for source in (table, table.to_batches()[0]):
        box = box_of(source)
        assert [None if pd.isna(cell) else cell for cell in box.frame["a"].tolist()] == [1, None, 9007199254740993]
        assert box.frame["c"].tolist()[0] == "[1]"


def test_anything_with_the_arrow_protocol_or_the_interchange_protocol() -> None:
    class Capsule:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return pa.table({"a": [1, 2]}).__arrow_c_stream__()

    class Interchange:
        def __dataframe__(self, *args: Any, **kwargs: Any) -> object:
            return pa.table({"a": [1, 2]}).__dataframe__(*args, **kwargs)

    for source in (Capsule(), Interchange()):
        assert box_of(source).frame["a"].tolist() == [1, 2]


def test_polars_frames_and_lazy_frames() -> None:
    polars = pytest.importorskip("polars", reason="polars is not installed")
    frame = polars.DataFrame({"a": [1, None], "b": ["x", "y"]})
    for source in (frame, frame.lazy()):
        assert str(box_of(source).frame["a"].dtype) == "Int64"


def test_lists_of_dicts_and_dicts_of_lists() -> None:
    boxes = boxkit.load([{"id": 1, "tags": ["x", "y"]}, {"id": 2, "more": {"k": 5}}])
    assert boxes["table"].labels[:2] == ("id", "more.k") and len(boxes["table_tags"].frame) == 2
    assert box_of({"a": [1, 2], "b": ["x", "y"]}).frame.values.tolist() == [[1, "x"], [2, "y"]]


cells = st.one_of(
    st.lists(st.integers(-(2**63), 2**63 - 1) | st.none(), min_size=3, max_size=3),
    st.lists(st.text(st.characters(exclude_categories=["Cs"])) | st.none(), min_size=3, max_size=3),
    st.lists(st.floats(allow_nan=False) | st.none(), min_size=3, max_size=3),
    st.lists(st.booleans() | st.none(), min_size=3, max_size=3),
    st.lists(st.binary() | st.none(), min_size=3, max_size=3),
    st.lists(st.integers() | st.text(st.characters(exclude_categories=["Cs"])) | st.none(), min_size=3, max_size=3),
)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), cells, min_size=1, max_size=4))
def test_object_columns_of_any_values_come_back_as_they_were(columns: dict[str, list[Any]]) -> None:
    frame = pd.DataFrame({at: pd.Series(values, dtype=object) for at, values in enumerate(columns.values())})
    found = box_of(frame).frame
    for at, values in enumerate(columns.values()):
        assert [None if pd.isna(cell) else cell for cell in found.iloc[:, at].tolist()] == values


def test_the_fingerprint_is_the_contents() -> None:
    one, same, other = (boxkit.load(pd.DataFrame({"a": values})).fingerprint for values in ([1, 2], [1, 2], [1, 3]))
    assert one == same != other


def test_empty_frames_and_series() -> None:
    assert box_of(pd.DataFrame()).labels == () and box_of(pd.DataFrame({"a": []})).count() == 0
    assert box_of(pd.Series([1, 2], name="s")).labels == ("s",)
    assert np.array_equal(box_of(pd.Series([1, 2])).frame.to_numpy(), [[1], [2]])


@pytest.mark.parametrize(
    ("array", "held"),
    [
        (pa.array([[2**53 + 1, None], [1]]), ["[9007199254740993, null]", "[1]"]),
        (pa.array([{"a": 2**53 + 1}, {"a": None}]), ['{"a": 9007199254740993}', '{"a": null}']),
        (pa.array([[1.5, float("nan")], []]), ["[1.5, null]", "[]"]),
        (pa.array([1001, 0], pa.time64("ns")), ["00:00:00.000001001", "00:00:00.000000000"]),
        (pa.array([10**7, 0], pa.date32()), ["29349-01-26", "1970-01-01"]),
        (pa.array([86_400_000 * 10**7, 0], pa.date64()), ["29349-01-26", "1970-01-01"]),
    ],
)
def test_arrow_values_that_pandas_would_change_are_text_with_a_note(tmp_path: Path, array: pa.Array, held) -> None:
    pq.write_table(pa.table({"x": array, "n": [1, 2]}), tmp_path / "t.parquet")
    reading = boxkit.load(tmp_path / "t.parquet")["t"].reader.read()
    assert reading.frame["x"].tolist() == held and reading.frame["n"].tolist() == [1, 2]
    assert [note.field for note in reading.notes] == ["x"]


def test_odd_columns_of_a_frame_do_not_hide_the_others() -> None:
    lists = pd.Series([[2**53 + 1, None], [1]], dtype=pd.ArrowDtype(pa.list_(pa.int64())))
    long = np.array([1, 2], dtype=np.longdouble) / 3
    frame = pd.DataFrame({"l": lists, "d": long, "s": pd.Series(["\ud800", "a"], dtype=object), "n": [1, 2]})
    boxes = boxkit.load(frame)
    found = boxes["table"].frame
    assert found["l"].tolist() == ["[9007199254740993, null]", "[1]"] and found["n"].tolist() == [1, 2]
    assert found["d"].tolist() == [str(each) for each in long] and found["s"].tolist() == ["\ud800", "a"]
    assert boxes["table"].reader.fingerprint() == boxkit.load(frame)["table"].reader.fingerprint()
