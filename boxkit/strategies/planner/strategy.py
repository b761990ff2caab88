"""The Planner: a question with no model at all becomes a plan, the plan pandas; or it says what it could not place."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from boxkit.answer import Answer, Attempt
from boxkit.box import BoxSet
from boxkit.canonical import canonical_rows
from boxkit.executor import Limits, Run
from boxkit.failure import Failure
from boxkit.profile import PROFILES, Profile
from boxkit.strategies.planner.confidence import THRESHOLD
from boxkit.strategies.planner.doubts import is_none, is_several
from boxkit.strategies.planner.query import Query
from boxkit.strategies.planner.reading import Planned, Reading, read
from boxkit.strategies.planner.shapes import SHOWN, Remembered
from boxkit.strategies.planner.shortfalls import not_placed
from boxkit.strategies.planner.units import clash
from boxkit.strategies.planner.unsaid import is_repeated
from boxkit.strategies.steps import Compute, Execute, Steps, StrategyBase

if TYPE_CHECKING:
    from boxkit.memory import Embedding

__all__ = ["Planner"]

#: Fields by which a thing of a graph is called besides its label.
_NAMES = frozenset(("name", "title"))
_TRY = (
    "reword the question with the names shown by `boxkit show`, or ask a model: "
    "set OPENAI_API_KEY, or `boxkit models pull` a local one"
)


@dataclass(frozen=True, slots=True)
class Planner(StrategyBase):
    """Answers the common shapes of question, and abstains from the rest, naming the words it could not place.

    Attributes:
        threshold: The confidence below which it abstains; None for the calibrated one.
        memory: Where demonstrations come from whose shape tells apart readings that cost about the same; None for none.
        embedding: Ties words that no name resembles to fields that mean something near; None for none.
        force: Whether the best guess is given where it would abstain; ``details["guess"]`` says that it is one.
            There is none where the question makes no reading even without one of its phrases, or the code fails.
        profile: What the answer should look like.
        limits: What a run may use.
    """

    threshold: float | None = None
    force: bool = False
    memory: Remembered | None = None
    embedding: Embedding | None = None
    profile: Profile = PROFILES["default"]
    limits: Limits = Limits()

    def __post_init__(self) -> None:
        if self.threshold is not None and not 0 <= self.threshold <= 1:
            raise ValueError(f"threshold is a confidence between 0 and 1 and cannot be {self.threshold}")

    def steps(self, question: str, boxes: BoxSet) -> Steps[Answer]:
        """Read, run, and compare the rivals; see the class."""
        reading: Reading = yield Compute(lambda: self._read(question, boxes))
        if not reading.best:
            return self._abstains(question, reading, reading.doubt or not_placed(reading.unplaced))
        best = reading.best[0]
        unsure = best.confidence < (THRESHOLD if self.threshold is None else self.threshold)
        if unsure and not self.force:
            return self._abstains(
                question, reading, not_placed(reading.unplaced), [_choice(each) for each in reading.best]
            )
        runs: list[Run] = []
        for planned in reading.best:
            runs.append((yield Execute(planned.code, boxes, self.limits)))
        answer = self._answer(question, boxes, reading, runs[0])
        doubt = (
            clash(question, reading.best[0].code)
            or reading.doubt
            or self._doubt(question, best.candidate.query, runs)
            or (not_placed(reading.unplaced) if unsure else None)
        )
        if doubt is None or (self.force and runs[0].error is None):
            details = {**answer.details, "guess": doubt is not None}
            return replace(answer, details=details | ({"doubt": doubt} if doubt else {}))
        choices = [_choice(planned, run) for planned, run in zip(reading.best, runs, strict=True)]
        return self._abstains(question, reading, doubt, choices)

    def _read(self, question: str, boxes: BoxSet) -> Reading:
        shown = self.memory.select(question, SHOWN, "masked", boxes=boxes) if self.memory is not None else ()
        return read(question, boxes, self.profile.ties, shown, self.embedding, guessing=self.force)

    def _doubt(self, question: str, query: Query, runs: list[Run]) -> str | None:
        """Why what the best candidate gave is not to be given as the answer; None where it is."""
        if runs[0].error is not None:
            return f"the plan could not be run: {runs[0].error.message}"
        answers = [sorted(map(repr, canonical_rows(run.answer)[0])) for run in runs if run.error is None]
        if any(other != answers[0] for other in answers[1:]):
            return "the question can be read in several ways that give different answers"
        if is_several(question, query, canonical_rows(runs[0].answer)[0]):
            return "several amounts fit, and one of them or their sum may be wanted"
        if is_repeated(question, query, canonical_rows(runs[0].answer)[0]):
            return "several rows share a name, and it may be wanted once or for each of them"
        if self.profile.empty_is_error and (
            runs[0].empty is not None or is_none(query, canonical_rows(runs[0].answer)[0])
        ):
            return "nothing in the data fits the question as it was understood"
        return None

    def _answer(self, question: str, boxes: BoxSet, reading: Reading, run: Run) -> Answer:
        best = reading.best[0]
        rationale = " ".join(best.sentences)
        attempt = Attempt(
            1,
            rationale=rationale,
            code=best.code,
            failure=run.error,
            stdout=run.stdout,
            seconds=run.seconds,
            isolation=run.isolation,
        )
        return Answer.of(
            question,
            run.answer,
            entities=_entities(boxes, best.candidate.query, run),
            code=best.code,
            rationale=rationale,
            attempts=(attempt,),
            strategy=self.name,
            boxes=run.boxes,
            failure=run.error,
            details=_details(reading),
        )

    def _abstains(
        self, question: str, reading: Reading, why: str, choices: list[dict[str, Any]] | None = None
    ) -> Answer:
        best = reading.best[0] if reading.best else None
        return Answer(
            question,
            code=best.code if best else "",
            rationale=" ".join(best.sentences) if best else "",
            strategy=self.name,
            failure=Failure("abstained", why[:1].upper() + why[1:], hint=_TRY),
            details=_details(reading) | {"choices": choices or []},
        )


def _entities(boxes: BoxSet, query: Query, run: Run) -> dict[str, tuple[str, ...]]:
    """For what is shown of a graph: the ids behind the labels, by label."""
    found: dict[str, list[str]] = {}
    if run.error is not None:
        return {}
    rows = canonical_rows(run.answer)[0]
    for at, output in enumerate(query.outputs):
        box, label = boxes[output.measure.box], output.measure.field
        named = label.endswith("_label") or label in _NAMES
        if box.kind != "graph" or not named or output.measure.function:
            continue
        key = label.removesuffix("_label")
        # A thing that is called by its "name" is the row, whatever holds the name.
        key = key if key in box.labels and label not in _NAMES else (box.primary_key or ("",))[0]
        if key not in box.labels:
            continue
        shown = {row[at] for row in rows if at < len(row)}
        known = box.frame[box.frame[label].isin(shown)][[label, key]].drop_duplicates()
        for text, identifier in known.itertuples(index=False):
            found.setdefault(str(text), []).append(str(identifier))
    return {text: tuple(ids) for text, ids in found.items()}


def _details(reading: Reading) -> dict[str, Any]:
    details: dict[str, Any] = {"understood": reading.understood(), "unplaced": list(reading.unplaced)}
    if reading.best:
        details["confidence"] = round(reading.best[0].confidence, 3)
    if reading.partial:
        details["partly indexed"] = list(reading.partial)
    return details


def _choice(planned: Planned, run: Run | None = None) -> dict[str, Any]:
    choice: dict[str, Any] = {
        "reading": " ".join(planned.sentences),
        "code": planned.code,
        "confidence": round(planned.confidence, 3),
    }
    if run is not None and run.error is None:
        rows = canonical_rows(run.answer)[0]
        choice |= {"rows": rows[:20], "count": len(rows)}
    return choice
