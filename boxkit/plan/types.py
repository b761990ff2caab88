"""What is known of a column before any code runs: its kind of value, whether any can be missing, where it is from."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["BOOLEAN", "INTEGER", "NUMBER", "TEXT", "Kind", "Type", "type_of_constant", "type_of_series", "union_of"]

#: ``mixed`` columns hold numbers and texts; ``null`` ones nothing at all; ``other`` what no operation here knows.
Kind = Literal["integer", "number", "text", "boolean", "datetime", "mixed", "null", "other"]


@dataclass(frozen=True, slots=True)
class Type:
    """The type of a column or of a value.

    Attributes:
        kind: What sort of value.
        nullable: Whether one can be missing.
        affinity: The type that its source declares (SQLite's: ``integer``, ``real``, ``numeric``, ``text``, ``blob``);
            empty for computed values.
        values: A series that holds every value the column can have (more are no harm), where there is one.
        sign: What is known of a number without looking at values (a count is not negative).
        some_whole: Whether the whole ones among decimal numbers are integers to the source (SQLite's NUMERIC).
        widened: Whether a join may have made decimals of whole numbers, as pandas does where one is missing.
    """

    kind: Kind
    nullable: bool = True
    affinity: str = ""
    values: pd.Series[Any] | None = field(default=None, compare=False, repr=False)
    sign: Literal["", "positive", "not negative"] = ""
    some_whole: bool = False
    widened: bool = False

    @property
    def is_number(self) -> bool:
        """Whether arithmetic works on it as it stands."""
        return self.kind in ("integer", "number", "boolean")

    @property
    def never_negative(self) -> bool:
        """Whether none is below zero, as far as is known."""
        return self.sign != "" or self._holds("never_negative")

    @property
    def never_zero(self) -> bool:
        """Whether none is zero, as far as is known."""
        return self.sign == "positive" or self._holds("never_zero")

    def _holds(self, fact: str) -> bool:
        if self.values is None or not self.is_number:
            return False
        known = self.values.dropna()
        return bool((known >= 0).all() if fact == "never_negative" else (known != 0).all())

    def missing_too(self, also: bool = True) -> Type:
        """The same where values can be missing besides (an outer join's other side)."""
        widened = self.widened or self.kind == "integer"
        return replace(self, nullable=True, widened=widened) if also else self

    def computed(self) -> Type:
        """The same without what holds for a stored column only."""
        return replace(self, affinity="")


INTEGER = Type("integer", nullable=False)
NUMBER = Type("number", nullable=False)
TEXT = Type("text", nullable=False)
BOOLEAN = Type("boolean", nullable=False)

#: Up to so many values are held together for the union of columns.
_FEW_VALUES = 100_000


def type_of_constant(value: object) -> Type:
    """The type of one Python value."""
    known: Type = _type_of_constant(type(value), value)  # type: ignore[arg-type]  # a type is hashable; typeshed's cache does not know that of object's
    return known


@functools.lru_cache(maxsize=1024)
def _type_of_constant(_: type, value: Any) -> Type:
    import datetime

    import pandas as pd

    if value is None:
        return Type("null")
    kind: Kind = "other"
    if isinstance(value, bool):
        kind = "boolean"
    elif isinstance(value, int):
        kind = "integer"
    elif isinstance(value, float):
        kind = "number"
    elif isinstance(value, str):
        kind = "text"
    elif isinstance(value, datetime.date):
        kind = "datetime"
    known = pd.Series([value]) if kind in ("integer", "number", "text") else None
    return Type(kind, nullable=False, values=known)


def union_of(types: Iterable[Type]) -> Type:
    """The type of a column that takes its values from several."""
    given = list(types)
    kinds = {each.kind for each in given} - {"null"}
    nullable = any(each.nullable for each in given)
    if kinds == {"text"}:
        return Type("text", nullable, values=_all_values(given))
    if len(kinds) == 1:
        some_whole = any(each.some_whole for each in given)
        return Type(kinds.pop(), nullable, some_whole=some_whole, widened=any(each.widened for each in given))
    if not kinds:
        return Type("null")
    if kinds <= {"integer", "boolean"}:
        return Type("integer", nullable, widened=any(each.widened for each in given))
    if kinds <= {"integer", "number", "boolean"}:
        return Type("number", nullable, some_whole=True)
    return Type("mixed" if kinds <= {"integer", "number", "boolean", "text", "mixed"} else "other", nullable)


def _all_values(types: list[Type]) -> pd.Series[Any] | None:
    """The values of several columns together, where all are known and not too many."""
    import pandas as pd

    if any(each.values is None for each in types if each.kind != "null"):
        return None
    known = [each.values.dropna().drop_duplicates() for each in types if each.values is not None]
    known = [each for each in known if len(each)]
    if not known or sum(map(len, known)) > _FEW_VALUES:
        return None
    return pd.concat(known, ignore_index=True)


def type_of_series(series: pd.Series[Any], affinity: str = "") -> Type:
    """The type of a box's column, from its dtype and, for object columns, from its values."""
    kind = _kind_of(series)
    # A real number that is whole is stored as an integer where the affinity is a number's other than REAL.
    may_mix = kind == "number" and affinity in ("numeric", "integer", "blob")
    some_whole = may_mix and bool((series.dropna() % 1 == 0).any())
    return Type(kind, bool(series.isna().any()), affinity, series, some_whole=some_whole)


def _kind_of(series: pd.Series[Any]) -> Kind:
    import pandas as pd

    types = pd.api.types
    if types.is_bool_dtype(series.dtype):
        return "boolean"
    if types.is_integer_dtype(series.dtype):
        return "integer"
    if types.is_float_dtype(series.dtype):
        return "number" if len(series) == 0 or not bool(series.isna().all()) else "null"
    if types.is_datetime64_any_dtype(series.dtype):
        return "datetime"
    return _kind_of_objects(pd.api.types.infer_dtype(series, skipna=True))


@functools.cache
def _kind_of_objects(inferred: str) -> Kind:
    kinds: dict[str, Kind] = {
        "string": "text",
        "empty": "null",
        "integer": "integer",
        "floating": "number",
        "boolean": "boolean",
        "mixed-integer-float": "number",
        "mixed": "mixed",
        "mixed-integer": "mixed",
        "datetime": "datetime",
    }
    return kinds.get(inferred, "other")
