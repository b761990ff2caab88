"""NumPy's and pandas' values on the wire: scalars, Series and frames, listed with what writes and reads each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from boxkit.executor.claims import CorruptValue, list_of, whole_of
from boxkit.executor.codec import Decoder, Encoder
from boxkit.executor.columns import (
    beyond_calendar,
    closed_of,
    frequency_of,
    read_array,
    read_column,
    read_index,
    read_scalar,
    unit_of,
    write_array,
    write_column,
    write_index,
    write_scalar,
)
from boxkit.executor.zones import zone_head, zone_of

__all__ = ["READERS", "writer"]


def _write_series(encoder: Encoder, series: Any) -> Any:
    head = {"$": "series", "column": write_column(encoder, series.array), "index": write_index(encoder, series.index)}
    return {**head, "name": encoder.value(series.name), **_attributes(encoder, series)}


def _attributes(encoder: Encoder, data: Any) -> dict[str, Any]:
    return {"attrs": encoder.value(dict(data.attrs))} if data.attrs else {}


def _series(column: Any, index: Any = None, name: Any = None) -> Any:
    # The dtype is said, else pandas 3 takes an array of objects for text.
    return pd.Series(column, index=index, dtype=column.dtype, name=name, copy=False)


def _read_series(decoder: Decoder, head: dict[str, Any]) -> Any:
    column, index = read_column(decoder, head["column"]), read_index(decoder, head["index"])
    series = _series(column, index, decoder.value(head["name"]))
    if "attrs" in head:
        series.attrs = decoder.value(head["attrs"])
    return series


def _write_frame(encoder: Encoder, frame: Any) -> Any:
    columns = [write_column(encoder, frame.iloc[:, at].array) for at in range(frame.shape[1])]
    head = {"$": "frame", "columns": columns, "labels": write_index(encoder, frame.columns)}
    return {**head, "index": write_index(encoder, frame.index), **_attributes(encoder, frame)}


def _read_frame(decoder: Decoder, head: dict[str, Any]) -> Any:
    index, labels = read_index(decoder, head["index"]), read_index(decoder, head["labels"])
    columns = [read_column(decoder, column) for column in list_of(head["columns"], len(labels))]
    if any(len(column) != len(index) for column in columns):
        raise CorruptValue("columns of different lengths")
    frame = pd.DataFrame({at: _series(column, index) for at, column in enumerate(columns)}, index=index, copy=False)
    frame.columns = labels
    if "attrs" in head:
        frame.attrs = decoder.value(head["attrs"])
    return frame


# Scalars of pandas.


def _write_timestamp(_encoder: Encoder, value: Any) -> Any:
    number = int(value.asm8.view("i8"))
    return {"$": "Timestamp", "v": number, "unit": value.unit, "zone": zone_head(value.tz), "fold": value.fold}


def _read_timestamp(_decoder: Decoder, head: dict[str, Any]) -> Any:
    naive = _moment("M8", head)
    zone = zone_of(head["zone"])
    if zone is not None and beyond_calendar(np.array([naive])):
        raise CorruptValue("a date with a time zone beyond the calendar")
    moment = pd.Timestamp(naive)
    return moment if zone is None else moment.tz_localize("UTC").tz_convert(zone)


def _write_timedelta(_encoder: Encoder, value: Any) -> Any:
    return {"$": "Timedelta", "v": int(value.asm8.view("i8")), "unit": value.unit}


def _read_timedelta(_decoder: Decoder, head: dict[str, Any]) -> Any:
    return pd.Timedelta(_moment("m8", head))


def _moment(kind: str, head: dict[str, Any]) -> Any:
    return np.array(whole_of(head["v"]), "i8").view(f"{kind}[{unit_of(head['unit'])}]")[()]


def _write_period(_encoder: Encoder, value: Any) -> Any:
    return {"$": "Period", "v": value.ordinal, "freq": value.freqstr}


def _read_period(_decoder: Decoder, head: dict[str, Any]) -> Any:
    return pd.Period(ordinal=whole_of(head["v"]), freq=frequency_of(head["freq"]))


def _write_interval(encoder: Encoder, value: Any) -> Any:
    ends = [encoder.value(value.left), encoder.value(value.right)]
    return {"$": "Interval", "ends": ends, "closed": value.closed}


def _read_interval(decoder: Decoder, head: dict[str, Any]) -> Any:
    left, right = decoder.values(list_of(head["ends"], 2))
    return pd.Interval(left, right, closed=closed_of(head["closed"]))


def _write_extension(encoder: Encoder, array: Any) -> Any:
    return {"$": "extension", "column": write_column(encoder, array)}


def _read_extension(decoder: Decoder, head: dict[str, Any]) -> Any:
    column = read_column(decoder, head["column"])
    return pd.array(column, dtype=column.dtype, copy=False)


_WRITERS: dict[type, Callable[[Encoder, Any], Any]] = {
    np.ndarray: write_array,
    pd.DataFrame: _write_frame,
    pd.Series: _write_series,
    pd.Timestamp: _write_timestamp,
    pd.Timedelta: _write_timedelta,
    pd.Period: _write_period,
    pd.Interval: _write_interval,
    type(pd.NA): lambda _encoder, _value: {"$": "NA"},
    type(pd.NaT): lambda _encoder, _value: {"$": "NaT"},
}
_INDEXES = (pd.Index, pd.RangeIndex, pd.MultiIndex, pd.DatetimeIndex, pd.TimedeltaIndex, pd.PeriodIndex)
_WRITERS |= dict.fromkeys((*_INDEXES, pd.IntervalIndex, pd.CategoricalIndex), write_index)


def writer(value: Any) -> Callable[[Encoder, Any], Any] | None:
    """What encodes a value of this type; None where it is none of NumPy's or pandas'."""
    write = _WRITERS.get(type(value))
    if write is None and isinstance(value, np.generic):
        return write_scalar
    if write is None and isinstance(value, pd.api.extensions.ExtensionArray):
        return _write_extension
    return write


#: What decodes each tag.
READERS: dict[str, Callable[[Decoder, dict[str, Any]], Any]] = {
    "array": read_array,
    "scalar": read_scalar,
    "index": read_index,
    "series": _read_series,
    "frame": _read_frame,
    "Timestamp": _read_timestamp,
    "Timedelta": _read_timedelta,
    "Period": _read_period,
    "Interval": _read_interval,
    "extension": _read_extension,
    "NA": lambda _decoder, _head: pd.NA,
    "NaT": lambda _decoder, _head: pd.NaT,
}
