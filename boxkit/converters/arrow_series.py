"""Arrow columns become pandas columns that hold the same values; what pandas cannot hold becomes text, with a note."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from boxkit.box import Note
from boxkit.converters.columns import column
from boxkit.converters.filling import Filling

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FileColumn", "arrow_series", "json_text"]


@dataclass(frozen=True, slots=True)
class FileColumn:
    """A column that is still in its file.

    Attributes:
        type: Its Arrow type.
        length: The number of its rows.
        chunks: Reads its Arrow arrays, one after the other, from the first at each call.
    """

    type: Any
    length: int
    chunks: Callable[[], Iterable[Any]]

    def whole(self) -> Any:
        """All of it, as a chunked array."""
        import pyarrow as pa

        return pa.chunked_array(list(self.chunks()), self.type)


def arrow_series(array: Any, box: str, label: str, notes: list[Note]) -> pd.Series[Any]:
    """The column: integers and booleans with missing values stay what they are, nested values become JSON text.

    Args:
        array: A chunked array, or a `FileColumn`, which is read so that it is never held twice where that can be.
        box: For notes.
        label: For notes.
        notes: Added to.
    """
    import pyarrow as pa
    import pyarrow.compute

    if isinstance(array, FileColumn):
        series = _filled(array)
        if series is not None:
            return series
        array = array.whole()
    if pa.types.is_run_end_encoded(array.type):
        array = pa.chunked_array(map(pa.compute.run_end_decode, array.chunks), array.type.value_type)
    kind = array.type
    if pa.types.is_interval(kind):
        notes.append(Note("cast", "intervals of months, days and nanoseconds became text", box, label))
        return column([None if each is None else _span(each) for each in array.to_pylist()], "text")
    if pa.types.is_nested(kind) and not pa.types.is_union(kind):
        notes.append(Note("cast", "nested values became JSON text", box, label))
        return column([None if each is None else json_text(each) for each in _values(array)], "text")
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        # A reader's buffers are larger than what they hold, and stay as they are in a column made of them.
        filling = Filling(len(array))
        for chunk in array.chunks:
            filling.texts(chunk)
        if filling.is_exact:
            return filling.series("text")
    if pa.types.is_floating(kind) and array.null_count and pa.compute.any(pa.compute.is_nan(array)).as_py():
        message = "some cells are NaN, a value of its own to the source; pandas takes it as missing, like null"
        notes.append(Note("lint", message, box, label))
    mapped = _nullable(kind) if array.null_count else None
    try:
        if mapped is not None:
            return array.to_pandas(types_mapper=lambda _: mapped)  # type: ignore[no-any-return]  # pyarrow has no types
        return array.to_pandas()  # type: ignore[no-any-return]  # pyarrow has no types
    except (pa.ArrowException, ValueError, OverflowError):
        message = f"its values of type {kind} include some that pandas cannot hold; they became text"
        notes.append(Note("cast", message, box, label))
        return column(_texts(array), "text")


def _span(interval: Any) -> str:
    """Arrow's months, days and nanoseconds in words."""
    units = zip(("months", "days", "nanoseconds"), interval, strict=True)
    parts = [f"{amount} {unit}" for unit, amount in units if amount]
    return " ".join(parts) or "0 days"


def _filled(column: FileColumn) -> pd.Series[Any] | None:
    """The column, filled chunk by chunk; None where it is none of integers, floats or texts, or texts no UTF-8."""
    import pyarrow as pa

    tests = (pa.types.is_int64, pa.types.is_float64, pa.types.is_string, pa.types.is_large_string)
    if not column.length or not any(test(column.type) for test in tests):
        return None
    filling = Filling(column.length)
    for chunk in column.chunks():
        if pa.types.is_int64(column.type):
            missing = chunk.is_null().to_numpy(zero_copy_only=False) if chunk.null_count else None
            filling.integers((chunk.fill_null(0) if chunk.null_count else chunk).to_numpy(), missing)
        elif pa.types.is_float64(column.type):
            filling.floats(chunk.to_numpy(zero_copy_only=False))
        else:
            filling.texts(chunk)
        if not filling.is_exact:
            return None
        del chunk
        pa.default_memory_pool().release_unused()
    return filling.series("text")


def _nullable(kind: Any) -> Any:
    import pandas as pd
    import pyarrow as pa

    if pa.types.is_boolean(kind):
        return pd.BooleanDtype()
    if pa.types.is_integer(kind):
        return pd.api.types.pandas_dtype(str(kind).replace("uint", "UInt").replace("int", "Int"))
    return None


def _texts(array: Any) -> list[str | None]:
    import pyarrow as pa

    try:
        texts: list[str | None] = array.cast(pa.string()).to_pylist()
    except pa.ArrowException:
        return [None if each is None else str(each) for each in _values(array)]
    return texts


def _values(array: Any) -> list[Any]:
    """Python values; those that Python has no type for as text."""
    import pyarrow as pa

    try:
        values: list[Any] = array.to_pylist()
    except (pa.ArrowException, ValueError, OverflowError):
        return list(map(_value, array))
    return values


def _value(scalar: Any) -> Any:
    import pyarrow as pa

    if not scalar.is_valid:
        return None
    if pa.types.is_struct(scalar.type):
        return {key: _value(each) for key, each in scalar.items()}
    if isinstance(scalar, (pa.ListScalar, pa.LargeListScalar, pa.FixedSizeListScalar)):
        return list(map(_value, scalar.values))
    try:
        return scalar.as_py()
    except (pa.ArrowException, ValueError, OverflowError):
        return scalar.cast(pa.string()).as_py()


def json_text(value: Any) -> str:
    """A nested value as JSON text: integers exact, missing values and not-a-number ``null``, infinities as text."""
    return json.dumps(_plain(value), ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key if isinstance(key, str) else str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return list(map(_plain, value))
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value if value is None or isinstance(value, (str, int, float)) else _text(value)


def _text(value: Any) -> str | None:
    import pandas as pd

    return None if value is pd.NA or value is pd.NaT else str(value)
