"""SQLite columns through ADBC, many times faster than row by row, and only where that is exact.

ADBC takes a column's type from the first rows and bends what follows: a number in a column that begins with texts
becomes text, a BLOB too, and whole numbers become floats. So each column that could have been bent is checked by
SQLite itself, at the same time; those that were are left to the careful reader.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from boxkit.converters.columns import EXACT_IN_FLOAT
from boxkit.converters.filling import Filling
from boxkit.threads import threads

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

__all__ = ["read_columns"]

_BATCH_ROWS = 16_384
_MISMATCH = re.compile(r"Type mismatch in column (\d+)")


def read_columns(
    uri: str,
    columns: Sequence[str],
    affinities: Sequence[str],
    table: str,
    hints: Sequence[str],
    connect: Callable[[], AbstractContextManager[sqlite3.Connection]],
) -> dict[int, pd.Series[Any]] | None:
    """The columns, by position, that ADBC reads exactly; None where it cannot read at all.

    Args:
        uri: The database, read-only.
        columns: SQL for each column.
        affinities: Their affinities.
        table: SQL for what they are read from.
        hints: Their types in words, for columns without any value.
        connect: Opens a connection of the ordinary kind, for the checks.
    """
    try:
        from adbc_driver_sqlite import dbapi
    except ImportError:
        return None
    with connect() as connection:
        rows: int = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    wanted = list(range(len(columns)))
    while wanted:
        try:
            with dbapi.connect(uri) as driver, driver.cursor() as cursor:
                cursor.adbc_statement.set_options(**{"adbc.sqlite.query.batch_rows": str(_BATCH_ROWS)})
                cursor.execute(f"SELECT {', '.join(columns[at] for at in wanted)} FROM {table}")
                reader = cursor.fetch_record_batch()
                names, kinds = [columns[at] for at in wanted], [affinities[at] for at in wanted]
                questions = dict(_questions(reader.schema, names, kinds))
                with threads(1) as pool:
                    bent = pool.submit(_bent, questions, table, connect)
                    filled = _filled(reader, rows)
                    left_out = bent.result()
        except (dbapi.Error, OSError) as error:
            mismatch = _MISMATCH.search(str(error))
            if mismatch is None:
                return None
            del wanted[int(mismatch.group(1))]
            continue
        if filled is None:
            return None
        return {
            at: each.series(hints[at])
            for place, (at, each) in enumerate(zip(wanted, filled, strict=True))
            if place not in left_out and each.is_exact
        }
    return {}


def _questions(schema: pa.Schema, columns: Sequence[str], affinities: Sequence[str]) -> Iterator[tuple[int, str]]:
    """What to ask SQLite of each column that ADBC may have bent."""
    import pyarrow as pa

    for at, (column, kind) in enumerate(zip(columns, affinities, strict=True)):
        type_ = schema.field(at).type
        if pa.types.is_floating(type_) and kind != "REAL":
            yield at, f"typeof({column}) = 'integer' AND abs({column}) > {EXACT_IN_FLOAT}"
        elif pa.types.is_string(type_):
            # In SQLite's order every BLOB stands behind every text; that is cheaper to ask than its type.
            yield at, f"{column} >= x''" if kind == "TEXT" else f"typeof({column}) NOT IN ('text', 'null')"
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


def _filled(reader: pa.RecordBatchReader, rows: int) -> list[Filling] | None:
    """The columns, filled batch by batch; None where there are not as many rows as were counted."""
    import pyarrow as pa

    kinds = reader.schema.types
    columns = [Filling(rows) for _ in kinds]
    start = 0
    for batch in reader:
        start += batch.num_rows
        if start > rows:
            return None
        for column, kind, array in zip(columns, kinds, batch.columns, strict=True):
            if array.null_count == len(array):
                column.nothing(len(array))
            elif pa.types.is_integer(kind):
                missing = array.is_null().to_numpy(zero_copy_only=False) if array.null_count else None
                column.integers((array.fill_null(0) if array.null_count else array).to_numpy(), missing)
            elif pa.types.is_floating(kind):
                column.floats(array.to_numpy(zero_copy_only=False))
            elif pa.types.is_string(kind):
                column.texts(array)
            else:
                column.blobs(array.to_pylist())
    return columns if start == rows else None
