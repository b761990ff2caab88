"""``boxkit learn``: training questions become a memory of demonstrations, with a model or without one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from boxkit.cli.datasets import dataset_named, dataset_options, guessed
from boxkit.cli.exits import Exit, end, reported
from boxkit.cli.options import Confinement, Finite, confinement
from boxkit.cli.terms import check_budget, price_option

if TYPE_CHECKING:
    from collections.abc import Callable

    from boxkit.evaluation.datasets import Dataset
    from boxkit.llm.protocol import LLM
    from boxkit.memory import Memory
    from boxkit.memory.learning import Report
    from boxkit.memory.learning.report import OutcomeName

__all__ = ["learn"]

#: The split that is learned from, where a benchmark calls it otherwise.
_SPLITS = {"kaggledbqa": "fewshot", "ck25": "all"}

#: Options that not every benchmark takes, and those that do.
_TAKEN_BY = {
    "graph": "grailqa webqsp cwq qald-10 ck25".split(),
    "hops": "grailqa webqsp cwq qald-10".split(),
    "databases": "spider spider-syn spider-realistic spider-dk machinespider-de bird kaggledbqa archer starqa".split(),
}

#: The outcomes that have a reason.
_PROBLEMS: tuple[OutcomeName, ...] = ("refused", "wrong", "failed", "unreadable")

#: Without a terminal, a line of progress is written this often.
_LINE_EVERY_S = 30.0


@click.command()
@click.argument("datasets", nargs=-1, required=True, metavar="DATASET...")
@click.option("--out", required=True, metavar="FOLDER", type=click.Path(file_okay=False), help="The memory's folder.")
@click.option(
    "--annotator",
    type=click.Choice(["transpile", "llm", "transpile,llm"]),
    default="transpile",
    show_default=True,
    help="Who writes the code: gold programs turned into pandas, a model, or the model for what cannot be turned.",
)
@click.option("--model", metavar="NAME", help="The language model, for the annotators that ask one.")
@click.option("--base-url", metavar="URL", help="An OpenAI-compatible server.")
@click.option("--cache", metavar="FOLDER", type=click.Path(file_okay=False), help="Keep the model's replies here.")
@click.option("--show-gold/--hide-gold", default=False, help="Whether the model sees the gold program. [default: hide]")
@click.option("--k", type=click.IntRange(min=0), default=10, show_default=True, help="Demonstrations it is shown.")
@click.option("--attempts", type=click.IntRange(min=1), default=3, show_default=True, help="Its replies at the most.")
@click.option("--concurrency", type=click.IntRange(min=1), default=4, show_default=True, help="Questions at once.")
@click.option("--target", type=click.IntRange(min=1), help="Stop when so many demonstrations are kept.")
@click.option("--dollars", type=Finite(min=0, min_open=True), help="Stop before the model costs more.")
@price_option
@dataset_options
@click.option("--embedding", metavar="NAME", help="How a new memory compares questions. [default: the best there is]")
@click.option("--report", "reporting", is_flag=True, help="Print right, refused and wrong by dataset, and why.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
@confinement
def learn(
    datasets: tuple[str, ...],
    out: str,
    annotator: str,
    reporting: bool,
    as_json: bool,
    confinement: Confinement,
    **options: Any,
) -> None:
    """Learn demonstrations from the training questions of each DATASET.

    A DATASET is NAME=PATH, or NAME/SPLIT=PATH for another split than the one to learn from; a path alone where its
    name tells which benchmark it is, or where it is a JSON Lines file of your own. Databases come first, with nothing
    shown; tables and graphs second, with what was learned from databases. What is kept gave the gold answer under the
    benchmark's own scorer. After a kill, the same command goes on where it stopped.

    \b
        boxkit learn spider=data/spider --out memory/ --report
        boxkit learn spider=data/spider wikitq=data/wikitq --annotator transpile,llm --model gpt-4o-mini --out memory/
    """
    with reported():
        # What is wrong with a dataset or a model is told before a folder is made.
        llm = _model(annotator, options)
        read = [_read(each, options) for each in datasets]
        report = _learned(read, llm, _memory(out, options["embedding"]), annotator, confinement, options)
        _print(report, out, reporting=reporting, as_json=as_json)
        is_enough = options["target"] is not None and report.kept >= options["target"]
        end(Exit.ANSWERED if report.kept and (is_enough or not report.stopped) else Exit.NO_ANSWER)


def _learned(
    datasets: Sequence[Dataset],
    llm: LLM | None,
    memory: Memory,
    annotator: Any,
    confinement: Confinement,
    options: dict[str, Any],
) -> Report:
    import boxkit

    with _progress(sum(map(len, datasets))) as advance:
        return boxkit.learn(
            datasets,
            llm,
            memory,
            annotator=annotator,
            limits=confinement.limits(),
            on_progress=advance,
            **{name: options[name] for name in ("attempts", "k", "show_gold", "concurrency", "dollars", "target")},
        )


def _model(annotator: str, options: dict[str, Any]) -> LLM | None:
    from boxkit.cli.strategies import model_for

    if annotator == "transpile":
        if options["model"] or options["base_url"]:
            raise click.UsageError("--annotator transpile asks no model: choose llm or transpile,llm")
        return None
    llm, why = model_for(options["model"], options["base_url"])
    if llm is None:
        raise click.UsageError(f"--annotator {annotator} needs a model ({why}): --model or --base-url")
    check_budget(options["dollars"], options["price"], [llm])
    if options["cache"] is not None:
        from boxkit.llm.cache import Cached

        llm = Cached(llm, options["cache"])
    if options["price"]:
        from boxkit.evaluation.priced import Priced
        from boxkit.llm.prices import Price

        llm = Priced(llm, Price(*options["price"]))
    return llm


def _read(given: str, options: dict[str, Any]) -> Dataset:
    """The dataset that an argument names, in the split that is learned from, with the options that it takes."""
    from boxkit.cli.terminal import say, text

    named, equals, path = given.partition("=")
    if not equals or not path:
        named, path = guessed(given), given
    name, _, split = named.partition("/")
    split = split or _SPLITS.get(name, "train")
    own = {each: options[each] if name in takers else None for each, takers in _TAKEN_BY.items()}
    dataset = dataset_named(f"{name}/{split}={path}", {**options, **own})
    for note in dataset.notes:
        say(text(note, "dim"))
    return dataset.head(options["limit"])


def _memory(out: str, embedding: str | None) -> Memory:
    """The memory of the folder; an empty one where there is none yet."""
    from boxkit.memory import Memory

    try:
        return Memory.open(out, embedding)
    except ValueError as error:
        raise click.UsageError(f"--embedding: {error}") from error


@contextmanager
def _progress(total: int) -> Iterator[Callable[[Report], None]]:
    """A bar on a terminal, else a line now and then: what is done, kept and spent, and what it will cost."""
    import sys

    from boxkit.cli.terminal import say, screen, text

    if not sys.stderr.isatty():
        yield _lines(lambda line: say(text(line, "dim")))
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"), TimeRemainingColumn())
    with Progress(*columns, console=screen(stderr=True)) as bar:
        task = bar.add_task("", total=total)

        def advance(report: Report) -> None:
            bar.update(task, completed=report.done, total=report.total, description=_state(report))

        yield advance


def _lines(write: Callable[[str], None]) -> Callable[[Report], None]:
    import time

    written = time.monotonic()

    def advance(report: Report) -> None:
        nonlocal written
        if time.monotonic() - written >= _LINE_EVERY_S:
            written = time.monotonic()
            write(f"{report.done} of {report.total}, {_state(report)}")

    return advance


def _state(report: Report) -> str:
    """How much was kept, and what models cost and will cost."""
    kept = f"{report.kept} kept ({report.yield_:.0%})"
    if not any(each.calls for each in report.finished):
        return kept
    if report.dollars is None:
        return f"{kept}, {sum(each.tokens for each in report.finished):,} tokens"
    return f"{kept}, ${report.dollars:.4f} spent, ${report.dollars_to_come or 0.0:.4f} to come"


def _print(report: Report, out: str, *, reporting: bool, as_json: bool) -> None:
    from boxkit.cli.terminal import print_json, say, text

    if as_json:
        reasons = {outcome: dict(report.reasons(outcome, len(report.finished))) for outcome in _PROBLEMS}
        print_json({"datasets": list(report.rows()), "reasons": reasons, "stopped": report.stopped})
    elif reporting:
        _tables(report)
    stopped = f"; stopped: {report.stopped}" if report.stopped else ""
    say(text(f"{report.done} of {report.total} done, {_state(report)}: {out}{stopped}"))


def _tables(report: Report) -> None:
    """What came of each dataset, and the commonest reasons of what was not kept."""
    from boxkit.cli.tables import table
    from boxkit.cli.terminal import show, text

    counts = [{**row, "share": f"{row['share']:.2%}"} for row in report.rows()]
    show(table(list(counts[0]) if counts else [], [list(row.values()) for row in counts]))
    reasons = [
        (outcome, count, reason.partition("\n")[0])
        for outcome in _PROBLEMS
        for reason, count in report.reasons(outcome)
    ]
    if reasons:
        show(text(""))
        show(table(("outcome", "how often", "why"), reasons))
