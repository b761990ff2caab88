"""Runs as the papers' tables: scores with n and interval beside the published figure, in Markdown, CSV and figures."""

from __future__ import annotations

import csv
import itertools
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from boxkit.errors import SourceNotFound
from boxkit.evaluation.ablations import ablations
from boxkit.evaluation.apart import apart, settings_of
from boxkit.evaluation.choices import model_tables, oracle_table, routing_table
from boxkit.evaluation.figures import FIGURES, draw
from boxkit.evaluation.mistakes import KINDS, UNTOLD, kinds_of, told
from boxkit.evaluation.proposals import told_of
from boxkit.evaluation.published import published_calls, published_drop, published_score
from boxkit.evaluation.states import changed_sources
from boxkit.evaluation.summary import RunReport, compare, open_run
from boxkit.evaluation.tables import Table, benchmark_of, columns, label_of, spread, strategy_of, who
from boxkit.evaluation.written import REPORT, replacing
from boxkit.wording import counted

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
    """Every table that these runs have something for; runs of one name are told apart by their settings."""
    runs = apart([run for run in runs if run.done])
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
    names = ("benchmark", "model", "strategy", "scorer", "score", "95 %", "n", "published")
    return Table("scores", "Scores by model and strategy", names, tuple(rows))


def _ablations(runs: Sequence[RunReport]) -> Table:
    """Each component's worth: the drop against the full strategy over the same questions (Pandora's Table 3).

    Where there are several full ones in its group, a run is compared with the one that differs from it in the least;
    where its group has none, with the only one of its benchmark and model.
    """
    fulls = [run for run in runs if label_of(run, "variant") == "full" and run.values()]
    compared = [(full, run) for full in fulls for run in runs if _nearest(run, fulls) is full]
    is_told = len({_alike(full)[:2] for full in fulls}) < len(fulls)
    rows = []
    for full, run in compared:
        found = compare(full, run)
        drop = f"{100 * found.difference:+.1f} [{100 * found.low:+.1f}, {100 * found.high:+.1f}]"
        cells = ("", "") if run is full else (drop, f"{found.p:.3f}")
        against = ("" if run is full else strategy_of(full),) if is_told else ()
        published = published_drop(label_of(run, "variant"))
        rows.append((*who(run), *spread(run.summary()), *against, *cells, published))
    against = ("against",) if is_told else ()
    names = ("benchmark", "model", "variant", "score", "95 %", "n", *against, "difference", "p", "published")
    return Table("ablations", "Ablations", names, tuple(rows))


def _alike(run: RunReport) -> tuple[str, str, str]:
    """What must be the same in runs that are compared."""
    return benchmark_of(run), label_of(run, "model"), label_of(run, "group")


def _nearest(run: RunReport, fulls: Sequence[RunReport]) -> RunReport | None:
    """The full run that a run is compared with; None where there is none."""
    if any(run is full for full in fulls):
        return run
    own = settings_of(run)

    def far(full: RunReport) -> tuple[int, bool]:
        theirs = settings_of(full)
        changed = sum(own.get(name) != theirs.get(name) for name in {*own, *theirs})
        beside = run.folder is not None and full.folder is not None and run.folder.parent == full.folder.parent
        return changed, not beside

    may = [full for full in fulls if _alike(full)[:2] == _alike(run)[:2] and set(run.values()) & set(full.values())]
    own_group = [full for full in may if _alike(full) == _alike(run)]
    if not own_group and label_of(run, "group") and len(may) == 1:  # a run by itself is no ablation
        return may[0]
    return min(own_group, key=far, default=None)


def _groups(runs: Sequence[RunReport]) -> list[Table]:
    """By database, category, hardness, level (StarQA's Table 3)."""
    names = dict.fromkeys(name for run in runs for name in run.groups)
    return [
        Table(
            f"by_{name}",
            f"Scores by {name}",
            _with_group(name),
            tuple(
                (*who(run), value, *spread(summary))
                for run in runs
                if name in run.groups
                for value, summary in run.by(name).items()
            ),
        )
        for name in names
    ]


def _with_group(name: str) -> tuple[str, ...]:
    """The columns of a table by a group, which own data may call like another column."""
    *fixed, group = columns(("benchmark", "model", "strategy", "score", "95 %", "n"), (name,), "group")
    return (*fixed[:3], group, *fixed[3:])


def _calls(runs: Sequence[RunReport]) -> Table:
    """Calls, tokens, dollars and seconds a question."""
    rows = []
    for run in runs:
        usage, count = run.usage, max(1, run.done)
        dollars = "unknown" if usage.dollars is None else f"{usage.dollars:.4f}"
        virtual = "unknown" if usage.virtual_dollars is None else f"{usage.virtual_dollars:.4f}"
        tokens = (usage.prompt_tokens + usage.completion_tokens) / count
        seconds = sum(each.seconds for each in run.records) / count
        published = published_calls(run.settings["dataset"], label_of(run, "variant"))
        cells = (
            f"{usage.calls / count:.2f}",
            published,
            f"{tokens:.0f}",
            dollars,
            virtual,
            f"{seconds:.2f}",
            str(run.done),
        )
        rows.append((*who(run), *cells))
    each = ("calls a question", "published calls", "tokens a question")
    cost = (*each, "dollars paid in all", "dollars without the cache", "seconds a question", "n")
    names = ("benchmark", "model", "strategy", *cost)
    return Table("costs", "Calls, tokens and seconds a question; dollars in all", names, tuple(rows))


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
    notes = [f"{UNTOLD}: not yet told apart by a person"] if UNTOLD in others else []
    notes += ["proposed: by a model, and not yet confirmed"] if any("proposed" in kind for kind in others) else []
    title = "Errors by kind" + (f" ({'; '.join(notes)})" if notes else "")
    names = columns(("benchmark", "model", "strategy"), map(told, kinds), "error:")
    return Table("errors", title, names, tuple(rows))


def write_report(runs: Sequence[RunReport], out: str | Path, *, figures: bool = True) -> Path:
    """Write ``report.md``, a CSV a table, and figures where matplotlib is installed.

    Files that an earlier report has written there are replaced, and removed where this one has no such; no others.

    Args:
        runs: Finished or not; each cell says its n.
        out: The folder.
        figures: Whether to draw.

    Returns:
        The report's path.

    Raises:
        MissingExtra: Figures are wanted and matplotlib is not installed.
        BoxkitError: A file of the same name is there that no report has written, or that someone has changed since.
    """
    folder, runs = Path(out), apart(runs)
    tables = tables_of(runs)
    parts = ["# Evaluation", _notes(runs), *(table.markdown() for table in tables)]
    taken: set[str] = set()
    files = {_file_name(table.name, taken): table for table in tables}
    with replacing(folder, (REPORT, *files, *(FIGURES if figures else ()))) as written:
        for name, table in files.items():
            written.add(name)
            with (folder / name).open("w", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows([table.columns, *table.rows])
        if figures:
            drawn = draw(runs, folder)
            written.update(path.name for _, path in drawn)
            parts += [f"![{title}]({path.name})" for title, path in drawn]
        written.add(REPORT)
        (folder / REPORT).write_text("\n\n".join(filter(None, parts)) + "\n", encoding="utf-8")
    return folder / REPORT


def _file_name(table: str, taken: set[str]) -> str:
    """A table's file, no two alike even where capitals are not told apart."""
    name = stem = re.sub(r"\W+", "_", table)
    for number in itertools.count(2):
        if name.casefold() not in taken:
            break
        name = f"{stem}_{number}"
    taken.add(name.casefold())
    return f"{name}.csv"


def _notes(runs: Sequence[RunReport]) -> str:
    """What whoever reads the tables must know; what is true of all runs of a benchmark is said once."""
    head = (
        "Scores are in points, with Wilson's 95 % interval; differences and their p come from a paired bootstrap over "
        "the questions that both runs have judged. A published figure was measured by others, on the whole benchmark."
    )
    true_of: dict[tuple[str, str], list[str]] = {}
    for run in runs:
        notes = [*run.about.get("notes", ())]
        if run.about.get("skipped"):
            notes.append(
                counted(len(run.about["skipped"]), "row that does not fit is", "rows that do not fit are") + " left out"
            )
        for name in run.scorers:
            if not run.summary(name).questions:
                notes += [f"{name} has no verdict: {why}" for why, _ in run.unjudged(name).most_common(1)]
        if changed := changed_sources(run.about):
            notes.append(f"{', '.join(changed)} changed after questions about them were finished")
        if run.done < run.total:
            notes.append(f"{run.done} of {counted(run.total, 'question is', 'questions are')} done")
        for each in notes:
            true_of.setdefault((benchmark_of(run), each), []).append(" ".join(filter(None, who(run)[1:])))
    counts = Counter(map(benchmark_of, runs))
    lines = []
    for (benchmark, each), names in true_of.items():
        of = f" ({', '.join(names)})" if len(names) < counts[benchmark] else ""
        lines.append(f"- {benchmark}{of}: {each}")
    return "\n".join([head, "", *lines])
