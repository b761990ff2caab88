"""`execute` and `aexecute`: generated code over boxes, as one call."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING

from boxkit.box import BoxSet
from boxkit.errors import ExecutorError, IsolationUnavailable
from boxkit.executor import frames
from boxkit.executor.layers import Layers
from boxkit.executor.limits import Limits
from boxkit.executor.outcome import outcome
from boxkit.executor.policy import Reading, read
from boxkit.executor.pool import Pool, Shelf, pool
from boxkit.executor.run import Run
from boxkit.executor.session import Cancel, Ending, Order, Session, ZygoteLost
from boxkit.executor.supply import Supply, supply

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["aexecute", "execute"]


def execute(code: str, boxes: BoxSet | Mapping[str, pd.DataFrame], *, limits: Limits = Limits()) -> Run:
    """Run generated code, isolated and limited.

    The code finds each box's frame under its name, all of them in ``boxes``, and ``pd``, ``np``, ``datetime``, ``re``, ``math``,
    ``statistics``, ``collections``, ``itertools`` and ``Decimal``. It assigns ``answer``, or ends in an expression.

    Args:
        code: Python.
        boxes: A BoxSet, or DataFrames by name (a name that no box may have is changed as ``boxkit.naming.box_name`` does).
        limits: What the run may use.

    Returns:
        What came of it; a failure of the code is in ``run.error``, never raised.

    Raises:
        IsolationUnavailable: This machine cannot confine code, and ``limits.allow_weak`` is False.
        ExecutorError: The sandbox itself broke.
    """
    return _execute(code, supply(boxes), limits, Layers(), None)


async def aexecute(code: str, boxes: BoxSet | Mapping[str, pd.DataFrame], *, limits: Limits = Limits()) -> Run:
    """`execute` without blocking the event loop; cancelling it kills the run."""
    cancel = Cancel()
    task = asyncio.ensure_future(asyncio.to_thread(_execute, code, supply(boxes), limits, Layers(), cancel))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        cancel()
        raise


def _execute(code: str, source: Supply, limits: Limits, layers: Layers, cancel: Cancel | None) -> Run:
    reading = read(code, source)
    if reading.failure is not None:
        return Run(error=reading.failure)
    workers = pool(layers)
    level = workers.nursery().layers.level
    if level == "weak" and not limits.allow_weak:
        raise IsolationUnavailable("; ".join(workers.nursery().reasons))
    with workers.memory(limits.memory_mb), workers.shelf(source.key) as shelf:
        ending = _attempt(reading, source, limits, workers, shelf, cancel)
    return outcome(ending, reading, limits, level)


def _attempt(
    reading: Reading, source: Supply, limits: Limits, workers: Pool, shelf: Shelf, cancel: Cancel | None
) -> Ending:
    """One run; one more where the worker died under it."""
    for again in (True, False):
        try:
            session = _session(workers, shelf, frozenset(reading.packages))
            chosen = {name: _send(session, shelf, source, name, reading.columns[name]) for name in reading.boxes}
            return session.run(Order(reading.code, chosen, limits, reading.packages), cancel)
        except ZygoteLost as error:
            if not again:
                raise ExecutorError(f"the worker died twice: {error}") from error
    raise AssertionError


def _session(workers: Pool, shelf: Shelf, packages: frozenset[str]) -> Session:
    with shelf.lock:
        nursery = workers.nursery()
        if packages - nursery.packages:
            nursery.preload(packages)
            if shelf.session is not None:
                shelf.session.retire()
            shelf.session = None
        if shelf.session is None or shelf.session.lost or shelf.session.nursery is not nursery:
            shelf.session = Session.open(nursery, shelf.readable, standby=shelf.standby)
        return shelf.session


def _send(session: Session, shelf: Shelf, source: Supply, name: str, columns: tuple[str, ...] | None) -> str:
    """Make sure that the zygote has the frame, and return its key."""
    key = source.frame_key(name, columns)
    with shelf.lock:
        if key not in shelf.packed:
            shelf.packed[key] = frames.pack(source.read(name, columns))
        packed = shelf.packed[key]
    session.load(key, packed)
    return key
