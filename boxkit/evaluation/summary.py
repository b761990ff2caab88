"""What a run came to so far: scores with their intervals, cost, errors by kind; by group as well."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from boxkit.answer import Usage
from boxkit.errors import BoxkitError
from boxkit.evaluation.cells import encoded
from boxkit.evaluation.datasets import Dataset, Task
from boxkit.evaluation.folder import Lost, RunFolder, read_run, rewrite
from boxkit.evaluation.identity import questions_of
from boxkit.evaluation.records import Record
from boxkit.evaluation.scorers import SCORERS
from boxkit.evaluation.scorers import scorer as scorer_of
from boxkit.evaluation.statistics import Difference, interval, paired_bootstrap
from boxkit.wording import counted

__all__ = ["RunReport", "Summary", "compare", "open_run", "outdated", "rescore"]


@dataclass(frozen=True, slots=True)
class Summary:
    """A score over some questions.

    Attributes:
        questions: How many were judged.
        unjudged: How many have no verdict: no gold, or the official script leaves them out.
        right: How many are right.
        score: The mean value, in [0, 1]; an F1 where the scorer gives one.
        low: The lower end of its 95 % interval.
        high: The upper end.
    """

    questions: int
    unjudged: int
    right: int
    score: float
    low: float
    high: float

    @classmethod
    def of(cls, records: Iterable[Record], scorer: str) -> Summary:
        """The summary of these records under that scorer."""
        scores = [record.scores[scorer] for record in records if scorer in record.scores]
        values = [score.value for score in scores if not score.error]
        low, high = interval(values)
        right = sum(score.correct for score in scores if not score.error)
        mean = sum(values) / len(values) if values else 0.0
        return cls(len(values), len(scores) - len(values), right, mean, low, high)

    def __str__(self) -> str:
        if not self.questions:  # which is no score of 0
            return "none (n = 0)"
        return f"{100 * self.score:.1f} [{100 * self.low:.1f}, {100 * self.high:.1f}] (n = {self.questions})"


@dataclass(slots=True, repr=False)
class RunReport:
    """A run, finished or not.

    Attributes:
        settings: What shapes its outcome.
        about: The dataset's scorers, notes and skipped rows, and the like.
        records: Finished questions.
        lost: Calls that failed, whose questions are asked again; their cost counts.
        total: How many questions there are.
        stopped: Why it ended before all were done; empty where it did not.
        folder: Where it lies; None for a run in memory.
    """

    settings: Mapping[str, Any]
    about: Mapping[str, Any] = field(default_factory=dict)
    records: list[Record] = field(default_factory=list)
    lost: list[Lost] = field(default_factory=list)
    total: int = 0
    stopped: str = ""
    folder: Path | None = None

    def __repr__(self) -> str:
        # Not its records: asyncio makes the text of a task's result at every end of a loop.
        name = f"{self.settings.get('dataset')}/{self.settings.get('split')}"
        score = f", {self.summary()}" if self.scorers else ""
        return f"<RunReport {name}: {self.done} of {self.total} done{score}>"

    @property
    def scorers(self) -> tuple[str, ...]:
        """The names of its scorers, the official one first."""
        named = tuple(self.about.get("scorers", ()))
        return named or tuple(dict.fromkeys(name for record in self.records for name in record.scores))

    @property
    def done(self) -> int:
        """How many questions are finished."""
        return len(self.records)

    def scorer(self, name: str | None = None) -> str:
        """That scorer of the run's; the official one where ``name`` is None.

        Raises:
            ValueError: The run was not judged by it; the message names those that it was.
        """
        if name is None:
            return self.scorers[0]
        if name not in self.scorers and not any(name in record.scores for record in self.records):
            raise ValueError(
                f"this run was not judged by {name!r}, but by {', '.join(self.scorers)}; boxkit.evaluation.summary."
                "rescore (boxkit eval --rescore) judges it by others"
            )
        return name

    def summary(self, scorer: str | None = None) -> Summary:
        """The score; the official one where ``scorer`` is None.

        Raises:
            ValueError: The run was not judged by that scorer.
        """
        return Summary.of(self.records, self.scorer(scorer))

    def by(self, group: str, scorer: str | None = None) -> dict[str, Summary]:
        """The score for each value of a group (``"hardness"``), most questions first; empty before any is done.

        Raises:
            ValueError: There is no such group, or the run was not judged by that scorer.
        """
        if self.records and group not in self.groups:
            raise ValueError(f"no group {group!r}; the questions have {', '.join(self.groups) or 'none'}")
        name = self.scorer(scorer)
        parts: dict[str, list[Record]] = {}
        for record in self.records:
            for value in record.groups.get(group, ()):
                parts.setdefault(value, []).append(record)
        ordered = sorted(parts.items(), key=lambda each: (-len(each[1]), each[0]))
        return {value: Summary.of(records, name) for value, records in ordered}

    @property
    def groups(self) -> tuple[str, ...]:
        """What it can be broken down by."""
        return tuple(dict.fromkeys(name for record in self.records for name in record.groups))

    @property
    def failures(self) -> Counter[str]:
        """How often each kind of failure ended a question."""
        return Counter(record.failure for record in self.records if record.failure)

    @property
    def replied(self) -> Counter[str]:
        """How many replies each model gave, by the name that its server gives it."""
        attempts = [each for record in self.records for each in record.answer.get("attempts", ())]
        named = (each.get("model") for each in attempts if isinstance(each, dict))
        return Counter(name for name in named if name)

    def wrong(self, scorer: str | None = None) -> list[Record]:
        """The questions that are judged and not right, in the benchmark's order."""
        name = self.scorer(scorer)
        found = [each for each in self.records if name in each.scores and not each.scores[name].error]
        wrong = [each for each in found if not each.scores[name].correct]
        return sorted(wrong, key=lambda each: (each.line, len(each.id), each.id))

    def unjudged(self, scorer: str | None = None) -> Counter[str]:
        """Why questions have no verdict, and how many each time; the last line of each reason."""
        name = self.scorer(scorer)
        errors = [record.scores[name].error for record in self.records if name in record.scores]
        return Counter(error.strip().splitlines()[-1] for error in errors if error.strip())

    @property
    def usage(self) -> Usage:
        """What models cost, failed calls included."""
        costs = [each.usage for each in self.records] + [each.usage for each in self.lost]
        return sum(costs, Usage())

    @property
    def dollars_to_come(self) -> float | None:
        """What the rest will cost at this rate; None where a price is unknown, or nothing is done yet."""
        spent = self.usage.dollars
        return None if spent is None or not self.done else spent / self.done * (self.total - self.done)

    def values(self, scorer: str | None = None) -> dict[str, float]:
        """The judged questions' scores, by key."""
        name = self.scorer(scorer)
        return {
            record.key: record.scores[name].value
            for record in self.records
            if name in record.scores and not record.scores[name].error
        }


def open_run(path: str | Path) -> RunReport:
    """A run that is on disk.

    Raises:
        SourceError: It is not there, or damaged.
    """
    return _report(read_run(path))


def rescore(path: str | Path, scorers: Sequence[str] | None = None, dataset: Dataset | None = None) -> RunReport:
    """Judge a run's answers anew, without asking anything again.

    Args:
        path: The run's folder, which is changed.
        scorers: The names; those that it has where None.
        dataset: Whose gold counts, once it is corrected: answers as they are given there, and gold programs that have
            changed. A program that has not keeps the gold of the first time, since it may depend on the day. All gold
            is that of the first time where None.

    Raises:
        SourceError: It is not there, or damaged.
        BoxkitError: The dataset is another one, or has not all the questions that the run has.
        ValueError: There is no such scorer.
    """
    run = read_run(path)
    names = list(scorers or _report(run).scorers)
    for name in names:
        scorer_of(name)
    if dataset is None:
        return _report(rewrite(path, lambda record: record.scored(names), scorers=names))
    tasks = _tasks_of(run, dataset)

    def judged(record: Record) -> Record:
        task = tasks[record.key]
        return (record if _has_same_program(record, task) else record.with_gold(task)).scored(names)

    return _report(rewrite(path, judged, scorers=names, questions=questions_of(dataset)))


def outdated(run: RunReport, dataset: Dataset) -> list[Record]:
    """The records whose gold is not what the dataset has now: `rescore` judges them anew.

    A gold program that is unchanged keeps the gold of the first time, since it may depend on the day.
    """
    tasks = {task.key: task for task in dataset.tasks}
    known = [(record, tasks[record.key]) for record in run.records if record.key in tasks]
    return [record for record, task in known if not _has_same_program(record, task) and _has_other_gold(record, task)]


def _has_same_program(record: Record, task: Task) -> bool:
    return not record.gold_problem and _has_program(task.context) and _as_json(task.context) == _as_json(record.context)


def _has_other_gold(record: Record, task: Task) -> bool:
    now = record.with_gold(task)
    if bool(now.gold_problem) != bool(record.gold_problem):
        return True
    return (_rows(now), _as_json(now.context)) != (_rows(record), _as_json(record.context))


def _rows(record: Record) -> list[str]:
    """The gold rows to compare, sorted where their order does not count: a graph gives them in any."""
    rows = [json.dumps(row) for row in encoded(record.gold)]
    return rows if record.context.get("ordered") else sorted(rows)


def _as_json(context: Mapping[str, Any]) -> Any:
    return json.loads(json.dumps(dict(context)))


def _tasks_of(run: RunFolder, dataset: Dataset) -> dict[str, Task]:
    """The task of each of the run's records, by key."""
    theirs, ours = (f"{run.settings.get('dataset')}/{run.settings.get('split')}", f"{dataset.name}/{dataset.split}")
    hint = "name the dataset that the run is of; another one needs a run of its own"
    if theirs != ours:
        raise BoxkitError(f"this run is of {theirs}, not of {ours}", where=str(run.path), hint=hint)
    tasks = {task.key: task for task in dataset.tasks}
    for record in run.records:
        task = tasks.get(record.key)
        if task is None or (task.question, task.evidence) != (record.question, record.evidence):
            bad = (
                f", of which {counted(len(dataset.skipped), 'row does', 'rows do')} not fit" if dataset.skipped else ""
            )
            missing = f"is not in this dataset{bad}"
            if task is None and dataset.skipped:
                hint = "mend the rows that do not fit, if it is one of these; " + hint
            what = missing if task is None else f"is another one in this dataset: {task.question!r}"
            raise BoxkitError(
                f"question {record.id} of this run ({record.question!r}) {what}", where=str(run.path), hint=hint
            )
    return tasks


def _has_program(context: Mapping[str, Any]) -> bool:
    return any(context.get(name) for name in ("sql", "s_expression", "parses"))


def _report(run: RunFolder) -> RunReport:
    # A later call may have asked for fewer questions, or for other scorers.
    total = max(int(run.about.get("questions", 0)), len(run.records))
    wanted = [name for name in run.about.get("scorers", ()) if name in SCORERS]
    records = [each if set(wanted) <= set(each.scores) else each.scored(wanted) for each in run.records]
    return RunReport(run.settings, run.about, records, run.lost, total, folder=run.path)


def compare(first: RunReport | str | Path, second: RunReport | str | Path, scorer: str | None = None) -> Difference:
    """Two runs, or their folders, over the questions that both have judged, by paired bootstrap.

    Raises:
        ValueError: They have no question in common, or one was not judged by that scorer.
        SourceError: A folder holds no run.
    """
    first, second = (each if isinstance(each, RunReport) else open_run(each) for each in (first, second))
    name = first.scorer(scorer)
    one, other = first.values(name), second.values(name)
    keys = [key for key in one if key in other]
    return paired_bootstrap([one[key] for key in keys], [other[key] for key in keys])
