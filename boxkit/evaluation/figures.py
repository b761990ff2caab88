"""A report's figures: scores by model, scores by number of demonstrations, errors by kind."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from boxkit.errors import MissingExtra
from boxkit.evaluation.mistakes import kinds_of
from boxkit.evaluation.proposals import told_of
from boxkit.evaluation.summary import RunReport

__all__ = ["draw"]


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
    drawn = []
    for title, name, plot in (
        ("Scores", "scores", _scores),
        ("Scores by number of demonstrations", "demonstrations", _demonstrations),
        ("Errors by kind", "errors", _errors),
    ):
        figure = Figure(figsize=(7, 4), layout="constrained")
        if plot(figure.subplots(), runs):
            path = folder / f"{name}.png"
            figure.savefig(path, dpi=120)
            drawn.append((title, path))
    return drawn


def _named(run: RunReport) -> str:
    labels = run.about.get("labels", {})
    parts = (run.settings["dataset"], labels.get("model"), labels.get("variant"))
    return ", ".join(str(part) for part in parts if part)


def _scores(axes: Any, runs: Sequence[RunReport]) -> bool:
    """A bar a run, with its interval (the shape of Pandora's Figure 5)."""
    found = [(_named(run), run.summary()) for run in runs if run.done]
    for at, (_, summary) in enumerate(found):
        below, above = summary.score - summary.low, summary.high - summary.score
        axes.barh(at, 100 * summary.score, xerr=[[100 * max(0, below)], [100 * max(0, above)]], color="tab:blue")
    axes.set_yticks(range(len(found)), [name for name, _ in found], fontsize=8)
    axes.invert_yaxis()
    axes.set_xlabel("score, points (95 % interval)")
    return bool(found)


def _demonstrations(axes: Any, runs: Sequence[RunReport]) -> bool:
    """A line a benchmark and model over K (the shape of Pandora's Figure 6)."""
    lines: dict[str, list[tuple[int, Any]]] = {}
    for run in runs:
        labels = run.about.get("labels", {})
        if labels.get("group") == "k" and run.done:
            shown = int(str(labels["variant"]).removeprefix("K="))
            lines.setdefault(f"{run.settings['dataset']}, {labels.get('model')}", []).append((shown, run.summary()))
    for name, points in lines.items():
        points.sort(key=lambda each: each[0])
        counts = [count for count, _ in points]
        axes.plot(counts, [100 * summary.score for _, summary in points], marker="o", label=name)
        low, high = ([100 * getattr(summary, end) for _, summary in points] for end in ("low", "high"))
        axes.fill_between(counts, low, high, alpha=0.15)
    axes.set_xlabel("demonstrations, K")
    axes.set_ylabel("score, points")
    if lines:
        axes.legend(fontsize=8)
    return bool(lines)


def _errors(axes: Any, runs: Sequence[RunReport]) -> bool:
    """A stacked bar a run (the shape of Pandora's Figure 7)."""
    counted = [(_named(run), kinds_of(run.records, run.scorers[0], told_of(run.folder))) for run in runs if run.done]
    counted = [(name, counts) for name, counts in counted if counts]
    for kind in dict.fromkeys(kind for _, counts in counted for kind in counts):
        shares = [100 * counts[kind] / counts.total() for _, counts in counted]
        before = [
            sum(100 * counts[other] / counts.total() for other in _before(kind, counted)) for _, counts in counted
        ]
        axes.barh(range(len(counted)), shares, left=before, label=kind)
    axes.set_yticks(range(len(counted)), [name for name, _ in counted], fontsize=8)
    axes.invert_yaxis()
    axes.set_xlabel("share of the errors, %")
    if counted:
        axes.legend(fontsize=8)
    return bool(counted)


def _before(kind: str, counted: Sequence[tuple[str, Any]]) -> list[str]:
    kinds = list(dict.fromkeys(each for _, counts in counted for each in counts))
    return kinds[: kinds.index(kind)]
