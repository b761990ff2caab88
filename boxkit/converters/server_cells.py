"""Cells that a server's driver would change on their way: which are asked for as text, what is made of the rest."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from boxkit.box import Note
from boxkit.converters.catalogue import Column
from boxkit.converters.columns import column

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["notes_on_not_a_number", "plain_cell", "selected", "series_of", "type_in_words"]

#: PostgreSQL's documents keep their digits, and ranges their form, as the server writes them.
_AS_TEXT = re.compile(r"jsonb?|\w+range")
_WHOLE = re.compile(r"(numeric|decimal)\(\d+,0\)|bit\(\d+\)", re.IGNORECASE)


def type_in_words(kind: Any) -> str:
    """SQLAlchemy's type of a column in words."""
    name = type(kind).__name__.upper()
    if name == "DOMAIN":
        return type_in_words(kind.data_type)
    is_mysql = ".mysql" in type(kind).__module__
    if name in ("YEAR", "OID") or (is_mysql and name == "BIT"):
        return "integer"
    if is_mysql and name == "TIME":
        return "duration"
    try:
        python = kind.python_type
    except NotImplementedError:
        return ""
    words = {"int": "integer", "float": "number", "str": "text", "bool": "boolean", "bytes": "bytes"}
    words |= {"datetime": "datetime", "date": "date", "time": "time", "timedelta": "duration"}
    words |= dict.fromkeys(("list", "dict", "UUID", "set", "BitString"), "text")
    if python is Decimal:
        is_float = name in ("FLOAT", "DOUBLE", "REAL", "DOUBLE_PRECISION")
        return "number" if is_float else "integer" if getattr(kind, "scale", None) == 0 else "decimal"
    if python is datetime.datetime and getattr(kind, "timezone", False):
        return "datetime, UTC"
    if name.startswith("JSON"):
        return "text"
    return words.get(str(python.__name__), "")


def selected(each: Column, dialect: str, as_text: bool) -> Any:
    """What to select for a column: itself, or the server's own text of it.

    Args:
        each: The column.
        dialect: SQLAlchemy's name of the server's.
        as_text: Whether the driver cannot hold its values.
    """
    from sqlalchemy import Text, cast, func
    from sqlalchemy import column as sql_column

    own: Any = sql_column(each.name)
    if dialect == "postgresql" and each.declared.endswith("[]"):
        return cast(func.to_json(own), Text)
    if as_text or (dialect == "postgresql" and _AS_TEXT.fullmatch(each.declared)):
        return cast(own, Text)
    return own


def series_of(values: Sequence[Any], each: Column) -> pd.Series[Any]:
    """The column of a driver's values, which are changed in kind only where nothing of them is lost."""
    import pandas as pd

    cells = list(map(plain_cell, values))
    if _WHOLE.match(each.declared):
        cells = list(map(_whole, cells))
    zones = {cell.tzinfo is not None if type(cell) is datetime.datetime else None for cell in cells if cell is not None}
    if zones == {True}:
        try:
            moments = [None if cell is None else cell.astimezone(datetime.UTC).replace(tzinfo=None) for cell in cells]
        except OverflowError:
            return column(cells, each.type)
        return pd.Series(column(moments).dt.tz_localize("UTC"))
    return column(cells, each.type)


def _whole(value: Any) -> Any:
    if isinstance(value, bytes):
        return int.from_bytes(value)
    return int(value) if isinstance(value, Decimal) and value.is_finite() and value == int(value) else value


def notes_on_not_a_number(values: Sequence[Any], box: str, label: str) -> Iterator[Note]:
    """A note where cells are NaN, which is a value to SQL and missing to pandas."""
    odd = [at for at, value in enumerate(values) if isinstance(value, (float, Decimal)) and math.isnan(value)]
    if odd:
        cells = "1 cell is NaN" if len(odd) == 1 else f"{len(odd)} cells are NaN"
        message = f"{cells}, a value of its own to SQL; pandas takes it as missing, like NULL"
        yield Note("lint", message, box, label, odd[0])


def plain_cell(value: Any) -> Any:
    """A driver's value as Python's own: documents and arrays as JSON text, identifiers as text."""
    if isinstance(value, (list, dict, tuple, set)):
        import json

        return json.dumps(sorted(value) if isinstance(value, set) else value, ensure_ascii=False, default=str)
    if isinstance(value, memoryview):
        return bytes(value)
    return (
        str(value) if type(value).__module__ in ("uuid", "ipaddress") or "psycopg" in type(value).__module__ else value
    )
