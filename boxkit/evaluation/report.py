"""Runs as the papers' tables: scores with n and interval beside the published figure, in Markdown, CSV and figures."""

from __future__ import annotations

import csv
import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from boxkit.errors import SourceNotFound
from boxkit.evaluation.mistakes import KINDS, UNTOLD, kinds_of
from boxkit.evaluation.proposals import told_of
from boxkit.evaluation.summary import RunReport, Summary, compare, open_run

__all__ = ["Table", "runs_below", "tables_of", "write_report"]


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


def runs_below(paths: Sequence[str | Path]) -> list[RunReport]:
    """The runs in some folders, at any depth, in the order of their paths.

    Raises:
        SourceNotFound: There is none.
        UnreadableSource: One is damaged.
    """
    found = sorted({file.parent for path in paths for file in Path(path).rglob("run.json")})
    if not found:
        raise SourceNotFound("there is no run below it", where=", ".join(map(str, paths)), hint="make one: boxkit eval")
    return [open_run(folder) for folder in found]


def _label(run: RunReport, name: str) -> str:
    labels: dict[str, str] = run.about.get("labels", {})
    return labels.get(name, "")


def _dataset(run: RunReport) -> str:
    return f"{run.settings['dataset']}/{run.settings['split']}"


def _who(run: RunReport) -> tuple[str, str, str]:
    return _dataset(run), _label(run, "model") or "no model", _label(run, "variant")


def _share(part: Sequence[bool]) -> str:
    return f"{100 * sum(part) / len(part):.1f} (n = {len(part)})" if part else "none"


@cache
def _published() -> dict[str, Any]:
    return tomllib.loads(files("boxkit.evaluation").joinpath("published.toml").read_text(encoding="utf-8"))


def _figure(run: RunReport) -> str:
    """The published figure for a run's benchmark, model and strategy; empty where there is none."""
    model = _label(run, "model").lower()
    for each in _published()["figure"]:
        if each["dataset"] == run.settings["dataset"] and model.startswith(each["model"]):
            value = each["values"].get(_label(run, "variant"))
            return "" if value is None else f"{value:.1f}"
    return ""


def tables_of(runs: Sequence[RunReport]) -> list[Table]:
    """Every table that these runs have something for."""
    made = [
        _scores(runs),
        _ablations(runs),
        *_groups(runs),
        _calls(runs),
        _errors(runs),
        _routing(runs),
        _oracle(runs),
    ]
    return [table for table in made if table is not None and table.rows]


def _scores(runs: Sequence[RunReport]) -> Table:
    """By model and strategy (Pandora's Table 1, StarQA's Table 2)."""
    rows = [
        (
            *_who(run),
            name,
            *_cells(run.summary(name)),
            _figure(run) if name == run.scorers[0] else "",
        )
        for run in runs
        for name in run.scorers
        if run.summary(name).questions
    ]
    columns = ("benchmark", "model", "strategy", "scorer", "score", "95 %", "n", "published")
    return Table("scores", "Scores by model and strategy", columns, tuple(rows))


def _cells(summary: Summary) -> tuple[str, str, str]:
    return (
        f"{100 * summary.score:.1f}",
        f"{100 * summary.low:.1f} to {100 * summary.high:.1f}",
        str(summary.questions),
    )


def _ablations(runs: Sequence[RunReport]) -> Table:
    """Each component's worth: the drop against the full strategy over the same questions (Pandora's Table 3)."""
    rows = []
    drops = _published()["drop"][0]["values"]
    for full in (run for run in runs if _label(run, "variant") == "full"):
        for run in runs:
            same = all(_label(run, name) == _label(full, name) for name in ("model", "group"))
            if not same or _dataset(run) != _dataset(full) or not set(run.values()) & set(full.values()):
                continue
            name = _label(run, "variant")
            found = compare(full, run)
            drop = (
                ""
                if run is full
                else f"{100 * found.difference:+.1f} [{100 * found.low:+.1f}, {100 * found.high:+.1f}]"
            )
            published = f"-{drops[name]:.1f} on the average" if name in drops else ""
            rows.append((*_who(run), *_cells(run.summary()), drop, "" if run is full else f"{found.p:.3f}", published))
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
            tuple((*_who(run), value, *_cells(summary)) for run in runs for value, summary in run.by(name).items()),
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
        rows.append((*_who(run), f"{usage.calls / count:.2f}", f"{tokens:.0f}", dollars, virtual, f"{seconds:.2f}"))
    columns = ("benchmark", "model", "strategy", "calls", "tokens", "dollars paid", "without the cache", "seconds")
    return Table("costs", "Calls, tokens and seconds a question; dollars in all", columns, tuple(rows))


def _errors(runs: Sequence[RunReport]) -> Table:
    """Errors by the paper's kinds (Pandora's Figure 7)."""
    counted = [kinds_of(run.records, run.scorers[0], told_of(run.folder)) for run in runs]
    others = dict.fromkeys(kind for counts in counted for kind in counts if kind not in KINDS)
    kinds = (*KINDS, *others)
    rows = [
        (
            _dataset(run),
            _label(run, "model") or "no model",
            _label(run, "variant"),
            *(str(counts[kind]) for kind in kinds),
        )
        for run, counts in zip(runs, counted, strict=True)
        if counts
    ]
    told = [f"{UNTOLD}: not yet told apart by a person"] if UNTOLD in others else []
    told += ["proposed: by a model, and not yet confirmed"] if any("proposed" in kind for kind in others) else []
    title = "Errors by kind" + (f" ({'; '.join(told)})" if told else "")
    return Table("errors", title, ("benchmark", "model", "strategy", *kinds), tuple(rows))


def _routing(runs: Sequence[RunReport]) -> Table:
    """How often a hybrid fell back to Python, on what it got right and wrong (StarQA's Table 4)."""
    rows = []
    for run in runs:
        parts: dict[bool, list[bool]] = {True: [], False: []}
        for record in run.records:
            details = record.answer.get("details") or {}
            if "fell_back" in details:
                parts[record.scores[run.scorers[0]].correct].append(bool(details["fell_back"]))
        if any(parts.values()):
            shares = (
                f"{100 * sum(part) / len(part):.1f} (n = {len(part)})" if part else "none" for part in parts.values()
            )
            rows.append((_dataset(run), _label(run, "model"), _label(run, "variant"), *shares))
    columns = ("benchmark", "model", "strategy", "% to Python, right", "% to Python, wrong")
    return Table("routing", "Routing to Python", columns, tuple(rows))


def _oracle(runs: Sequence[RunReport]) -> Table:
    """What a perfect choice between the strategies of one model would score (StarQA's Oracle)."""
    rows = []
    together: dict[tuple[str, str], list[RunReport]] = {}
    for run in runs:
        if _label(run, "group") == "strategies":
            together.setdefault((_dataset(run), _label(run, "model")), []).append(run)
    for (dataset, model), some in together.items():
        scores = [run.values() for run in some]
        keys = set.intersection(*(set(each) for each in scores))
        if len(some) > 1 and keys:
            best = [max(each[key] for each in scores) for key in keys]
            rows.append(
                (dataset, model, ", ".join(_label(run, "variant") for run in some), _mean(best), str(len(keys)))
            )
    return Table("oracle", "Oracle", ("benchmark", "model", "of", "score", "n"), tuple(rows))


def _mean(values: Sequence[float]) -> str:
    return f"{100 * sum(values) / len(values):.1f}"


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
    """What whoever reads the tables must know."""
    lines = [
        "Scores are in points, with Wilson's 95 % interval; differences and their p come from a paired bootstrap over "
        "the questions that both runs have judged. A published figure was measured by others, on the whole benchmark."
    ]
    for run in runs:
        told = [*run.about.get("notes", ())]
        if run.about.get("skipped"):
            told.append(f"{len(run.about['skipped'])} rows that do not fit are left out")
        if run.done < run.total:
            told.append(f"{run.done} of {run.total} questions are done")
        lines += [f"- {_dataset(run)}, {_label(run, 'variant')}: {each}" for each in told]
    return "\n".join([lines[0], "", *dict.fromkeys(lines[1:])])
