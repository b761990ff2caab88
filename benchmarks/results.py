"""The scores of docs/results.md: the Planner, and a small local model with its ablations where there is one.

    python benchmarks/results.py [--out FOLDER] [--only spider …] [--rounds 10 25 50 75 100] [--ablated 100]
    BOXKIT_GGUF=model.gguf python benchmarks/results.py
    python benchmarks/results.py --page-only

It goes on where it was stopped, and then writes docs/results.md from all runs below the folder. 100 questions of
Spider dev, 100 of WikiTableQuestions, 50 of WebQSP and 50 of CK25 (or all that are there), drawn and put in an order
by one seed. The model answers in rounds: the first questions of every benchmark, the ablations over the same ones,
then more of them, so that wherever it is stopped every run has about as many. The data folder is `BOXKIT_DATA`, else
``../shared/data``.
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import os
import platform
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import boxkit
from boxkit.errors import BoxkitError
from boxkit.evaluation.ablations import ablate, ablations
from boxkit.evaluation.datasets import Dataset
from boxkit.evaluation.records import packages
from boxkit.evaluation.report import Table, runs_below, tables_of
from boxkit.evaluation.summary import RunReport
from boxkit.llm.cache import Cached

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("BOXKIT_DATA", ROOT.parent / "shared" / "data"))
SEED = 0
#: Questions a benchmark that the model has answered after each round.
ROUNDS = (10, 25, 50, 75, 100)
#: Demonstrations in a prompt. The papers' 10 take a minute to read on one core of a laptop.
SHOWN = 4

#: Name, folder, size of the sample, options.
SAMPLES: dict[str, tuple[str, int, dict[str, Any]]] = {
    "spider": ("spider", 100, {"skip_bad": True}),
    "wikitq": ("wikitq", 100, {"split": "pristine-seen-tables"}),
    "webqsp": ("kg/webqsp", 50, {"graph": DATA / "kg" / "webqsp" / "freebase_slice.nt"}),
    "ck25": ("rdf/ck25", 50, {}),
}

INTRODUCTION = """# Results

Made by `python benchmarks/results.py`, which also says how to repeat it. The samples are drawn with seed {seed}: 100
questions of Spider dev (of the databases at hand), 100 of WikiTableQuestions (the seen tables: the pristine unseen ones
are not at hand), 50 of WebQSP over the slice of Freebase that its own annotation implies, and those of CK25 (at hand).
Where n is less, a run had come so far in that order. The Planner asks no model: it abstains where it does not
understand, and an abstention counts as wrong here. A local model stands in the tables where the script was given one
(`BOXKIT_GGUF`), shown {shown} demonstrations: one that runs on a laptop without a graphics card, far below those of
the papers, whose drops stand beside its own. -EG reuses the first replies of `full`, so that its seconds tell nothing.

{versions}.
"""


def sample(name: str) -> Dataset:
    """A benchmark's sample in a random order, so that the questions of the first rounds are a sample too.

    Within a round those of one source follow each other: a model reads what their prompts begin with once.
    """
    folder, size, options = SAMPLES[name]
    dataset = boxkit.open_dataset(name, DATA / folder, **options).sample(size, SEED)
    drawn = list(dataset)
    random.Random(SEED).shuffle(drawn)
    rounds = [drawn[start:end] for start, end in itertools.pairwise((0, *ROUNDS))]
    ids = [task.id for each in rounds for task in sorted(each, key=lambda task: str(task.source))]
    return dataset.only(ids)


def told(model: str, variant: str) -> Any:
    def progress(report: RunReport) -> None:
        if report.done % 5 == 0 or report.done == report.total:
            line = (
                f"{report.settings['dataset']} {variant} {model}: {report.done} of {report.total}, {report.summary()}"
            )
            print(line, file=sys.stderr, flush=True)

    return progress


def run_planner(names: Sequence[str], out: Path, concurrency: int) -> None:
    """The runs without a model that are not finished yet."""
    for name in names:
        ablate(sample(name), [None], None, out, ablations(names=["Planner"]), concurrency=concurrency, on_run=told)


def run_model(names: Sequence[str], out: Path, rounds: Sequence[int], ablated: int, threads: int | None) -> None:
    """A local model's runs that are not finished yet; -SR and -ICR over no more than so many questions."""
    # The first reply is the same with execution guidance and without: -EG costs nothing after `full`.
    model = Cached(boxkit.LocalLLM(os.environ["BOXKIT_GGUF"], threads=threads), out / "replies")
    memory = boxkit.Memory.starter()
    for size in rounds:
        for variant in ablations(names=["full", "-EG", "-SR", "-ICR"]):
            variant = dataclasses.replace(variant, strategy={**variant.strategy, "k": SHOWN})
            limit = size if variant.name in ("full", "-EG") else min(size, ablated)
            for name in names:
                ablate(sample(name), [model], memory, out, [variant], limit=limit, concurrency=1, on_run=told)


def precision(runs: Sequence[RunReport]) -> Table:
    """How often an answer that was given is right."""
    rows = []
    for each in filter(lambda run: run.done, runs):
        answered = [record for record in each.records if not record.failure]
        right = sum(record.scores[each.scorers[0]].correct for record in answered)
        labels = each.about["labels"]
        share = f"{100 * right / len(answered):.1f}" if answered else "none"
        rows.append(
            (each.settings["dataset"], labels["model"] or "no model", labels["variant"], str(len(answered)), share)
        )
    columns = ("benchmark", "model", "strategy", "answered", "right of these, %")
    return Table("precision", "What was answered", columns, tuple(rows))


def written(runs: Sequence[RunReport]) -> str:
    """The page."""
    found = packages()
    versions = ", ".join(f"{name} {found[name]}" for name in ("boxkit", "python", "pandas") if name in found)
    wanted = ("overview", "scores", "ablations", "costs", "errors")
    tables = [table for table in tables_of(runs) if table.name in wanted]
    parts = [
        INTRODUCTION.format(seed=SEED, shown=SHOWN, versions=f"{versions}, {platform.system()} {platform.machine()}")
    ]
    return "\n\n".join([part.strip() for part in (*parts, *(table.markdown() for table in (*tables, precision(runs))))])


def main() -> None:
    parser = argparse.ArgumentParser(description="The scores of docs/results.md.")
    parser.add_argument("--out", type=Path, default=ROOT / "runs" / "results", help="the folder of the runs")
    parser.add_argument("--only", nargs="*", choices=SAMPLES, default=list(SAMPLES), help="some of the benchmarks")
    parser.add_argument("--rounds", nargs="*", type=int, default=ROUNDS, help="questions a benchmark so far")
    parser.add_argument("--ablated", type=int, default=ROUNDS[-1], help="questions a benchmark, of -SR and -ICR")
    parser.add_argument("--threads", type=int, help="of the local model")
    parser.add_argument("--concurrency", type=int, default=2, help="questions at once, without a model")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "results.md")
    parser.add_argument("--model-only", action="store_true", help="leave the Planner out")
    parser.add_argument("--page-only", action="store_true", help="run nothing: write the page from what there is")
    options = parser.parse_args()
    if not (options.page_only or options.model_only):
        run_planner(options.only, options.out, options.concurrency)
    if os.environ.get("BOXKIT_GGUF") and not options.page_only:
        run_model(options.only, options.out, options.rounds, options.ablated, options.threads)
    options.page.write_text(written(runs_below([options.out])) + "\n", encoding="utf-8")


if __name__ == "__main__":
    try:
        main()
    except BoxkitError as error:  # data or runs that are not there, an extra that is not installed
        sys.exit(f"{error}\n  the benchmarks are looked for in {DATA} (BOXKIT_DATA)")
