"""Confidence against truth: a table, and a reliability plot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from boxkit.evaluation.statistics import wilson

BINS = 10


@dataclass(frozen=True)
class Bin:
    """Readings of like confidence: the least, the greatest, their mean, how many there are, how many are right."""

    low: float
    high: float
    mean: float
    count: int
    right: int

    @property
    def share(self) -> float:
        """How many of them are right, in [0, 1]."""
        return self.right / self.count


def binned(pairs: Sequence[tuple[float, bool]], bins: int = BINS) -> Iterator[Bin]:
    """Bins of about equally many (confidence, right), the least sure first; a confidence is never split over two."""
    ordered = sorted(pairs)
    start = 0
    for number in range(1, bins + 1):
        end = max(start, round(number * len(ordered) / bins))
        while 0 < end < len(ordered) and ordered[end][0] == ordered[end - 1][0]:
            end += 1
        if end > start:
            some = ordered[start:end]
            confidences = [each[0] for each in some]
            mean, right = sum(confidences) / len(some), sum(each[1] for each in some)
            yield Bin(confidences[0], confidences[-1], mean, len(some), right)
        start = end


def table(bins: Sequence[Bin]) -> str:
    """The bins as Markdown, the surest first, and how far confidence and truth are apart on average."""
    lines = ["| confidence | readings | mean confidence | right | 95 % |", "|---|---|---|---|---|"]
    for each in reversed(bins):
        low, high = wilson(each.right, each.count)
        lines.append(
            f"| {each.low:.2f} to {each.high:.2f} | {each.count} | {each.mean:.2f} | {each.share:.2f} "
            f"| {low:.2f} to {high:.2f} |"
        )
    total = sum(each.count for each in bins)
    error = sum(each.count * abs(each.mean - each.share) for each in bins) / total
    return "\n".join([*lines, f"\nExpected calibration error over these bins: {error:.3f} ({total} readings)."])


def plot(bins: Sequence[Bin], threshold: float, path: Path, data: str) -> None:
    """The reliability plot: the same file for the same figures."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams |= {"svg.hashsalt": "planner", "font.size": 9, "svg.fonttype": "none"}
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(4.4, 4.0), layout="constrained")
    axes.plot([0, 1], [0, 1], color="0.6", linewidth=1, linestyle="--", label="as sure as right")
    axes.axvspan(0, threshold, color="0.93", label=f"abstains below {threshold:g}")
    intervals = [wilson(each.right, each.count) for each in bins]
    means, shares = [each.mean for each in bins], [each.share for each in bins]
    below = [share - low for share, (low, _) in zip(shares, intervals, strict=True)]
    above = [high - share for share, (_, high) in zip(shares, intervals, strict=True)]
    axes.errorbar(means, shares, yerr=[below, above], fmt="o", markersize=4, capsize=2, label="right, with 95 %")
    axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="the Planner's confidence", ylabel="share that is right", title=data)
    axes.legend(loc="upper left", frameon=False)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)
