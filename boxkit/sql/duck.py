"""DuckDB over any BoxSet's frames, in a process that is killed when a query's time is over; no files, no network."""

from __future__ import annotations

import json
import pickle
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from boxkit.box import BoxSet
from boxkit.converters.columns import column, frame_of
from boxkit.errors import MissingExtra
from boxkit.failure import Failure
from boxkit.naming import field_labels
from boxkit.process import killed_after
from boxkit.sql import spare
from boxkit.sql.duck_tables import Tables, named_boxes
from boxkit.sql.duck_worker import Received
from boxkit.sql.engine import Fetched, SqlLimits, first_rows, guarded, late, sql_failure, too_large

__all__ = ["DuckEngine"]


@dataclass(frozen=True, slots=True)
class DuckEngine:
    """Queries over the boxes' frames, by the boxes' names and the fields' labels."""

    boxes: BoxSet
    _made: list[Tables] = field(default_factory=list, repr=False, compare=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    dialect = "duckdb"
    native = False
    path = None

    @property
    def as_text(self) -> Mapping[str, Collection[str]]:
        """By box, the labels of fields whose values DuckDB has no type for: they are there as text."""
        tables = self._tables().of(self.boxes)
        return {name: table.as_text for name, table in zip(self.boxes, tables, strict=True)}

    @property
    def renamed(self) -> Mapping[str, Mapping[str, str]]:
        """By box, its table's and its fields' names: DuckDB takes names for the same that differ in case only."""
        tables = _told_apart(self.boxes)
        return {
            name: {"": tables[name], **_told_apart(each.label for each in box.fields)}
            for name, box in self.boxes.items()
        }

    def prepare(self) -> None:
        """Start a process that will run a query."""
        _installed()
        spare.prepare(spare.DUCKDB)

    def query(self, sql: str, limits: SqlLimits = SqlLimits()) -> Fetched | Failure:
        """Run one query; see `SqlEngine.query`."""
        refusal = guarded(sql, self.dialect)
        if refusal is not None:
            return refusal
        tables = self._tables()
        wanted = named_boxes(sql, tables.renamed)
        outcome = self._run(tables, wanted, sql, limits)
        if isinstance(outcome, Failure) and outcome.type == "CatalogException" and len(wanted) < len(self.boxes):
            # What it does not know may be there, and what it proposes instead should be.
            outcome = self._run(tables, list(self.boxes), sql, limits)
        return outcome

    def _tables(self) -> Tables:
        with self._lock:
            if not self._made:
                _installed()
                self._made.append(Tables(self.boxes, self.renamed, partial(spare.forgotten, spare.DUCKDB)))
            return self._made[0]

    def _run(self, tables: Tables, wanted: list[str], sql: str, limits: SqlLimits) -> Fetched | Failure:
        try:
            return _answer(tables, wanted, sql, limits)
        except TimeoutError:
            return late(sql, limits)
        except MemoryError:
            return too_large(sql, limits)
        except _EngineError as error:
            return sql_failure(error.known(), sql, self.boxes, native=False)


def _installed() -> None:
    try:
        import duckdb  # noqa: F401 - only whether it is here
    except ImportError:
        raise MissingExtra("duckdb", "sql") from None


class _EngineError(Exception):
    """What DuckDB said in the process."""

    def known(self) -> Exception:
        """The error as DuckDB raised it there."""
        import duckdb

        name, text = self.args
        known: type[Exception] = getattr(duckdb, name, OverflowError if name == "OverflowError" else ValueError)
        return known(text)


def _answer(tables: Tables, wanted: list[str], sql: str, limits: SqlLimits) -> Fetched:
    """The result, from a process that waits or a new one; it may run another query, unless it was stopped.

    Raises:
        TimeoutError: The time was over; the process is no more.
        MemoryError: The result, or what it takes to make it, is too large; the process is no more.
        _EngineError: DuckDB said so.
    """
    files = tables.of(wanted)
    process = spare.taken(spare.DUCKDB, tables.name)
    spill = tables.folder / f"spill-{process.pid}"
    head = {
        "data": tables.name,
        "tables": [{"path": table.path, "sql": table.sql} for table in files],
        "spill": str(spill),
        "sql": sql,
        "rows": limits.rows,
        "seconds": limits.seconds,
    }
    is_well = False
    try:
        assert process.stdin is not None
        with suppress(BrokenPipeError):  # told by what it then does not say
            process.stdin.write(json.dumps(head).encode() + b"\n")
            process.stdin.flush()
        _heard(process)  # from here on it is the query that takes time
        started = time.monotonic()
        with killed_after(process, limits.seconds) as killed:
            try:
                names, kinds, rows, more = _result(process, limits, started)
            except _EngineError:
                is_well = not killed.is_set()
                raise
            except MemoryError:
                if killed.is_set():
                    raise TimeoutError from None
                raise
        is_well = not killed.is_set()
    except _EngineError as error:
        if error.args[0] == "OutOfMemoryException":
            is_well = False
            raise MemoryError from None
        raise
    finally:
        if is_well:
            spare.returned(process, spare.DUCKDB, holds=tables.name, megabytes=tables.megabytes)
        else:
            spare.ended(process)
            spare.prepare(spare.DUCKDB)
            shutil.rmtree(spill, ignore_errors=True)
    columns = [column(_without_texts([row[at] for row in rows], kind)) for at, kind in enumerate(kinds)]
    return Fetched(frame_of(columns, field_labels(names), len(rows)), more, time.monotonic() - started)


def _result(
    process: subprocess.Popen[bytes], limits: SqlLimits, started: float
) -> tuple[list[str], list[str], list[tuple[Any, ...]], bool]:
    """The columns' names and types, the first rows, and whether there are more."""
    described = _heard(process)

    def fetch(_most: int) -> list[tuple[Any, ...]]:
        said = _heard(process)
        return said if isinstance(said, list) else []

    rows, more = first_rows(fetch, limits, started)
    if more:
        _heard(process)  # its end
    return described["names"], described["kinds"], rows, more


def _heard(process: subprocess.Popen[bytes]) -> Any:
    """What the process says next.

    Raises:
        MemoryError: Nothing, as it died.
        _EngineError: An error of DuckDB's.
    """
    assert process.stdout is not None
    try:
        said = Received(process.stdout).load()
    except (EOFError, pickle.UnpicklingError):
        raise MemoryError from None
    if isinstance(said, dict) and "error" in said:
        raise _EngineError(said["type"], said["error"])
    return said


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
