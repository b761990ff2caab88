"""How likely a candidate is what was asked: its cost, its lead and its shape, weighed and calibrated.

The weights are a logistic regression's, and the table is the share of right answers at each of its estimates, over the
questions on 40 of Spider's train databases. Both are data, ``calibration.json``, made by ``benchmarks/calibrate.py``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise

from boxkit.strategies.planner.search import Candidate

__all__ = ["THRESHOLD", "Calibration", "confidence", "signs_of"]

#: Below it the Planner abstains. It is the least at which 92 in 100 readings on the train databases were right.
THRESHOLD = 0.82

#: How much a unit of each kind of cost counts.
_COSTS = {"words": 1.0, "links": 0.83, "places": 0.45, "joins": 1.1, "hints": 1.1, "guesses": 0.87, "length": 1.0}
#: A lead beyond this says no more.
_MAX_LEAD = 0.4
#: How many of the next candidates are looked at for the lead.
_NEXT = 5


@dataclass(frozen=True, slots=True)
class Calibration:
    """What confidence is made of.

    Attributes:
        weights: What a unit of each sign adds to the log odds; ``""`` is what they begin with.
        table: Estimates and the share of right answers there, both rising; in between it is interpolated.
    """

    weights: Mapping[str, float]
    table: tuple[tuple[float, float], ...]

    def estimate(self, signs: Mapping[str, float]) -> float:
        """The regression's estimate, in [0, 1]."""
        odds = self.weights[""] + sum(self.weights[name] * value for name, value in signs.items())
        # So written, no odds are beyond what a float holds.
        return (1 + math.tanh(odds / 2)) / 2

    def share(self, estimate: float) -> float:
        """The share of right answers at an estimate."""
        for (low, below), (high, above) in pairwise(self.table):
            if estimate <= high:
                return below + (above - below) * max(0.0, estimate - low) / (high - low)
        return self.table[-1][1]


def signs_of(candidate: Candidate, others: Sequence[Candidate]) -> dict[str, float]:
    """What of a candidate tells how likely it is right.

    Args:
        candidate: The candidate.
        others: Those it was chosen among, cheapest first.
    """
    query = candidate.query
    cost = sum(weight * candidate.costs.get(name, 0.0) for name, weight in _COSTS.items())
    rivals = [each.cost - candidate.cost for each in others[:_NEXT] if each.query != query and not each.twin]
    superlatives = sum(ranking.count != 0 for ranking in query.rankings)
    return {
        "log of cost": math.log(cost + 0.03),
        "cost": cost,
        "lead": max(0.0, min([*rivals, _MAX_LEAD])),
        "fuzzy links": float(sum(how in ("fuzzy", "words", "near") for how in candidate.hows)),
        "superlatives": float(superlatives),
        "orders": float(len(query.rankings) - superlatives),
        "shown": float(min(len(query.outputs), 4)),
        "groups": float(query.is_grouped),
    }


@lru_cache(maxsize=1)
def _calibration() -> Calibration:
    data = json.loads(files(__package__ or "").joinpath("calibration.json").read_text("utf-8"))
    return Calibration(data["weights"], tuple((low, share) for low, share in data["table"]))


def confidence(signs: Mapping[str, float]) -> float:
    """The estimated chance, in [0, 1], that a candidate with these signs is right."""
    calibration = _calibration()
    return calibration.share(calibration.estimate(signs))
