"""Who writes the code of a demonstration: a transpiler of gold programs, a strategy with a model, or both in turn."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from boxkit.answer import Answer, Usage
from boxkit.canonical import NoCanonicalRows, canonical_rows
from boxkit.errors import UnsupportedQuery
from boxkit.executor import Limits, execute
from boxkit.memory.learning.example import Example
from boxkit.syntax import ONE_PARSER

if TYPE_CHECKING:
    from boxkit.box import BoxSet
    from boxkit.memory.memory import Memory

__all__ = ["Annotation", "Annotator", "Ask", "Asker", "InTurn", "Transpile"]


@dataclass(frozen=True, slots=True)
class Annotation:
    """What an annotator made of an example.

    Attributes:
        code: The code; empty where it made none.
        rationale: Why that code.
        rows: What the code gave.
        problem: Why there are no rows, in a few words; empty where there are.
        refused: Whether the annotator declined, rather than failed.
        attempts: How many attempts it took; 0 where no model was asked.
        annotator: Who it was.
        usage: What models cost.
    """

    code: str = ""
    rationale: str = ""
    rows: tuple[tuple[Any, ...], ...] = ()
    problem: str = ""
    refused: bool = False
    attempts: int = 0
    annotator: str = ""
    usage: Usage = Usage()


@runtime_checkable
class Annotator(Protocol):
    """Writes code for an example, and runs it."""

    @property
    def name(self) -> str:
        """Its name, as in a demonstration's verification; the same name does the same thing."""
        ...

    def annotate(self, example: Example, boxes: BoxSet, shown: Memory | None) -> Annotation:
        """The code and what it gave.

        Args:
            example: The question.
            boxes: What it is asked of.
            shown: What may be shown as demonstrations; None in the first stage.
        """
        ...


class Asker(Protocol):
    """A strategy, as far as learning is concerned."""

    def ask(self, question: str, boxes: BoxSet) -> Answer:
        """Answer a question."""
        ...


@dataclass(frozen=True, slots=True)
class Transpile:
    """The gold program, written as pandas; needs no model. Its rationale is the plan's own steps, in words."""

    limits: Limits = Limits()

    @property
    def name(self) -> str:
        """Its name."""
        return "transpile"

    def annotate(self, example: Example, boxes: BoxSet, shown: Memory | None = None) -> Annotation:  # noqa: ARG002 - a transpiler needs no demonstrations
        """See `Annotator`. Refuses what the transpilers refuse, by the construct's name."""
        try:
            with ONE_PARSER:
                code, rationale = _transpiled(example, boxes)
        except UnsupportedQuery as error:
            return Annotation(problem=error.construct, refused=True, annotator=self.name)
        run = execute(code, boxes, limits=self.limits)
        if run.error is not None:
            return Annotation(code, rationale, problem=f"{run.error.kind}: {run.error}", annotator=self.name)
        try:
            rows, _ = canonical_rows(run.answer)
        except NoCanonicalRows as error:
            return Annotation(code, rationale, problem=f"wrong shape: {error}", annotator=self.name)
        return Annotation(code, rationale, tuple(rows), annotator=self.name)


def _transpiled(example: Example, boxes: BoxSet) -> tuple[str, str]:
    from boxkit.memory import transpile
    from boxkit.plan.describe import describe

    if example.language == "sql":
        code = transpile.sql_to_pandas(example.program, boxes, dialect=example.dialect)
        return code, " ".join(describe(transpile.sql_to_plan(example.program, boxes, example.dialect)))
    reader = {"sparql": "sparql_to_pandas", "sexpr": "sexpr_to_pandas"}.get(example.language, "")
    if not reader or not hasattr(transpile, reader):
        known = f"a gold program in {example.language!r}"
        raise UnsupportedQuery(known if example.language else "a question without a gold program")
    code = getattr(transpile, reader)(example.program, boxes)
    plan = getattr(transpile, reader.replace("_pandas", "_plan"), None)
    return code, " ".join(describe(plan(example.program, boxes))) if plan else ""


@dataclass(frozen=True, slots=True)
class Ask:
    """A strategy with a model. The full loop of attempts runs, as it would for a user.

    Attributes:
        make: The strategy, given what it may show as demonstrations (None in the first stage).
        name: Which model, in words.
        question: What is asked; the example's own question by default. A place to show the gold program, if wanted.
    """

    make: Callable[[Memory | None], Asker]
    name: str = "llm"
    question: Callable[[Example], str] = lambda example: example.question
    _made: dict[int, tuple[Memory | None, Asker]] = field(default_factory=dict, repr=False, compare=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    def annotate(self, example: Example, boxes: BoxSet, shown: Memory | None = None) -> Annotation:
        """See `Annotator`."""
        with self._lock:
            _, asker = self._made.setdefault(id(shown), (shown, self.make(shown)))
        answer = asker.ask(self.question(example), boxes)
        return Annotation(
            answer.code,
            answer.rationale,
            tuple(answer.rows),
            "" if answer.failure is None else f"{answer.failure.kind}: {answer.failure}",
            answer.failure is not None and answer.failure.kind == "abstained",
            len(answer.attempts),
            self.name,
            answer.usage,
        )


@dataclass(frozen=True, slots=True)
class InTurn:
    """The first annotator, and the second for what the first refused."""

    first: Annotator
    second: Annotator

    @property
    def name(self) -> str:
        """Both names."""
        return f"{self.first.name},{self.second.name}"

    def annotate(self, example: Example, boxes: BoxSet, shown: Memory | None = None) -> Annotation:
        """See `Annotator`."""
        one = self.first.annotate(example, boxes, shown)
        return self.second.annotate(example, boxes, shown) if one.refused else one
