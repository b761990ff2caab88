"""DuckDB over the frames of any BoxSet: spreadsheets, graphs, several sources at once; no files, no network."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
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

    @property
    def renamed(self) -> Mapping[str, Mapping[str, str]]:
        """By box, its table's and its fields' names: DuckDB takes names for the same that differ in case only."""
        tables = _told_apart(self.boxes)
        return {
            name: {"": tables[name], **_told_apart(each.label for each in box.fields)}
            for name, box in self.boxes.items()
        }

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
            connection.execute("SET TimeZone = 'UTC'")  # else a day would begin with this machine's
            names = self.renamed
            as_text = {name: _create(connection, box.frame, names[name]) for name, box in self.boxes.items()}
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
            names, kinds, fetch = _fetched(connection, sql)
            rows, more = first_rows(fetch, limits, started)
        except (duckdb.InterruptException, TimeoutError):
            return late(sql, limits)
        except (duckdb.OutOfMemoryException, MemoryError):
            return too_large(sql, limits)
        except (duckdb.Error, ValueError, OverflowError) as error:
            return sql_failure(error, sql, self.boxes, native=False)
        finally:
            stop.cancel()
        columns = [column(_without_texts([row[at] for row in rows], kind)) for at, kind in enumerate(kinds)]
        return Fetched(frame_of(columns, names, len(rows)), more, time.monotonic() - started)


def _fetched(
    connection: duckdb.DuckDBPyConnection, sql: str
) -> tuple[tuple[str, ...], list[str], Callable[[int], list[tuple[Any, ...]]]]:
    """The columns' names and types, and what gives the rows; values that Python's types could change come as text."""
    result = connection.execute(sql)
    description = result.description or []
    kinds = [str(kind) for _, kind, *_ in description]
    names = field_labels(name for name, *_ in description)
    if not _LOSSY.isdisjoint(kinds):
        places = ", ".join(
            f"CAST(c{at} AS VARCHAR) AS c{at}" if kind in _LOSSY else f"c{at}" for at, kind in enumerate(kinds)
        )
        inner = sql.strip().rstrip(";")
        labels = ", ".join(f"c{at}" for at in range(len(description)))
        result = connection.execute(f"SELECT {places} FROM ({inner}\n) AS result({labels})")  # noqa: S608
    return names, kinds, result.fetchmany


_DURATION = re.compile(
    r"(?:(?P<days>-?\d+) days? ?)?(?:(?P<sign>-?)(?P<h>\d+):(?P<m>\d\d):(?P<s>\d\d)(?:\.(?P<us>\d{1,6}))?)?"
)


def _without_texts(values: list[Any], kind: str) -> list[Any]:
    """Values that came as text as Python's again where none changes: no months, no part of a microsecond."""
    if kind == "TIMESTAMP_NS":
        return [
            text and (text.replace(" ", "T") if text[26:].strip("0") else datetime.fromisoformat(text[:26]))
            for text in values
        ]
    if kind == "INTERVAL":
        found = [None if text is None else _DURATION.fullmatch(text) for text in values]
        if all(text is None or match is not None for text, match in zip(values, found, strict=True)):
            return [None if match is None else _duration(match) for match in found]
    return values


def _duration(match: re.Match[str]) -> timedelta:
    time_of = timedelta(
        hours=int(match["h"] or 0),
        minutes=int(match["m"] or 0),
        seconds=int(match["s"] or 0),
        microseconds=int((match["us"] or "0").ljust(6, "0")),
    )
    return timedelta(days=int(match["days"] or 0)) + (-time_of if match["sign"] else time_of)


def _told_apart(names: Iterable[str]) -> dict[str, str]:
    """Names of which no two are the same but for case; the first of several keeps its own."""
    taken: set[str] = set()
    kept: dict[str, str] = {}
    for name in names:
        candidate, count = name, 1
        while candidate.casefold() in taken:
            count += 1
            candidate = f"{name}_{count}"
        taken.add(candidate.casefold())
        kept[name] = candidate
    return kept


def _create(connection: duckdb.DuckDBPyConnection, frame: pd.DataFrame, names: Mapping[str, str]) -> frozenset[str]:
    """Put a box's frame into a table of these names; the labels of the fields that had to become text."""
    import pyarrow as pa

    arrays, casts, as_text = [], [], set()
    for at, label in enumerate(map(str, frame.columns)):
        array, kind = _column(frame.iloc[:, at])
        arrays.append(array)
        quoted = '"' + names[label].replace('"', '""') + '"'
        casts.append(f"CAST(c{at} AS {kind}) AS {quoted}" if kind == "HUGEINT" else f"c{at} AS {quoted}")
        if kind == "VARCHAR":
            as_text.add(label)
    connection.register("boxkit_frame", pa.table(arrays, names=[f"c{at}" for at in range(len(arrays))]))
    # A box's name is an identifier, so that it needs no escaping.
    connection.execute(f'CREATE TABLE "{names[""]}" AS SELECT {", ".join(casts) or "*"} FROM boxkit_frame')  # noqa: S608
    connection.unregister("boxkit_frame")
    return frozenset(as_text)


def _column(values: pd.Series[Any]) -> tuple[pa.Array, str]:
    """The values as Arrow, and what DuckDB makes of them: HUGEINT from text, VARCHAR for want of a type, or as is."""
    import pyarrow as pa

    try:
        array = pa.array(values, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError, TypeError, ValueError):
        array = None
    if array is not None and not pa.types.is_decimal256(array.type):
        return _in_microseconds(array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array), ""
    cells = [plain(value) for value in values]
    integers = all(cell is None or (type(cell) is int and abs(cell) < _HUGE) for cell in cells)
    texts = pa.array([_text(cell) for cell in cells], type=pa.string())
    return texts, "HUGEINT" if integers else "VARCHAR"


def _in_microseconds(array: pa.Array) -> pa.Array:
    """Timestamps of nanoseconds, which pandas 2 makes of every date, in DuckDB's usual unit where none is cut."""
    import pyarrow as pa

    if pa.types.is_timestamp(array.type) and array.type.unit == "ns":
        try:
            return array.cast(pa.timestamp("us", array.type.tz))
        except pa.ArrowInvalid:
            return array
    return array


def _text(value: Any) -> str | None:
    if value is None:
        return None
    return value.hex() if isinstance(value, bytes) else str(value).encode("utf-8", "replace").decode()
