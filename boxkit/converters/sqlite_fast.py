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

_BATCH_ROWS = 16_384
_JOINED_BATCHES = 4
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
                with ThreadPoolExecutor(1, thread_name_prefix="boxkit") as pool:
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
            at: each.series()
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
            yield at, f"typeof({column}) = 'integer' AND abs({column}) > {_EXACT_IN_FLOAT}"
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


class _Numbers:
    """A column of whole or other numbers, filled batch by batch into memory that is its final place."""

    def __init__(self, rows: int, kind: str) -> None:
        import numpy as np

        self.data = np.empty(rows, dtype=kind)
        self.missing: Any = None
        self.present = 0

    def put(self, start: int, array: pa.Array) -> None:
        import numpy as np

        end = start + len(array)
        self.present += len(array) - array.null_count
        if not array.null_count:
            self.data[start:end] = array.to_numpy()
            return
        if self.data.dtype.kind == "f":
            self.data[start:end] = array.to_numpy(zero_copy_only=False)
            return
        if self.missing is None:
            self.missing = np.zeros(len(self.data), dtype=bool)
        self.data[start:end] = array.fill_null(0).to_numpy()
        self.missing[start:end] = array.is_null().to_numpy(zero_copy_only=False)

    @property
    def is_exact(self) -> bool:
        # A column of nothing has the type that was declared, which is not known here.
        return self.present > 0 or not len(self.data)

    def series(self) -> pd.Series[Any]:
        import pandas as pd

        values = self.data if self.missing is None else pd.arrays.IntegerArray(self.data, self.missing)
        return pd.Series(values, copy=False)


class _Texts:
    """A column of texts: Arrow's own memory where the installed pandas keeps texts so, Python's texts where not."""

    def __init__(self, rows: int) -> None:
        import numpy as np
        import pandas as pd

        self.chunks: list[pa.Array] = []
        self.waiting: list[pa.Array] = []
        is_object = pd.api.types.is_object_dtype(pd.Series(["a"]).dtype)
        self.objects: Any = np.empty(rows, dtype=object) if is_object else None
        self.present = 0
        self.valid = True

    def put(self, start: int, array: pa.Array) -> None:
        import pyarrow as pa

        self.present += len(array) - array.null_count
        try:
            array.validate(full=True)
        except pa.ArrowInvalid:
            self.valid = False
        if not self.valid:
            return
        if self.objects is None:
            self.waiting.append(array.cast(pa.large_string()))
            # A driver's buffers are up to twice as large as what they hold; joined ones are not.
            if len(self.waiting) == _JOINED_BATCHES:
                self._join()
        else:
            self.objects[start : start + len(array)] = array.to_pandas().to_numpy()

    def _join(self) -> None:
        import pyarrow as pa

        if self.waiting:
            self.chunks.append(pa.concat_arrays(self.waiting))
        self.waiting = []

    @property
    def is_exact(self) -> bool:
        return self.valid and self.present > 0

    def series(self) -> pd.Series[Any]:
        import pandas as pd
        import pyarrow as pa

        if self.objects is not None:
            return pd.Series(self.objects, copy=False)
        self._join()
        made: pd.Series[Any] = pa.chunked_array(self.chunks, pa.large_string()).to_pandas()
        return made


class _Bytes:
    """A column of BLOBs."""

    def __init__(self, rows: int) -> None:
        import numpy as np

        self.objects = np.empty(rows, dtype=object)
        self.present = 0

    def put(self, start: int, array: pa.Array) -> None:
        self.present += len(array) - array.null_count
        self.objects[start : start + len(array)] = array.to_pylist()

    @property
    def is_exact(self) -> bool:
        return self.present > 0

    def series(self) -> pd.Series[Any]:
        import pandas as pd

        return pd.Series(self.objects, dtype=object, copy=False)


def _filled(reader: pa.RecordBatchReader, rows: int) -> list[_Numbers | _Texts | _Bytes] | None:
    """The columns, filled batch by batch; None where there are not as many rows as were counted."""
    import pyarrow as pa

    columns: list[_Numbers | _Texts | _Bytes] = []
    for kind in reader.schema.types:
        if pa.types.is_integer(kind) or pa.types.is_floating(kind):
            columns.append(_Numbers(rows, "int64" if pa.types.is_integer(kind) else "float64"))
        else:
            columns.append(_Texts(rows) if pa.types.is_string(kind) else _Bytes(rows))
    start = 0
    for batch in reader:
        if start + batch.num_rows > rows:
            return None
        for column, array in zip(columns, batch.columns, strict=True):
            column.put(start, array)
        start += batch.num_rows
    return columns if start == rows else None
