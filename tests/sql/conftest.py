"""Counts the processes that run queries."""

from __future__ import annotations

import pytest

from boxkit.sql import spare


@pytest.fixture
def started(monkeypatch):
    """The processes that the test itself starts, from none on."""
    made = []
    start = spare._started
    monkeypatch.setattr(spare, "_WAITING", {})
    monkeypatch.setattr(spare, "_BUSY", {})
    monkeypatch.setattr(spare, "_started", lambda *program: made.append(start(*program)) or made[-1])
    yield made
    for process in made:
        spare.ended(process)
