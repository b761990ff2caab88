"""Learning in two stages, as Pandora does: databases first, nothing shown; then tables and graphs, shown the first."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from boxkit.bounds import check_count, check_number
from boxkit.errors import LLMError, SourceError
from boxkit.memory.demonstration import Demonstration, Verification
from boxkit.memory.learning.annotators import Annotation, Annotator
from boxkit.memory.learning.example import Example
from boxkit.memory.learning.journal import Journal
from boxkit.memory.learning.report import Finished, Report
from boxkit.memory.lock import only_learner
from boxkit.memory.memory import Memory
from boxkit.memory.rows import same_rows
from boxkit.memory.written import boxes_used
from boxkit.syntax import ONE_PARSER
from boxkit.threads import threads
from boxkit.wording import counted

if TYPE_CHECKING:
    from boxkit.box import BoxSet

__all__ = ["Scorer", "learn"]

#: Whether rows, which code gave over these boxes, are the right answer to an example.
Scorer: TypeAlias = Callable[[Example, Sequence[Sequence[Any]], "BoxSet"], bool]

#: A model that cannot be asked this often in a row ends the run; what was not done is done when it goes on.
LOST_CALLS = 5

SAVED_EVERY_S = 30.0


def exact(example: Example, rows: Sequence[Sequence[Any]], boxes: BoxSet) -> bool:  # noqa: ARG001 - a `Scorer`
    """Whether the rows are the gold rows, in order where order counts."""
    return same_rows(rows, example.gold(), ordered=example.ordered)


def learn(
    examples: Iterable[Example],
    annotator: Annotator,
    memory: Memory,
    *,
    scorer: Scorer = exact,
    scorer_name: str = "rows",
    concurrency: int = 4,
    dollars: float | None = None,
    target: int | None = None,
    on_progress: Callable[[Report], None] | None = None,
) -> Report:
    """Turn training questions into demonstrations, and keep those whose code gives the gold answer.

    Resumable: where the memory has a folder, each finished example is on disk (``learning.jsonl``) before it counts,
    and the same call goes on where a killed one stopped, repeating nothing.

    Args:
        examples: What to learn from.
        annotator: Who writes the code.
        memory: Where demonstrations go; saved now and then, and at the end, where it has a folder.
        scorer: Says whether rows are right; the dataset's own scorer, in earnest.
        scorer_name: Its name, kept with each demonstration.
        concurrency: Examples at once.
        dollars: Stop before models cost more than this.
        target: Stop when this many demonstrations are kept.
        on_progress: Called after each example, with all that is done so far.

    Returns:
        What came of each example, those of earlier calls included.

    Raises:
        MemoryStoreError: The folder holds a run with other settings, or another run is learning into it.
        LLMError: The model could not be asked, several times in a row.
        ExecutorError: The sandbox broke.
        ValueError: Two examples have one key, or a bound is no number above 0.
    """
    check_count("concurrency", concurrency)
    if target is not None:
        check_count("target", target)
    if dollars is not None:
        check_number("dollars", dollars)
    every = list(examples)
    if len({example.key for example in every}) < len(every):
        raise ValueError("two examples have the same dataset, split and id")
    if memory.folder is None:
        alone: contextlib.AbstractContextManager[None] = contextlib.nullcontext()
    else:
        memory.folder.mkdir(parents=True, exist_ok=True)
        alone = only_learner(memory.folder)
    with alone:
        path = None if memory.folder is None else memory.folder / "learning.jsonl"
        journal = Journal(path, {"annotator": annotator.name, "scorer": scorer_name})
        run = _Run(annotator, memory, scorer, scorer_name, journal, concurrency, dollars, target, on_progress)
        return run.through(every)


@dataclass(slots=True)
class _Run:
    annotator: Annotator
    memory: Memory
    scorer: Scorer
    scorer_name: str
    journal: Journal
    concurrency: int
    dollars: float | None
    target: int | None
    on_progress: Callable[[Report], None] | None
    report: Report = field(default_factory=Report)
    lost: int = 0
    saved_at: float = field(default_factory=time.monotonic)

    def through(self, examples: list[Example]) -> Report:
        """Do what is not done yet: databases first, then the rest, shown what was learned from databases."""
        self.memory.add(each for each in self.journal.demonstrations if each.id not in self.memory)
        self.report.finished.extend(self.journal.finished)
        done = {finished.key for finished in self.journal.finished}
        self.report.total = len(done | {example.key for example in examples})
        try:
            for kinds in (("database",), ("table", "graph")):
                waiting = [each for each in examples if each.kind in kinds and each.key not in done]
                if waiting:
                    self.stage(waiting, None if "database" in kinds else self.memory.only(kind="database"))
        finally:
            self.save()
        return self.report

    def stage(self, examples: list[Example], shown: Memory | None) -> None:
        """Do these examples, a few at once, until they are done or a bound is reached."""
        waiting = iter(examples)
        with threads(self.concurrency, "boxkit-learn") as pool:
            running: set[Future[tuple[Finished, Demonstration | None]]] = set()
            try:
                while self._may_go_on():
                    while len(running) < self.concurrency and (example := next(waiting, None)) is not None:
                        running.add(pool.submit(self._example, example, shown))
                    if not running:
                        return
                    finished, running = wait(running, return_when=FIRST_COMPLETED)
                    for future in finished:
                        self._take(future)
                for future in running:
                    self._take(future)
            finally:
                for future in running:
                    future.cancel()

    def _may_go_on(self) -> bool:
        if self.target is not None and self.report.kept >= self.target:
            self.report.stopped = counted(self.target, "demonstration is kept", "demonstrations are kept")
        elif self.dollars is not None and (self.report.dollars or 0.0) >= self.dollars:
            self.report.stopped = f"models have cost {self.report.dollars:.2f} dollars"
        return not self.report.stopped

    def _take(self, future: Future[tuple[Finished, Demonstration | None]]) -> None:
        try:
            finished, demonstration = future.result()
        except LLMError:
            self.lost += 1
            if self.lost >= LOST_CALLS:
                raise
            return
        self.lost = 0
        self.journal.add(finished, demonstration)
        self.report.finished.append(finished)
        if demonstration is not None:
            self.memory.add(demonstration)
        if time.monotonic() - self.saved_at > SAVED_EVERY_S:
            self.save()
        if self.on_progress is not None:
            self.on_progress(self.report)

    def save(self) -> None:
        """Save the memory, where it has a folder."""
        if self.memory.folder is not None:
            self.memory.save()
        self.saved_at = time.monotonic()

    def _example(self, example: Example, shown: Memory | None) -> tuple[Finished, Demonstration | None]:
        started = time.perf_counter()

        def finished(outcome: Any, detail: str = "", annotation: Annotation = Annotation()) -> Finished:
            seconds = time.perf_counter() - started
            return Finished.of(example.key, example.dataset, outcome, detail, annotation.usage, seconds)

        try:
            with ONE_PARSER:
                boxes = example.boxes()
        except SourceError as error:
            return finished("unreadable", str(error)), None
        annotation = self.annotator.annotate(example, boxes, shown)
        if annotation.problem:
            return finished("refused" if annotation.refused else "failed", annotation.problem, annotation), None
        used = boxes.only(boxes_used(annotation.code, list(boxes)))
        # Gold answers may come from an RDF engine, whose parser must not meet another's.
        try:
            with ONE_PARSER:
                right = self.scorer(example, annotation.rows, used)
        except SourceError as error:
            return finished("unreadable", str(error), annotation), None
        if not right:
            return finished("wrong", f"gives {list(annotation.rows[:3])}", annotation), None
        schema = used.to_prompt(samples=0)
        return finished("right", "", annotation), self._demonstration(example, annotation, schema)

    def _demonstration(self, example: Example, annotation: Annotation, schema: str) -> Demonstration:
        program = {"program": example.program, "language": example.language} if example.program else {}
        return Demonstration(
            example.key,
            example.question,
            schema,
            annotation.rationale,
            annotation.code,
            annotation.rows,
            example.dataset,
            example.kind,
            example.source,
            example.split,
            Verification(self.scorer_name, annotation.attempts, annotation.annotator),
            {**example.about, **program},
        )
