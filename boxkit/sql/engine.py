"""What runs SQL for a strategy: one query at a time, held to reading, to a time and to a number of rows."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from sys import getsizeof
from typing import TYPE_CHECKING, Any, Protocol

from boxkit.box import BoxSet
from boxkit.errors import UnsafeSQL, nearest
from boxkit.failure import Failure
from boxkit.sqlguard import check

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Fetched",
    "SqlEngine",
    "SqlLimits",
    "engine_for",
    "first_rows",
    "guarded",
    "late",
    "sql_failure",
    "too_large",
]

#: Rows fetched at once: so many wide ones may be held beyond the limit.
_BATCH_ROWS = 500


@dataclass(frozen=True, slots=True)
class SqlLimits:
    """What one query may use.

    Attributes:
        seconds: Wall clock; the query is truly stopped when it is over.
        rows: Rows fetched at the most; more are left out, and that is said.
        megabytes: What these may hold, roughly; a larger result is a failure.
    """

    seconds: float = 30.0
    rows: int = 1_000_000
    megabytes: int = 1024

    def __post_init__(self) -> None:
        for name in ("seconds", "rows", "megabytes"):
            if getattr(self, name) <= 0:
                raise ValueError(f"SqlLimits.{name} must be positive, not {getattr(self, name)!r}")


@dataclass(frozen=True, slots=True)
class Fetched:
    """A query's result.

    Attributes:
        frame: The rows, each cell exactly as the engine gave it; doubled column names are numbered.
        truncated: Whether rows were left out.
        notes: What is not quite as the engine holds it, in words.
        seconds: How long it took.
    """

    frame: pd.DataFrame
    truncated: bool = False
    seconds: float = 0.0
    notes: tuple[str, ...] = ()


class SqlEngine(Protocol):
    """Runs read-only queries over the data of one BoxSet."""

    @property
    def dialect(self) -> str:
        """sqlglot's name of its dialect."""
        ...

    @property
    def native(self) -> bool:
        """Whether tables and columns have their source's names, rather than the boxes'."""
        ...

    @property
    def path(self) -> str | None:
        """The database's file where there is one that Python's sqlite3 opens; None elsewhere."""
        ...

    @property
    def as_text(self) -> Mapping[str, Collection[str]]:
        """By box, the labels of fields that the engine holds as text because it has no type for their values."""
        ...

    @property
    def renamed(self) -> Mapping[str, Mapping[str, str]]:
        """By box, the names in this engine: its table's under ``""``, its fields' by label; empty where they stay."""
        ...

    def prepare(self) -> None:
        """Begin what a query needs and what can be done before it is known, and do not wait for it."""
        ...

    def query(self, sql: str, limits: SqlLimits = SqlLimits()) -> Fetched | Failure:
        """Run one query. What is refused, fails or takes too long is a `Failure`, not an exception."""
        ...


def engine_for(boxes: BoxSet) -> SqlEngine:
    """The engine of a BoxSet: the database itself where all boxes are of one, else DuckDB over the frames.

    Raises:
        MissingExtra: DuckDB is needed and not installed.
    """
    from boxkit.sql.duck import DuckEngine
    from boxkit.sql.server import server_engine
    from boxkit.sql.sqlite import sqlite_engine

    return sqlite_engine(boxes) or server_engine(boxes) or DuckEngine(boxes)


def guarded(sql: str, dialect: str) -> Failure | None:
    """The failure that a statement is which is no single read-only query; None for one that is."""
    try:
        check(sql, dialect)
    except UnsafeSQL as error:
        return Failure("refused", error.what, type="UnsafeSQL", source=sql, hint=error.hint or "")
    return None


def too_large(sql: str, limits: SqlLimits) -> Failure:
    """The failure that a result is which does not fit."""
    return Failure(
        "memory",
        f"the query needs too much memory, or its result is larger than {limits.megabytes} MB",
        source=sql,
        hint="select fewer columns and rows; aggregate in SQL",
    )


def late(sql: str, limits: SqlLimits) -> Failure:
    """The failure that a query is which was stopped."""
    return Failure("timeout", f"the query took longer than {limits.seconds:g} seconds", source=sql)


def first_rows(fetch: Callable[[int], Sequence[Any]], limits: SqlLimits, started: float) -> tuple[list[Any], bool]:
    """The first rows, and whether there are more.

    Args:
        fetch: Gives the next rows, at the most so many.
        limits: How many, how large and until when.
        started: When the query did, by `time.monotonic`.

    Raises:
        TimeoutError: The time is over.
        MemoryError: They are too large to be held.
    """
    rows: list[Any] = []
    room = limits.megabytes << 20
    while batch := fetch(min(_BATCH_ROWS, limits.rows + 1 - len(rows))):
        rows += batch
        room -= sum(map(getsizeof, chain.from_iterable(batch)))
        if room < 0:
            raise MemoryError
        if time.monotonic() - started >= limits.seconds:
            raise TimeoutError
        if len(rows) > limits.rows:
            return rows[: limits.rows], True
    return rows, False


def sql_failure(error: Exception, sql: str, boxes: BoxSet, *, native: bool) -> Failure:
    """The failure that an engine's error is, with the nearest names where one is unknown."""
    message = " ".join(str(error).split())
    return Failure(
        "exception", message, type=type(error).__name__, source=sql, hint=_hint(message, boxes, native=native)
    )


_UNKNOWN_TABLE = re.compile(
    r"no such table: (?:\w+\.)?(?P<a>.+)"
    r"|Table with name (?P<b>\S+) does not exist"
    r"|relation \"(?P<c>[^\"]+)\" does not exist"
    r"|Table '(?:[^'.]+\.)?(?P<d>[^']+)' doesn't exist"
)
_UNKNOWN_COLUMN = re.compile(
    r"no such column: (?:.+\.)?(?P<a>.+)"
    r"|[Cc]olumn \"(?P<b>[^\"]+)\" (?:not found|does not exist)"
    r"|does not have a column named \"(?P<c>[^\"]+)\""
    r"|column (?:\w+\.)?\"?(?P<d>\w+)\"? does not exist"
    r"|Unknown column '(?:[^'.]+\.)?(?P<e>[^']+)'"
)


def _named(pattern: re.Pattern[str], message: str) -> str | None:
    found = pattern.search(message)
    return next((text for text in found.groups() if text), None) if found else None


def _hint(message: str, boxes: BoxSet, *, native: bool) -> str:
    """The nearest tables or columns, where the engine says that it knows none of a name."""
    tables = {box.source_name if native else name: box for name, box in boxes.items()}
    table = _named(_UNKNOWN_TABLE, message)
    if table is not None:
        close = nearest(table, tables)
        return f"nearest tables: {', '.join(close)}" if close else f"the tables are: {', '.join(list(tables)[:20])}"
    wanted = _named(_UNKNOWN_COLUMN, message)
    if wanted is None:
        return ""
    owners: dict[str, list[str]] = {}
    for name, box in tables.items():
        for each in box.fields:
            label = each.source_name if native else each.label
            owners.setdefault(label, []).append(f"{name}.{label}")
    near = [owner for label in nearest(wanted, owners) for owner in owners[label]]
    return f"nearest columns: {', '.join(near[:6])}" if near else ""
