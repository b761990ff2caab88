"""How sure a score is: intervals, and the paired comparison of two runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from boxkit.wording import counted

__all__ = ["Difference", "interval", "paired_bootstrap", "wilson"]

#: The normal distribution's 97.5 % point: intervals are of 95 %.
_Z = 1.959963984540054
_RESAMPLES = 10_000


def wilson(right: float, total: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share; (0, 1) of nothing. A share past 1, as RoG's F1 may be, counts as 1.

    >>> tuple(round(end, 3) for end in wilson(8, 10))
    (0.49, 0.943)
    """
    if not total:
        return 0.0, 1.0
    share, z2 = min(1.0, right / total), _Z**2
    centre = (share + z2 / (2 * total)) / (1 + z2 / total)
    half = _Z * math.sqrt(share * (1 - share) / total + z2 / (4 * total**2)) / (1 + z2 / total)
    return max(0.0, centre - half), min(1.0, centre + half)


def interval(values: Sequence[float]) -> tuple[float, float]:
    """The 95 % interval of a mean of scores in [0, 1]: Wilson's. For F1 it is wider than need be, never narrower, since
    values between 0 and 1 spread less than rights and wrongs of the same mean.
    """
    return wilson(math.fsum(values), len(values))


@dataclass(frozen=True, slots=True)
class Difference:
    """Two runs over the same questions.

    Attributes:
        questions: How many both have judged.
        first: The mean score of the first.
        second: Of the second.
        difference: The second's less the first's.
        low: The lower end of the difference's 95 % interval.
        high: The upper end.
        p: How often, at the most, resampling would turn the difference's sign, both ways (two-sided).
        only_first: Questions right in the first alone.
        only_second: Questions right in the second alone.
    """

    questions: int
    first: float
    second: float
    difference: float
    low: float
    high: float
    p: float
    only_first: int = 0
    only_second: int = 0

    def __str__(self) -> str:
        return (
            f"{100 * self.first:.1f} → {100 * self.second:.1f}, a difference of {100 * self.difference:+.1f} "
            f"[{100 * self.low:+.1f}, {100 * self.high:+.1f}] points over {counted(self.questions, 'question')}, "
            f"p = {self.p:.3f}"
        )


#: WebQSP's script gives an answer of which nothing is right 1e-40: that is no more than none at all.
_NOTHING = 1e-12


def paired_bootstrap(
    first: Sequence[float], second: Sequence[float], *, resamples: int = _RESAMPLES, seed: int = 0
) -> Difference:
    """Compare two runs question by question (Koehn 2004): questions are drawn with replacement, in pairs.

    Args:
        first: One run's scores.
        second: The other's, of the same questions in the same order.
        resamples: How often to draw.
        seed: Of the draws.

    Raises:
        ValueError: They are not equally many, or none.
    """
    import numpy as np

    if len(first) != len(second) or not first:
        raise ValueError(f"two runs compare over the questions that both have; {len(first)} and {len(second)} given")
    deltas = np.asarray(second, dtype=float) - np.asarray(first, dtype=float)
    deltas[np.abs(deltas) < _NOTHING] = 0.0
    drawn = _means(deltas, resamples, seed)
    observed = float(deltas.mean())
    turned = min(float((drawn <= 0).mean()), float((drawn >= 0).mean()))
    low, high = (float(end) for end in np.quantile(drawn, [0.025, 0.975]))
    return Difference(
        len(first),
        math.fsum(first) / len(first),
        math.fsum(second) / len(second),
        observed,
        low,
        high,
        min(1.0, 2 * turned) if observed else 1.0,
        sum(one == 1.0 > other for one, other in zip(first, second, strict=True)),
        sum(other == 1.0 > one for one, other in zip(first, second, strict=True)),
    )


def _means(deltas: Any, resamples: int, seed: int) -> Any:
    """The means of resamples, a block at a time so that many questions take little memory."""
    import numpy as np

    generator, size = np.random.default_rng(seed), len(deltas)
    block = max(1, 5_000_000 // size)
    parts = []
    for start in range(0, resamples, block):
        many = min(block, resamples - start)
        parts.append(deltas[generator.integers(0, size, (many, size))].mean(axis=1))
    return np.concatenate(parts)
