"""What a benchmark is to boxkit: tasks in order, each with what it is asked of and what judges it."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, overload

from boxkit.bounds import check_count
from boxkit.errors import UnreadableSource
from boxkit.evaluation.datasets.rows import BadField, Row
from boxkit.memory.learning import Example
from boxkit.profile import PROFILES, Profile
from boxkit.wording import counted

__all__ = ["BadRow", "Dataset", "Reader", "Task", "collect"]

#: Problems of rows that an error names one by one, and further lines of each.
_NAMED = 10
_LINES = 3


@dataclass(frozen=True, slots=True)
class Task(Example):
    """One question of a benchmark; as an `Example`, it can be learnt from.

    Attributes:
        line: Where it stands in its file, from 1.
        evidence: What the benchmark tells about the question beside it (BIRD's evidence, Archer's knowledge, DABench's
            constraints); empty where nothing.
        context: What else its scorers take, as JSON values (``ordered``, ``canon``, ``parses``…).
        groups: What reports break it down by: ``{"level": ("zero-shot",)}``.
    """

    line: int = 0
    evidence: str = ""
    context: Mapping[str, Any] = field(default_factory=dict)
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def asked(self) -> str:
        """The question as a strategy gets it, with its evidence."""
        return f"{self.question}\nTo know: {self.evidence}" if self.evidence else self.question


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that does not fit, and why.

    Attributes:
        file: Where it stands.
        line: On which line, from 1.
        problem: What does not fit.
        before: How many of the dataset's tasks stand before it.
        number: Which row of the file it is, from 1; 0 where the line tells.
    """

    file: str
    line: int
    problem: str
    before: int = 0
    number: int = 0

    @property
    def place(self) -> str:
        """Where in its file it stands: ``3``, or ``1, row 7`` where several rows share a line."""
        return f"{self.line}, row {self.number}" if self.number else str(self.line)

    def __str__(self) -> str:
        return f"{self.file}:{self.place}: {self.problem}"


@dataclass(frozen=True, slots=True)
class Dataset(Sequence[Task]):
    """Tasks in their published order.

    Attributes:
        name: The benchmark's (``"spider"``).
        split: Which part of it.
        tasks: The tasks.
        scorers: The names of its scorers, the official one first.
        profile: The conventions of its answers.
        skipped: Rows left out because they do not fit.
        source: The file that it was read from.
        notes: What a report must say of it: gold that is not quite the official one, entities that are given away.
    """

    name: str
    split: str
    tasks: tuple[Task, ...]
    scorers: tuple[str, ...]
    profile: Profile = PROFILES["default"]
    skipped: tuple[BadRow, ...] = ()
    source: str = ""
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.tasks)

    def __iter__(self) -> Iterator[Task]:
        return iter(self.tasks)

    @overload
    def __getitem__(self, at: int) -> Task: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Task]: ...
    def __getitem__(self, at: int | slice) -> Task | Sequence[Task]:
        return self.tasks[at]

    @property
    def scorer(self) -> str:
        """The official scorer."""
        return self.scorers[0]

    @property
    def digest(self) -> str:
        """What tells these tasks from others: 16 hex digits of their ids, questions and gold programs."""
        told = hashlib.sha256()
        for task in self.tasks:
            told.update(repr((task.key, task.asked, task.program, task.source)).encode("utf-8", "surrogatepass"))
        return told.hexdigest()[:16]

    def head(self, limit: int | None) -> Dataset:
        """The first tasks; all where None.

        Raises:
            ValueError: It is no whole number from 0.
        """
        if limit is not None:
            check_count("limit", limit, least=0)
        return self if limit is None else replace(self, tasks=self.tasks[:limit])

    def sample(self, size: int, seed: int = 0) -> Dataset:
        """That many tasks at random, in their order, the same for the same seed; all where there are no more.

        Raises:
            ValueError: The size is no whole number from 0.
        """
        check_count("size", size, least=0)
        if size >= len(self):
            return self
        chosen = sorted(random.Random(seed).sample(range(len(self)), size))  # noqa: S311 - a sample, no secret
        return replace(self, tasks=tuple(self.tasks[at] for at in chosen))

    def only(self, ids: Iterable[str]) -> Dataset:
        """The tasks of these ids.

        Raises:
            KeyError: There is no task of an id.
        """
        by_id = {task.id: task for task in self.tasks}
        return replace(self, tasks=tuple(by_id[each] for each in ids))


class Reader(Protocol):
    """Reads a benchmark in its published layout."""

    def __call__(self, path: str | Path, *, split: str | None, skip_bad: bool, **options: Any) -> Dataset:
        """The dataset.

        Args:
            path: The folder (or file) as published.
            split: Which part; the one that papers report where None.
            skip_bad: Whether rows that do not fit are left out (and listed in ``skipped``) instead of an error.
            options: What else this benchmark needs, such as ``databases`` (where another benchmark's lie).

        Raises:
            SourceError: A file is not there, cannot be read, or has a row that does not fit.
        """
        ...


def collect(
    rows: Iterable[Row], made: Callable[[int, Row], Task], *, skip_bad: bool
) -> tuple[tuple[Task, ...], tuple[BadRow, ...]]:
    """The tasks of rows, and the rows that do not fit.

    Args:
        rows: As the file has them.
        made: The task of a row, given its number from 0; raises `BadField` where it does not fit.
        skip_bad: Whether such rows are left out.

    Raises:
        UnreadableSource: A row does not fit, and is not to be skipped; every one is counted, ten problems are
            named.
    """
    tasks: dict[str, Task] = {}
    bad: list[BadRow] = []
    numbers: Counter[str] = Counter()
    on_line: Counter[tuple[str, int]] = Counter()
    count = 0
    for count, row in enumerate(rows, start=1):
        numbers[row.file] += 1
        on_line[row.file, row.line] += 1
        try:
            if row.problem:
                raise BadField(row.problem)
            task = made(count - 1, row)
            if task.key in tasks:
                raise BadField(f"its id {task.id!r} is that of line {tasks[task.key].line} too")
        except BadField as error:
            problem = str(error)
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            # A field of another shape than the reader takes apart: the rows' fault, not the reader's.
            problem = f"a field has another shape: {type(error).__name__}: {error}"
        else:
            tasks[task.key] = task
            continue
        bad.append(BadRow(row.file, row.line, problem, len(tasks), numbers[row.file]))
    bad = [each if on_line[each.file, each.line] > 1 else replace(each, number=0) for each in bad]
    if bad and not skip_bad:
        raise UnreadableSource(
            f"{len(bad)} of {counted(count, 'row does', 'rows do')} not fit:{_listed(bad)}",
            hint="leave them out with skip_bad=True (--skip-bad); reports then say how many",
        )
    return tuple(tasks.values()), tuple(bad)


def _listed(bad: Sequence[BadRow]) -> str:
    """The first problems, a line each, with the further lines of a file that have the same one."""
    alike: dict[tuple[str, str], list[BadRow]] = {}
    for each in bad:
        alike.setdefault((each.file, each.problem), []).append(each)
    told = []
    for first, *others in list(alike.values())[:_NAMED]:
        is_one_line = first.number and all(each.number and each.line == first.line for each in others)
        what = "row" if is_one_line else "line"
        lines = ", ".join(str(each.number) if is_one_line else each.place for each in others[:_LINES])
        more = f" and {len(others) - _LINES} more" if len(others) > _LINES else ""
        told.append(
            f"\n  {first}" + (f" ({what if len(others) == 1 else what + 's'} {lines}{more} too)" if others else "")
        )
    rest = sum(map(len, list(alike.values())[_NAMED:]))
    return "".join(told) + (f"\n  … and {rest} more" if rest else "")
