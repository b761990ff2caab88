"""The canonical form of an answer: a list of tuples of plain Python values, whatever the code returned."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import math
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

__all__ = ["LONG_BITS", "NoCanonicalRows", "canonical_rows", "json_value", "plain", "vote_key"]

#: The longest whole number that is written in digits: Python reads and writes 4,300 of them.
LONG_BITS = 14_000

_PLAIN = (str, bytes, bool, int, datetime.date, datetime.time, datetime.timedelta, decimal.Decimal)


class NoCanonicalRows(ValueError):
    """A value that is neither a scalar, a frame, nor a flat collection of these."""


def plain(value: Any) -> Any:
    """One cell as a plain Python value: None for every kind of missing, Python's own types for NumPy's and pandas'.

    Timestamps become ``datetime`` (nanoseconds that it cannot hold stay, as ISO text), periods and intervals text,
    arrays and sets lists, sets in sorted order.
    """
    if value is None or type(value) in (str, bool, int):
        return value
    if isinstance(value, float):
        return None if math.isnan(value) else float(value)
    if isinstance(value, decimal.Decimal) and value.is_nan():
        return None
    return _plain_of_library(value)


def _plain_of_library(value: Any) -> Any:
    import numpy as np
    import pandas as pd

    if value is pd.NA or value is pd.NaT:
        return None
    if isinstance(value, pd.Timestamp):
        return value.isoformat() if value.nanosecond else value.to_pydatetime()
    if isinstance(value, pd.Timedelta):
        return value.isoformat() if value.nanoseconds else value.to_pytimedelta()
    if isinstance(value, np.datetime64):
        return plain(pd.Timestamp(value))
    if isinstance(value, np.timedelta64):
        return plain(pd.Timedelta(value))
    if isinstance(value, np.generic):
        item = value.item()
        return plain(item) if not isinstance(item, np.generic) else str(item)
    if isinstance(value, (pd.Period, pd.Interval)):
        return str(value)
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(item) for key, item in value.items()}
    if isinstance(value, Set):
        return sorted((plain(item) for item in value), key=_order)
    if isinstance(value, (list, tuple, np.ndarray, pd.Series, pd.Index, pd.api.extensions.ExtensionArray)):
        return [plain(item) for item in value]
    if isinstance(value, complex):
        return str(value)
    raise NoCanonicalRows(f"a value of type {type(value).__name__} cannot be part of an answer")


def _order(value: Any) -> tuple[str, Any]:
    if isinstance(value, (int, float)):
        return ("", value)
    return (type(value).__name__, str(value))


def canonical_rows(value: Any) -> tuple[list[tuple[Any, ...]], tuple[str, ...]]:
    """Rows and column names of whatever generated code returned.

    A scalar is one row of one cell; a Series one cell a row, with its index in front where the index has a meaning
    (it is not just positions); a frame its rows, named index levels in front likewise; a dict one row a key; a list of
    tuples or lists its rows, a list of scalars one cell a row; a list of dicts one column a key. None is no row.

    Raises:
        NoCanonicalRows: Anything else, a dict of unequal lists say.
    """
    import numpy as np
    import pandas as pd

    if value is None:
        return [], ()
    if isinstance(value, pd.DataFrame):
        return _of_frame(value)
    if isinstance(value, pd.Series):
        return _of_series(value)
    if isinstance(value, np.ndarray):
        return _of_array(value)
    if isinstance(value, (pd.Index, pd.api.extensions.ExtensionArray)):
        return _of_sequence(list(value))
    if isinstance(value, Mapping):
        return _of_mapping(value)
    if isinstance(value, Set):
        return _of_sequence(sorted(value, key=_order))
    if isinstance(value, (list, tuple)):
        # One tuple is one row; a tuple of rows is several.
        if isinstance(value, tuple) and value and not any(isinstance(item, (list, tuple, Mapping)) for item in value):
            return [tuple(plain(item) for item in value)], _positions(len(value))
        return _of_sequence(list(value))
    return [(plain(value),)], ("answer",)


def _positions(count: int) -> tuple[str, ...]:
    return ("answer",) if count == 1 else tuple(str(at) for at in range(count))


def _index_levels(index: Any) -> list[tuple[str, list[Any]]]:
    """The index as columns, unless it only counts rows: unnamed integers say where a row stood, nothing more."""
    import pandas as pd

    if index.nlevels == 1 and index.name is None and pd.api.types.is_integer_dtype(index.dtype):
        return []
    names = ["" if name is None else str(name) for name in index.names]
    return [
        (name or f"level_{at}" if index.nlevels > 1 else name or "index", index.get_level_values(at).tolist())
        for at, name in enumerate(names)
    ]


def _of_frame(frame: Any) -> tuple[list[tuple[Any, ...]], tuple[str, ...]]:
    levels = _index_levels(frame.index)
    labels = [" ".join(map(str, label)).strip() if isinstance(label, tuple) else str(label) for label in frame.columns]
    columns = [values for _, values in levels] + [column.tolist() for _, column in frame.items()]
    names = (*(name for name, _ in levels), *labels)
    if not columns:
        return [], ()
    return [tuple(plain(cell) for cell in row) for row in zip(*columns, strict=True)], names


def _of_series(series: Any) -> tuple[list[tuple[Any, ...]], tuple[str, ...]]:
    levels = _index_levels(series.index)
    name = "answer" if series.name is None else str(series.name)
    columns = [*(values for _, values in levels), series.tolist()]
    return [tuple(plain(cell) for cell in row) for row in zip(*columns, strict=True)], (*(n for n, _ in levels), name)


def _of_array(array: Any) -> tuple[list[tuple[Any, ...]], tuple[str, ...]]:
    if array.ndim > 2:
        raise NoCanonicalRows(f"an array of {array.ndim} dimensions has no rows")
    if array.ndim == 0:
        return [(plain(array[()]),)], ("answer",)
    return _of_sequence(list(array))


def _of_mapping(value: Mapping[Any, Any]) -> tuple[list[tuple[Any, ...]], tuple[str, ...]]:
    lists = [isinstance(item, (list, tuple)) for item in value.values()]
    if any(lists):
        lengths = {len(item) for item in value.values() if isinstance(item, (list, tuple))}
        if not all(lists) or len(lengths) > 1:
            raise NoCanonicalRows("a dict of lists is a table only where all its lists are equally long")
        rows = [tuple(plain(cell) for cell in row) for row in zip(*value.values(), strict=True)]
        return rows, tuple(str(key) for key in value)
    return [(plain(key), *_cells(item)) for key, item in value.items()], ("key", "value")


def _of_sequence(items: list[Any]) -> tuple[list[tuple[Any, ...]], tuple[str, ...]]:
    if items and all(isinstance(item, Mapping) for item in items):
        keys = list(dict.fromkeys(key for item in items for key in item))
        return [tuple(plain(item.get(key)) for key in keys) for item in items], tuple(str(key) for key in keys)
    rows = [_cells(item) for item in items]
    width = max((len(row) for row in rows), default=0)
    return rows, _positions(width) if width else ()


def _cells(item: Any) -> tuple[Any, ...]:
    import numpy as np

    if isinstance(item, (list, tuple)) or (isinstance(item, np.ndarray) and item.ndim == 1):
        return tuple(plain(cell) for cell in item)
    return (plain(item),)


def json_value(value: Any) -> Any:
    """A plain value, or a dataclass of these, as JSON holds it: dates in ISO form, decimals as text, bytes in hex."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if type(value) in (list, tuple):
        return [json_value(item) for item in value]
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, (decimal.Decimal, datetime.timedelta)):
        return str(value)
    if isinstance(value, bytes):
        return value.hex()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {each.name: json_value(getattr(value, each.name)) for each in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): json_value(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, Set)):
        return [json_value(item) for item in value]
    return json_value(plain(value))


def vote_key(rows: Iterable[Sequence[Any]]) -> tuple[tuple[tuple[str, str], ...], ...]:
    """What two answers share that say the same: the order of rows and of cells in a row does not count.

    Numbers compare by value (9 significant digits), texts without the space around them.

    >>> vote_key([("b", 1.0), ("a", 2)]) == vote_key([(2, "a "), (1, "b")])
    True
    """
    return tuple(sorted(tuple(sorted(map(_vote_cell, row))) for row in rows))


def _vote_cell(cell: Any) -> tuple[str, str]:
    if cell is None:
        return ("", "")
    if isinstance(cell, (int, float, decimal.Decimal)) and not isinstance(cell, bool):
        if -(2**53) < cell < 2**53:
            return ("number", f"{cell:.9g}")
        return ("number", hex(cell) if isinstance(cell, int) and cell.bit_length() > LONG_BITS else str(cell))
    return (type(cell).__name__, str(cell).strip())
