"""A value that goes in and comes out is the same value; what cannot be carried is refused, never changed."""

from __future__ import annotations

import collections
import datetime
import json
import math
import zoneinfo
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from boxkit.executor import frames
from boxkit.executor.claims import Unsupported
from boxkit.executor.codec import decode, encode


def carried(value: Any) -> Any:
    head, parts = encode(value)
    text = json.dumps(head, allow_nan=False)
    return decode(json.loads(text), [bytearray(memoryview(part)) for part in parts])


def same(one: Any, other: Any) -> bool:
    """Equal in value and in type, missing values and signs of zero included."""
    if type(one) is not type(other):
        return type(one).__name__ == type(other).__name__ and hasattr(one, "_fields") and tuple(one) == tuple(other)
    if isinstance(one, float):
        return (math.isnan(one) and math.isnan(other)) or (
            one == other and math.copysign(1, one) == math.copysign(1, other)
        )
    if isinstance(one, complex):
        return same(one.real, other.real) and same(one.imag, other.imag)
    if isinstance(one, (list, tuple, collections.deque)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return len(one) == len(other) and all(
            same(a, b) and same(one[a], other[b]) for a, b in zip(one, other, strict=True)
        )
    if isinstance(one, Decimal):
        return str(one) == str(other)
    if isinstance(one, np.generic):
        return one.dtype == other.dtype and one.tobytes() == other.tobytes()
    if isinstance(one, np.ndarray):
        if one.dtype != other.dtype or one.shape != other.shape:
            return False
        return same(one.tolist(), other.tolist()) if one.dtype == object else one.tobytes() == other.tobytes()
    if one is pd.NA or one is pd.NaT:
        return one is other
    if isinstance(one, (pd.DataFrame, pd.Series, pd.Index)):
        check = {pd.DataFrame: pd.testing.assert_frame_equal, pd.Series: pd.testing.assert_series_equal}
        check.get(type(one), pd.testing.assert_index_equal)(one, other)
        return True
    return bool(one == other) and (isinstance(one, (int, set, frozenset)) or repr(one) == repr(other))


zones = st.sampled_from(
    [
        None,
        datetime.UTC,
        zoneinfo.ZoneInfo("Europe/Berlin"),
        datetime.timezone(datetime.timedelta(hours=5, minutes=30)),
    ]
)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(min_value=10**30, max_value=10**40),
    st.floats(),
    st.complex_numbers(),
    st.text(),
    st.binary(),
    st.decimals(),
    st.fractions(),
    st.dates(),
    st.times(),
    st.datetimes(timezones=zones, allow_imaginary=False),
    st.timedeltas(),
    st.sampled_from([pd.NA, pd.NaT, "\ud800", "$", "\0"]),
)
hashable = st.one_of(
    st.booleans(), st.integers(), st.text(), st.binary(), st.dates(), st.tuples(st.text(), st.integers())
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=5),
        st.tuples(inner, inner),
        st.dictionaries(hashable, inner, max_size=5),
        st.frozensets(hashable, max_size=5),
        st.sets(hashable, max_size=5),
    ),
    max_leaves=20,
)


@settings(max_examples=150, deadline=None)
@given(values)
def test_plain_values_survive(value: Any) -> None:
    assert same(value, carried(value))


@settings(max_examples=100, deadline=None)
@given(
    npst.arrays(
        st.one_of(npst.scalar_dtypes(), npst.unicode_string_dtypes(), npst.byte_string_dtypes()),
        npst.array_shapes(min_dims=0, min_side=0),
    )
)
def test_arrays_and_their_scalars_survive(array: Any) -> None:
    assert same(np.asarray(array), carried(np.asarray(array)))
    for item in np.asarray(array).reshape(-1)[:2]:
        assert same(item, carried(item))


cells = st.one_of(
    st.none(),
    st.text(max_size=5),
    st.integers(),
    st.floats(),
    st.binary(max_size=3),
    st.sampled_from([pd.NA, pd.NaT, "\udcff"]),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(cells, max_size=8), st.sampled_from([object, "string", "text"]))
def test_columns_of_mixed_cells_survive(column: list[Any], dtype: Any) -> None:
    if dtype is object:
        series = pd.Series(column, dtype=object)
        assert same(list(series), list(carried(series)))
        assert carried(series).dtype == object
        return
    texts = [cell if isinstance(cell, str) and cell.isprintable() and cell != "\udcff" else None for cell in column]
    kind = "string" if dtype == "string" else ("str" if pd.__version__ >= "3" else object)
    assert same(pd.Series(texts, dtype=kind), carried(pd.Series(texts, dtype=kind)))


INDEXES = {
    "range": pd.RangeIndex(2, 8, 2, name="r"),
    "text": pd.Index(["a", "b", "c"], name="key"),
    "doubled": pd.Index([1, 1, 2]),
    "mixed": pd.Index([1, "a", None], dtype=object),
    "dates": pd.date_range("2024-01-31", periods=3, freq="ME"),
    "hours": pd.timedelta_range("1h", periods=3),
    "zoned": pd.date_range("2024-03-30", periods=3, tz="Europe/Berlin"),
    "periods": pd.period_range("2024-01", periods=3, freq="M"),
    "intervals": pd.interval_range(0, 3, closed="both"),
    "categories": pd.CategoricalIndex(["a", "b", "a"], ordered=True),
    "multi": pd.MultiIndex.from_tuples([("a", 1), ("a", 2), (None, 1)], names=["x", None]),
    "booleans": pd.Index([True, False, True]),
}


@pytest.mark.parametrize("name", INDEXES)
def test_indexes_survive(name: str) -> None:
    index = INDEXES[name]
    assert same(index, carried(index))
    assert same(
        pd.Series([1.5, None, 2.0], index=index, name=("n", 1)),
        carried(pd.Series([1.5, None, 2.0], index=index, name=("n", 1))),
    )
    assert same(pd.DataFrame([[1, 2, 3]], columns=index), carried(pd.DataFrame([[1, 2, 3]], columns=index)))


COLUMNS: dict[str, Any] = {
    **{name: pd.array([1, None, 3], dtype=name) for name in ("Int8", "Int64", "UInt64", "Float32", "Float64")},
    "beyond float": pd.array([2**62 + 1, None, -(2**63)], dtype="Int64"),
    "boolean": pd.array([True, None, False], dtype="boolean"),
    "string python": pd.array(["a", None, "é"], dtype=pd.StringDtype("python")),
    "string arrow": pd.array(["a", None, "é"], dtype=pd.StringDtype("pyarrow")),
    "empty categories": pd.Categorical([None, None, None], categories=[]),
    "categories": pd.Categorical(["b", None, "a"], categories=["b", "a", "c"], ordered=True),
    "categories of numbers": pd.Categorical([3, 1, 3]),
    "seconds": np.array(["2024-01-01", "NaT", "1600-01-01"], dtype="M8[s]"),
    "zoned": pd.to_datetime(["2024-10-27 00:30", "2024-10-27 01:30", None])
    .tz_localize("UTC")
    .tz_convert("Europe/Berlin")
    .array,
    "offset": pd.to_datetime(["2024-10-27 00:30+05:30", None, "2024-01-01 00:00+05:30"]).array,
    "timedeltas": pd.to_timedelta(["1h", None, "-3ns"]).array,
    "periods": pd.array([pd.Period("2024Q1"), None, pd.Period("1600Q4")], dtype="period[Q-DEC]"),
    "intervals": pd.arrays.IntervalArray.from_tuples([(0, 1), None, (2, 3)], closed="left"),
    "sparse": pd.arrays.SparseArray([0.0, np.nan, 3.0]),
    "sparse integers": pd.arrays.SparseArray([0, 0, 3], fill_value=0),
    "complex": np.array([1 + 2j, np.nan, 0]),
    "small floats": np.array([1.5, np.nan, -0.0], dtype="f2"),
    "bytes": pd.array([b"a", None, b"\xff"], dtype=object),
    "decimals": pd.array([Decimal("1.10"), None, Decimal("-0")], dtype=object),
    "huge": pd.array([2**70, None, -1], dtype=object),
    "lists": pd.array([[1], None, ["a", {"k": 1}]], dtype=object),
    "arrow integers": pd.array([1, None, 3], dtype=pd.ArrowDtype(pa.int64())),
    "arrow text": pd.array(["a", None, ""], dtype=pd.ArrowDtype(pa.string())),
    "arrow decimal": pd.array([Decimal("1.10"), None, Decimal("2.00")], dtype=pd.ArrowDtype(pa.decimal128(10, 2))),
    "arrow lists": pd.array([[1], None, []], dtype=pd.ArrowDtype(pa.list_(pa.int64()))),
    "arrow structs": pd.array([{"a": 1}, None, {"a": None}], dtype=pd.ArrowDtype(pa.struct([("a", pa.int8())]))),
    "arrow dictionary": pd.arrays.ArrowExtensionArray(
        pa.chunked_array([pa.array(["x", None, "x"]).dictionary_encode()])
    ),
    "arrow times": pd.array(
        [datetime.datetime(2024, 1, 1), None, None], dtype=pd.ArrowDtype(pa.timestamp("us", "UTC"))
    ),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_survive_out_and_in(name: str) -> None:
    frame = pd.DataFrame({"x": pd.Series(COLUMNS[name]), "y": range(3)})
    assert same(frame, carried(frame))
    assert same(frame.iloc[1:], carried(frame.iloc[1:]))
    assert same(frame.iloc[:0], carried(frame.iloc[:0]))
    packed = frames.pack(frame)
    try:
        loaded = frames.load(packed.head, [list(place) for place in packed.places], packed.descriptor)
    finally:
        packed.close()
    assert same(frame, loaded)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(),
        pd.DataFrame(index=[3, 4]),
        pd.DataFrame(columns=["a", "b"]),
        pd.DataFrame([[1, 2]], columns=["a", "a"]),
        pd.DataFrame([[1, "x"]], columns=[0, None]),
        pd.DataFrame({("a", 1): [1], ("a", 2): [2]}),
        pd.DataFrame({"g": ["x", "y", "x"], "v": [1, 2, 3]}).groupby("g").agg(["sum", "mean"]),
        pd.DataFrame({"g": ["x", "y"], "v": [1, 2]}).pivot_table(index="g", columns="v"),
    ],
    ids=[
        "empty",
        "no columns",
        "no rows",
        "doubled labels",
        "labels of two types",
        "two levels",
        "aggregated",
        "pivoted",
    ],
)
def test_frames_of_odd_shapes_survive(frame: pd.DataFrame) -> None:
    assert same(frame, carried(frame))


def test_a_frames_notes_survive() -> None:
    frame = pd.DataFrame({"a": [1]})
    frame.attrs["source"] = "x"
    assert carried(frame).attrs == {"source": "x"}


Point = collections.namedtuple("Point", "x y")


@pytest.mark.parametrize(
    "value",
    [
        collections.Counter("abca"),
        collections.OrderedDict(b=1, a=2),
        collections.defaultdict(list, {"a": [1]}),
        collections.deque([1, 2], maxlen=3),
        Point(1, [2]),
        range(1, 10**30, 7),
        bytearray(b"x"),
        {1: "a", "1": "b", (1, 2): None, "$": "tag"},
        pd.Timestamp("2024-10-27 00:30", tz="UTC").tz_convert("Europe/Berlin"),
        pd.Timestamp("2024-10-27 01:30", tz="UTC").tz_convert("Europe/Berlin"),
        pd.Timestamp("1600-01-01").as_unit("s"),
        pd.Timedelta("3ns"),
        pd.Period("2024Q1"),
        pd.Period("2024-01", freq="M"),
        pd.Interval(1, 2.5, closed="both"),
        np.float32("nan"),
        np.datetime64("2024-01"),
        np.timedelta64("NaT", "s"),
        np.str_("x"),
        Fraction(10**30, 7),
        datetime.datetime(2024, 10, 27, 2, 30, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin"), fold=1),
        10**5000,
        np.array([1, "a", None], dtype=object),
        pd.array([1, None], dtype="Int64"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_single_values_survive(value: Any) -> None:
    back = carried(value)
    assert (
        same(back, value)
        if not isinstance(value, pd.api.extensions.ExtensionArray)
        else same(pd.Series(back), pd.Series(value))
    )


class Text(str):
    __slots__ = ()


@pytest.mark.parametrize(
    ("value", "advice"),
    [
        ((number for number in [1]), "use list"),
        ({"a": 1}.items(), "use list"),
        (pd.DataFrame({"a": [1]}).groupby("a"), "aggregate"),
        (len, "call it"),
        (object(), "use a number"),
        (Text("x"), "use a number"),
        (np.array([(1, 2.0)], dtype="i4,f8"), "use a DataFrame"),
        (pd.Series([object()]), "use a number"),
        (collections.defaultdict(lambda: 1), "dict"),
        (type("Frame", (pd.DataFrame,), {})(), "use a number"),
    ],
    ids=["generator", "view", "groups", "function", "object", "subclass", "records", "cell", "factory", "subframe"],
)
def test_what_cannot_be_carried_is_refused_by_name(value: Any, advice: str) -> None:
    with pytest.raises(Unsupported, match=advice):
        encode(value)


def test_nesting_without_end_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(Unsupported, match="levels deep"):
        encode(endless)
