"""Doubles that a user's own tests may use: a scripted model, and a server with scripted faults. No pytest needed."""

from __future__ import annotations

from boxkit.testing import faults
from boxkit.testing.faults import Fault
from boxkit.testing.faulty import FaultyServer, SentRequest
from boxkit.testing.scripted import ScriptedLLM, ScriptedRequest, UnscriptedRequest

__all__ = [
    "Fault",
    "FaultyServer",
    "ScriptedLLM",
    "ScriptedRequest",
    "SentRequest",
    "UnscriptedRequest",
    "faults",
]
