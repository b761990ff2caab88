"""Lists of Python values become columns that hold exactly these values, and types are put in words."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "DATE_SHAPES",
    "EXACT_IN_FLOAT",
    "SAMPLE_VALUES",
    "SHAPES",
    "all_exact",
    "column",
    "frame_of",
    "python_values",
    "text_dtype",
    "text_shape",
    "type_in_words",
    "without_values",
    "words_for_values",
]

#: How many values of a column are looked at to say what its texts are.
SAMPLE_VALUES = 200

#: Rows looked at at once for these.
_LOOKED_AT = 1_000

#: Floats hold every integer up to this one.
EXACT_IN_FLOAT = 2**53

#: What texts can be, by name.
SHAPES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("ISO date", re.compile(r"\d{4}-\d{2}-\d{2}")),
    ("ISO datetime", re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?")),
    ("time", re.compile(r"\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?")),
    ("date like 12/31/99", re.compile(r"\d{1,2}[/.]\d{1,2}[/.](\d{4}|\d{2})")),
    ("date like 31-Dec-99", re.compile(r"\d{1,2}[- ][A-Za-z]{3,9}[- ](\d{4}|\d{2})")),
)

#: Those of the shapes that name a day.
DATE_SHAPES = frozenset(name for name, _ in SHAPES if "date" in name)


def column(values: Sequence[Any], hint: str = "") -> pd.Series[Any]:
    """A column that holds exactly ``values``; None is missing.

    Integers stay integers (``Int64`` where some are missing); integers and floats together become floats where no
    value moves; text is the installed pandas' default text. Anything else, mixtures and integers past 64 bits
    included, stays a column of Python objects.

    Args:
        values: One Python value a row.
        hint: The type to give a column without any value: ``"integer"``, ``"number"``, ``"text"``; else objects.
    """
    import numpy as np
    import pandas as pd

    kinds = set(map(type, values))
    kinds.discard(type(None))
    missing = bool(kinds & {int, bool}) and None in values
    try:
        if not kinds:
            return without_values(len(values), hint)
        if kinds == {str}:
            texts: pd.Series[Any] = pd.Series(values, dtype=text_dtype())
            return texts
        if kinds == {bool}:
            return pd.Series(values, dtype="boolean" if missing else "bool")
        if kinds == {int}:
            if missing:
                return pd.Series(_nullable_integers(values), copy=False)
            return pd.Series(np.array(values, dtype="int64"), copy=False)
        if kinds == {float} or (kinds == {int, float} and all_exact(values)):
            return pd.Series(np.array(values, dtype="float64"), copy=False)
        if kinds == {datetime.datetime} and not any(value is not None and value.tzinfo for value in values):
            return pd.Series(np.array(values, dtype="datetime64[us]"))
        if kinds == {datetime.timedelta}:
            return pd.Series(np.array(values, dtype="timedelta64[us]"))
    except (OverflowError, UnicodeEncodeError):
        pass
    objects = np.empty(len(values), dtype=object)
    objects[:] = values
    return pd.Series(objects, dtype=object, copy=False)


def without_values(length: int, hint: str) -> pd.Series[Any]:
    """A column of missing values, of the type that ``hint`` says in words."""
    import pandas as pd

    dtypes: dict[str, Any] = {"integer": "Int64", "number": "float64", "text": text_dtype(), "boolean": "boolean"}
    kind = hint.split(",")[0]
    if kind == "datetime":
        return pd.Series([None] * length, dtype="datetime64[us]")
    return pd.Series([None] * length, dtype=dtypes.get(kind, object))


def text_dtype() -> Any:
    """What the installed pandas makes of a list of texts: object before 3, str from 3 on."""
    import pandas as pd

    is_chosen = pd.get_option("future.infer_string") if pd.__version__ < "3" else None
    return _text_dtype(is_chosen, pd.get_option("mode.string_storage"))


@cache
def _text_dtype(*_: Any) -> Any:
    """As `text_dtype`, for one setting of pandas' options."""
    import pandas as pd

    return pd.Series(["a"]).dtype


def python_values(series: pd.Series[Any]) -> list[Any]:
    """The values of a column as Python has them, None where one is missing."""
    import pandas as pd

    if isinstance(series.dtype, pd.StringDtype):
        held: Any = series.array
        texts: list[Any] = held.__arrow_array__().to_pylist()
        return texts
    missing, found = series.array.isna(), series.tolist()
    return [None if gone else value for value, gone in zip(found, missing, strict=True)] if missing.any() else found


def _nullable_integers(values: Sequence[Any]) -> Any:
    import numpy as np
    import pandas as pd

    objects = np.array(values, dtype=object)
    mask = pd.isna(objects)
    objects[mask] = 0
    return pd.arrays.IntegerArray(objects.astype("int64"), mask)


def all_exact(values: Iterable[Any]) -> bool:
    """Whether a float holds each integer among the values."""
    return all(type(value) is not int or -EXACT_IN_FLOAT <= value <= EXACT_IN_FLOAT for value in values)


def frame_of(columns: Sequence[pd.Series[Any]], labels: Sequence[str], length: int) -> pd.DataFrame:
    """A frame of these columns under these labels; ``length`` rows even where there is no column."""
    import pandas as pd

    are_told_apart = bool(len(labels)) and len(set(labels)) == len(labels)
    # Arrays, for the indexes of series would be compared.
    arrays = dict(zip(labels if are_told_apart else range(len(labels)), (each.array for each in columns), strict=True))
    frame = pd.DataFrame(arrays, index=pd.RangeIndex(length), copy=False)
    if not are_told_apart:
        frame.columns = pd.Index(list(labels), dtype=None if len(labels) else object)
    return frame


def text_shape(values: Iterable[str]) -> str:
    """What these texts are, where all are alike: ``"ISO date"``, ``"time"``…; empty where they are just text."""
    sample = [value.strip() for value in islice((value for value in values if value), SAMPLE_VALUES)]
    if not sample:
        return ""
    for name, pattern in SHAPES:
        if all(map(pattern.fullmatch, sample)):
            return name
    return ""


def words_for_values(values: Iterable[Any]) -> str:
    """The type of these values in words; empty where all are None.

    >>> words_for_values([1, None]), words_for_values(["2024-01-31"]), words_for_values([1, "x"])
    ('integer', 'text, ISO date', 'mixed')
    """
    present = [value for value in values if value is not None]
    kinds = set(map(type, present))
    if not kinds:
        return ""
    if kinds == {str}:
        shape = text_shape(present)
        return f"text, {shape}" if shape else "text"
    names = {bool: "boolean", int: "integer", float: "number", bytes: "bytes", datetime.datetime: "datetime"}
    if len(kinds) == 1:
        kind = kinds.pop()
        return names.get(kind, kind.__name__.lower())
    return "number" if kinds == {int, float} else "mixed"


def type_in_words(series: pd.Series[Any]) -> str:
    """A column's type in words, its texts' shape included."""
    import pandas as pd

    dtype = series.dtype
    if pd.api.types.is_bool_dtype(dtype) and not pd.api.types.is_object_dtype(dtype):
        return "boolean"
    if pd.api.types.is_integer_dtype(dtype):
        return "integer"
    if pd.api.types.is_numeric_dtype(dtype):
        return "decimal" if str(dtype).startswith("decimal") else "number"
    if isinstance(dtype, pd.DatetimeTZDtype):
        return f"datetime, {dtype.tz}"
    if pd.api.types.is_datetime64_dtype(dtype):
        return "datetime"
    if pd.api.types.is_timedelta64_dtype(dtype):
        return "duration"
    if pd.api.types.is_object_dtype(dtype):
        return words_for_values(python_values(series))
    return words_for_values(_first_values(series)) or "text"


def _first_values(series: pd.Series[Any]) -> list[Any]:
    """The first values that are there; found without a copy of a long column."""
    found: list[Any] = []
    for start in range(0, len(series), _LOOKED_AT):
        found += [value for value in python_values(series.iloc[start : start + _LOOKED_AT]) if value is not None]
        if len(found) >= SAMPLE_VALUES:
            break
    return found[:SAMPLE_VALUES]
