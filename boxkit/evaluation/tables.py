"""A table of a report, and the cells that several of them share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from boxkit.evaluation.statistics import wilson
from boxkit.evaluation.summary import RunReport, Summary

__all__ = ["Table", "benchmark_of", "columns", "label_of", "share", "spread", "strategy_of", "who"]


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a report.

    Attributes:
        name: Its file's name.
        title: What it shows.
        columns: Their names.
        rows: Texts.
    """

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def markdown(self) -> str:
        """As Markdown."""

        def line(cells: Iterable[str]) -> str:
            return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"

        rule = "|" + "---|" * len(self.columns)
        return "\n".join([f"## {self.title}", "", line(self.columns), rule, *map(line, self.rows)])


def columns(fixed: Sequence[str], more: Iterable[str], what: str) -> tuple[str, ...]:
    """The names of a table's columns, no two alike: those that data give say ``what`` they are where one is taken.

    >>> columns(("model", "strategy"), ("model", "single"), "strategy")
    ('model', 'strategy', 'strategy model', 'single')
    """
    found = list(fixed)
    for name in more:
        told = f"{what} {name}" if name in found else name
        found.append(told if told not in found else f"{told} ({len(found)})")
    return tuple(found)


def label_of(run: RunReport, name: str) -> str:
    """What a report calls a run: its ``model``, ``variant``, ``group`` or ``detail``; empty where nothing."""
    labels: dict[str, str] = run.about.get("labels", {})
    return labels.get(name, "")


def benchmark_of(run: RunReport) -> str:
    """The benchmark and its split."""
    return f"{run.settings['dataset']}/{run.settings['split']}"


def who(run: RunReport) -> tuple[str, str, str]:
    """The first cells of a row: benchmark, model, strategy."""
    return benchmark_of(run), label_of(run, "model") or "no model", strategy_of(run)


def strategy_of(run: RunReport) -> str:
    """The strategy, with what sets it apart from others of its name: ``Pandora (k=4)``."""
    variant, detail = label_of(run, "variant"), label_of(run, "detail")
    return f"{variant} ({detail})".strip() if detail else variant


def spread(summary: Summary) -> tuple[str, str, str]:
    """Three cells: score, interval, n; no score where there is no verdict."""
    if not summary.questions:
        return "none", "", "0"
    return (
        f"{100 * summary.score:.1f}",
        f"{100 * summary.low:.1f} to {100 * summary.high:.1f}",
        str(summary.questions),
    )


def share(part: Sequence[bool]) -> str:
    """One cell: a percentage with its interval and n."""
    if not part:
        return "none"
    low, high = wilson(sum(part), len(part))
    return f"{100 * sum(part) / len(part):.1f} [{100 * low:.1f}, {100 * high:.1f}] (n = {len(part)})"
