"""Columns as they grow, batch by batch, in memory that is their final place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from boxkit.converters.columns import EXACT_IN_FLOAT, text_dtype, without_values

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

__all__ = ["Filling"]

_FIRST_NOT_ASCII = 128
_MOST_EXPECTED_BYTES = 2**30
#: One part in so many is added to what is expected.
_SPARE = 8


class Filling:
    """A column of numbers, of texts or of bytes, whichever comes first.

    Args:
        expected: About how many rows will come; one more than these costs a little time.
        is_real: Whether whole numbers are floats here, however large.

    Attributes:
        is_exact: Whether it holds all that came. A column of several kinds, or of texts that are no UTF-8, does not.
    """

    def __init__(self, expected: int, is_real: bool = False) -> None:
        self.is_exact = True
        # Room that is not needed is never touched, and given back; memory in large pages is slow to grow.
        self._expected = expected + expected // _SPARE
        self._is_real = is_real
        self._length = 0
        self._text_kind: type[_Texts | _TextObjects] | None = None
        self._values: _Numbers | _Texts | _TextObjects | _Bytes | None = None

    def nothing(self, count: int) -> None:
        """Add missing values."""
        if self._values is not None:
            self._values.nothing(count)
        self._length += count

    def integers(self, values: Any, missing: Any = None) -> None:
        """Add an int64 array; values where ``missing`` says True do not count."""
        if self._is_real:
            # SQLite keeps whole numbers of a REAL column as integers to save space: they are floats all the same.
            self.floats(values.astype(np.float64) if missing is None else np.where(missing, np.nan, values))
            return
        if self._begun(_Numbers) and not self._of(_Numbers).integers(values, missing, self._is_real):
            self.is_exact = False
        self._length += len(values)

    def floats(self, values: Any, integers: Any = None) -> None:
        """Add a float64 array, missing values as NaN; ``integers`` are those among the values that were some."""
        if self._begun(_Numbers):
            fit = self._is_real or integers is None or _fit_floats(integers, None)
            self.is_exact = self._of(_Numbers).floats(values, self._is_real) and fit
        self._length += len(values)

    def texts(self, array: pa.Array) -> None:
        """Add an Arrow array of texts."""
        if self._text_kind is None:
            self._text_kind = _TextObjects if text_dtype() is np.dtype(object) else _Texts
        if self._begun(self._text_kind) and not self._of(self._text_kind).put(array):
            self.is_exact = False
        self._length += len(array)

    def blobs(self, values: Sequence[bytes | None]) -> None:
        """Add bytes."""
        if self._begun(_Bytes):
            self._of(_Bytes).put(values)
        self._length += len(values)

    def _begun(self, kind: type[Any]) -> bool:
        if not self.is_exact:
            return False
        if self._values is None:
            self._values = kind(self._expected) if kind in (_Numbers, _Texts) else kind()
            self._values.nothing(self._length)
        elif not isinstance(self._values, kind):
            self.is_exact, self._values = False, None
        return self.is_exact

    def _of(self, kind: type[Any]) -> Any:
        assert isinstance(self._values, kind)
        return self._values

    def series(self, hint: str) -> pd.Series[Any]:
        """The column; this is emptied.

        Args:
            hint: The type in words of a column without any value.
        """
        values, self._values = self._values, None
        return without_values(self._length, hint) if values is None else values.series()


class _Numbers:
    """Integers or floats, which take eight bytes both: integers become floats where they are, when one comes."""

    def __init__(self, expected: int) -> None:
        self.memory: Any = np.empty(expected, dtype=np.int64)
        self.is_float = False
        self.missing: Any = None
        self.length = 0

    @property
    def data(self) -> Any:
        return self.memory.view(np.float64) if self.is_float else self.memory

    def nothing(self, count: int) -> None:
        self._take(np.zeros(count, dtype=np.int64), np.ones(count, dtype=bool))

    def integers(self, values: Any, missing: Any, is_real: bool) -> bool:
        self._take(values, missing)
        return is_real or not self.is_float or _fit_floats(values, missing)

    def floats(self, values: Any, is_real: bool) -> bool:
        fit = self.is_float or self._to_floats(is_real)
        self._take(values, None)
        return fit

    def _to_floats(self, is_real: bool) -> bool:
        integers = self.memory[: self.length]
        missing = None if self.missing is None else self.missing[: self.length]
        fit = is_real or _fit_floats(integers, missing)
        self.is_float, self.missing = True, None
        self.data[: self.length] = integers
        if missing is not None:
            self.data[: self.length][missing] = np.nan
        return fit

    def _take(self, values: Any, missing: Any) -> None:
        start, end = self.length, self.length + len(values)
        if end > len(self.memory):
            self._resize(max(end, len(self.memory) + len(self.memory) // 8))
        self.data[start:end] = values
        self.length = end
        if missing is None or not missing.any():
            return
        if self.is_float:
            self.data[start:end][missing] = np.nan
            return
        if self.missing is None:
            self.missing = np.zeros(len(self.memory), dtype=bool)
        self.missing[start:end] = missing

    def _resize(self, rows: int) -> None:
        # New rows are zeros, which among the missing means that they are there.
        self.memory.resize(rows, refcheck=False)
        if self.missing is not None:
            self.missing.resize(rows, refcheck=False)

    def series(self) -> pd.Series[Any]:
        import pandas as pd

        self._resize(self.length)
        values = self.data if self.missing is None else pd.arrays.IntegerArray(self.data, self.missing)
        return pd.Series(values, copy=False)


def _fit_floats(values: Any, missing: Any) -> bool:
    present = values if missing is None else values[~missing]
    return not len(present) or bool(present.max() <= EXACT_IN_FLOAT and present.min() >= -EXACT_IN_FLOAT)


class _Texts:
    """One Arrow array, if the installed pandas keeps texts so; its buffers grow in place, which Arrow's own do not."""

    def __init__(self, expected: int) -> None:
        self.offsets: Any = np.empty(expected + 1, dtype=np.int64)
        self.offsets[0] = 0
        self.content: Any = np.empty(0, dtype=np.uint8)
        self.missing: Any = None
        self.length = 0

    def nothing(self, count: int) -> None:
        rows = self._more_rows(count)
        self.offsets[rows.start + 1 : rows.stop + 1] = self.offsets[rows.start]
        self._miss(rows, True)

    def put(self, array: pa.Array) -> bool:
        ends, content = _places(array)
        if not _is_utf8(array, content):
            return False
        rows = self._more_rows(len(array))
        size = int(self.offsets[rows.start])
        if not len(self.content):
            aim = (len(content) + len(content) // _SPARE) * len(self.offsets) // max(len(array), 1)
            self.content = np.empty(min(aim, _MOST_EXPECTED_BYTES), dtype=np.uint8)
        if size + len(content) > len(self.content):
            self.content.resize(max(size + len(content), len(self.content) * 9 // 8), refcheck=False)
        self.content[size : size + len(content)] = content
        np.add(ends, size, out=self.offsets[rows.start + 1 : rows.stop + 1])
        if array.null_count:
            self._miss(rows, array.is_null().to_numpy(zero_copy_only=False))
        return True

    def _more_rows(self, count: int) -> slice:
        start, self.length = self.length, self.length + count
        if self.length >= len(self.offsets):
            self._resize(max(self.length, len(self.offsets) * 9 // 8))
        return slice(start, self.length)

    def _miss(self, rows: slice, missing: Any) -> None:
        if self.missing is None:
            self.missing = np.zeros(len(self.offsets) - 1, dtype=bool)
        self.missing[rows] = missing

    def _resize(self, rows: int) -> None:
        self.offsets.resize(rows + 1, refcheck=False)
        if self.missing is not None:
            self.missing.resize(rows, refcheck=False)

    def series(self) -> pd.Series[Any]:
        import pyarrow as pa

        self._resize(self.length)
        self.content.resize(int(self.offsets[-1]), refcheck=False)
        valid = None if self.missing is None else pa.py_buffer(np.packbits(~self.missing, bitorder="little"))
        buffers = [valid, pa.py_buffer(self.offsets), pa.py_buffer(self.content)]
        made: pd.Series[Any] = pa.Array.from_buffers(pa.large_string(), self.length, buffers).to_pandas()
        return made


def _places(array: pa.Array) -> tuple[Any, Any]:
    """Where each text ends in the bytes of all, and these."""
    import pyarrow as pa

    _, offsets, content = array.buffers()
    width = np.int64 if pa.types.is_large_string(array.type) or pa.types.is_large_binary(array.type) else np.int32
    places = np.frombuffer(offsets, dtype=width)[array.offset : array.offset + len(array) + 1]
    all_bytes = np.frombuffer(content, dtype=np.uint8) if content is not None else np.empty(0, dtype=np.uint8)
    return places[1:] - places[0], all_bytes[places[0] : places[-1]]


def _is_utf8(array: pa.Array, content: Any) -> bool:
    import pyarrow as pa

    if content.max(initial=0) < _FIRST_NOT_ASCII:
        return True
    try:
        array.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


class _TextObjects:
    """Python's texts, where the installed pandas keeps these."""

    def __init__(self) -> None:
        self.chunks: list[Any] = []

    def nothing(self, count: int) -> None:
        self.chunks.append(np.full(count, None, dtype=object))

    def put(self, array: pa.Array) -> bool:
        if not _is_utf8(array, _places(array)[1]):
            return False
        self.chunks.append(array.to_pandas().to_numpy())
        return True

    def series(self) -> pd.Series[Any]:
        import pandas as pd

        return pd.Series(np.concatenate(self.chunks), dtype=object, copy=False)


class _Bytes:
    def __init__(self) -> None:
        self.chunks: list[Any] = []

    def nothing(self, count: int) -> None:
        self.chunks.append(np.full(count, None, dtype=object))

    def put(self, values: Sequence[bytes | None]) -> None:
        objects = np.empty(len(values), dtype=object)
        objects[:] = values
        self.chunks.append(objects)

    def series(self) -> pd.Series[Any]:
        import pandas as pd

        return pd.Series(np.concatenate(self.chunks), dtype=object, copy=False)
