"""Arrays, columns and indexes on the wire, dtype for dtype."""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from boxkit.executor import arrow
from boxkit.executor.claims import CorruptValue, Unsupported, list_of, text_of, whole_of
from boxkit.executor.codec import Decoder, Encoder
from boxkit.executor.zones import zone_head, zone_of

__all__ = [
    "beyond_calendar",
    "read_array",
    "read_column",
    "read_index",
    "read_scalar",
    "write_array",
    "write_column",
    "write_index",
    "write_scalar",
]

_DTYPE = re.compile(r"[<>|=](b1|[iu][1248]|f(2|4|8|12|16)|c(8|16|24|32)|[mM]8(\[\d{0,12}[A-Za-z]{1,2}\])?|[SU]\d{1,9})")
_UNITS = ("s", "ms", "us", "ns")
_MAX_SIDE = 1 << 40
_MISSING = (None, math.nan, pd.NA, pd.NaT)


def _dtype(text: Any) -> np.dtype[Any]:
    if not _DTYPE.fullmatch(text_of(text)):
        raise CorruptValue("not a dtype that is carried")
    dtype: np.dtype[Any] = np.dtype(text)
    return dtype


# Fixed-width NumPy data: the bytes as they lie in memory.


def _raw(encoder: Encoder, array: Any) -> int:
    flat = np.ascontiguousarray(array).reshape(-1)
    return encoder.part(flat.view(np.uint8).data if flat.size and flat.dtype.itemsize else b"")


def _from_raw(decoder: Decoder, part: Any, dtype: np.dtype[Any], count: int) -> Any:
    buffer = decoder.part(part)
    if not dtype.itemsize or not count:
        decoder.spend(count)
        return np.empty(count, dtype)
    if memoryview(buffer).nbytes != count * dtype.itemsize:
        raise CorruptValue("an array's bytes do not fill its shape")
    array = np.frombuffer(buffer, dtype, count)
    _check_bytes(array)
    return array


def _check_bytes(array: Any) -> None:
    """Refuse bytes that no such value has, which NumPy would trip over later."""
    if array.dtype.kind == "b" and array.view(np.uint8).max() > 1:
        raise CorruptValue("a boolean that is neither true nor false")
    if array.dtype.kind == "U":
        order = array.dtype.byteorder
        if array.view(np.dtype(np.uint32).newbyteorder(order)).max() > 0x10FFFF:
            raise CorruptValue("a character beyond Unicode")


def write_array(encoder: Encoder, array: Any) -> Any:
    """An array of any shape: its bytes, or its objects one by one."""
    if array.dtype.kind not in "biufcmMSU" and array.dtype != object:
        raise Unsupported(f"an array of dtype {array.dtype} cannot leave the sandbox; use a DataFrame")
    shape = list(array.shape)
    if array.dtype == object:
        return {"$": "array", "shape": shape, "objects": _objects(encoder, array.reshape(-1))}
    return {"$": "array", "shape": shape, "dtype": array.dtype.str, "part": _raw(encoder, array)}


def read_array(decoder: Decoder, head: dict[str, Any]) -> Any:
    """The array that `write_array` wrote."""
    shape = [whole_of(side) for side in list_of(head["shape"])]
    if len(shape) > 32 or any(not 0 <= side <= _MAX_SIDE for side in shape):
        raise CorruptValue("not a shape")
    count = math.prod(shape)
    if "objects" in head:
        return _read_objects(decoder, head["objects"], count).reshape(shape)
    return _from_raw(decoder, head["part"], _dtype(head["dtype"]), count).reshape(shape)


def write_scalar(_encoder: Encoder, value: Any) -> Any:
    """A NumPy scalar."""
    if value.dtype.kind not in "biufcmMSU":
        raise Unsupported(f"a NumPy scalar of dtype {value.dtype} cannot leave the sandbox; use .item()")
    array = np.asarray(value)
    return {"$": "scalar", "dtype": array.dtype.str, "v": base64.b64encode(array.tobytes()).decode()}


def read_scalar(_decoder: Decoder, head: dict[str, Any]) -> Any:
    """The scalar that `write_scalar` wrote."""
    dtype = _dtype(head["dtype"])
    raw = base64.b64decode(text_of(head["v"]), validate=True)
    if not dtype.itemsize and not raw:
        return np.zeros(1, dtype)[0]
    array = np.frombuffer(raw, dtype, 1)
    if len(raw) != dtype.itemsize:
        raise CorruptValue("a scalar's bytes do not fill it")
    _check_bytes(array)
    return array[0]


# Object arrays: texts fast, anything else cell by cell.


def _missing_code(value: Any) -> int:
    """0 for a value; else 1 plus the position in `_MISSING`."""
    if value is None:
        return 1
    if type(value) is float:
        return 2 if math.isnan(value) else 0
    return 3 if value is pd.NA else 4 if value is pd.NaT else 0


def _objects(encoder: Encoder, array: Any) -> Any:
    values = list(array)
    kinds = set(map(type, values))
    if kinds <= {str}:
        texts, missing = values, None
    elif kinds <= {str, type(None), float, type(pd.NA), type(pd.NaT)}:
        missing = np.fromiter(map(_missing_code, values), np.uint8, len(values))
        texts = [None if code else value for value, code in zip(values, missing, strict=True)]
    else:
        return {"cells": encoder.values(values)}
    column = arrow.from_texts(texts) if all(text is None or type(text) is str for text in texts) else None
    if column is None:
        return {"cells": encoder.values(values)}
    head = {"texts": arrow.write(encoder, column)}
    return head if missing is None else {**head, "missing": _raw(encoder, missing)}


def _read_objects(decoder: Decoder, head: Any, count: int) -> Any:
    array = np.empty(count, dtype=object)
    if "cells" in head:
        for at, cell in enumerate(list_of(head["cells"], count)):
            array[at] = decoder.value(cell)
        return array
    column = arrow.read(decoder, head["texts"])
    if len(column) != count:
        raise CorruptValue("a column of another length")
    array[:] = column.to_pylist()
    if "missing" in head:
        missing = _from_raw(decoder, head["missing"], np.dtype(np.uint8), count)
        for code, value in enumerate(_MISSING, start=1):
            array[missing == code] = value
    return array


# Columns: what a Series or an Index holds.


def write_column(encoder: Encoder, array: Any) -> dict[str, Any]:
    """What a Series or an Index holds: an array of NumPy's or an extension array."""
    if type(array) is pd.arrays.NumpyExtensionArray or isinstance(array.dtype, np.dtype):
        return {"as": "numpy", "array": write_array(encoder, np.asarray(array))}
    dtype = array.dtype
    for kind, (name, write, _read) in _EXTENSIONS.items():
        if type(dtype) is kind:
            return {"as": name, "n": len(array), **write(encoder, array)}
    raise Unsupported(f"a column of dtype {dtype} cannot leave the sandbox; cast it with .astype(…)")


def read_column(decoder: Decoder, head: dict[str, Any]) -> Any:
    """The column that `write_column` wrote."""
    if head["as"] == "numpy":
        array = read_array(decoder, head["array"])
        if array.ndim != 1:
            raise CorruptValue("a column of several dimensions")
        return array
    array = _COLUMN_READERS[head["as"]](decoder, head)
    if len(array) != whole_of(head["n"]):
        raise CorruptValue("a column of another length")
    return array


def _write_text(encoder: Encoder, array: Any) -> dict[str, Any]:
    dtype = array.dtype
    column = array.__arrow_array__()
    head = {"storage": dtype.storage, "na": "nan" if dtype.na_value is not pd.NA else "NA"}
    return {**head, "data": arrow.write(encoder, arrow.large_text(column))}


def _read_text(decoder: Decoder, head: dict[str, Any]) -> Any:
    storage = head["storage"]
    if storage not in ("python", "pyarrow", "pyarrow_numpy"):
        raise CorruptValue("no such storage")
    # pandas 2 spells the missing value in the storage's name.
    dtype: Any = pd.StringDtype(storage)
    if head["na"] == "nan" and dtype.na_value is pd.NA:
        dtype = pd.StringDtype(storage, na_value=np.nan)
    column = arrow.read(decoder, head["data"])
    return dtype.__from_arrow__(column)


def _write_masked(encoder: Encoder, array: Any) -> dict[str, Any]:
    data, mask = array._data, array._mask
    return {"dtype": data.dtype.str, "data": _raw(encoder, data), "mask": _raw(encoder, mask)}


def _read_masked(decoder: Decoder, head: dict[str, Any]) -> Any:
    dtype, count = _dtype(head["dtype"]), whole_of(head["n"])
    data = _from_raw(decoder, head["data"], dtype, count)
    mask = _from_raw(decoder, head["mask"], np.dtype(bool), count)
    kinds: dict[str, Any] = {"b": pd.arrays.BooleanArray, "f": pd.arrays.FloatingArray}
    return kinds.get(dtype.kind, pd.arrays.IntegerArray)(data, mask)


def _write_zoned(encoder: Encoder, array: Any) -> dict[str, Any]:
    naive = array.asi8
    if beyond_calendar(naive.view(f"M8[{array.dtype.unit}]")):
        raise Unsupported("dates with a time zone beyond the year 9999 cannot leave the sandbox; drop the time zone")
    return {"unit": array.dtype.unit, "zone": zone_head(array.dtype.tz), "data": _raw(encoder, naive)}


def beyond_calendar(moments: Any) -> bool:
    """Whether a date lies where Python's calendar, and with it every time zone, ends."""
    first, last = np.datetime64("0001-01-03", "s"), np.datetime64("9999-12-29", "s")
    seconds = moments[~np.isnat(moments)].astype("M8[s]")
    return bool(((seconds < first) | (seconds > last)).any())


def _read_zoned(decoder: Decoder, head: dict[str, Any]) -> Any:
    unit = unit_of(head["unit"])
    moments = _from_raw(decoder, head["data"], np.dtype(f"M8[{unit}]"), whole_of(head["n"]))
    if beyond_calendar(moments):
        raise CorruptValue("dates with a time zone beyond the calendar")
    return pd.DatetimeIndex(pd.Series(moments, copy=False)).tz_localize("UTC").tz_convert(zone_of(head["zone"])).array


def unit_of(text: Any) -> str:
    if text not in _UNITS:
        raise CorruptValue("not a unit of time")
    return str(text)


def _write_periods(encoder: Encoder, array: Any) -> dict[str, Any]:
    return {"freq": array.dtype.name[len("period[") : -1], "data": _raw(encoder, array.asi8)}


def _read_periods(decoder: Decoder, head: dict[str, Any]) -> Any:
    ordinals = _from_raw(decoder, head["data"], np.dtype(np.int64), whole_of(head["n"]))
    return pd.arrays.PeriodArray(ordinals.copy(), dtype=pd.PeriodDtype(frequency_of(head["freq"])))


def frequency_of(text: Any) -> str:
    if not re.fullmatch(r"-?\d{0,9}[A-Za-z]{1,6}(-[A-Za-z0-9]{1,12}){0,2}", text_of(text)):
        raise CorruptValue("not a frequency")
    return str(text)


def _write_intervals(encoder: Encoder, array: Any) -> dict[str, Any]:
    return {
        "left": write_index(encoder, array.left),
        "right": write_index(encoder, array.right),
        "closed": array.closed,
    }


def _read_intervals(decoder: Decoder, head: dict[str, Any]) -> Any:
    left, right = (read_index(decoder, head[side]) for side in ("left", "right"))
    return pd.arrays.IntervalArray.from_arrays(left, right, closed=closed_of(head["closed"]))


def closed_of(text: Any) -> Any:
    if text not in ("left", "right", "both", "neither"):
        raise CorruptValue("not a way to close an interval")
    return text


def _write_categories(encoder: Encoder, array: Any) -> dict[str, Any]:
    codes = array.codes
    head = {"codes": _raw(encoder, codes), "dtype": codes.dtype.str, "ordered": bool(array.ordered)}
    return {**head, "categories": write_index(encoder, array.categories)}


def _read_categories(decoder: Decoder, head: dict[str, Any]) -> Any:
    categories = read_index(decoder, head["categories"])
    codes = _from_raw(decoder, head["codes"], _dtype(head["dtype"]), whole_of(head["n"]))
    dtype = pd.CategoricalDtype(categories, ordered=bool(head["ordered"]))
    return pd.Categorical.from_codes(codes, dtype=dtype)


def _write_sparse(encoder: Encoder, array: Any) -> dict[str, Any]:
    head = {"values": write_column(encoder, array.sp_values), "at": _raw(encoder, array.sp_index.indices)}
    kind = array.kind
    return {**head, "kind": kind, "fill": encoder.value(array.fill_value), "dtype": array.dtype.subtype.str}


def _read_sparse(decoder: Decoder, head: dict[str, Any]) -> Any:
    length = whole_of(head["n"])
    decoder.spend(length)
    values = read_column(decoder, head["values"])
    places = _from_raw(decoder, head["at"], np.dtype(np.int32), len(values))
    fill, kind = decoder.value(head["fill"]), head["kind"]
    if kind not in ("integer", "block"):
        raise CorruptValue("no such kind of sparse column")
    sparse: Any = pd.arrays.SparseArray
    if hasattr(sparse, "from_indices"):
        return sparse.from_indices(values, places, length, fill_value=fill, kind=kind, dtype=values.dtype)
    make: Any = pd._libs.sparse.IntIndex
    index = make(length, places) if kind == "integer" else make(length, places).to_block_index()
    return sparse(values, sparse_index=index, dtype=pd.SparseDtype(values.dtype, fill))


def _write_arrow(encoder: Encoder, array: Any) -> dict[str, Any]:
    return {"data": arrow.write(encoder, arrow.one_chunk(array.__arrow_array__()))}


def _read_arrow(decoder: Decoder, head: dict[str, Any]) -> Any:
    import pyarrow as pa

    return pd.arrays.ArrowExtensionArray(pa.chunked_array([arrow.read(decoder, head["data"])]))


_ColumnWriter = Callable[[Encoder, Any], dict[str, Any]]
_ColumnReader = Callable[[Decoder, dict[str, Any]], Any]
_MASKED = "boolean Int8 Int16 Int32 Int64 UInt8 UInt16 UInt32 UInt64 Float32 Float64".split()
_EXTENSIONS: dict[type, tuple[str, _ColumnWriter, _ColumnReader]] = {
    pd.StringDtype: ("text", _write_text, _read_text),
    pd.DatetimeTZDtype: ("zoned", _write_zoned, _read_zoned),
    pd.PeriodDtype: ("periods", _write_periods, _read_periods),
    pd.IntervalDtype: ("intervals", _write_intervals, _read_intervals),
    pd.CategoricalDtype: ("categories", _write_categories, _read_categories),
    pd.SparseDtype: ("sparse", _write_sparse, _read_sparse),
    pd.ArrowDtype: ("arrow", _write_arrow, _read_arrow),
    **{type(pd.api.types.pandas_dtype(name)): ("masked", _write_masked, _read_masked) for name in _MASKED},
}
_COLUMN_READERS: dict[str, _ColumnReader] = {name: read for name, _, read in _EXTENSIONS.values()}


# Indexes.


def write_index(encoder: Encoder, index: Any) -> dict[str, Any]:
    """An index of any kind."""
    if type(index) is pd.RangeIndex:
        ends = [index.start, index.stop, index.step]
        return {"$": "index", "kind": "range", "ends": ends, "name": encoder.value(index.name)}
    if type(index) is pd.MultiIndex:
        levels = [write_index(encoder, level) for level in index.levels]
        codes = [{"dtype": code.dtype.str, "part": _raw(encoder, code)} for code in index.codes]
        head = {"$": "index", "kind": "multi", "n": len(index), "levels": levels, "codes": codes}
        return {**head, "names": encoder.values(index.names)}
    head = {
        "$": "index",
        "kind": "plain",
        "column": write_column(encoder, index.array),
        "name": encoder.value(index.name),
    }
    frequency = getattr(index, "freq", None) if type(index) in (pd.DatetimeIndex, pd.TimedeltaIndex) else None
    if frequency is not None:
        if pd.tseries.frequencies.to_offset(frequency.freqstr) != frequency:
            raise Unsupported(f"an index of frequency {frequency.freqstr} cannot leave the sandbox; use reset_index()")
        head["freq"] = frequency.freqstr
    return head


def read_index(decoder: Decoder, head: Any) -> Any:
    """The index that `write_index` wrote."""
    kind = head["kind"]
    if kind == "range":
        start, stop, step = map(whole_of, list_of(head["ends"], 3))
        decoder.spend(len(range(start, stop, step)))
        return pd.RangeIndex(start, stop, step, name=decoder.value(head["name"]))
    if kind == "multi":
        return _read_multi_index(decoder, head)
    if kind != "plain":
        raise CorruptValue("no such index")
    column = read_column(decoder, head["column"])
    index = pd.Index(column, dtype=column.dtype, name=decoder.value(head["name"]), copy=False)
    return type(index)(index, freq=frequency_of(head["freq"])) if "freq" in head else index


def _read_multi_index(decoder: Decoder, head: dict[str, Any]) -> Any:
    count = whole_of(head["n"])
    levels = [read_index(decoder, level) for level in list_of(head["levels"])]
    codes = [
        _from_raw(decoder, code["part"], _dtype(code["dtype"]), count) for code in list_of(head["codes"], len(levels))
    ]
    return pd.MultiIndex(levels, codes, names=decoder.values(head["names"]), verify_integrity=True)
