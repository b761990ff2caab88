"""Rows as JSON that loses nothing a scorer looks at: dates, decimals, bytes and odd floats keep their type."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from boxkit.canonical import LONG_BITS, json_value

__all__ = ["decoded", "encoded"]

_DECODERS: Mapping[str, Callable[[Any], Any]] = {
    "$float": float,
    "$decimal": Decimal,
    "$datetime": datetime.datetime.fromisoformat,
    "$date": datetime.date.fromisoformat,
    "$time": datetime.time.fromisoformat,
    "$seconds": lambda seconds: datetime.timedelta(seconds=seconds),  # as older runs have it
    "$microseconds": lambda count: datetime.timedelta(microseconds=count),
    "$bytes": bytes.fromhex,
    "$int": lambda digits: int(digits, 16),
    "$object": lambda items: {key: _decoded(item) for key, item in items.items()},
}


def encoded(rows: Iterable[Sequence[Any]]) -> list[list[Any]]:
    """Rows as JSON values.

    >>> encoded([(1, 2.5, datetime.date(2020, 1, 2), b"a")])
    [[1, 2.5, {'$date': '2020-01-02'}, {'$bytes': '61'}]]
    """
    return [[_encoded(cell) for cell in row] for row in rows]


def decoded(rows: Iterable[Sequence[Any]]) -> list[tuple[Any, ...]]:
    """The rows that `encoded` made.

    >>> decoded([[1, {"$decimal": "1.50"}, {"$float": "nan"}]])
    [(1, Decimal('1.50'), nan)]
    """
    return [tuple(_decoded(cell) for cell in row) for row in rows]


def _encoded(cell: Any) -> Any:
    if cell is None or isinstance(cell, (str, bool)):
        return cell
    if isinstance(cell, int):
        return cell if cell.bit_length() <= LONG_BITS else {"$int": hex(cell)}
    if isinstance(cell, float):
        return cell if math.isfinite(cell) else {"$float": str(cell)}
    if isinstance(cell, Decimal):
        return {"$decimal": str(cell)}
    if isinstance(cell, datetime.datetime):
        return {"$datetime": cell.isoformat()}
    if isinstance(cell, datetime.date):
        return {"$date": cell.isoformat()}
    if isinstance(cell, datetime.time):
        return {"$time": cell.isoformat()}
    if isinstance(cell, datetime.timedelta):
        return {"$microseconds": cell // datetime.timedelta(microseconds=1)}
    if isinstance(cell, bytes):
        return {"$bytes": cell.hex()}
    if isinstance(cell, (list, tuple)):
        return [_encoded(each) for each in cell]
    if isinstance(cell, Mapping):
        return {"$object": {str(key): _encoded(item) for key, item in cell.items()}}
    return json_value(cell)


def _decoded(cell: Any) -> Any:
    if isinstance(cell, list):
        return [_decoded(each) for each in cell]
    if isinstance(cell, dict) and len(cell) == 1:
        ((kind, value),) = cell.items()
        return _DECODERS[kind](value) if kind in _DECODERS else cell
    return cell
