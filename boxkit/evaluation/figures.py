"""A report's figures: scores by model, scores by number of demonstrations, errors by kind."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from boxkit.errors import MissingExtra
from boxkit.evaluation.apart import apart, difference
from boxkit.evaluation.mistakes import kinds_of, told
from boxkit.evaluation.proposals import told_of
from boxkit.evaluation.summary import RunReport
from boxkit.evaluation.tables import label_of, who

__all__ = ["FIGURES", "draw"]

_TITLES = {
    "Scores": "scores.png",
    "Scores by number of demonstrations": "demonstrations.png",
    "Errors by kind": "errors.png",
}
#: The files that there may be.
FIGURES = tuple(_TITLES.values())

#: What the points of a line over K differ in.
_VARIED = ("strategy.k", "strategy.demonstrations")


def draw(runs: Sequence[RunReport], folder: Path) -> list[tuple[str, Path]]:
    """Draw what these runs have something for.

    Returns:
        Title and file of each figure.

    Raises:
        MissingExtra: matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtra("matplotlib", "eval") from error
    runs = apart([run for run in runs if run.values()])
    drawn = []
    for (title, name), plot in zip(_TITLES.items(), (_scores, _demonstrations, _errors), strict=True):
        figure = Figure(figsize=(7, 4), layout="constrained")
        if plot(figure.subplots(), runs):
            path = folder / name
            figure.savefig(path, dpi=120)
            drawn.append((title, path))
    return drawn


def _named(run: RunReport) -> str:
    return ", ".join(filter(None, who(run)))


def _scores(axes: Any, runs: Sequence[RunReport]) -> bool:
    """A bar a run, with its interval (the shape of Pandora's Figure 5)."""
    found = [(_named(run), run.summary()) for run in runs]
    for at, (_, summary) in enumerate(found):
        below, above = summary.score - summary.low, summary.high - summary.score
        axes.barh(at, 100 * summary.score, xerr=[[100 * max(0, below)], [100 * max(0, above)]], color="tab:blue")
    axes.set_yticks(range(len(found)), [name for name, _ in found], fontsize=8)
    axes.invert_yaxis()
    axes.set_xlabel("score, points (95 % interval)")
    return bool(found)


def _demonstrations(axes: Any, runs: Sequence[RunReport]) -> bool:
    """A line a benchmark and model over K (the shape of Pandora's Figure 6)."""
    lines = _lines([(count, run) for run in runs if (count := _shown(run)) is not None])
    for name, points in lines.items():
        points.sort(key=lambda each: each[0])
        counts = [count for count, _ in points]
        summaries = [run.summary() for _, run in points]
        axes.plot(counts, [100 * summary.score for summary in summaries], marker="o", label=name)
        low, high = ([100 * getattr(summary, end) for summary in summaries] for end in ("low", "high"))
        axes.fill_between(counts, low, high, alpha=0.15)
    axes.set_xlabel("demonstrations, K")
    axes.set_ylabel("score, points")
    if lines:
        axes.legend(fontsize=8)
    return bool(lines)


def _shown(run: RunReport) -> int | None:
    """How many demonstrations a run of the group ``k`` shows; None for any other."""
    number = re.search(r"\d+", label_of(run, "variant")) if label_of(run, "group") == "k" else None
    return int(number[0]) if number else None


def _lines(points: Sequence[tuple[int, RunReport]]) -> dict[str, list[tuple[int, RunReport]]]:
    """The points of each line by its name, with what sets it apart from others of its benchmark and model."""
    together: dict[str, list[tuple[int, RunReport]]] = {}
    for count, run in points:
        together.setdefault(", ".join(who(run)[:2]), []).append((count, run))
    lines: dict[str, list[tuple[int, RunReport]]] = {}
    for name, some in together.items():
        for point, detail in zip(some, difference([run for _, run in some], _VARIED), strict=True):
            lines.setdefault(f"{name} ({detail})" if detail else name, []).append(point)
    return lines


def _errors(axes: Any, runs: Sequence[RunReport]) -> bool:
    """A stacked bar a run (the shape of Pandora's Figure 7)."""
    counted = [(_named(run), kinds_of(run.records, run.scorers[0], told_of(run.folder))) for run in runs]
    counted = [(name, counts) for name, counts in counted if counts]
    for kind in dict.fromkeys(kind for _, counts in counted for kind in counts):
        shares = [100 * counts[kind] / counts.total() for _, counts in counted]
        before = [
            sum(100 * counts[other] / counts.total() for other in _before(kind, counted)) for _, counts in counted
        ]
        axes.barh(range(len(counted)), shares, left=before, label=told(kind))
    axes.set_yticks(range(len(counted)), [name for name, _ in counted], fontsize=8)
    axes.invert_yaxis()
    axes.set_xlabel("share of the errors, %")
    if counted:
        axes.figure.legend(fontsize=8, loc="outside upper center", ncols=4)  # bars fill the axes to the end
    return bool(counted)


def _before(kind: str, counted: Sequence[tuple[str, Any]]) -> list[str]:
    kinds = list(dict.fromkeys(each for _, counts in counted for each in counts))
    return kinds[: kinds.index(kind)]
