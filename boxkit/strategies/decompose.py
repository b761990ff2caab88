"""Decompose: sub-questions answered on samples, merged into one program, run in full (Pandora, TKDE version)."""

from __future__ import annotations

import json
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from boxkit.answer import Answer, Attempt
from boxkit.bounds import check_count
from boxkit.box import Box, BoxSet
from boxkit.boxcode import literal
from boxkit.canonical import plain
from boxkit.converters.held import FrameReader
from boxkit.executor import Limits, Run
from boxkit.failure import Failure
from boxkit.llm.protocol import LLM, Completion, Message
from boxkit.profile import PROFILES, Profile
from boxkit.prompts import parse_reply, render
from boxkit.prompts.render import pandas_words
from boxkit.prompts.reply import parse_json_reply
from boxkit.prompts.spelling import with_box_names
from boxkit.strategies.loop import (
    Conversation,
    Outcome,
    Retry,
    Tried,
    answer_of,
    parameters_for,
    spent_before,
    template_retry,
    usage_of,
)
from boxkit.strategies.pandora import ran
from boxkit.strategies.steps import Compute, Execute, Request, Steps, StrategyBase

__all__ = ["Decompose", "sample"]

SAMPLE_ROWS = 50
MAX_SUBQUESTIONS = 4


@dataclass(frozen=True, slots=True)
class _Plan:
    """A question in parts.

    Attributes:
        subquestions: In order; the last answers the whole.
        values: What the question names, so that samples hold it.
    """

    subquestions: tuple[str, ...]
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Decompose(StrategyBase):
    """Sub-questions are answered on samples that hold the values they name; the merged program runs on all rows.

    Attributes:
        llm: The model.
        attempts: Replies at the most for each step (3).
        profile: What the answer should look like.
        limits: What a run may use.
        box_budget: Tokens that the boxes may take.
        temperature: 0 is greedy.
        seed: For the model; tells samples of one prompt apart.
    """

    llm: LLM
    attempts: int = 3
    profile: Profile = PROFILES["default"]
    limits: Limits = Limits()
    box_budget: int = 8000
    temperature: float = 0.0
    seed: int | None = None

    def __post_init__(self) -> None:
        check_count("attempts of Decompose", self.attempts)

    def steps(self, question: str, boxes: BoxSet) -> Steps[Answer]:
        """Decompose, answer the parts, merge, run; see the class."""
        boxcode = yield Compute(lambda: boxes.to_prompt(self.box_budget, question=question))
        planned: Outcome = yield from self._plan(question, boxes, boxcode)
        plan: _Plan | None = planned.product
        if plan is None:
            return answer_of(question, None, planned.attempts, self.name)
        tried = list(planned.attempts)
        sampled = yield Compute(lambda: sample(boxes, plan.values))
        code, state = "", ""
        for number, subquestion in enumerate(plan.subquestions, start=1):
            with spent_before(usage_of(tried)):
                outcome = yield from self._part(question, sampled, boxcode, plan, number, subquestion, code, state)
            tried += outcome.attempts
            if outcome.failure is not None:
                return answer_of(question, None, tried, self.name, details={"subquestions": plan.subquestions})
            code = outcome.attempts[-1].code
            state = _state(f"step_{number}", outcome.product.answer)
        with spent_before(usage_of(tried)):
            merged: Outcome = yield from self._merge(question, boxes, boxcode, code)
        run: Run | None = merged.product
        return answer_of(
            question,
            run.answer if run else None,
            [*tried, *merged.attempts],
            self.name,
            boxes=run.boxes if run else (),
            details={"subquestions": plan.subquestions},
        )

    def _conversation(self, prompt: str, boxes: BoxSet, retry: Retry, step: str) -> Conversation:
        parameters = parameters_for(self.llm, boxes, self.temperature, self.seed)
        return Conversation(self.llm, (Message("user", prompt),), parameters, self.attempts, retry, step)

    def _plan(self, question: str, boxes: BoxSet, boxcode: str) -> Steps[Outcome]:
        prompt = render("decompose", boxcode=boxcode, question=question)
        retry = template_retry("decompose_retry")
        return (yield from self._conversation(prompt, boxes, retry, "decompose").run(_read_plan))

    def _part(
        self,
        question: str,
        sampled: BoxSet,
        boxcode: str,
        plan: _Plan,
        number: int,
        subquestion: str,
        code: str,
        state: str,
    ) -> Steps[Outcome]:
        prompt = render(
            "decompose_step",
            boxcode=boxcode,
            question=question,
            code=code,
            state=state,
            number=number,
            total=len(plan.subquestions),
            subquestion=subquestion,
            target=f"step_{number}",
            profile=self.profile,
            **pandas_words(),
        )
        # A part may be empty, and of any shape: only the whole has to look like an answer.
        lenient = replace(self.profile, empty_is_error=False, single_column=False)

        def attempt(completion: Completion) -> Generator[Request, Any, Tried]:
            return (yield from self._run(completion, sampled, lenient, before=code))

        return (yield from self._conversation(prompt, sampled, template_retry("pandora_retry"), "part").run(attempt))

    def _merge(self, question: str, boxes: BoxSet, boxcode: str, code: str) -> Steps[Outcome]:
        asked = {"boxcode": boxcode, "question": question, "profile": self.profile}
        prompt = render("decompose_merge", **asked, code=code, **pandas_words())

        def attempt(completion: Completion) -> Generator[Request, Any, Tried]:
            return (yield from self._run(completion, boxes, self.profile))

        return (yield from self._conversation(prompt, boxes, template_retry("pandora_retry"), "merge").run(attempt))

    def _run(
        self, completion: Completion, boxes: BoxSet, profile: Profile, before: str = ""
    ) -> Generator[Request, Any, Tried]:
        reply = parse_reply(completion.text)
        made = Attempt(0, completion.text, reply.rationale, reply.code)
        if not reply.code:
            return replace(made, failure=Failure("no code", reply.problem)), None
        code = reply.code if reply.code.startswith(before) else f"{before}\n{reply.code}"
        code = with_box_names(code, boxes)
        run: Run = yield Execute(code, boxes, self.limits)
        return ran(made, code, run, profile), run


def _state(name: str, value: Any) -> str:
    """What a part made: a frame's shape, types and first rows; another value as it is."""
    import pandas as pd

    if isinstance(value, pd.Series):
        value = value.to_frame()
    if not isinstance(value, pd.DataFrame):
        return f"{name} = {literal(plain(value), max_chars=200)}"
    types = ", ".join(f"{label!r} {dtype}" for label, dtype in value.dtypes.items())
    return f"{name}: {value.shape[0]} rows; {types}\n{value.head(3).to_string(max_colwidth=40)}"


def _read_plan(completion: Completion) -> Generator[Request, Any, Tried]:
    made = Attempt(0, completion.text)
    parsed = _parsed(completion.text)
    if isinstance(parsed, str):
        return replace(made, failure=Failure("wrong shape", parsed)), None
    return made, parsed
    yield  # a generator that asks for nothing


def _parsed(text: str) -> _Plan | str:
    reply = parse_json_reply(text, "{")
    if not reply.code:
        return reply.problem
    try:
        plan = json.loads(reply.code)
    except (ValueError, RecursionError) as error:
        return f"the JSON cannot be read: {error}"
    questions = plan.get("subquestions") if isinstance(plan, dict) else None
    if not isinstance(questions, list) or not questions or not all(isinstance(each, str) for each in questions):
        return '"subquestions" is no list of sentences'
    if len(questions) > MAX_SUBQUESTIONS:
        return f"there are {len(questions)} sub-questions; at most {MAX_SUBQUESTIONS} are allowed"
    values = plan.get("values")
    return _Plan(tuple(questions), tuple(map(str, values)) if isinstance(values, list) else ())


def sample(boxes: BoxSet, values: Sequence[str], rows: int = SAMPLE_ROWS) -> BoxSet:
    """The first rows of each box, and always some that hold the named values, so that a good filter finds something."""
    wanted = {value.strip().casefold() for value in values if value.strip()}
    return boxes.map_boxes(lambda box: _sampled(box, wanted, rows))


def _written(cell: Any) -> str:
    """A cell as a question names it: a year and a whole number without a fraction, a day without its midnight."""
    if isinstance(cell, str):
        return cell.strip().casefold()
    value = plain(cell)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return "" if value is None or isinstance(value, bool) else str(value).removesuffix(" 00:00:00").casefold()


def _sampled(box: Box, wanted: set[str], rows: int) -> Box:
    frame = box.frame
    keep = set(range(min(rows, len(frame))))
    if wanted:
        for label in frame.columns:
            texts = list(map(_written, frame[label]))
            same = [at for at, text in enumerate(texts) if text in wanted]
            # A part of a cell's text will do where no cell is the value.
            found = same or [at for at, text in enumerate(texts) if text and any(value in text for value in wanted)]
            keep.update(found[:rows])
    kept = frame.iloc[sorted(keep)]
    state = f"sample of {box.reader.fingerprint()} {sorted(wanted)} {rows}"
    reader = FrameReader(kept, lambda: state)
    return Box(box.name, box.fields, reader, box.source_name, box.primary_key, box.kind, box.description)
