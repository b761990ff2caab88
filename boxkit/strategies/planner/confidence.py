"""How likely a candidate is what was asked."""

from __future__ import annotations

import math

from boxkit.strategies.planner.search import Candidate

__all__ = ["THRESHOLD", "confidence"]

THRESHOLD = 0.75


def confidence(candidate: Candidate) -> float:
    """The estimated chance, in [0, 1], that the candidate's answer is right."""
    return math.exp(-1.5 * candidate.cost)
