"""`boxkit.learn`: annotate training questions, verify under the dataset's own scorer, keep what is right."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from boxkit.converters.graph import entities_of
from boxkit.errors import MissingExtra
from boxkit.evaluation.datasets import Dataset, Task, open_dataset
from boxkit.evaluation.judging import Predicted, judge
from boxkit.executor import Limits
from boxkit.memory.learning import Annotation, Annotator, Ask, Example, InTurn, Report, Transpile
from boxkit.memory.learning import learn as _learn
from boxkit.profile import PROFILES, Profile

if TYPE_CHECKING:
    from boxkit.box import BoxSet
    from boxkit.llm.protocol import LLM
    from boxkit.memory import Memory

__all__ = ["SCORER_OF", "annotator_for", "learn"]

#: Dataset → the scorer that decides what is right, where examples come without their `Dataset`.
SCORER_OF = {
    "spider": "spider",
    "bird": "bird",
    "archer": "archer",
    "wikitq": "wikitq",
    "grailqa": "grailqa",
    "webqsp": "webqsp",
}

#: For any other dataset: Spider's comparison done right.
_SCORER = "spider_strict"


def learn(
    examples: Iterable[Example] | Dataset | Sequence[Dataset] | str | Path,
    llm: LLM | None,
    memory: Memory,
    *,
    annotator: Literal["transpile", "llm", "transpile,llm"] | Annotator | None = None,
    attempts: int = 3,
    k: int = 10,
    show_gold: bool = False,
    concurrency: int = 4,
    dollars: float | None = None,
    target: int | None = None,
    limits: Limits = Limits(),
    on_progress: Callable[[Report], None] | None = None,
) -> Report:
    """Turn training questions into demonstrations (Pandora, section 5): database tasks first, then tables and graphs.

    An example is kept only if running its code gave the gold answer under its dataset's scorer. Resumable where the
    memory has a folder: the same call goes on where a killed one stopped.

    Args:
        examples: What to learn from: examples, one or several datasets, or the path of a JSON Lines file of your own.
        llm: The model; None where gold programs are to be transpiled only, which costs nothing.
        memory: Where demonstrations go.
        annotator: ``"transpile"``, ``"llm"``, or ``"transpile,llm"`` (the model only for what was refused); by default
            the last where there is a model, else the first. Or an annotator of your own.
        attempts: Replies at the most, a question.
        k: Demonstrations shown to the model, in the second stage.
        show_gold: Whether the model sees the gold program beside the question.
        concurrency: Examples at once.
        dollars: Stop before models cost more than this.
        target: Stop when this many demonstrations are kept.
        limits: What each run of code may use.
        on_progress: Called after each example.

    Raises:
        ValueError: An annotator that needs a model where there is none, or a bound is no number above 0.
        MissingExtra: Gold SQL is to be transpiled, and sqlglot is not installed.
        LLMError: The model could not be asked, several times in a row.
        MemoryStoreError: The memory's folder holds a run with other settings, or another run is learning into it.
    """
    if isinstance(examples, str | Path):
        examples = open_dataset("own", examples, split="train")
    given: list[Any] = [examples] if isinstance(examples, Dataset) else list(examples)
    datasets = [each for each in given if isinstance(each, Dataset)]
    every = [task for each in given for task in (each if isinstance(each, Dataset) else (each,))]
    if annotator is None or isinstance(annotator, str):
        profiles = {dataset.name: dataset.profile for dataset in datasets}
        annotator = annotator_for(
            annotator, llm, attempts=attempts, k=k, show_gold=show_gold, limits=limits, profiles=profiles
        )
    _check_parser(every, annotator)
    return _learn(
        every,
        annotator,
        memory,
        scorer=_Judge({dataset.name: dataset.scorer for dataset in datasets}),
        scorer_name="the dataset's own",
        concurrency=concurrency,
        dollars=dollars,
        target=target,
        on_progress=on_progress,
    )


def _check_parser(examples: Iterable[Example], annotator: Annotator) -> None:
    """What gold SQL is read with, before a folder is made: the memory in it would be empty."""
    parts = (annotator.first, annotator.second) if isinstance(annotator, InTurn) else (annotator,)
    if any(isinstance(each, Transpile) for each in parts) and any(each.language == "sql" for each in examples):
        try:
            import sqlglot  # noqa: F401 - whether it is there
        except ImportError as error:
            raise MissingExtra("sqlglot", "sql") from error


def annotator_for(
    name: str | None,
    llm: LLM | None,
    *,
    attempts: int = 3,
    k: int = 10,
    show_gold: bool = False,
    limits: Limits = Limits(),
    profiles: Mapping[str, Profile] | None = None,
) -> Annotator:
    """The annotator of that name.

    Raises:
        ValueError: There is none, or it needs a model.
    """
    name = name or ("transpile,llm" if llm is not None else "transpile")
    if name == "transpile":
        return Transpile(limits)
    if name not in ("llm", "transpile,llm"):
        raise ValueError(f"an annotator is 'transpile', 'llm' or 'transpile,llm', not {name!r}")
    if llm is None:
        raise ValueError(f"the annotator {name!r} needs a model")
    asking = _Asking(llm, k, attempts, show_gold, limits, profiles or {})
    return asking if name == "llm" else InTurn(Transpile(limits), asking)


@dataclass(frozen=True, slots=True)
class _Asking:
    """Pandora with a model, under the conventions of each dataset's answers."""

    llm: LLM
    k: int
    attempts: int
    show_gold: bool
    limits: Limits
    profiles: Mapping[str, Profile]
    _made: dict[str, Ask] = field(default_factory=dict, repr=False, compare=False)

    @property
    def name(self) -> str:
        """The model's, and what else shapes what it writes."""
        return f"{self.llm.name}, k={self.k}, attempts={self.attempts}{', gold shown' if self.show_gold else ''}"

    def annotate(self, example: Example, boxes: BoxSet, shown: Memory | None) -> Annotation:
        """See `Annotator`."""
        profile = self.profiles.get(example.dataset, PROFILES["spider"])

        def strategy(demonstrations: Memory | None) -> Any:
            from boxkit.strategies import Pandora

            return Pandora(
                self.llm, demonstrations, k=self.k, attempts=self.attempts, profile=profile, limits=self.limits
            )

        asking = self._made.setdefault(
            profile.name, Ask(strategy, self.llm.name, _with_gold if self.show_gold else _question)
        )
        return asking.annotate(example, boxes, shown)


def _question(example: Example) -> str:
    return example.asked if isinstance(example, Task) else example.question


def _with_gold(example: Example) -> str:
    if not example.program:
        return _question(example)
    return f"{_question(example)}\n(A program in {example.language} that answers it: {example.program})"


@dataclass(frozen=True, slots=True)
class _Judge:
    """Whether rows are right, under the official scorer of each dataset."""

    scorers: Mapping[str, str]

    def __call__(self, example: Example, rows: Sequence[Sequence[Any]], boxes: BoxSet) -> bool:
        """See `boxkit.memory.learning.learn.Scorer`."""
        name = self.scorers.get(example.dataset) or SCORER_OF.get(example.dataset, _SCORER)
        context = example.context if isinstance(example, Task) else {"ordered": example.ordered}
        entities = entities_of(map(tuple, rows), boxes) if example.kind == "graph" else {}
        return judge(name, Predicted(rows, entities=entities), example.gold(), context).correct
