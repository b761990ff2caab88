"""What must be said of a run's verdicts beside its scores: where there are none, and where gold has changed since."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxkit.wording import counted

if TYPE_CHECKING:
    from boxkit.evaluation.datasets import Dataset
    from boxkit.evaluation.summary import RunReport

__all__ = ["tell_outdated", "tell_unjudged"]

#: How many reasons of a scorer are told, the commonest first.
_REASONS = 3


def tell_unjudged(report: RunReport) -> None:
    """Why there is no verdict, once for each reason and the scorers that give it."""
    from boxkit.cli.terminal import say, text

    told: dict[str, list[str]] = {}
    for name in report.scorers:
        for why, count in report.unjudged(name).most_common(_REASONS):
            told.setdefault(f"no verdict on {counted(count, 'question')}: {why}", []).append(name)
    for line, names in told.items():
        say(text(f"{', '.join(names)}: {line}", "dim"))


def tell_outdated(report: RunReport, dataset: Dataset, given: str) -> None:
    """Say where verdicts stand that today's gold might not give."""
    from boxkit.cli.terminal import say, text, waiting
    from boxkit.evaluation.summary import outdated

    if report.folder is None:
        return
    with waiting("comparing gold"):
        count = len(outdated(report, dataset))
    if count:
        told = counted(count, "verdict is of another gold", "verdicts are of another gold")
        again = f"`boxkit eval {given} --out {report.folder} --rescore` judges anew"
        say(text(f"{told} than {given} has now: {again} (with this command's --sample, --databases …)", "yellow"))
