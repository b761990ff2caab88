"""Columns of Python values as they grow: in typed memory rather than an object a cell, while one type holds all."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any

import numpy as np

from boxkit.converters.columns import all_exact, column, text_dtype
from boxkit.converters.filling import Filling

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["GrowingColumn"]

#: Texts of which one copy is kept, where texts are Python's own.
_KNOWN_TEXTS = 20_000


class GrowingColumn:
    """Values as they come, block by block; in the end the column that `column` makes of all of them.

    Integers, floats, truth values and texts lie in memory of their type. When a value comes that it cannot hold, all
    become Python values again, as they came.
    """

    def __init__(self) -> None:
        self.length = 0
        #: The type of what is there: bool, int, float (integers among them), str, or object; None without any value.
        self._kind: type | None = None
        self._memory: Any = None
        #: A byte a row, 1 where the value is missing; None where none is.
        self._missing: bytearray | None = None
        #: A byte a row, 1 where a float came as an integer; None where none did.
        self._whole: bytearray | None = None
        self._texts: dict[str, str] = {}

    def pad(self, length: int) -> None:
        """Add missing values up to so many rows."""
        if length > self.length:
            self._nothing(length - self.length)

    def put(self, values: list[Any]) -> None:
        """Add values; None is missing."""
        kinds = set(map(type, values))
        has_missing = type(None) in kinds
        kinds.discard(type(None))
        if not kinds:
            self.pad(self.length + len(values))
            return
        wanted = _kind(kinds) if self._kind is not object else object
        if self._kind is None:
            self._begin(wanted)
        elif wanted is not self._kind:
            self._change(wanted)
        if self._kind is not object:
            missing = [value is None for value in values] if has_missing else None
            if self._add(values, kinds, missing):
                self.length += len(values)
                return
            self._to_objects()
        self._memory += map(self._one_copy, values)
        self.length += len(values)

    def _begin(self, kind: type) -> None:
        count, self.length, self._kind = self.length, 0, kind
        if kind is str:
            self._memory = Filling(0)
        else:
            self._memory = {int: array("q"), float: array("d"), bool: bytearray()}.get(kind, [])
        if count:
            self._nothing(count)

    def _change(self, wanted: type) -> None:
        if self._kind is int and wanted is float and all_exact(self._ends()):
            self._memory, self._kind = array("d", self._memory), float
            self._whole = bytearray(b"\x01") * self.length
        elif not (self._kind is float and wanted is int):
            self._to_objects()

    def _ends(self) -> tuple[int, int]:
        values = np.frombuffer(self._memory, dtype=np.int64)
        return int(values.min()), int(values.max())

    def _add(self, values: list[Any], kinds: set[type], missing: list[bool] | None) -> bool:
        """Add values of the type that is held; whether it holds them."""
        if self._kind is str:
            return self._add_texts(values)
        if self._kind is float and int in kinds and not all_exact(values):
            return False
        present = values if missing is None else [0 if value is None else value for value in values]
        try:
            self._memory.extend(present)
        except OverflowError:
            del self._memory[self.length :]
            return False
        if missing is not None and self._missing is None:
            self._missing = bytearray(self.length)
        if self._missing is not None:
            self._missing += bytes(missing if missing is not None else len(values))
        if self._kind is float and int in kinds and self._whole is None:
            self._whole = bytearray(self.length)
        if self._whole is not None:
            self._whole += bytes([type(value) is int for value in values])
        return True

    def _add_texts(self, values: list[Any]) -> bool:
        import pyarrow as pa

        try:
            self._memory.texts(pa.array(values, pa.large_string()))
        except (pa.ArrowInvalid, UnicodeEncodeError):
            return False
        return True

    def _nothing(self, count: int) -> None:
        if self._kind is str:
            self._memory.nothing(count)
        elif self._kind is object:
            self._memory.extend([None] * count)
        elif self._kind is not None:
            self._memory.extend(bytes(count))
            self._missing = bytearray(self.length) if self._missing is None else self._missing
            self._missing += b"\x01" * count
            if self._whole is not None:
                self._whole += bytes(count)
        self.length += count

    def _to_objects(self) -> None:
        self._memory, self._kind = self.values(), object
        self._missing = self._whole = None

    def _one_copy(self, value: Any) -> Any:
        if type(value) is not str:
            return value
        if len(self._texts) < _KNOWN_TEXTS:
            return self._texts.setdefault(value, value)
        return self._texts.get(value, value)

    @property
    def is_typed(self) -> bool:
        """Whether one type holds all that came."""
        return self._kind is not object

    def values(self) -> list[Any]:
        """The values as they came, None where one is missing; this is emptied."""
        memory, self._memory = self._memory, None
        if self._kind is None:
            return [None] * self.length
        if self._kind is str:
            texts = memory.series("text").astype(object)
            return texts.where(texts.notna(), None).tolist()  # type: ignore[no-any-return]  # the memory's class depends on the kind
        found = list(map(bool, memory)) if self._kind is bool else list(memory)
        if self._whole is not None:
            found = [int(value) if whole else value for value, whole in zip(found, self._whole, strict=True)]
        if self._missing is not None:
            found = [None if missing else value for value, missing in zip(found, self._missing, strict=True)]
        return found

    def series(self) -> pd.Series[Any]:
        """The column; this is emptied."""
        import pandas as pd

        if self._kind in (None, object):
            return column(self.values())
        memory, self._memory = self._memory, None
        if self._kind is str:
            return memory.series("text")  # type: ignore[no-any-return]  # the memory's class depends on the kind
        values: Any = np.frombuffer(memory, dtype={int: np.int64, float: np.float64, bool: np.bool_}[self._kind])
        if self._missing is not None:
            missing = np.frombuffer(self._missing, dtype=np.bool_)
            if self._kind is float:
                values[missing] = np.nan
            else:
                held = pd.arrays.IntegerArray if self._kind is int else pd.arrays.BooleanArray
                values = held(values, missing)
        return pd.Series(values, copy=False)


def _kind(kinds: set[type]) -> type:
    if kinds in ({bool}, {int}):
        return next(iter(kinds))
    if kinds <= {int, float}:
        return float
    # Where pandas keeps Python's texts, these are held as they came.
    return str if kinds == {str} and text_dtype() is not np.dtype(object) else object
