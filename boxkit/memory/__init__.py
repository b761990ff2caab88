"""Demonstrations: verified question-code pairs, found by similarity."""

from __future__ import annotations

from boxkit.memory.demonstration import Demonstration, Verification
from boxkit.memory.memory import Memory
from boxkit.memory.selection import Selected

__all__ = ["Demonstration", "Memory", "Selected", "Verification"]
