"""Pandora: a rationale and pandas code over BOXes, run, and corrected from what went wrong (Pandora, section 4)."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from boxkit.answer import Answer, Attempt
from boxkit.bounds import check_count
from boxkit.box import BoxSet
from boxkit.canonical import NoCanonicalRows, canonical_rows
from boxkit.executor import Limits, Run
from boxkit.failure import Failure
from boxkit.llm.protocol import LLM, Completion, Message, Parameters
from boxkit.profile import PROFILES, Profile
from boxkit.prompts import PromptLayout, layout_for, parse_reply, prompt_version
from boxkit.prompts.joined import JoinedBoxes, join_parents
from boxkit.prompts.layout import Shown
from boxkit.prompts.spelling import with_box_names
from boxkit.strategies.loop import Conversation, answer_of
from boxkit.strategies.steps import Compute, Execute, Request, Steps, StrategyBase

__all__ = ["Demonstrations", "Pandora", "judge", "ran"]


class Demonstrated(Shown, Protocol):
    """A demonstration, as a memory hands it out."""

    @property
    def id(self) -> str:
        """Its id."""
        ...


class Chosen(Protocol):
    """A demonstration and how near it is."""

    @property
    def demonstration(self) -> Demonstrated:
        """The demonstration."""
        ...


class Demonstrations(Protocol):
    """What Pandora asks of a memory; `boxkit.Memory` is one."""

    def select(
        self, question: str, k: int = 10, mode: str = "similar", *, boxes: BoxSet | None = None
    ) -> Sequence[Chosen]:
        """Up to ``k`` demonstrations, best first; never the question's own.

        Args:
            question: In words.
            k: How many at the most.
            mode: How they are chosen.
            boxes: What it is asked of; their names and values say what to mask.
        """
        ...


@dataclass(frozen=True, slots=True)
class Pandora(StrategyBase):
    """One call gives a rationale and code; code that fails is fed back with what would help.

    Attributes:
        llm: The model.
        memory: Where demonstrations come from; None for none (the −ICR ablation).
        k: How many (the paper's K = 10).
        attempts: Replies at the most, the first included (3; 1 is the −EG ablation).
        select: ``"similar"`` (eq. 2), ``"random"`` (−SR), or another mode of the memory's.
        profile: What the answer should look like.
        limits: What a run may use.
        layout: How the prompt is laid out; None for the one that the model asks for.
        temperature: 0 is greedy.
        seed: For the model; tells samples of one prompt apart.
    """

    llm: LLM
    memory: Demonstrations | None = None
    k: int = 10
    attempts: int = 3
    select: str = "similar"
    profile: Profile = PROFILES["default"]
    limits: Limits = Limits()
    layout: PromptLayout | None = None
    temperature: float = 0.0
    seed: int | None = None

    def __post_init__(self) -> None:
        check_count("attempts of Pandora", self.attempts)
        check_count("k of Pandora", self.k, least=0)

    def steps(self, question: str, boxes: BoxSet) -> Steps[Answer]:
        """Prompt, run, correct; see the class."""
        layout = self.layout or layout_for(self.llm.layout)
        shown, joined, messages = yield Compute(lambda: self._prepare(question, boxes, layout))
        ids = tuple(each.id for each in shown)
        parameters = Parameters(
            temperature=self.temperature,
            max_tokens=layout.max_tokens,
            seed=self.seed,
            salt=f"{boxes.fingerprint}:{prompt_version()}",
        )
        conversation = Conversation(self.llm, messages, parameters, self.attempts, layout.retry_messages)
        outcome = yield from conversation.run(lambda completion: self._try(completion, boxes, joined))
        run: Run | None = outcome.product
        return answer_of(
            question,
            run.answer if run else None,
            outcome.attempts,
            self.name,
            demonstrations=ids,
            boxes=run.boxes if run else (),
        )

    def _prepare(
        self, question: str, boxes: BoxSet, layout: PromptLayout
    ) -> tuple[list[Demonstrated], JoinedBoxes | None, tuple[Message, ...]]:
        chosen = (
            self.memory.select(question, self.k, self.select, boxes=boxes) if self.memory is not None and self.k else ()
        )
        shown = layout.fitting([each.demonstration for each in chosen])
        joined = join_parents(boxes) if layout.joins_parents else None
        seen = joined.boxes if joined else boxes
        boxcode = seen.to_prompt(layout.box_budget, question=question, samples=layout.samples)
        return shown, joined, layout.messages(question, boxcode, shown, self.profile)

    def _try(
        self, completion: Completion, boxes: BoxSet, joined: JoinedBoxes | None
    ) -> Generator[Request, Any, tuple[Attempt, Run | None]]:
        reply = parse_reply(completion.text)
        attempt = Attempt(0, completion.text, reply.rationale, reply.code)
        if not reply.code:
            return replace(attempt, failure=Failure("no code", reply.problem)), None
        spelled = with_box_names(reply.code, boxes)
        code = joined.complete(spelled) if joined else spelled
        run: Run = yield Execute(code, boxes, self.limits)
        return ran(attempt, code, run, self.profile), run


def ran(attempt: Attempt, code: str, run: Run, profile: Profile) -> Attempt:
    """The attempt after its code has run."""
    return replace(
        attempt,
        code=code,
        failure=judge(run, profile),
        stdout=run.stdout,
        seconds=run.seconds,
        isolation=run.isolation,
    )


def judge(run: Run, profile: Profile) -> Failure | None:
    """Why a run gives no answer under ``profile``; None where it does."""
    if run.error is not None:
        return run.error
    try:
        _, columns = canonical_rows(run.answer)
    except NoCanonicalRows as error:
        return Failure(
            "wrong shape", str(error), hint="make `answer` a value, a list or a DataFrame", stdout=run.stdout
        )
    if run.empty is not None and profile.empty_is_error:
        return run.empty
    if profile.single_column and len(columns) > 1:
        return Failure(
            "wrong shape",
            f"the answer has {len(columns)} columns ({', '.join(columns)}); it must have one",
            hint="keep the one column that the question asks for",
            stdout=run.stdout,
        )
    return None
