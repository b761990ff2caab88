"""DuckDB over the frames of any BoxSet: spreadsheets, graphs, several sources at once; no files, no network."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from boxkit.box import BoxSet
from boxkit.canonical import plain
from boxkit.converters.columns import column, frame_of
from boxkit.errors import MissingExtra
from boxkit.failure import Failure
from boxkit.naming import field_labels
from boxkit.sql.engine import Fetched, SqlLimits, first_rows, guarded, late, sql_failure, too_large

if TYPE_CHECKING:
    import duckdb
    import pandas as pd
    import pyarrow as pa

__all__ = ["DuckEngine"]

_MEMORY_LIMIT = "2GB"
#: Types whose values Python's own would change: months become days, nanoseconds are lost.
_LOSSY = frozenset({"INTERVAL", "TIMESTAMP_NS"})
#: What a HUGEINT holds.
_HUGE = 2**127


@dataclass(frozen=True, slots=True)
class _Opened:
    """A connection with the boxes in it.

    Attributes:
        connection: In memory.
        as_text: By box, the fields held as text.
    """

    connection: duckdb.DuckDBPyConnection
    as_text: Mapping[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class DuckEngine:
    """Queries over the boxes' frames, by the boxes' names and the fields' labels."""

    boxes: BoxSet
    _open: list[_Opened] = field(default_factory=list, repr=False, compare=False)
    _lock: threading.RLock = field(default_factory=threading.RLock, repr=False, compare=False)

    dialect = "duckdb"
    native = False
    path = None

    @property
    def as_text(self) -> Mapping[str, Collection[str]]:
        """By box, the labels of fields whose values DuckDB has no type for: they are there as text."""
        with self._lock:
            return self._opened().as_text

    def prepare(self) -> None:
        """Nothing: see `SqlEngine.prepare`."""

    def query(self, sql: str, limits: SqlLimits = SqlLimits()) -> Fetched | Failure:
        """Run one query; see `SqlEngine.query`."""
        refusal = guarded(sql, self.dialect)
        if refusal is not None:
            return refusal
        with self._lock:
            return self._run(self._opened().connection, sql, limits)

    def _opened(self) -> _Opened:
        if not self._open:
            try:
                import duckdb
            except ImportError:
                raise MissingExtra("duckdb", "sql") from None
            connection = duckdb.connect(":memory:", config={"memory_limit": _MEMORY_LIMIT, "threads": 1})
            as_text = {name: _create(connection, name, box.frame) for name, box in self.boxes.items()}
            for setting in (
                "python_enable_replacements = false",
                "enable_external_access = false",
                "lock_configuration = true",
            ):
                connection.execute(f"SET {setting}")
            self._open.append(_Opened(connection, as_text))
        return self._open[0]

    def _run(self, connection: duckdb.DuckDBPyConnection, sql: str, limits: SqlLimits) -> Fetched | Failure:
        import duckdb

        started = time.monotonic()
        stop = threading.Timer(limits.seconds, connection.interrupt)
        stop.daemon = True
        stop.start()
        try:
            names, fetch = _fetched(connection, sql)
            rows, more = first_rows(fetch, limits, started)
        except (duckdb.InterruptException, TimeoutError):
            return late(sql, limits)
        except (duckdb.OutOfMemoryException, MemoryError):
            return too_large(sql, limits)
        except (duckdb.Error, ValueError, OverflowError) as error:
            return sql_failure(error, sql, self.boxes, native=False)
        finally:
            stop.cancel()
        frame = frame_of([column([row[at] for row in rows]) for at in range(len(names))], names, len(rows))
        return Fetched(frame, more, time.monotonic() - started)


def _fetched(
    connection: duckdb.DuckDBPyConnection, sql: str
) -> tuple[tuple[str, ...], Callable[[int], list[tuple[Any, ...]]]]:
    """The columns' names, and what gives the rows. Values that Python's types cannot hold unchanged come as text."""
    result = connection.execute(sql)
    description = result.description or []
    lossy = [at for at, (_, kind, *_) in enumerate(description) if str(kind) in _LOSSY]
    names = field_labels(name for name, *_ in description)
    if lossy:
        places = ", ".join(
            f"CAST(c{at} AS VARCHAR) AS c{at}" if at in lossy else f"c{at}" for at in range(len(description))
        )
        inner = sql.strip().rstrip(";")
        labels = ", ".join(f"c{at}" for at in range(len(description)))
        result = connection.execute(f"SELECT {places} FROM ({inner}\n) AS result({labels})")  # noqa: S608
    return names, result.fetchmany


def _create(connection: duckdb.DuckDBPyConnection, name: str, frame: pd.DataFrame) -> frozenset[str]:
    """Put a box's frame into a table of its name; the labels of the fields that had to become text."""
    import pyarrow as pa

    arrays, casts, as_text = [], [], set()
    for at, label in enumerate(map(str, frame.columns)):
        array, kind = _column(frame.iloc[:, at])
        arrays.append(array)
        quoted = '"' + label.replace('"', '""') + '"'
        casts.append(f"CAST({quoted} AS {kind}) AS {quoted}" if kind == "HUGEINT" else quoted)
        if kind == "VARCHAR":
            as_text.add(label)
    connection.register(f"boxkit_{name}", pa.table(arrays, names=[str(label) for label in frame.columns]))
    # A box's name is an identifier, so that it needs no escaping.
    connection.execute(f'CREATE TABLE "{name}" AS SELECT {", ".join(casts) or "*"} FROM "boxkit_{name}"')  # noqa: S608
    connection.unregister(f"boxkit_{name}")
    return frozenset(as_text)


def _column(values: pd.Series[Any]) -> tuple[pa.Array, str]:
    """The values as Arrow, and what DuckDB makes of them: HUGEINT from text, VARCHAR for want of a type, or as is."""
    import pyarrow as pa

    try:
        array = pa.array(values, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError, TypeError, ValueError):
        array = None
    if array is not None and not pa.types.is_decimal256(array.type):
        return (array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array), ""
    cells = [plain(value) for value in values]
    integers = all(cell is None or (type(cell) is int and abs(cell) < _HUGE) for cell in cells)
    texts = pa.array([_text(cell) for cell in cells], type=pa.string())
    return texts, "HUGEINT" if integers else "VARCHAR"


def _text(value: Any) -> str | None:
    if value is None:
        return None
    return value.hex() if isinstance(value, bytes) else str(value).encode("utf-8", "replace").decode()
