"""SQLite columns through ADBC, many times faster than row by row, and only where that is exact.

ADBC takes a column's type from the first rows and bends what follows: a number in a column that begins with texts
becomes text, a BLOB too, and whole numbers become floats. So each column that could have been bent is checked by
SQLite itself, at the same time; those that were are left to the careful reader.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

__all__ = ["affinity", "read_columns"]

_BATCH_ROWS = 65_536
_MISMATCH = re.compile(r"Type mismatch in column (\d+)")
_EXACT_IN_FLOAT = 2**53


def affinity(declared: str) -> str:
    """The affinity that SQLite gives a column declared so (sqlite.org/datatype3.html, section 3.1)."""
    kind = declared.upper()
    if "INT" in kind:
        return "INTEGER"
    if any(word in kind for word in ("CHAR", "CLOB", "TEXT")):
        return "TEXT"
    if "BLOB" in kind or not kind:
        return "BLOB"
    return "REAL" if any(word in kind for word in ("REAL", "FLOA", "DOUB")) else "NUMERIC"


def read_columns(
    uri: str,
    columns: Sequence[str],
    affinities: Sequence[str],
    table: str,
    connect: Callable[[], AbstractContextManager[sqlite3.Connection]],
) -> dict[int, pd.Series[Any]] | None:
    """The columns, by position, that ADBC reads exactly; None where it cannot read at all.

    Args:
        uri: The database, read-only.
        columns: SQL for each column.
        affinities: Their affinities.
        table: SQL for what they are read from.
        connect: Opens a connection of the ordinary kind, for the checks.
    """
    try:
        from adbc_driver_sqlite import dbapi
    except ImportError:
        return None
    wanted = list(range(len(columns)))
    while wanted:
        try:
            with dbapi.connect(uri) as connection, connection.cursor() as cursor:
                cursor.adbc_statement.set_options(**{"adbc.sqlite.query.batch_rows": str(_BATCH_ROWS)})
                cursor.execute(f"SELECT {', '.join(columns[at] for at in wanted)} FROM {table}")
                reader = cursor.fetch_record_batch()
                with ThreadPoolExecutor(1, thread_name_prefix="boxkit") as pool:
                    questions = dict(
                        _questions(reader.schema, [columns[at] for at in wanted], [affinities[at] for at in wanted])
                    )
                    bent = pool.submit(_bent, questions, table, connect)
                    chunks = _chunks(reader)
                    left_out = bent.result()
        except (dbapi.Error, OSError) as error:
            mismatch = _MISMATCH.search(str(error))
            if mismatch is None:
                return None
            del wanted[int(mismatch.group(1))]
            continue
        return {at: series for at, series in zip(wanted, _series(chunks, left_out), strict=True) if series is not None}
    return {}


def _questions(schema: pa.Schema, columns: Sequence[str], affinities: Sequence[str]) -> Iterator[tuple[int, str]]:
    """What to ask SQLite of each column that ADBC may have bent."""
    import pyarrow as pa

    for at, (column, kind) in enumerate(zip(columns, affinities, strict=True)):
        type_ = schema.field(at).type
        if pa.types.is_floating(type_) and kind != "REAL":
            yield at, f"typeof({column}) = 'integer' AND abs({column}) > {_EXACT_IN_FLOAT}"
        elif pa.types.is_string(type_):
            test = "= 'blob'" if kind == "TEXT" else "NOT IN ('text', 'null')"
            yield at, f"typeof({column}) {test}"
        elif not (pa.types.is_integer(type_) or pa.types.is_floating(type_)):
            yield at, f"typeof({column}) NOT IN ('blob', 'null')"


def _bent(
    questions: dict[int, str], table: str, connect: Callable[[], AbstractContextManager[sqlite3.Connection]]
) -> set[int]:
    if not questions:
        return set()
    with connect() as connection:
        any_of = " OR ".join(f"({question})" for question in questions.values())
        if connection.execute(f"SELECT 1 FROM {table} WHERE {any_of} LIMIT 1").fetchone() is None:
            return set()
        return {
            at
            for at, question in questions.items()
            if connection.execute(f"SELECT 1 FROM {table} WHERE {question} LIMIT 1").fetchone()
        }


def _chunks(reader: pa.RecordBatchReader) -> list[list[pa.Array]]:
    """The batches, column by column, texts in the layout that pandas takes without a copy."""
    import pyarrow as pa

    chunks: list[list[pa.Array]] = [[pa.array([], kind)] for kind in reader.schema.types]
    for batch in reader:
        for at, array in enumerate(batch.columns):
            chunks[at].append(array)
    for at, kind in enumerate(reader.schema.types):
        if pa.types.is_string(kind):
            for number, array in enumerate(chunks[at]):
                chunks[at][number] = array.cast(pa.large_string(), safe=False)
    return chunks


def _series(chunks: list[list[pa.Array]], left_out: set[int]) -> Iterator[pd.Series[Any] | None]:
    import pandas as pd
    import pyarrow as pa

    for at in range(len(chunks)):
        arrays, chunks[at] = chunks[at], []
        column = pa.chunked_array(arrays)
        del arrays
        if at in left_out or column.null_count == len(column) or not _valid(column):
            yield None
        elif column.null_count and pa.types.is_integer(column.type):
            yield column.to_pandas(types_mapper=lambda _: pd.Int64Dtype())
        else:
            yield column.to_pandas()


def _valid(column: pa.ChunkedArray) -> bool:
    """Whether its texts are all UTF-8."""
    import pyarrow as pa

    try:
        column.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True
