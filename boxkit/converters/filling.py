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

#: Texts of smaller batches are joined until there are so many.
_JOINED_ROWS = 32_768


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
        self._expected = expected
        self._is_real = is_real
        self._length = 0
        self._values: _Numbers | _Texts | _Bytes | None = None

    def nothing(self, count: int) -> None:
        """Add missing values."""
        if self._values is not None:
            self._values.nothing(count)
        self._length += count

    def integers(self, values: Any, missing: Any = None) -> None:
        """Add an int64 array; values where ``missing`` says True do not count."""
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
        """Add an Arrow array of texts, or of bytes that may be some."""
        if self._begun(_Texts) and not self._of(_Texts).put(array):
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
            self._values = _Numbers(self._expected) if kind is _Numbers else kind()
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
    """Arrow's own memory where the installed pandas keeps texts so, Python's texts where not."""

    def __init__(self) -> None:
        import pandas as pd

        self.is_object = pd.api.types.is_object_dtype(text_dtype())
        self.chunks: list[Any] = []
        self.waiting: list[Any] = []
        self.waiting_rows = 0

    def nothing(self, count: int) -> None:
        import pyarrow as pa

        self._keep(pa.nulls(count, pa.large_string()))

    def put(self, array: pa.Array) -> bool:
        import pyarrow as pa

        try:
            if not pa.types.is_large_string(array.type):
                array = array.cast(pa.large_string())
            array.validate(full=True)
        except pa.ArrowInvalid:
            return False
        self._keep(array)
        return True

    def _keep(self, array: pa.Array) -> None:
        if self.is_object:
            self.chunks.append(array.to_pandas().to_numpy())
            return
        self.waiting.append(array)
        self.waiting_rows += len(array)
        # A driver's buffers are up to twice as large as what they hold; joined ones are not.
        if self.waiting_rows >= _JOINED_ROWS:
            self._join()

    def _join(self) -> None:
        import pyarrow as pa

        if self.waiting:
            self.chunks.append(pa.concat_arrays(self.waiting))
        self.waiting, self.waiting_rows = [], 0

    def series(self) -> pd.Series[Any]:
        import pandas as pd
        import pyarrow as pa

        if self.is_object:
            return pd.Series(np.concatenate(self.chunks), dtype=object, copy=False)
        self._join()
        made: pd.Series[Any] = pa.chunked_array(self.chunks, pa.large_string()).to_pandas()
        return made


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
