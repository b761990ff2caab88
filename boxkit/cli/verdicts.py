"""What must be said of a run beside its scores: verdicts that are missing or outdated, and what is left to ask."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxkit.cli.exits import Exit
from boxkit.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from boxkit.evaluation.datasets import Dataset
    from boxkit.evaluation.summary import RunReport

__all__ = ["exit_of", "tell_changed", "tell_left", "tell_others", "tell_outdated", "tell_unjudged"]

#: How many reasons of a scorer are told, the commonest first; and how many names of sources.
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


def tell_others(report: RunReport) -> None:
    """Which models have replied by their servers' word, where it was not the one that was asked, nor a date of it."""
    from boxkit.cli.terminal import say, text

    asked = str(report.about.get("labels", {}).get("model", ""))
    names = [name.casefold() for name in asked.split(", ")]
    for other, count in report.replied.items():
        if asked and not any(name in other.casefold() or other.casefold() in name for name in names):
            told = counted(count, "reply is", "replies are")
            say(text(f"{told} of {other}, says the server, where {asked} was asked", "yellow"))


def tell_left(report: RunReport) -> None:
    """What counts as wrong though its server may be to blame, and why a run has ended before its end."""
    from boxkit.cli.terminal import say, text

    refused = sum(record.unasked for record in report.records)
    if refused:
        told = counted(refused, "question that counts as wrong", "questions that count as wrong")
        them = "it" if refused == 1 else "them"
        say(text(f"the server did not take {told}: where it was to blame, --again model asks {them} anew", "yellow"))
    if report.stopped:
        more = " with more --dollars" if report.stopped.startswith("the budget") else ""
        then = f"the same command{more} goes on" if report.folder is not None else "--out FOLDER keeps what is done"
        say(text(f"stopped: {report.stopped}; {then}", "yellow"))


def exit_of(runs: Iterable[RunReport]) -> Exit:
    """How a command over these runs ends: whether every question has an outcome."""
    return Exit.NO_ANSWER if any(run.stopped for run in runs) else Exit.ANSWERED


def tell_changed(report: RunReport) -> None:
    """Say which data are other ones than earlier questions were asked of."""
    from boxkit.cli.terminal import say, text
    from boxkit.evaluation.states import changed_sources

    changed = changed_sources(report.about)
    if changed:
        named = ", ".join(changed[:_REASONS]) + (f" and {len(changed) - _REASONS} more" * (len(changed) > _REASONS))
        have = "has" if len(changed) == 1 else "have"
        told = f"{named} {have} changed since the run began, and finished questions are of the data as they were"
        say(text(f"{told}: another --out asks all of them anew", "yellow"))


def tell_outdated(report: RunReport, dataset: Dataset, given: str) -> None:
    """Say where verdicts stand that today's gold might not give, and answers that today's data might not."""
    from boxkit.cli.terminal import say, text, waiting
    from boxkit.evaluation.summary import outdated

    if report.folder is None:
        return
    tell_changed(report)
    with waiting("comparing gold"):
        count = len(outdated(report, dataset))
    if count:
        told = counted(count, "verdict is of another gold", "verdicts are of another gold")
        again = f"`boxkit eval {given} --out {report.folder} --rescore` judges anew"
        say(text(f"{told} than {given} has now: {again} (with this command's --sample, --databases …)", "yellow"))
