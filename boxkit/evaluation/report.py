"""Runs as the papers' tables: scores with n and interval beside the published figure, in Markdown, CSV and figures."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from boxkit.errors import SourceNotFound
from boxkit.evaluation.ablations import ablations
from boxkit.evaluation.choices import model_tables, oracle_table, routing_table
from boxkit.evaluation.mistakes import KINDS, UNTOLD, kinds_of
from boxkit.evaluation.proposals import told_of
from boxkit.evaluation.published import published_calls, published_drop, published_score
from boxkit.evaluation.summary import RunReport, compare, open_run
from boxkit.evaluation.tables import Table, benchmark_of, label_of, spread, who

__all__ = ["Table", "runs_below", "tables_of", "write_report"]


def runs_below(paths: Sequence[str | Path]) -> list[RunReport]:
    """The runs in some folders, at any depth: by benchmark, model, and variant in the order of ``ablations.toml``.

    Raises:
        SourceNotFound: There is none.
        UnreadableSource: One is damaged.
    """
    found = sorted({file.parent for path in paths for file in Path(path).rglob("run.json")})
    if not found:
        raise SourceNotFound("there is no run below it", where=", ".join(map(str, paths)), hint="make one: boxkit eval")
    variants = {variant.name: at for at, variant in enumerate(ablations())}

    def place(run: RunReport) -> tuple[str, str, int]:
        benchmark, model, variant = who(run)
        return benchmark, model, variants.get(variant, len(variants))

    return sorted((open_run(folder) for folder in found), key=place)


def tables_of(runs: Sequence[RunReport]) -> list[Table]:
    """Every table that these runs have something for."""
    runs = [run for run in runs if run.done]
    made = [
        _overview(runs),
        _scores(runs),
        _ablations(runs),
        *model_tables(runs),
        *_groups(runs),
        _calls(runs),
        _errors(runs),
        routing_table(runs),
        oracle_table(runs),
    ]
    return [table for table in made if table is not None and table.rows]


def _overview(runs: Sequence[RunReport]) -> Table | None:
    """A row a model and strategy, a column a benchmark under its official scorer (Pandora's Tables 1, 2 and 4)."""
    benchmarks = dict.fromkeys(benchmark_of(run) for run in runs if run.done)
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for run in runs:
        if run.done:
            rows.setdefault(who(run)[1:], {})[benchmark_of(run)] = str(run.summary())
    if len(benchmarks) < 2:
        return None
    cells = tuple((*names, *(row.get(each, "") for each in benchmarks)) for names, row in rows.items())
    return Table("overview", "Benchmarks by model and strategy", ("model", "strategy", *benchmarks), cells)


def _scores(runs: Sequence[RunReport]) -> Table:
    """By model and strategy, under each scorer, beside what was published."""
    rows = [
        (
            *who(run),
            name,
            *spread(run.summary(name)),
            published_score(run.settings["dataset"], label_of(run, "model"), label_of(run, "variant"))
            if name == run.scorers[0]
            else "",
        )
        for run in runs
        for name in run.scorers
        if run.summary(name).questions
    ]
    columns = ("benchmark", "model", "strategy", "scorer", "score", "95 %", "n", "published")
    return Table("scores", "Scores by model and strategy", columns, tuple(rows))


def _ablations(runs: Sequence[RunReport]) -> Table:
    """Each component's worth: the drop against the full strategy over the same questions (Pandora's Table 3)."""
    rows = []
    for full in (run for run in runs if label_of(run, "variant") == "full"):
        for run in runs:
            same = all(label_of(run, name) == label_of(full, name) for name in ("model", "group"))
            if not same or benchmark_of(run) != benchmark_of(full) or not set(run.values()) & set(full.values()):
                continue
            name = label_of(run, "variant")
            found = compare(full, run)
            drop = (
                ""
                if run is full
                else f"{100 * found.difference:+.1f} [{100 * found.low:+.1f}, {100 * found.high:+.1f}]"
            )
            published = published_drop(name)
            rows.append((*who(run), *spread(run.summary()), drop, "" if run is full else f"{found.p:.3f}", published))
    columns = ("benchmark", "model", "variant", "score", "95 %", "n", "difference", "p", "published")
    return Table("ablations", "Ablations", columns, tuple(rows))


def _groups(runs: Sequence[RunReport]) -> list[Table]:
    """By database, category, hardness, level (StarQA's Table 3)."""
    names = dict.fromkeys(name for run in runs for name in run.groups)
    columns = ("benchmark", "model", "strategy", "value", "score", "95 %", "n")
    return [
        Table(
            f"by_{name}",
            f"Scores by {name}",
            (*columns[:3], name, *columns[4:]),
            tuple(
                (*who(run), value, *spread(summary))
                for run in runs
                if name in run.groups
                for value, summary in run.by(name).items()
            ),
        )
        for name in names
    ]


def _calls(runs: Sequence[RunReport]) -> Table:
    """Calls, tokens, dollars and seconds a question."""
    rows = []
    for run in runs:
        usage, count = run.usage, max(1, run.done)
        dollars = "unknown" if usage.dollars is None else f"{usage.dollars:.4f}"
        virtual = "unknown" if usage.virtual_dollars is None else f"{usage.virtual_dollars:.4f}"
        tokens = (usage.prompt_tokens + usage.completion_tokens) / count
        seconds = sum(each.seconds for each in run.records) / count
        told = published_calls(run.settings["dataset"], label_of(run, "variant"))
        cells = (f"{usage.calls / count:.2f}", told, f"{tokens:.0f}", dollars, virtual, f"{seconds:.2f}", str(run.done))
        rows.append((*who(run), *cells))
    cost = ("calls", "published", "tokens", "dollars paid", "without the cache", "seconds", "n")
    columns = ("benchmark", "model", "strategy", *cost)
    return Table("costs", "Calls, tokens and seconds a question; dollars in all", columns, tuple(rows))


def _errors(runs: Sequence[RunReport]) -> Table:
    """Errors by the paper's kinds (Pandora's Figure 7)."""
    counted = [kinds_of(run.records, run.scorers[0], told_of(run.folder)) for run in runs]
    others = dict.fromkeys(kind for counts in counted for kind in counts if kind not in KINDS)
    kinds = (*KINDS, *others)
    rows = [
        (
            *who(run),
            *(str(counts[kind]) for kind in kinds),
        )
        for run, counts in zip(runs, counted, strict=True)
        if counts
    ]
    told = [f"{UNTOLD}: not yet told apart by a person"] if UNTOLD in others else []
    told += ["proposed: by a model, and not yet confirmed"] if any("proposed" in kind for kind in others) else []
    title = "Errors by kind" + (f" ({'; '.join(told)})" if told else "")
    return Table("errors", title, ("benchmark", "model", "strategy", *kinds), tuple(rows))


def write_report(runs: Sequence[RunReport], out: str | Path, *, figures: bool = True) -> Path:
    """Write ``report.md``, a CSV a table, and figures where matplotlib is installed.

    Args:
        runs: Finished or not; each cell says its n.
        out: The folder.
        figures: Whether to draw.

    Returns:
        The report's path.

    Raises:
        MissingExtra: Figures are wanted and matplotlib is not installed.
    """
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    tables = tables_of(runs)
    parts = ["# Evaluation", _notes(runs), *(table.markdown() for table in tables)]
    for table in tables:
        name = re.sub(r"\W+", "_", table.name)
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([table.columns, *table.rows])
    if figures:
        from boxkit.evaluation.figures import draw

        parts += [f"![{title}]({path.name})" for title, path in draw(runs, folder)]
    report = folder / "report.md"
    report.write_text("\n\n".join(filter(None, parts)) + "\n", encoding="utf-8")
    return report


def _notes(runs: Sequence[RunReport]) -> str:
    """What whoever reads the tables must know; what is true of all runs of a benchmark is said once."""
    head = (
        "Scores are in points, with Wilson's 95 % interval; differences and their p come from a paired bootstrap over "
        "the questions that both runs have judged. A published figure was measured by others, on the whole benchmark."
    )
    true_of: dict[tuple[str, str], list[str]] = {}
    for run in runs:
        told = [*run.about.get("notes", ())]
        if run.about.get("skipped"):
            told.append(f"{len(run.about['skipped'])} rows that do not fit are left out")
        if run.done < run.total:
            told.append(f"{run.done} of {run.total} questions are done")
        for each in told:
            true_of.setdefault((benchmark_of(run), each), []).append(" ".join(filter(None, who(run)[1:])))
    counts = Counter(map(benchmark_of, runs))
    lines = []
    for (benchmark, each), names in true_of.items():
        of = f" ({', '.join(names)})" if len(names) < counts[benchmark] else ""
        lines.append(f"- {benchmark}{of}: {each}")
    return "\n".join([head, "", *lines])
