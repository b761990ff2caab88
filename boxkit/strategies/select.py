"""Select: candidates of several strategies, chosen by agreement, then by a model's checks, then by a judge."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from boxkit.answer import Answer, Usage
from boxkit.box import BoxSet
from boxkit.boxcode import literal
from boxkit.canonical import vote_key
from boxkit.executor import Limits, Run
from boxkit.llm.protocol import LLM, Completion, Message
from boxkit.profile import PROFILES, Profile
from boxkit.prompts import render
from boxkit.prompts.reply import parse_reply
from boxkit.strategies.consistency import vote
from boxkit.strategies.loop import parameters_for, spent_before, usage_of
from boxkit.strategies.steps import Call, Execute, Steps, Strategy, StrategyBase, Together

__all__ = ["Select"]

_CHOICE = re.compile(r"choice\W*(\d+)", re.IGNORECASE)
_SHOWN_ROWS = 10


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A candidate as the judge sees it."""

    code: str
    rows: str


@dataclass(frozen=True, slots=True)
class Select(StrategyBase):
    """Several strategies answer; where too few agree, a model's checks decide, and where these do not, its judgement.

    ``answer.details["selected_by"]`` is ``"agreement"``, ``"checks"``, ``"judge"`` or ``"order"`` (nothing told the
    candidates apart: the first one wins).

    Attributes:
        strategies: What answers; two at least.
        llm: What writes the checks and judges.
        profile: What an answer should look like, for these two.
        agree: How many must agree for no model to be asked.
        limits: What the checks may use.
        box_budget: Tokens that the boxes may take in its prompts.
        temperature: Of the checks and the judgement.
        seed: For these.
    """

    strategies: tuple[Strategy, ...]
    llm: LLM
    profile: Profile = PROFILES["default"]
    agree: int = 2
    limits: Limits = Limits(seconds=10)
    box_budget: int = 8000
    temperature: float = 0.0
    seed: int | None = None

    def __post_init__(self) -> None:
        if len(self.strategies) < 2:
            raise ValueError("Select needs at least two strategies to select from")

    @property
    def name(self) -> str:
        """The strategy's name in reports."""
        return f"Select({', '.join(strategy.name for strategy in self.strategies)})"

    def sampled(self, temperature: float, seed: int) -> Select:
        """This strategy with all that it selects from sampled."""
        sampled = tuple(each.sampled(temperature, seed) for each in self.strategies)
        return replace(self, strategies=sampled, temperature=temperature, seed=seed)

    def steps(self, question: str, boxes: BoxSet) -> Steps[Answer]:
        """Answer, compare, check, judge; see the class."""
        answers: list[Answer] = yield Together([each.steps(question, boxes) for each in self.strategies])
        won = vote(answers)
        distinct = list({vote_key(answer.rows): answer for answer in reversed(answers) if answer.ok}.values())[::-1]
        if won.votes >= self.agree or len(distinct) < 2:
            return self._finish(won.answer, "agreement", answers, Usage())
        with spent_before(usage_of(answers)):
            chosen, by, spent = yield from self._choose(question, boxes, distinct)
        return self._finish(chosen, by, answers, spent)

    def _finish(self, chosen: Answer, by: str, answers: Sequence[Answer], spent: Usage) -> Answer:
        usage = spent + usage_of(answers)
        details = {**chosen.details, "selected_by": by, "selected_from": chosen.strategy, "candidates": len(answers)}
        return replace(chosen, usage=usage, strategy=self.name, details=details)

    def _choose(self, question: str, boxes: BoxSet, candidates: list[Answer]) -> Steps[tuple[Answer, str, Usage]]:
        boxcode = boxes.to_prompt(self.box_budget, question=question)
        asked = {"boxcode": boxcode, "question": question, "profile": self.profile}
        written = yield from self._complete(render("select_tests", **asked), boxes)
        spent = written.usage.of_step("checks")
        passed = yield from self._passed(parse_reply(written.text, target="check").code, boxes, candidates)
        best = [answer for answer, count in zip(candidates, passed, strict=True) if count == max(passed)]
        if len(best) == 1:
            return best[0], "checks", spent
        shown = [_Candidate(answer.code, _rows(answer)) for answer in best]
        with spent_before(spent):
            judged = yield from self._complete(render("select_judge", **asked, candidates=shown), boxes)
        spent += judged.usage.of_step("judge")
        choices = [int(number) for number in _CHOICE.findall(judged.text)]
        if choices and 1 <= choices[-1] <= len(best):
            return best[choices[-1] - 1], "judge", spent
        return best[0], "order", spent

    def _complete(self, prompt: str, boxes: BoxSet) -> Steps[Completion]:
        parameters = parameters_for(self.llm, boxes, self.temperature, self.seed)
        completion: Completion = yield Call(self.llm, (Message("user", prompt),), parameters)
        return completion

    def _passed(self, code: str, boxes: BoxSet, candidates: Sequence[Answer]) -> Steps[list[int]]:
        """How many checks each candidate passes; none where the checks themselves fail."""
        passed = []
        for answer in candidates:
            run: Run | None = None
            if code:
                run = yield Execute(
                    f"{code}\n\nanswer = [bool(each) for each in check({answer.rows!r})]", boxes, self.limits
                )
            verdicts: Any = run.answer if run is not None and run.ok else []
            passed.append(sum(verdicts) if isinstance(verdicts, list) else 0)
        return passed


def _rows(answer: Answer) -> str:
    shown = [tuple(answer.columns), *answer.rows[:_SHOWN_ROWS]]
    lines = [", ".join(literal(cell) for cell in row) for row in shown]
    more = len(answer.rows) - _SHOWN_ROWS
    return "\n".join([*lines, *([f"… and {more} more rows"] if more > 0 else [])])
