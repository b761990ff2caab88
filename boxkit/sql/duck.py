"""DuckDB over the frames of any BoxSet: spreadsheets, graphs, several sources at once; no files, no network."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from boxkit.box import BoxSet
from boxkit.canonical import plain
from boxkit.converters.columns import column, frame_of
from boxkit.errors import MissingExtra
from boxkit.failure import Failure
from boxkit.naming import field_labels
from boxkit.sql.engine import Fetched, SqlLimits, guarded, sql_failure

if TYPE_CHECKING:
    import duckdb
    import pandas as pd
    import pyarrow as pa

__all__ = ["DuckEngine"]

_MEMORY_LIMIT = "2GB"


@dataclass(frozen=True, slots=True)
class DuckEngine:
    """Queries over the boxes' frames, by the boxes' names and the fields' labels."""

    boxes: BoxSet
    _open: list[duckdb.DuckDBPyConnection] = field(default_factory=list, repr=False, compare=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    dialect = "duckdb"
    native = False
    path = None

    def query(self, sql: str, limits: SqlLimits = SqlLimits()) -> Fetched | Failure:
        """Run one query; see `SqlEngine.query`."""
        refusal = guarded(sql, self.dialect)
        if refusal is not None:
            return refusal
        with self._lock:
            return self._run(self._connection(), sql, limits)

    def _connection(self) -> duckdb.DuckDBPyConnection:
        if not self._open:
            try:
                import duckdb
            except ImportError:
                raise MissingExtra("duckdb", "sql") from None
            connection = duckdb.connect(":memory:", config={"memory_limit": _MEMORY_LIMIT, "threads": 1})
            for name, box in self.boxes.items():
                connection.register(f"boxkit_{name}", _arrow(box.frame))
                # A box's name is an identifier, so that it needs no escaping.
                connection.execute(f'CREATE TABLE "{name}" AS SELECT * FROM "boxkit_{name}"')  # noqa: S608
                connection.unregister(f"boxkit_{name}")
            for setting in (
                "python_enable_replacements = false",
                "enable_external_access = false",
                "lock_configuration = true",
            ):
                connection.execute(f"SET {setting}")
            self._open.append(connection)
        return self._open[0]

    def _run(self, connection: duckdb.DuckDBPyConnection, sql: str, limits: SqlLimits) -> Fetched | Failure:
        import duckdb

        started = time.monotonic()
        stop = threading.Timer(limits.seconds, connection.interrupt)
        stop.daemon = True
        stop.start()
        try:
            result = connection.execute(sql)
            names = field_labels(name for name, *_ in result.description or ())
            rows = result.fetchmany(limits.rows + 1)
        except duckdb.InterruptException:
            return Failure("timeout", f"the query took longer than {limits.seconds:g} seconds", source=sql)
        except duckdb.OutOfMemoryException:
            return Failure("memory", f"the query needs more than {_MEMORY_LIMIT} of memory", source=sql)
        except duckdb.Error as error:
            return sql_failure(error, sql, self.boxes, native=False)
        finally:
            stop.cancel()
        kept = rows[: limits.rows]
        frame = frame_of([column([row[at] for row in kept]) for at in range(len(names))], names, len(kept))
        return Fetched(frame, len(rows) > limits.rows, time.monotonic() - started)


def _arrow(frame: pd.DataFrame) -> pa.Table:
    """The frame as Arrow; a column of mixed objects becomes text, which is the one type that holds them all."""
    import pyarrow as pa

    arrays = []
    for at in range(frame.shape[1]):
        values = frame.iloc[:, at]
        try:
            array = pa.array(values, from_pandas=True)
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError, TypeError):
            array = pa.array([_text(plain(value)) for value in values], type=pa.string())
        arrays.append(array if not isinstance(array, pa.ChunkedArray) else array.combine_chunks())
    return pa.table(arrays, names=[str(label) for label in frame.columns])


def _text(value: Any) -> str | None:
    return None if value is None else str(value)
