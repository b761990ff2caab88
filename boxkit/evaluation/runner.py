"""`evaluate`: a strategy over a benchmark, many questions at once; killed at any time, it goes on where it stopped."""

from __future__ import annotations

import asyncio
import itertools
import traceback
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from boxkit.answer import Answer, Usage
from boxkit.errors import (
    BoxError,
    BoxkitError,
    BudgetSpent,
    ExecutorError,
    LLMError,
    MissingKey,
    ModelNotFound,
    PromptTooLong,
    Refused,
    SourceError,
)
from boxkit.evaluation.arguments import check_dataset, check_numbers, check_strategy, check_tasks, names_of
from boxkit.evaluation.blocking import blocking
from boxkit.evaluation.border import all_of, is_cancelled, without_stop
from boxkit.evaluation.datasets import Dataset, Task, open_dataset
from boxkit.evaluation.datasets.databases import NamedBoxes
from boxkit.evaluation.ending import PASSING, end, spent_of
from boxkit.evaluation.folder import Lost, RunFolder
from boxkit.evaluation.identity import formerly, models_of, run_settings, seed_of, without_split
from boxkit.evaluation.records import FAULTS, Record, in_own_numbers
from boxkit.evaluation.sqlite_files import close_idle, one_look
from boxkit.evaluation.states import with_states
from boxkit.evaluation.summary import RunReport
from boxkit.exhausted import FEWER_AT_ONCE, is_exhausted
from boxkit.prompts import prompt_version
from boxkit.strategies.steps import Strategy, aask_then, calls_counted
from boxkit.threads import threads, turns_in

__all__ = ["aevaluate", "evaluate"]

T = TypeVar("T")

#: Failures of a model that are the question's own: they are its result.
_OWN = (PromptTooLong, Refused)
#: So many passing failures, refusals, or faults of our own in a row end the run.
_LOST_IN_A_ROW = 8
#: Threads that load sources, compute and judge, at the most: so many may wait for databases at once.
_THREADS = 8
#: Seconds between two syncs, in which finished questions gather.
_GATHER_S = 0.01
#: How often one question is put back.
_TRIES = 3


async def aevaluate(
    strategy: Strategy,
    dataset: Dataset | str | Path,
    out: str | Path | None = None,
    *,
    limit: int | None = None,
    concurrency: int = 8,
    dollars: float | None = None,
    scorers: Sequence[str] | None = None,
    labels: Mapping[str, str] | None = None,
    again: Sequence[str] = (),
    on_progress: Callable[[RunReport], None] | None = None,
) -> RunReport:
    """Put every question of a benchmark to a strategy, and judge the answers.

    Each finished question is on disk before it counts. A run that was killed goes on where it stopped when it is
    called again with the same arguments: nothing is lost, nothing asked twice. Demonstrations from the part of the
    benchmark under evaluation are never shown.

    Args:
        strategy: What answers. Wrap its model for a cache (`Cached`) or rate limits (`Paced`).
        dataset: From `open_dataset`; or the path of a JSONL file of question, source and answer.
        out: The run's folder; nothing is kept where None.
        limit: The first questions only; a later call may raise it.
        concurrency: Questions at once.
        dollars: Start no question that would, at the mean cost so far, pass this; what is under way is finished.
        scorers: By name; the dataset's where None.
        labels: What a report calls the run: its ``model``, ``variant`` and ``group``.
        again: Kinds of failure (``"boxkit"``, ``"source"``, ``"timeout"``…) whose questions are asked anew, once what
            caused them is mended; what they have cost still counts.
        on_progress: Called after each question with all that is done so far.

    Returns:
        What came of each question, those of earlier calls included; where the model or its server failed several times
        in a row, or the budget is spent, ``stopped`` says so, and the next call asks the questions that are left.

    Raises:
        LLMError: The model cannot be asked: no key, no such model, or no reply at all so far; ``usage`` is the run's.
        ExecutorError: The sandbox broke.
        BoxkitError: The folder holds a run with other settings; or a fault of boxkit's own, or of the strategy's, ended
            several questions in a row.
        TypeError: The strategy is a class or a model, the dataset a list, or names are one text; or a task's question
            is no text, or its context or groups are no JSON.
        ValueError: There is no such scorer or kind of failure, or a bound is no number above 0; or two tasks have the
            same id.
    """
    check_strategy(strategy)
    check_dataset(dataset)
    check_numbers(limit, concurrency, dollars)
    asked_scorers, kinds = names_of(scorers, again)
    dataset = dataset if isinstance(dataset, Dataset) else open_dataset("own", dataset)
    names = asked_scorers or list(dataset.scorers)
    strategy = without_split(strategy, dataset.name, dataset.split)
    tasks = dataset.head(limit).tasks
    check_tasks(tasks)
    models = ", ".join(llm.name for llm in models_of(strategy))
    about = {
        "questions": len(tasks),
        "scorers": names,
        "notes": list(dataset.notes),
        "skipped": [str(each) for each in dataset.skipped],
        "source": dataset.source,
        "labels": {"model": models, "variant": strategy.name, **(labels or {})},
    }
    settings, path = run_settings(strategy, dataset), None if out is None else Path(out)
    states = partial(with_states, about, tasks)
    with RunFolder(path, settings, about, formerly=formerly(dataset), going_on=states) as folder:
        run = _Run(strategy, tasks, folder, names, dollars, on_progress, kinds)
        with threads(_THREADS, "boxkit-evaluate") as pool:
            run.pool = pool
            try:
                with turns_in(pool):
                    await run.work(concurrency)
            finally:
                close_idle()
        return run.report


#: `aevaluate` without an event loop.
evaluate = blocking(aevaluate, "evaluate")


@dataclass(slots=True)
class _Run:
    strategy: Strategy
    tasks: Sequence[Task]
    folder: RunFolder
    scorers: Sequence[str]
    dollars: float | None
    on_progress: Callable[[RunReport], None] | None
    again: frozenset[str] = frozenset()
    pool: ThreadPoolExecutor | None = None
    syncing: asyncio.Future[None] | None = None
    next_sync: float = 0.0
    report: RunReport = field(init=False)
    waiting: deque[Task] = field(init=False)
    tries: Counter[str] = field(default_factory=Counter)
    running: int = 0
    lost_in_a_row: int = 0
    faults_in_a_row: int = 0
    failed_in_a_row: list[Record] = field(default_factory=list)
    given_up: list[Lost] = field(default_factory=list)
    spent: Usage = Usage()
    ended: BaseException | None = None
    last_passing: LLMError | None = None
    is_over_budget: bool = False

    def __post_init__(self) -> None:
        keys = {task.key for task in self.tasks}
        for record in self.folder.records:
            if record.failure in self.again:
                self.folder.lost.append(Lost.of(record))
        self.folder.records = [record for record in self.folder.records if record.failure not in self.again]
        kept = [record for record in self.folder.records if record.key in keys]
        kept = [record if set(self.scorers) <= set(record.scores) else record.scored(self.scorers) for record in kept]
        done = {record.key for record in kept}
        self.waiting = deque(task for task in self.tasks if task.key not in done)
        self.report = RunReport(
            self.folder.settings, self.folder.about, kept, self.folder.lost, len(self.tasks), folder=self.folder.path
        )
        self.spent = self.report.usage
        # A kill ends no row of failures: whatever is wrong with the server may be so still.
        self.failed_in_a_row = list(itertools.takewhile(lambda record: record.unasked, reversed(kept)))[::-1]

    async def work(self, concurrency: int) -> None:
        """Answer what waits, so many at once, until it is done or a bound is reached."""
        workers: list[asyncio.Task[None]] = []
        try:
            if self.dollars is not None and not self.report.done:
                await self._next()  # what a question costs, before so many are under way
            if is_cancelled():
                raise asyncio.CancelledError
            workers = [asyncio.create_task(self._worker()) for _ in range(min(concurrency, len(self.waiting)))]
            await asyncio.gather(*workers)
        finally:
            self.waiting.clear()
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
            if self.syncing is not None:  # what it has not begun, the folder does at its end
                self.syncing.cancel()
            self._keep_given_up()
        if len(self.failed_in_a_row) == len(self.report.records):  # too few for a row, and nothing else was done
            await self._end_failing()
        end(self.report, self.ended, self.last_passing, self.dollars if self.is_over_budget else None)

    async def _worker(self) -> None:
        while await self._next():
            pass

    async def _next(self) -> bool:
        """Answer the next question; whether there was one that may be asked."""
        # A strategy may not heed that it is cancelled; then its question was the last.
        if not self.waiting or self.ended is not None or is_cancelled() or not self._may_go_on():
            return False
        task = self.waiting.popleft()
        self.running += 1
        try:
            await self._one(task)
        finally:
            self.running -= 1
        return True

    def _may_go_on(self) -> bool:
        if self.dollars is None or self.report.stopped:
            return not self.report.stopped
        if self.spent.dollars is None:
            self.ended = BudgetSpent(
                "the model's price is unknown, so a limit in dollars cannot be kept",
                hint="give its price: boxkit.OpenAI(…, price=Price(prompt=…, completion=…)) (--price IN OUT), or leave "
                "the limit out",
            )
            return False
        mean = self.spent.dollars / self.report.done if self.report.done else 0.0
        if self.spent.dollars >= self.dollars or self.spent.dollars + mean * (self.running + 1) > self.dollars:
            self.is_over_budget, self.report.stopped = True, spent_of(self.spent, self.dollars)
        return not self.report.stopped

    async def _one(self, task: Task) -> None:
        name, seed = self.strategy.name, seed_of(self.strategy)
        record = Record.of(task, strategy=name, prompt_version=prompt_version(), seed=seed)
        kept: Future[tuple[Record, int]] = Future()
        with calls_counted() as spent:
            try:
                record, is_own = await self._answered(task, record, spent, kept)
            except BudgetSpent as error:
                self.report.stopped = error.what
                if error.usage is not None and error.usage.calls:
                    await self._lost(task, error, error.usage)
                return
            except (MissingKey, ModelNotFound, ExecutorError) as error:
                self.ended = self.ended or error
                if spent:
                    await self._lost(task, error, all_of(spent))
                return
            except PASSING as error:
                await self._lost(task, error, error.usage or Usage())
                self._put_back(task, error)
                return
            except asyncio.CancelledError:
                if spent and kept.cancel():
                    self.given_up.append(Lost(task.key, "the run was interrupted", all_of(spent)))
                raise
        self.lost_in_a_row = 0
        record, number = kept.result() if kept.done() else await self._in_pool(lambda: self._judged(task, record))
        await self._synced(number)
        self.folder.records.append(record)
        self.spent += record.usage
        self.report.records.append(record)
        self._count_fault(record)
        await self._count_failed(record, is_own)
        self._tell()

    async def _count_failed(self, record: Record, is_own: bool) -> None:
        """End a run whose model refuses every request: a wrong setting or a broken gateway is no answer."""
        if is_own:
            self.failed_in_a_row = []
            return
        self.failed_in_a_row.append(record)
        if self.ended is not None or len(self.failed_in_a_row) >= _LOST_IN_A_ROW:
            await self._end_failing()

    async def _end_failing(self) -> None:
        """Take back what failed in a row, so that it is asked again, and end the run."""
        failed, self.failed_in_a_row = self.failed_in_a_row, []
        if not failed:
            return
        for record in failed:
            self.folder.take_back(record)
        keys = {record.key for record in failed}
        self.report.records = [record for record in self.report.records if record.key not in keys]
        self.ended = self.ended or LLMError(
            f"the model failed {len(failed)} questions in a row: {failed[-1].message}",
            hint="mend its settings or its server; these questions are not counted, and the same call asks them again",
        )

    def _count_fault(self, record: Record) -> None:
        """End a run in which every question meets the same fault, before it has cost more."""
        self.faults_in_a_row = self.faults_in_a_row + 1 if record.failure == "boxkit" else 0
        if self.faults_in_a_row >= _LOST_IN_A_ROW:
            last = record.message.strip().splitlines()[-1]
            self.ended = self.ended or BoxkitError(
                f"a fault in boxkit or in the strategy ended {self.faults_in_a_row} questions in a row: {last}",
                hint="mend it (records.jsonl has its traceback), and ask these questions anew: again=('boxkit',) "
                "(--again boxkit)",
            )

    async def _answered(
        self, task: Task, record: Record, spent: Iterable[Usage], kept: Future[tuple[Record, int]]
    ) -> tuple[Record, bool]:
        """The record with the answer, or with what went wrong; and whether that is a matter of this question alone.

        With an answer it is judged and ``kept`` as well, in the thread that found the answer.
        """

        def keep(answer: Answer) -> Record:
            answered = record.answered(answer)
            seen = all_of(spent)  # a strategy of one's own may forget what it has spent
            answered = replace(answered, usage=seen) if seen.calls > answered.usage.calls else answered
            if kept.set_running_or_notify_cancel():
                try:
                    kept.set_result(self._judged(task, answered))
                except Exception as error:  # none of the question's
                    kept.set_exception(error)
            return answered

        try:
            boxes = task.boxes.ready() if isinstance(task.boxes, NamedBoxes) else None
            if boxes is None:
                boxes = await self._in_pool(task.boxes)
            return await aask_then(self.strategy, task.asked, boxes, keep), True
        except (SourceError, BoxError) as error:
            return record.failed("source", str(error)), True
        except (BudgetSpent, MissingKey, ModelNotFound, ExecutorError, *PASSING):
            raise
        except LLMError as error:
            kind = next((each for each in _OWN if isinstance(error, each)), type(error))
            failed = record.failed("model", f"{kind.__name__}: {error}", error.usage or Usage())
            return failed, not failed.unasked
        except FAULTS as error:
            if is_cancelled():
                raise
            if is_exhausted(error):
                raise ExecutorError(f"this machine opens no more files: {error}", hint=FEWER_AT_ONCE) from error
            # One evaluated example is a border: a fault of ours is on record, and the run goes on.
            return record.failed("boxkit", traceback.format_exc(limit=-8), all_of(spent)), True

    def _judged(self, task: Task, record: Record) -> tuple[Record, int]:
        """The record with its gold, as of now, and the verdicts; added to the folder under that number."""
        with one_look():
            judged = record.with_gold(task).scored(self.scorers)
        return judged, self.folder.add(judged)

    async def _synced(self, number: int) -> None:
        """Wait until all up to that number is on disk; one thread syncs for all that wait."""
        while self.folder.synced < number:
            if self.syncing is None or self.syncing.done():
                self.syncing = asyncio.create_task(self._sync_soon())
            await asyncio.shield(self.syncing)

    async def _sync_soon(self) -> None:
        now = asyncio.get_running_loop().time
        await asyncio.sleep(self.next_sync - now())
        self.next_sync = now() + _GATHER_S
        await self._in_pool(self.folder.sync)

    async def _lost(self, task: Task, error: BoxkitError, usage: Usage) -> None:
        """Count what a question has cost that is asked again."""
        lost = Lost(task.key, f"{type(error).__name__}: {error}", in_own_numbers(usage))
        await self._in_pool(lambda: self.folder.keep_lost(lost))
        self.folder.lost.append(lost)
        self.spent += lost.usage
        self._tell()

    def _keep_given_up(self) -> None:
        """Count what questions have cost that were under way when the run ended."""
        with suppress(BoxkitError):  # a folder that keeps nothing any more has said so
            for lost in self.given_up:
                self.folder.keep_lost(lost)
                self.folder.lost.append(lost)

    def _put_back(self, task: Task, error: LLMError) -> None:
        """Ask again later, unless the server seems to be gone."""
        self.lost_in_a_row, self.last_passing = self.lost_in_a_row + 1, error
        self.tries[task.key] += 1
        if self.lost_in_a_row >= _LOST_IN_A_ROW:
            self.ended = self.ended or error
        elif self.tries[task.key] < _TRIES:
            self.waiting.append(task)

    async def _in_pool(self, function: Callable[[], Any]) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self.pool, without_stop, function)

    def _tell(self) -> None:
        if self.on_progress is not None:
            self.on_progress(self.report)
