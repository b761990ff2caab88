"""``boxkit eval``: a strategy over a benchmark, resumable, with what it scores and costs while it runs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from boxkit.cli.datasets import dataset_named, dataset_options
from boxkit.cli.exits import Exit, end, reported
from boxkit.cli.options import Asking, Confinement, asking, confinement
from boxkit.cli.terms import Terms, check_budget, terms
from boxkit.cli.verdicts import exit_of, tell_changed, tell_left, tell_others, tell_outdated, tell_unjudged
from boxkit.errors import BoxkitError
from boxkit.wording import counted

if TYPE_CHECKING:
    from boxkit.evaluation.datasets import Dataset
    from boxkit.evaluation.estimate import Estimate
    from boxkit.evaluation.records import Record
    from boxkit.evaluation.summary import RunReport, Summary
    from boxkit.strategies.steps import Strategy

__all__ = ["evaluate", "running", "strategy_of"]

#: The screen is brought up to date this often, and without a terminal a line is written this often.
_REFRESH_S, _LINE_EVERY_S = 0.25, 30.0
#: How much is shown of an answer.
_ROWS_SHOWN, _CELL_CHARS = 3, 60
#: How many files are named that are none of a run's.
_NAMED = 3


@click.command("eval")
@click.argument("dataset", metavar="DATASET")
@click.option("--out", metavar="FOLDER", type=click.Path(file_okay=False), help="The run's folder; needed to go on.")
@dataset_options
@asking
@terms("Stop cleanly before this is passed.")
@click.option("--rescore", is_flag=True, help="Judge the answers in --out anew, by DATASET's gold; nothing is asked.")
@click.option("--dry-run", is_flag=True, help="Say what it would cost; nothing is asked.")
@click.option(
    "--wrong", type=click.IntRange(min=0), default=10, show_default=True, help="So many wrong answers are listed."
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@confinement
def evaluate(dataset: str, asking: Asking, terms: Terms, confinement: Confinement, **options: Any) -> None:
    """Put every question of DATASET to a strategy, and judge the answers as its official script does.

    DATASET is NAME=PATH, or NAME/SPLIT=PATH for another split than the one that papers report; or a JSON Lines file of
    your own with question, source and answer. After a kill, the same command goes on where it stopped.

    \b
        boxkit eval spider=data/spider --model gpt-4o-mini --dry-run
        boxkit eval spider=data/spider --model gpt-4o-mini --out runs/spider --dollars 5
    """
    with reported():
        if options["rescore"] and (options["dry_run"] or terms.again):
            given = "--dry-run" if options["dry_run"] else "--again"
            raise click.UsageError(f"--rescore judges anew and asks nothing: leave out {given}")
        asked = dataset_named(dataset, options)
        if options["rescore"]:
            run = _rescored(asked, terms, options)
            _print(run, options)
            tell_changed(run)
            end(Exit.ANSWERED)
        strategy, who = strategy_of(asking, confinement, asked, terms)
        if options["dry_run"]:
            _print_estimate(strategy, asked, terms, options, who)
            end(Exit.ANSWERED)
        run = _run(strategy, asked, terms, options, who)
        _print(run, options)
        tell_outdated(run, asked, dataset)
        end(exit_of([run]))


def strategy_of(asking: Asking, confinement: Confinement, dataset: Dataset, terms: Terms) -> tuple[Strategy, str]:
    """The strategy under the benchmark's profile, its model on these terms, and who answers in words."""
    from boxkit.cli.strategies import strategy_for
    from boxkit.evaluation.identity import models_of, rewritten, sampled
    from boxkit.llm.protocol import LLM

    if asking.profile == "default":
        asking = replace(asking, profile=dataset.profile.name)
    strategy, who = strategy_for(asking, confinement.limits())
    check_budget(terms.dollars, terms.price, models_of(strategy))
    try:
        strategy = sampled(strategy, terms.temperature, terms.seed)
    except TypeError as error:
        raise click.UsageError(f"--seed and --temperature: {error}") from error
    return rewritten(strategy, LLM, terms.around()), who


def _rescored(dataset: Dataset, terms: Terms, options: dict[str, Any]) -> RunReport:
    from boxkit.evaluation.summary import rescore

    if not options["out"]:
        raise click.UsageError("--rescore needs --out: the run's folder")
    try:
        return rescore(options["out"], terms.scorers or None, dataset)
    except ValueError as error:
        raise click.UsageError(f"--scorer: {error}") from error


def _run(strategy: Strategy, dataset: Dataset, terms: Terms, options: dict[str, Any], who: str) -> RunReport:
    import boxkit

    count = len(dataset.head(options["limit"]))
    _say(f"{counted(count, 'question')} of {dataset.name}/{dataset.split}, answered by {who}")
    for each in dataset.notes:
        _say(each)
    _tell_foreign(options["out"])
    latest: list[RunReport] = []
    try:
        with running(count) as told:

            def noted(report: RunReport) -> None:
                latest[:] = [report]
                told(report)

            return boxkit.evaluate(
                strategy,
                dataset,
                options["out"],
                limit=options["limit"],
                concurrency=terms.concurrency,
                dollars=terms.dollars,
                scorers=terms.scorers or None,
                again=terms.again,
                on_progress=noted,
            )
    except BoxkitError as error:
        if latest and latest[0].done:  # it is paid for, and without --out kept nowhere else
            latest[0].stopped = str(error).partition("\n")[0]
            _print(latest[0], options)
        raise
    except ValueError as error:
        raise click.UsageError(str(error)) from error


def _say(line: str) -> None:
    from boxkit.cli.terminal import say, text

    say(text(line, "dim"))


@contextmanager
def running(total: int) -> Iterator[Callable[[RunReport], None]]:
    """A live view on a terminal, else a line now and then."""
    import sys

    from boxkit.cli.terminal import screen

    state = _states()
    if not sys.stderr.isatty():
        yield _every(_LINE_EVERY_S, lambda report: _say(state(report)))
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=screen(stderr=True)) as bar:
        task = bar.add_task("", total=total)

        def show(report: RunReport) -> None:
            bar.update(task, completed=report.done, total=report.total, description=state(report))

        yield _every(_REFRESH_S, show)


def _every(seconds: float, show: Callable[[RunReport], None]) -> Callable[[RunReport], None]:
    """Show a report no more often than that, and the last one always."""
    shown = -seconds

    def told(report: RunReport) -> None:
        nonlocal shown
        if time.monotonic() - shown >= seconds or report.done == report.total:
            shown = time.monotonic()
            show(report)

    return told


def _states() -> Callable[[RunReport], str]:
    """What to say of a report: score and interval, tokens, dollars so far and to come, errors by kind, time left."""
    started, begun = time.monotonic(), [-1]

    def state(report: RunReport) -> str:
        # What an earlier call did says nothing of how fast this one is.
        begun[0] = report.done - 1 if begun[0] < 0 else begun[0]
        usage, each_s = report.usage, (time.monotonic() - started) / max(1, report.done - begun[0])
        parts = [f"{report.done} of {report.total}", str(report.summary())]
        if usage.calls:
            parts.append(f"{usage.prompt_tokens + usage.completion_tokens:,} tokens")
            parts.append(_money(report))
        if report.failures:
            parts.append(", ".join(f"{kind} {count}" for kind, count in report.failures.most_common(3)))
        if report.done < report.total:
            parts.append(f"about {_time(each_s * (report.total - report.done))} left")
        return " · ".join(parts)

    return state


def _money(report: RunReport) -> str:
    usage = report.usage
    if usage.dollars is None:
        return "price unknown"
    saved = f" (${usage.virtual_dollars:.4f} without the cache)" if usage.cached_calls and usage.virtual_dollars else ""
    to_come = report.dollars_to_come
    return f"${usage.dollars:.4f} spent{saved}" + (f", ${to_come:.4f} to come" if to_come else "")


def _time(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}"


def _print(report: RunReport, options: dict[str, Any]) -> None:
    from boxkit.cli.tables import table
    from boxkit.cli.terminal import print_json, show
    from boxkit.evaluation.tables import spread

    if options["as_json"]:
        print_json(_json(report, options["wrong"]))
        return
    rows = []
    for name in report.scorers:
        total = report.summary(name)
        score, interval, judged = spread(total)
        rows.append((name, score, interval, total.right, judged, total.unjudged))
    show(table(("scorer", "score", "95 %", "right", "judged", "no verdict"), rows))
    tell_unjudged(report)
    tell_others(report)
    for group in report.groups:
        parts = [(value, *str(found).split(" ", 1)) for value, found in report.by(group).items()]
        if 1 < len(parts) <= 15:
            show(table((group, "score", "interval"), parts))
    failures = ", ".join(f"{kind} {count}" for kind, count in report.failures.most_common())
    usage = report.usage
    done, calls = f"{report.done} of {report.total} done", counted(usage.calls, "call")
    _say(f"{done}; {calls}; {_money(report)}; failures: {failures or 'none'}")
    _print_wrong(report, options["wrong"])
    tell_left(report)


def _tell_foreign(out: str | None) -> None:
    """Say what a run's folder holds that is no run's, in case that another folder was meant.

    It is no error: nothing of it is overwritten, and a log that the shell has opened there stands where it should.
    """
    from boxkit.evaluation.folder import RECORDS, SETTINGS

    folder = Path(out) if out else None
    if folder is None or not folder.is_dir() or (folder / SETTINGS).exists():
        return
    names = sorted(each.name for each in folder.iterdir() if not each.name.startswith(".") and each.name != RECORDS)
    if names:
        shown = ", ".join([*names[:_NAMED], *["…"] * (len(names) > _NAMED)])
        _say(f"{folder} holds something else already ({shown}): it is left as it is, and the run is kept beside it")


def _print_wrong(report: RunReport, most: int) -> None:
    """The first wrong answers, and where all records are."""
    from boxkit.cli.tables import table
    from boxkit.cli.terminal import show

    wrong = report.wrong()
    if wrong and most:
        columns = ("wrong", "question", "answer, or why there is none", "gold")
        show(table(columns, [_wrong(each) for each in wrong[:most]]))
    hidden = len(wrong) - most
    told = counted(hidden, "more is wrong", "more are wrong")
    more = f"{told} (--wrong {len(wrong)} lists them); " if hidden > 0 and most else ""
    if report.folder is not None:
        _say(f"{more}all that led to each answer: {report.folder / 'records.jsonl'}")
    elif wrong:
        _say(f"{more}--out FOLDER keeps all that led to each answer")


def _wrong(record: Record) -> tuple[str, str, str, str]:
    answer = f"{record.failure}: {record.message}" if record.failure else _rows(record.rows)
    return record.id, _brief(record.question, 2 * _CELL_CHARS), _brief(answer, 2 * _CELL_CHARS), _rows(record.gold)


def _rows(rows: Sequence[Sequence[Any]]) -> str:
    """The first rows on a line."""
    from boxkit.cli.tables import cell

    lines = [_brief(", ".join(map(cell, row)), _CELL_CHARS) for row in rows[:_ROWS_SHOWN]]
    more = [f"… ({len(rows)} rows)"] if len(rows) > _ROWS_SHOWN else []
    return "; ".join(lines + more) or "no rows"


def _brief(text: str, most: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= most else f"{flat[: most - 1]}…"


def _json(report: RunReport, most: int) -> dict[str, Any]:
    from boxkit.canonical import json_value

    return {
        "settings": report.settings,
        "about": report.about,
        "done": report.done,
        "total": report.total,
        "stopped": report.stopped,
        "unasked": sum(record.unasked for record in report.records),
        "scores": {name: _summary(report.summary(name)) for name in report.scorers},
        "groups": {
            group: {value: _summary(found) for value, found in report.by(group).items()} for group in report.groups
        },
        "failures": dict(report.failures),
        "replied": dict(report.replied),
        "wrong": [
            {
                "id": each.id,
                "question": each.question,
                "failure": each.failure,
                "message": each.message,
                "rows": json_value(each.rows),
                "gold": json_value(each.gold),
            }
            for each in report.wrong()[:most]
        ],
        "records": None if report.folder is None else str(report.folder / "records.jsonl"),
        "usage": json_value(report.usage),
    }


def _summary(summary: Summary) -> dict[str, Any]:
    """A summary as JSON; without a score where there is no verdict."""
    from boxkit.canonical import json_value

    state: dict[str, Any] = json_value(summary)
    return state if summary.questions else state | {"score": None, "low": None, "high": None}


def _print_estimate(strategy: Strategy, dataset: Dataset, terms: Terms, options: dict[str, Any], who: str) -> None:
    from boxkit.canonical import json_value
    from boxkit.cli.terminal import print_json, show, text, waiting
    from boxkit.evaluation.arguments import names_of
    from boxkit.evaluation.estimate import estimate, left_to_ask

    limit = options["limit"]
    try:
        names_of(terms.scorers, terms.again)  # what the run would refuse
        left = left_to_ask(strategy, dataset, options["out"], terms.again)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    wanted = {task.key for task in dataset.head(limit)}
    left = replace(left, tasks=tuple(task for task in left if task.key in wanted))
    with waiting("making prompts"):
        found = estimate(strategy, left)
    if options["as_json"]:
        print_json(json_value(found) | {"dollars": found.dollars, "dollars_at_most": found.dollars_at_most})
        return
    show(text(_told(found, who, len(wanted)), lines=True))


def _told(found: Estimate, who: str, wanted: int) -> str:
    from boxkit.cli.answers import in_dollars
    from boxkit.evaluation.estimate import REPLY_TOKENS

    of = "it" if found.questions == 1 else f"{found.looked_at} of them"
    left = f"{found.questions} of {counted(wanted, 'question')} left to ask"
    asked = counted(wanted, "question") if found.questions == wanted else left
    lines = [f"{asked}, answered by {who}; prompts made of {of}"]
    for name, load, dollars in (
        ("likely", found.likely, found.dollars),
        ("at most", found.most, found.dollars_at_most),
    ):
        cached = f" ({load.cached_calls:.1f} of them cached)" if load.cached_calls else ""
        lines.append(
            f"{name}: {load.calls:.1f} calls a question{cached}, "
            f"{load.prompt_tokens * found.questions:,.0f} tokens sent, "
            f"{load.completion_tokens * found.questions:,.0f} received: {in_dollars(dollars)}"
        )
    lines.append(f"a reply is taken to be {REPLY_TOKENS} tokens long; nothing was asked")
    return "\n".join(lines)
