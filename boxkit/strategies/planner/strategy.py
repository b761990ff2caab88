"""The Planner: a question with no model at all becomes a plan, the plan pandas; or it says what it could not place."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from boxkit.answer import Answer, Attempt
from boxkit.box import BoxSet
from boxkit.canonical import canonical_rows
from boxkit.executor import Limits, Run
from boxkit.failure import Failure
from boxkit.profile import PROFILES, Profile
from boxkit.strategies.planner.confidence import THRESHOLD
from boxkit.strategies.planner.reading import Planned, Reading, read
from boxkit.strategies.steps import Compute, Execute, Steps, StrategyBase

__all__ = ["Planner"]

_TRY = (
    "reword the question with the names shown by `boxkit show`, or ask a model: "
    "set OPENAI_API_KEY, or `boxkit models pull` a local one"
)


@dataclass(frozen=True, slots=True)
class Planner(StrategyBase):
    """Answers the common shapes of question, and abstains from the rest, naming the words it could not place.

    Attributes:
        threshold: The confidence below which it abstains; None for the calibrated one.
        force: Whether the best guess is given where it would abstain; ``details["guess"]`` says that it is one.
        profile: What the answer should look like.
        limits: What a run may use.
    """

    threshold: float | None = None
    force: bool = False
    profile: Profile = PROFILES["default"]
    limits: Limits = Limits()

    def __post_init__(self) -> None:
        if self.threshold is not None and not 0 <= self.threshold <= 1:
            raise ValueError(f"threshold is a confidence between 0 and 1 and cannot be {self.threshold}")

    def steps(self, question: str, boxes: BoxSet) -> Steps[Answer]:
        """Read, run, and compare the rivals; see the class."""
        reading: Reading = yield Compute(lambda: read(question, boxes, self.profile.ties))
        if not reading.best:
            return self._abstains(question, reading, _unplaced(reading.unplaced))
        runs: list[tuple[Planned, Run]] = []
        for planned in reading.best:
            runs.append((planned, (yield Execute(planned.code, boxes, self.limits))))
        best, run = runs[0]
        answer = self._answer(question, reading, best, run)
        doubt = self._doubt(reading, runs)
        if doubt is None or (self.force and run.error is None):
            return replace(answer, details={**answer.details, "guess": doubt is not None})
        choices = [_choice(planned, other) for planned, other in runs]
        return self._abstains(question, reading, doubt, best, choices)

    def _doubt(self, reading: Reading, runs: list[tuple[Planned, Run]]) -> str | None:
        """Why the best candidate is not to be given as the answer; None where it is."""
        best, run = runs[0]
        if run.error is not None:
            return f"the plan could not be run: {run.error.message}"
        answers = [sorted(map(repr, canonical_rows(other.answer)[0])) for _, other in runs if other.error is None]
        if any(other != answers[0] for other in answers[1:]):
            return "the question can be read in several ways that give different answers"
        if best.confidence < (THRESHOLD if self.threshold is None else self.threshold):
            return _unplaced(reading.unplaced)
        if run.empty is not None and self.profile.empty_is_error:
            return "nothing in the data fits the question as it was understood"
        return None

    def _answer(self, question: str, reading: Reading, best: Planned, run: Run) -> Answer:
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
            code=best.code,
            rationale=rationale,
            attempts=(attempt,),
            strategy=self.name,
            boxes=run.boxes,
            failure=run.error,
            details=_details(reading, best),
        )

    def _abstains(
        self,
        question: str,
        reading: Reading,
        why: str,
        best: Planned | None = None,
        choices: list[dict[str, Any]] | None = None,
    ) -> Answer:
        details = _details(reading, best) | {"choices": choices or []}
        failure = Failure("abstained", why[:1].upper() + why[1:], hint=_TRY)
        rationale = " ".join(best.sentences) if best else ""
        return Answer(
            question,
            code=best.code if best else "",
            rationale=rationale,
            strategy=self.name,
            failure=failure,
            details=details,
        )


def _unplaced(words: tuple[str, ...]) -> str:
    if not words:
        return "the question could not be put together with enough confidence"
    return f"could not place {', '.join(repr(word) for word in words)}"


def _details(reading: Reading, best: Planned | None) -> dict[str, Any]:
    details: dict[str, Any] = {"understood": reading.understood(), "unplaced": list(reading.unplaced)}
    if best is not None:
        details["confidence"] = round(best.confidence, 3)
    if reading.partial:
        details["partly indexed"] = list(reading.partial)
    return details


def _choice(planned: Planned, run: Run) -> dict[str, Any]:
    rows = [] if run.error is not None else canonical_rows(run.answer)[0]
    return {"reading": " ".join(planned.sentences), "code": planned.code, "rows": rows[:20], "count": len(rows)}
