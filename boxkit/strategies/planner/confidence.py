"""How likely a candidate is what was asked: its costs, weighed and calibrated.

The weights come from a logistic regression, and the table from the share of right answers at each weighed cost, over
2,191 questions on 40 of Spider's train databases (benchmarks/planner.py; docs/planner.md).
"""

from __future__ import annotations

from itertools import pairwise

from boxkit.strategies.planner.search import Candidate

__all__ = ["THRESHOLD", "confidence"]

#: Below it the Planner abstains.
THRESHOLD = 0.69

_WEIGHTS = {"words": 1.0, "links": 0.83, "places": 0.45, "joins": 1.1, "hints": 1.1, "guesses": 0.87, "length": 1.0}

#: Weighed cost and the share of right answers there, the shares smoothed so that they never rise.
_CALIBRATION = (
    (0.0, 0.96),
    (0.03, 0.87),
    (0.08, 0.85),
    (0.125, 0.83),
    (0.175, 0.78),
    (0.225, 0.71),
    (0.275, 0.66),
    (0.35, 0.58),
    (0.45, 0.55),
    (0.55, 0.48),
    (0.7, 0.31),
    (0.9, 0.28),
    (1.25, 0.11),
    (2.0, 0.03),
)


def confidence(candidate: Candidate) -> float:
    """The estimated chance, in [0, 1], that the candidate's answer is right."""
    cost = sum(weight * candidate.costs.get(name, 0.0) for name, weight in _WEIGHTS.items())
    for (low, above), (high, below) in pairwise(_CALIBRATION):
        if cost <= high:
            return above + (below - above) * (cost - low) / (high - low)
    return _CALIBRATION[-1][1]
