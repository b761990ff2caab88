"""The values of a column: typed, in row order, with notes on those that are not what they claim to be."""

from __future__ import annotations

import decimal
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from boxkit.box import Note
from boxkit.converters.graph.literals import column_type, decode
from boxkit.converters.graph.store import Literal

if TYPE_CHECKING:
    import pandas as pd

    from boxkit.converters.graph.facts import Facts
    from boxkit.converters.graph.layout import Table

__all__ = ["Cells", "cells_of", "frame_of"]


@dataclass(slots=True)
class Cells:
    """A column's values.

    Attributes:
        values: Plain Python values in row order, None for missing.
        sort: What they are (`boxkit.converters.graph.literals`), ``"decimal"`` where floats would move a number,
            ``"id"``, or ``"empty"``.
        type: The same in words, for the field.
        odd: Row and claimed datatype of each value that is not written as it claims.
        wide: Rows of the numbers with more digits than a column of that sort usually holds.
        zoned: Rows of days, months and years whose time zone is left out, each with the value as written.
    """

    values: Sequence[Any]
    sort: str
    type: str
    odd: list[tuple[int, str]] = field(default_factory=list)
    wide: Sequence[int] = ()
    zoned: list[tuple[int, str]] = field(default_factory=list)

    @classmethod
    def ids(cls, values: Sequence[str | int | None]) -> Cells:
        """Ids of entities."""
        return cls(values, "id", "text, entity id")

    @classmethod
    def labels(cls, values: Sequence[str | None]) -> Cells:
        """Labels of entities."""
        return cls(values, "text", "text, label")


def cells_of(facts: Facts, numbers: Sequence[int]) -> Cells:
    """The values of terms, -1 for none: ids of nodes as text, literals by their types."""
    store, lexicon = facts.store, facts.lexicon
    values: list[Any] = []
    sorts: list[str] = []
    odd: list[tuple[int, str]] = []
    zoned: list[tuple[int, str]] = []
    for row, number in enumerate(numbers):
        term = store.terms[number] if number >= 0 else None
        if isinstance(term, Literal):
            found = decode(term)
            values.append(found.value)
            sorts.append(found.sort)
            if found.claimed:
                odd.append((row, found.claimed))
            elif found.sort in _UNZONED and _ZONE.search(term.text):
                zoned.append((row, term.text))
        else:
            values.append(None if term is None else lexicon.shown_id(number))
            sorts.append("" if term is None else "id")
    there = [sort for sort in sorts if sort]
    if not there:
        return Cells(values, "empty", "")
    if all(sort == "id" for sort in there):
        return Cells(values, "id", _id_type(facts, values, numbers))
    sort, words = column_type(["text" if each == "id" else each for each in there])
    if sort in ("dates", "text"):
        values = [_as_text(value, each) for value, each in zip(values, sorts, strict=True)]
    wide = [row for row, value in enumerate(values) if _is_wide(value, sort)]
    if sort == "number" and wide:
        return Cells([_exact(value) for value in values], "decimal", "decimal", odd, wide)
    return Cells(values, sort, words, odd, wide, zoned)


#: The sorts of date that stand without a time zone, and how one ends.
_UNZONED = frozenset({"date", "year", "year and month"})
_ZONE = re.compile(r"(?:Z|[+-]\d\d:\d\d)\s*$")


def _is_wide(value: Any, sort: str) -> bool:
    """Whether a number has more digits than a column of that sort usually holds."""
    if isinstance(value, int):
        bits = 53 if sort == "number" else 63
        return not -(2**bits) <= value < 2**bits
    return isinstance(value, decimal.Decimal)


def _exact(value: Any) -> decimal.Decimal | None:
    """A number with all its digits; what is none, is missing, as in a column of floats."""
    if value is None or value != value:
        return None
    return decimal.Decimal(repr(value)) if isinstance(value, float) else decimal.Decimal(value)


def _id_type(facts: Facts, values: Sequence[Any], numbers: Sequence[int]) -> str:
    is_known = any(number in facts.types for number in numbers)
    return "text, IRI" if not is_known and any(":" in str(value) for value in values) else "text, entity id"


def _as_text(value: Any, sort: str) -> Any:
    """A value as ISO text: years have four digits at least, those before the first a sign as well."""
    return f"{'-' if value < 0 else ''}{abs(value):04d}" if sort == "year" else value


def frame_of(table: Table, labels: Sequence[str]) -> tuple[pd.DataFrame, list[Note]]:
    """The table's frame, and a note a column on values that are not what they claim."""
    import pandas as pd

    columns = {label: _series(column.cells) for label, column in zip(labels, table.columns, strict=True)}
    notes = [
        _odd_note(table.name, label, column.cells)
        for label, column in zip(labels, table.columns, strict=True)
        if column.cells.odd
    ]
    notes.extend(
        _wide_note(table.name, label, column.cells)
        for label, column in zip(labels, table.columns, strict=True)
        if column.cells.wide
    )
    notes.extend(
        _zone_note(table.name, label, column.cells.zoned)
        for label, column in zip(labels, table.columns, strict=True)
        if column.cells.zoned
    )
    frame = pd.DataFrame(columns)
    if table.key == 2 and len(frame):
        frame = frame.drop_duplicates(ignore_index=True)
    return frame, notes


def _series(cells: Cells) -> pd.Series[Any]:
    import pandas as pd

    values = list(cells.values)
    if cells.sort == "id" and any(isinstance(value, int) for value in values):
        whole = all(value is None or (isinstance(value, int) and -(2**63) <= value < 2**63) for value in values)
        return pd.Series(values, dtype="Int64" if whole else object)
    if cells.sort in ("integer", "year"):
        if all(value is None or -(2**63) <= value < 2**63 for value in values):
            return pd.Series(values, dtype="Int64")
        return pd.Series(values, dtype=object)
    if cells.sort == "number":
        return pd.Series([None if value is None else float(value) for value in values], dtype="float64")
    if cells.sort == "boolean":
        return pd.Series(values, dtype="boolean")
    if cells.sort in ("decimal", "mixed", "empty"):
        return pd.Series(values, dtype=object)
    return pd.Series(values, dtype="str" if int(pd.__version__.split(".")[0]) >= 3 else object)


def _wide_note(box: str, label: str, cells: Cells) -> Note:
    """On numbers that need more room than a column of numbers has."""
    what, fix = "64 bits hold, and the column Python integers", None
    if cells.sort == "decimal":
        what, fix = "a float can hold, and the column Decimals", f'{box}["{label}"].astype(float)'
    elif cells.sort == "mixed":
        what = "a float can hold, and stay exact"
    many = f"{len(cells.wide)} numbers have" if len(cells.wide) > 1 else "a number has"
    row = cells.wide[0]
    return Note("cast", f"{many} more digits than {what}: {cells.values[row]}", box, label, row, fix)


def _zone_note(box: str, label: str, zoned: Sequence[tuple[int, str]]) -> Note:
    many = f"the time zones of {len(zoned)} values are" if len(zoned) > 1 else "the time zone of a value is"
    return Note("cast", f"{many} left out: {zoned[0][1]!r}", box, label, zoned[0][0])


def _odd_note(box: str, label: str, cells: Cells) -> Note:
    row, claimed = cells.odd[0]
    many = f"{len(cells.odd)} values claim" if len(cells.odd) > 1 else "a value claims"
    numeric = cells.sort == "mixed" and all(each in _NUMERIC for _, each in cells.odd)
    return Note(
        "cast",
        f"{many} to be {claimed} without being written so, and stays text: {cells.values[row]!r}",
        box,
        label,
        row,
        fix=f'pd.to_numeric({box}["{label}"], errors="coerce")' if numeric else None,
    )


_NUMERIC = frozenset("integer int long short byte decimal double float nonNegativeInteger positiveInteger".split())
