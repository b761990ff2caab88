"""Large, regular CSV files through Arrow: the same columns as the careful way, without a Python object a cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from boxkit.box import Note
from boxkit.converters.cells import typed
from boxkit.converters.columns import column
from boxkit.converters.dialect import Dialect, parse, sniff
from boxkit.converters.header import has_header, header_row, header_span
from boxkit.converters.source import SourceFile

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

__all__ = ["read_columns"]

_INTEGER = r"^-?(0|[1-9][0-9]*)$"
_NUMBER = r"^-?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"
#: A number no longer than this has no more digits than a float holds.
_EXACT_CHARS = 15
#: Distinct texts up to which a column is worth looking at one by one.
_FEW = 3


def read_columns(
    source: SourceFile, dialect: Dialect | None, box: str, notes: list[Note]
) -> tuple[Sequence[str], list[pd.Series[Any]], int] | None:
    """Names, columns and the number of rows; None where the file is not UTF-8, ragged, or has titles above its header.

    Args:
        source: The file.
        dialect: How it is split; found where None.
        box: For notes.
        notes: Added to.
    """
    head = source.head.decode("utf-8-sig", "ignore")
    sample = head[: head.rfind("\n") + 1]
    dialect = dialect or sniff(sample)
    if dialect.backslash or dialect.spaced or source.head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return None
    rows = parse(sample, dialect)
    plain = rows and header_row(rows) == 0 and has_header(rows, 0) and header_span(rows, 0) == (0, 1)
    if not plain or any("\n" in cell or "\r" in cell for cell in rows[0]) or "\r" in sample.replace("\r\n", ""):
        return None
    table = _table(source, dialect, len(rows[0]))
    if table is None or _may_be_open(table):
        return None
    found: list[Note] = []
    names = rows[0]
    columns = [_column(table.column(at)) for at in range(len(names))]
    for at, each in enumerate(columns):
        if each is None:
            columns[at] = typed(table.column(at).to_pylist(), box, names[at] or f"column_{at + 1}", found)
    notes += found
    return names, [each for each in columns if each is not None], table.num_rows


def _table(source: SourceFile, dialect: Dialect, width: int) -> pa.Table | None:
    import pyarrow as pa
    from pyarrow import csv

    labels = [f"c{at}" for at in range(width)]
    try:
        table = csv.read_csv(
            source.path,
            csv.ReadOptions(column_names=labels, skip_rows=1, block_size=8_000_000),
            csv.ParseOptions(delimiter=dialect.delimiter, newlines_in_values=True),
            csv.ConvertOptions(
                column_types=dict.fromkeys(labels, pa.string()), strings_can_be_null=True, null_values=[""]
            ),
        )
    except (pa.ArrowInvalid, OSError):
        return None
    # A row of nothing is a blank line, which the careful way notes and leaves out.
    return None if _has_blank_row(table) else table


def _may_be_open(table: pa.Table) -> bool:
    """Whether the last cells hold line breaks, as they do where a quote is never closed."""
    last = table.slice(max(table.num_rows - 1, 0)).to_pylist()
    return any("\n" in cell for row in last for cell in row.values() if cell)


def _has_blank_row(table: pa.Table) -> bool:
    import pyarrow.compute as pc

    blank = None
    for each in table.columns:
        if not each.null_count:
            return False
        missing = pc.is_null(each)
        blank = missing if blank is None else pc.and_(blank, missing)
    return bool(pc.any(blank).as_py()) if blank is not None else True


def _column(array: pa.ChunkedArray) -> pd.Series[Any] | None:
    """The column, typed as the careful way would; None where only that can tell."""
    import pandas as pd
    import pyarrow as pa
    import pyarrow.compute as pc

    if array.null_count == len(array):
        return column([None] * len(array), "text")
    numeric = pc.match_substring_regex(array, _NUMBER)
    if not pc.any(numeric).as_py():
        known = pc.unique(array.slice(0, 1000))
        if len(known) <= _FEW or pc.any(pc.match_substring_regex(array, r"^\s|\s$")).as_py():
            return None
        return array.cast(pa.large_string()).to_pandas()  # type: ignore[no-any-return]
    if not pc.all(numeric).as_py():
        return None
    try:
        if pc.all(pc.match_substring_regex(array, _INTEGER)).as_py():
            whole = array.cast(pa.int64())
            return pd.Series(whole.to_pandas(types_mapper=lambda _: pd.Int64Dtype() if whole.null_count else None))
        if (
            pc.max(pc.utf8_length(array)).as_py() > _EXACT_CHARS
            or pc.any(pc.match_substring(array, "e", ignore_case=True)).as_py()
        ):
            return None
        return pd.Series(array.cast(pa.float64()).to_pandas())
    except pa.ArrowInvalid:
        return None
