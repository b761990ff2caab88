"""`execute` and `aexecute`: generated code over boxes, as one call."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from boxkit.box import BoxSet
from boxkit.errors import ExecutorError, IsolationUnavailable, SourceNotFound, UnsupportedValue
from boxkit.executor import frames
from boxkit.executor.advice import advised
from boxkit.executor.claims import Unsupported
from boxkit.executor.database import companions
from boxkit.executor.environment import DATABASE_IMPORTS
from boxkit.executor.launch import Nursery
from boxkit.executor.layers import Layers, available
from boxkit.executor.limits import Limits
from boxkit.executor.outcome import outcome
from boxkit.executor.policy import review
from boxkit.executor.pool import Pool, Shelf, pool
from boxkit.executor.reading import Reading
from boxkit.executor.run import Run
from boxkit.executor.session import Cancel, Ending, Order, Session, ZygoteLost
from boxkit.executor.supply import DatabaseSupply, Supply, supply
from boxkit.executor.wire import Hangup

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["acompute_result", "aexecute", "compute_result", "execute"]


def execute(code: str, boxes: BoxSet | Mapping[str, pd.DataFrame], *, limits: Limits = Limits()) -> Run:
    """Run generated code, isolated and limited.

    The code finds each box's frame under its name, all of them in ``boxes``, and ``pd``, ``np``, ``datetime``, ``re``,
    ``math``, ``statistics``, ``collections``, ``itertools`` and ``Decimal``. It assigns ``answer``, or ends in an
    expression.

    Args:
        code: Python.
        boxes: A BoxSet, or DataFrames by name (``boxkit.naming.box_name`` changes a name that no box may have).
        limits: What the run may use.

    Returns:
        What came of it; a failure of the code is in ``run.error``, never raised.

    Raises:
        IsolationUnavailable: This machine cannot confine code, and ``limits.allow_weak`` is False.
        UnsupportedValue: A box holds a value that cannot be sent unchanged; the error names box and field.
        ExecutorError: The sandbox itself broke.
    """
    return _execute(code, supply(boxes), limits, Layers(), None)


async def aexecute(code: str, boxes: BoxSet | Mapping[str, pd.DataFrame], *, limits: Limits = Limits()) -> Run:
    """`execute` without blocking the event loop; cancelling it kills the run."""
    return await _cancellable(lambda cancel: _execute(code, supply(boxes), limits, Layers(), cancel))


def compute_result(code: str, database: str | os.PathLike[str], *, limits: Limits = Limits()) -> Run:
    """Run generated code that defines ``compute_result(database_path)``, and call that with an SQLite database.

    The code may import ``sqlite3``, and read that one file; nothing else, and it can write nothing.

    Args:
        code: Python.
        database: The SQLite file.
        limits: What the run may use.

    Returns:
        What came of it; ``run.answer`` is what the function returned.

    Raises:
        SourceNotFound: There is no such file.
        IsolationUnavailable: As for `execute`.
        ExecutorError: The sandbox itself broke.
    """
    return _execute(code, _database(database), limits, Layers(), None)


async def acompute_result(code: str, database: str | os.PathLike[str], *, limits: Limits = Limits()) -> Run:
    """`compute_result` without blocking the event loop; cancelling it kills the run."""
    return await _cancellable(lambda cancel: _execute(code, _database(database), limits, Layers(), cancel))


def _database(path: str | os.PathLike[str]) -> DatabaseSupply:
    place = os.path.realpath(path)
    if not os.path.isfile(place):
        raise SourceNotFound("there is no such database file", where=os.fspath(path))
    return DatabaseSupply(place)


async def _cancellable(run: Callable[[Cancel], Run]) -> Run:
    cancel = Cancel()
    task = asyncio.ensure_future(asyncio.to_thread(run, cancel))
    task.add_done_callback(lambda done: done.cancelled() or done.exception())  # a cancelled caller asks for neither
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        cancel()
        raise


def _execute(code: str, source: Supply, limits: Limits, layers: Layers, cancel: Cancel | None) -> Run:
    reading = review(code, source, DATABASE_IMPORTS if source.database else frozenset())
    has, reasons = available(layers)
    if reading.failure is not None:
        return Run(error=advised(reading.failure, source), isolation=has.level)
    workers = pool(layers)
    if has.level == "weak" and not limits.allow_weak:
        raise IsolationUnavailable(
            f"generated code cannot be confined here: {'; '.join(reasons) or 'layers are switched off'}",
            hint="run boxkit on Linux (a container will do), or allow a mere process with Limits(allow_weak=True)",
        )
    if not has.forks:
        return _execute_freshly(reading, source, limits, workers, cancel)
    level = workers.nursery().layers.level
    readable = companions(source.database) if source.database else ()
    with workers.memory(limits.memory_mb), workers.shelf(source.key, readable) as shelf:
        ending = _attempt(reading, source, limits, workers, shelf, cancel)
    return outcome(ending, reading, source, limits, level)


def _execute_freshly(reading: Reading, source: Supply, limits: Limits, workers: Pool, cancel: Cancel | None) -> Run:
    from boxkit.executor import fresh

    with workers.memory(limits.memory_mb):
        frames_by_name = {name: source.read(name, reading.columns[name]) for name in reading.boxes}
        order = Order(reading.code, {name: name for name in reading.boxes}, limits, reading.packages, source.database)
        ending = fresh.run(order, frames_by_name, cancel)
    return outcome(ending, reading, source, limits, "weak")


def _attempt(
    reading: Reading, source: Supply, limits: Limits, workers: Pool, shelf: Shelf, cancel: Cancel | None
) -> Ending:
    """One run; one more where the worker died under it."""
    for again in (True, False):
        try:
            session = _session(workers, shelf, frozenset(reading.packages))
            chosen = {name: _send(session, shelf, source, name, reading.columns[name]) for name in reading.boxes}
            return session.run(Order(reading.code, chosen, limits, reading.packages, source.database), cancel)
        except ZygoteLost as error:
            if not again:
                raise ExecutorError(f"the worker died twice: {error}") from error
    raise AssertionError


def _session(workers: Pool, shelf: Shelf, packages: frozenset[str]) -> Session:
    with shelf.lock:
        nursery, session = workers.nursery(), shelf.session
        if packages - nursery.packages:
            _preload(nursery, packages)
        outdated = session is not None and (
            session.lost or session.nursery is not nursery or packages - session.packages
        )
        if session is not None and outdated:
            session.retire()
            session = None
        if session is None:
            session = Session.open(nursery, shelf.readable, standby=shelf.standby)
        shelf.session = session
        return session


def _preload(nursery: Nursery, packages: frozenset[str]) -> None:
    try:
        nursery.preload(packages)
    except (Hangup, OSError) as error:
        raise ZygoteLost(str(error)) from error


def _packed(name: str, frame: pd.DataFrame) -> frames.Packed:
    try:
        return frames.pack(frame)
    except Unsupported as error:
        raise UnsupportedValue(
            f"box {name!r} holds what cannot be handed to generated code unchanged: {error}",
            where=next((f"{name}[{label!r}]" for label in frame.columns if not _packs(frame[[label]])), name),
            hint="turn these values into text or numbers before you ask",
        ) from error


def _packs(frame: pd.DataFrame) -> bool:
    try:
        frames.pack(frame).close()
    except Unsupported:
        return False
    return True


def _send(session: Session, shelf: Shelf, source: Supply, name: str, columns: tuple[str, ...] | None) -> str:
    """Make sure that the zygote has the frame, and return its key."""
    key = source.frame_key(name, columns)
    with shelf.lock:
        if key not in shelf.packed:
            shelf.packed[key] = _packed(name, source.read(name, columns))
        packed = shelf.packed[key]
    session.load(key, packed)
    return key
