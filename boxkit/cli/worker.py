"""The sandbox's worker, started while the sources are read: both take about a second."""

from __future__ import annotations

import threading
from contextlib import suppress

from boxkit.errors import BoxkitError

__all__ = ["start_worker"]


def start_worker() -> None:
    """Start it on a thread of its own, and return at once."""
    threading.Thread(target=_start, name="boxkit-worker", daemon=True).start()


def _start() -> None:
    from boxkit.executor.layers import available
    from boxkit.executor.pool import pool

    # What goes wrong here is met again, and told, when code is to be run.
    with suppress(BoxkitError, OSError):
        layers, _ = available()
        if layers.level != "weak":
            pool().nursery()
