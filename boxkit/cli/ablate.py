"""``boxkit ablate``, ``report`` and ``label``: a grid of runs, what they came to, and why answers are wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from boxkit.cli.datasets import dataset_named, dataset_options
from boxkit.cli.exits import Exit, end, reported
from boxkit.cli.options import Confinement, confinement, profile_option
from boxkit.cli.strategies import memory_at, profile_named
from boxkit.cli.terms import Terms, check_budget, terms
from boxkit.cli.verdicts import exit_of, tell_outdated
from boxkit.wording import counted

if TYPE_CHECKING:
    from boxkit.evaluation.ablations import Variant
    from boxkit.evaluation.datasets import Dataset
    from boxkit.evaluation.estimate import Estimate
    from boxkit.evaluation.proposals import Proposal
    from boxkit.evaluation.records import Record
    from boxkit.evaluation.summary import RunReport
    from boxkit.executor import Limits
    from boxkit.llm.protocol import LLM
    from boxkit.memory import Memory
    from boxkit.strategies.steps import Strategy

__all__ = ["ablate", "label", "report"]


@click.command()
@click.argument("dataset", metavar="DATASET")
@click.option(
    "--out", required=True, metavar="FOLDER", type=click.Path(file_okay=False), help="A folder a run below it."
)
@click.option(
    "--only", "names", multiple=True, metavar="NAME", help="An ablation, or a group of them. May be repeated."
)
@click.option("--grid", metavar="FILE", type=click.Path(dir_okay=False), help="A TOML file of your own ablations.")
@click.option("--model", "models", multiple=True, metavar="NAME", help="A language model. May be repeated.")
@click.option("--base-url", metavar="URL", help="An OpenAI-compatible server.")
@click.option(
    "--memory",
    metavar="FOLDER",
    type=click.Path(exists=True, file_okay=False),
    help="Demonstrations of your own; else those that come with boxkit.",
)
@click.option("--cache", metavar="FOLDER", type=click.Path(file_okay=False), help="Keep the model's replies here.")
@profile_option
@terms("For each run.")
@click.option("--dry-run", is_flag=True, help="Say what each run would cost; nothing is asked.")
@dataset_options
@confinement
def ablate(dataset: str, terms: Terms, confinement: Confinement, **options: Any) -> None:
    """Run a grid of ablations over the same questions of DATASET; see ablations.toml for their names.

    After a kill, the same command goes on where it stopped. `boxkit report` makes the tables.

    \b
        boxkit ablate spider=data/spider --only components --memory memory/ --model gpt-4o-mini --out runs/ablations
    """
    with reported():
        asked = dataset_named(dataset, options)
        if options["profile"] != "default":
            asked = replace(asked, profile=profile_named(options["profile"]))
        variants = _variants(options)
        models = [_model(name, options) for name in options["models"]] or [_model(None, options)]
        check_budget(terms.dollars, terms.price, filter(None, models))
        around = terms.around()
        grid = _Grid(
            asked,
            [around(llm) if llm is not None else None for llm in models],
            memory_at(options["memory"]) if any(llm is not None for llm in models) else None,
            variants,
            confinement.limits(),
            terms,
            options["limit"],
        )
        if options["dry_run"]:
            _estimate(grid, is_cached=options["cache"] is not None)
            end(Exit.ANSWERED)
        runs = _run(grid, options["out"])
        for run in runs:
            tell_outdated(run, asked, dataset)
        end(exit_of(runs))


@dataclass(frozen=True, slots=True)
class _Grid:
    """Variants with models over a dataset."""

    dataset: Dataset
    models: Sequence[LLM | None]
    memory: Memory | None
    variants: Sequence[Variant]
    limits: Limits
    terms: Terms
    limit: int | None

    @property
    def asked(self) -> Dataset:
        """What is asked now; a later call may ask more of the same dataset."""
        return self.dataset.head(self.limit)


def _variants(options: dict[str, Any]) -> list[Variant]:
    from boxkit.evaluation.ablations import ablations

    try:
        return ablations(options["grid"], options["names"])
    except ValueError as error:
        raise click.UsageError(f"--only: {error}") from error


def _model(name: str | None, options: dict[str, Any]) -> LLM | None:
    from boxkit.cli.strategies import model_for
    from boxkit.llm.cache import Cached

    llm, _ = model_for(name, options["base_url"])
    return Cached(llm, options["cache"]) if llm is not None and options["cache"] else llm


def _estimate(grid: _Grid, *, is_cached: bool) -> None:
    """What each run would cost from its first question on, and all together."""
    from boxkit.cli.answers import in_dollars
    from boxkit.cli.tables import table
    from boxkit.cli.terminal import say, show, text, waiting
    from boxkit.evaluation.ablations import runs_of
    from boxkit.evaluation.estimate import REPLY_TOKENS, estimate

    try:
        with waiting("making prompts"):
            planned = runs_of(
                grid.dataset,
                grid.models,
                grid.memory,
                grid.variants,
                grid.limits,
                temperature=grid.terms.temperature,
                seed=grid.terms.seed,
            )
            found = [estimate(strategy, grid.asked) for _, _, strategy in planned]
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    rows = [
        (model or "no model", variant.name, f"{each.likely.calls:.1f}", *map(in_dollars, _costs(each)))
        for (model, variant, _), each in zip(planned, found, strict=True)
    ]
    free = _asked_before(planned) if is_cached else {}
    paid = [_costs(each) for at, each in enumerate(found) if at not in free]
    sums = [None if None in each else sum(filter(None, each)) for each in zip(*paid, strict=True)]
    rows.append(("all", "", "", *map(in_dollars, sums)))
    show(table(("model", "variant", "calls a question", "likely", "at most"), rows))
    told = (
        f"{counted(len(grid.asked), 'question')} a run, as if none were done yet; a reply is taken to be "
        f"{REPLY_TOKENS} tokens long"
    )
    names = {planned[at][1].name: planned[first][1].name for at, first in free.items()}
    parts = [told, "nothing was asked", *(f"{one} costs nothing after {other}" for one, other in names.items())]
    say(text("; ".join(parts) + ("; all leaves these out, and others may be free too" if free else ""), "dim"))


def _asked_before(planned: Sequence[tuple[str, Variant, Strategy]]) -> dict[int, int]:
    """The runs, by place, that ask nothing but what an earlier one asks; each with the first such."""
    from boxkit.evaluation.ablations import asks_no_more

    found: dict[int, int] = {}
    for at, (model, _, strategy) in enumerate(planned):
        earlier = (first for first in range(at) if model and asks_no_more(strategy, planned[first][2]))
        if (first := next(earlier, None)) is not None:
            found[at] = first
    return found


def _costs(found: Estimate) -> tuple[float | None, float | None]:
    return found.dollars, found.dollars_at_most


def _run(grid: _Grid, out: str) -> list[RunReport]:
    from boxkit.cli.tables import table
    from boxkit.cli.terminal import say, show, text
    from boxkit.evaluation.ablations import ablate as run_all

    asked = f"{counted(len(grid.asked), 'question')} of {grid.dataset.name}"
    for note in grid.dataset.notes:
        say(text(note, "dim"))

    def told(model: str, variant: str) -> None:
        say(text(f"{variant} with {model or 'no model'}: {asked}", "dim"))

    try:
        done = run_all(
            grid.dataset,
            grid.models,
            grid.memory,
            out,
            grid.variants,
            limits=grid.limits,
            limit=grid.limit,
            concurrency=grid.terms.concurrency,
            dollars=grid.terms.dollars,
            temperature=grid.terms.temperature,
            seed=grid.terms.seed,
            scorers=grid.terms.scorers or None,
            again=grid.terms.again,
            on_run=told,
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    rows = []
    for (model, variant), run in done.items():
        failed = ", ".join(f"{kind} {count}" for kind, count in run.failures.most_common(3))
        rows.append((model or "no model", variant, str(run.summary()), failed, run.stopped))
    show(table(("model", "variant", "score", "not answered", "stopped"), rows))
    return list(done.values())


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUNS...", type=click.Path(exists=True, file_okay=False))
@click.option(
    "--out", required=True, metavar="FOLDER", type=click.Path(file_okay=False), help="For tables and figures."
)
@click.option("--figures/--no-figures", default=True, help="Whether to draw (needs matplotlib). [default: figures]")
def report(runs: tuple[str, ...], out: str, figures: bool) -> None:
    """Write the tables of all runs below RUNS: report.md, a CSV a table, and figures.

    Scores have their n and interval, and the published figure beside them where there is one.
    """
    from boxkit.cli.terminal import say, text
    from boxkit.evaluation.report import runs_below, write_report

    with reported():
        path = write_report(runs_below(runs), out, figures=figures)
        say(text(str(path)))
        end(Exit.ANSWERED)


@click.command()
@click.argument("run", metavar="RUN", type=click.Path(exists=True, file_okay=False))
@click.option("--scorer", metavar="NAME", help="Whose errors; the benchmark's own where left out.")
@click.option("--propose", is_flag=True, help="Let a model propose the kinds, for a person to confirm.")
@click.option("--model", metavar="NAME", help="With --propose: the language model.")
@click.option("--base-url", metavar="URL", help="With --propose: an OpenAI-compatible server.")
def label(run: str, scorer: str | None, propose: bool, model: str | None, base_url: str | None) -> None:
    """Say of each wrong answer in RUN why it is wrong: its logic, the question's intent, or another of the kinds.

    Each is kept at once; the same command goes on with those that have no label yet. An empty line passes one over, y
    takes a model's proposal, and q ends.

    \b
        boxkit label runs/spider --propose --model gpt-4o-mini
        boxkit label runs/spider
    """
    from boxkit.cli.terminal import say, text
    from boxkit.evaluation.mistakes import UNTOLD, kind_of, labels_of, write_label
    from boxkit.evaluation.proposals import proposals_of
    from boxkit.evaluation.summary import open_run

    if (model or base_url) and not propose:
        raise click.UsageError("--model and --base-url go with --propose")
    with reported():
        opened = open_run(run)
        try:
            name = opened.scorer(scorer)
        except ValueError as error:
            raise click.UsageError(f"--scorer: {error}") from error
        if propose:
            _proposed(opened, name, model, base_url)
            end(Exit.ANSWERED)
        known, proposals = labels_of(Path(run)), proposals_of(Path(run))
        waiting = [record for record in opened.records if kind_of(record, name, known) == UNTOLD]
        wrong = opened.wrong(name)
        labelled = sum(record.key in known for record in wrong)
        of = f"{len(waiting)} of {counted(len(wrong), 'wrong answer')}"
        told = f"{of} {'needs' if 1 in (len(waiting), len(wrong)) else 'need'} a person" + (
            f"; {counted(labelled, 'has', 'have')} a label" if labelled else ""
        )
        say(text(told, "dim"))
        for at, record in enumerate(waiting, start=1):
            kind = _asked(record, f"{at} of {len(waiting)}", proposals.get(record.key))
            if kind == "q":
                break
            if kind:
                write_label(Path(run), record.key, kind)
        end(Exit.ANSWERED)


def _proposed(run: RunReport, scorer: str | None, model: str | None, base_url: str | None) -> None:
    """Let a model propose kinds, and say what came of it."""
    from collections import Counter

    from boxkit.cli.answers import in_dollars
    from boxkit.cli.terminal import say, text
    from boxkit.evaluation.proposals import propose

    llm = _model(model, {"base_url": base_url, "cache": None})
    if llm is None:
        raise click.UsageError("--propose needs a language model: name one with --model (see boxkit models)")
    replies: Counter[str] = Counter()
    try:
        usage = propose(run, llm, scorer, on_reply=lambda each: replies.update([each.kind if each else "no kind"]))
    finally:
        told = ", ".join(f"{kind} {count}" for kind, count in replies.most_common()) or "nothing was left to ask about"
        say(text(f"{llm.name}: {told}"))
    tokens = usage.prompt_tokens + usage.completion_tokens
    proposed = any(kind != "no kind" for kind in replies)
    then = f"; confirm them: boxkit label {run.folder}" if proposed else ""
    say(text(f"{counted(usage.calls, 'call')}, {tokens:,} tokens, {in_dollars(usage.dollars)}{then}", "dim"))


def _asked(record: Record, place: str, proposal: Proposal | None) -> str:
    """The kind that a person gives; empty for none, ``q`` for the end."""
    from boxkit.cli.terminal import say, text
    from boxkit.evaluation.mistakes import KINDS

    parts = [f"{place}: {record.question}", f"gold: {list(record.gold[:5])}", f"answer: {list(record.rows[:5])}"]
    parts.append(str(record.answer.get("code", "")))
    choices = f"{', '.join(KINDS)}; empty to pass over; q to end"
    if proposal is not None:
        parts.append(f"{proposal.model} proposes {proposal.kind}: {proposal.why}")
        choices = f"y for {proposal.kind}; {choices}"
    say(text("\n".join(parts), lines=True))
    while True:
        given = click.prompt(choices, default="", show_default=False, err=True).strip().lower()
        if given == "y" and proposal is not None:
            return proposal.kind
        meant = [kind for kind in KINDS if given and kind.startswith(given)]
        if given in ("", "q") or len(meant) == 1:
            return meant[0] if meant else str(given)
        say(text("no model has proposed a kind" if given == "y" else f"{given!r} is none of these", "dim"))
