"""What is kept of each evaluated question: all that a report, another scorer, or a doubting reader may ask for."""

from __future__ import annotations

import asyncio
import datetime
import math
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from numbers import Integral
from types import NoneType
from typing import Any

from boxkit.answer import Answer, Usage
from boxkit.errors import BoxError, SourceError
from boxkit.evaluation.cells import decoded, encoded
from boxkit.evaluation.datasets.protocol import Task
from boxkit.evaluation.judging import Predicted, judge
from boxkit.evaluation.scorers import Score, scorer

__all__ = ["FAULTS", "Record", "check_kinds", "in_own_numbers", "packages", "usage_of"]

_SQL_STRATEGIES = ("Text2SQL",)
_SQL_SCORERS = ("spider_exec",)
#: Failures of a model that are the question's own: the names of their errors, which their messages begin with.
_OWN = ("PromptTooLong", "Refused")
#: What code of one's own (a strategy, gold, a scorer) may end in without ending the run: one evaluated example is a
#: border. A cancellation is one of these where nobody has cancelled the run.
FAULTS = (Exception, asyncio.CancelledError)
_PACKAGES = ("boxkit", "pandas", "numpy", "pyarrow", "openai", "rdflib", "pyoxigraph", "sqlglot", "faiss-cpu")


@dataclass(frozen=True, slots=True)
class Record:
    """One evaluated question.

    Attributes:
        key: The task's, over all datasets.
        id: Its id.
        line: Where it stands in its file.
        question: As published.
        evidence: What was told beside it.
        source: Which table, database or graph.
        groups: What reports break it down by.
        rows: The canonical answer; empty where there is none.
        columns: Their names.
        gold: The gold rows, as of the moment of scoring.
        gold_problem: Why there are none; empty where there are.
        context: What else scorers take.
        failure: The kind of failure; empty where there is an answer. ``source`` and ``boxkit`` are no fault of the
            strategy's.
        message: What failed, in words.
        answer: All else of the answer as JSON: code, rationale, every attempt with its prompt's hash, code, failure and
            isolation, demonstrations, details.
        usage: What models cost.
        seconds: From the question to the answer.
        scores: By scorer's name.
        prompt_version: Of the templates.
        seed: The strategy's.
        packages: Versions of what shapes answers.
        at: When it was finished, in ISO form.
    """

    key: str
    id: str
    line: int
    question: str
    evidence: str
    source: str
    groups: Mapping[str, Sequence[str]]
    rows: Sequence[tuple[Any, ...]] = ()
    columns: Sequence[str] = ()
    gold: Sequence[tuple[Any, ...]] = ()
    gold_problem: str = ""
    context: Mapping[str, Any] = field(default_factory=dict)
    failure: str = ""
    message: str = ""
    answer: Mapping[str, Any] = field(default_factory=dict)
    usage: Usage = Usage()
    seconds: float = 0.0
    scores: Mapping[str, Score] = field(default_factory=dict)
    prompt_version: str = ""
    seed: int | None = None
    packages: Mapping[str, str] = field(default_factory=dict)
    at: str = ""

    @classmethod
    def of(cls, task: Task, *, strategy: str, prompt_version: str, seed: int | None) -> Record:
        """A task's record, not yet answered."""
        groups = {name: tuple(values) for name, values in task.groups.items()}
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        return cls(
            *(task.key, task.id, task.line, task.question, task.evidence, task.source, groups),
            context=task.context,
            answer={"strategy": strategy},
            prompt_version=prompt_version,
            seed=seed,
            packages=packages(),
            at=now,
        )

    def answered(self, answer: Answer) -> Record:
        """The same with what a strategy answered.

        Raises:
            Exception: A strategy of one's own has put something into it that does not belong there.
        """
        rest = answer.to_json(without=("question", "rows", "columns"))
        failure = answer.failure
        if failure is not None:
            check_kinds({"failure": failure.kind, "message": failure.message}, _KINDS)
        return replace(
            self,
            rows=tuple(answer.rows) if failure is None else (),
            columns=tuple(answer.columns),
            failure="" if failure is None else failure.kind,
            message="" if failure is None else failure.message,
            answer=rest,
            usage=in_own_numbers(answer.usage),
            seconds=float(answer.seconds),
        )

    def failed(self, kind: str, message: str, usage: Usage = Usage()) -> Record:
        """The same where nothing was answered."""
        return replace(self, failure=kind, message=message, usage=in_own_numbers(usage))

    @property
    def unasked(self) -> bool:
        """Whether the model's server did not take the request, for a reason that may be a setting's or a gateway's."""
        return self.failure == "model" and self.message.partition(":")[0] not in _OWN

    def with_gold(self, task: Task) -> Record:
        """The same with the task's gold, as of now, and what else its scorers take."""
        gold: Sequence[tuple[Any, ...]] = ()
        problem = ""
        try:
            gold = tuple(tuple(row) for row in task.gold())
            encoded(gold)
        except (SourceError, BoxError) as error:
            problem = str(error)
        except FAULTS:
            gold, problem = (), traceback.format_exc(limit=-3)
        return replace(self, gold=gold, gold_problem=problem, context=task.context)

    @property
    def sql(self) -> str:
        """The query that gave the answer, where it was SQL alone."""
        return str(self.answer.get("code", "")) if self._writes_sql else ""

    @property
    def _writes_sql(self) -> bool:
        return self.answer.get("strategy", "") in _SQL_STRATEGIES

    def scored(self, names: Sequence[str]) -> Record:
        """The same with the verdicts of these scorers.

        What was not answered is wrong, whatever a scorer says of an empty answer; without gold there is no verdict.

        Raises:
            ValueError: There is no such scorer.
        """
        for name in names:
            scorer(name)
        return replace(self, scores={name: self._score(name) for name in names})

    def _score(self, name: str) -> Score:
        if self.gold_problem:
            return Score.none(f"no gold: {self.gold_problem}")
        if name in _SQL_SCORERS and not self.sql and not (self.failure and self._writes_sql):
            return Score.none("this script compares SQL, and the strategy writes none")
        if self.failure:
            return Score.of(False, f"not answered: {self.failure}")
        predicted = Predicted(self.rows, self.columns, self.answer.get("entities") or {}, self.sql)
        try:
            return _sound(judge(name, predicted, self.gold, self.context))
        except FAULTS:  # a scorer that fails is a verdict that is missing
            return Score.none(f"the scorer failed: {traceback.format_exc(limit=-3)}")

    def to_json(self) -> dict[str, Any]:
        """As JSON values that lose nothing."""
        state = {name: getattr(self, name) for name in self.__slots__}
        state |= {"rows": encoded(self.rows), "gold": encoded(self.gold), "usage": _usage_json(self.usage)}
        scores = {name: {part: getattr(score, part) for part in score.__slots__} for name, score in self.scores.items()}
        return state | {"scores": scores}

    @classmethod
    def from_json(cls, state: Mapping[str, Any]) -> Record:
        """The record that `to_json` wrote.

        Raises:
            KeyError: A field is missing.
            TypeError: There is one too many, or of another kind.
        """
        check_kinds(state, _KINDS)
        made = {**state, "rows": tuple(decoded(state["rows"])), "gold": tuple(decoded(state["gold"]))}
        check_kinds(state["groups"], dict.fromkeys(state["groups"], list))
        for score in state["scores"].values():
            check_kinds(score, _SCORE_KINDS)
        made["scores"] = {name: Score(**score) for name, score in state["scores"].items()}
        return cls(**{**made, "usage": usage_of(state["usage"])})


_NUMBER = (int, float)
#: What each field is in JSON.
_KINDS: Mapping[str, Any] = {
    **dict.fromkeys(("key", "id", "question", "evidence", "source", "gold_problem", "failure", "message"), str),
    **dict.fromkeys(("groups", "context", "answer", "usage", "scores", "packages"), dict),
    **dict.fromkeys(("rows", "columns", "gold"), list),
    "line": int,
    "seconds": _NUMBER,
    "prompt_version": str,
    "seed": (int, NoneType),
    "at": str,
}
_SCORE_KINDS: Mapping[str, Any] = {"correct": bool, "value": _NUMBER, "detail": str, "error": str}
_USAGE_KINDS: Mapping[str, Any] = {
    **{each.name: _NUMBER for each in fields(Usage)},
    "dollars": (*_NUMBER, NoneType),
    "virtual_dollars": (*_NUMBER, NoneType),
    "steps": dict,
}


def check_kinds(state: Mapping[str, Any], kinds: Mapping[str, Any]) -> None:
    """Whether what was read from JSON is what it should be, by name; other names pass.

    Raises:
        TypeError: One is not.
    """
    for name, value in state.items():
        if name in kinds and not isinstance(value, kinds[name]):
            raise TypeError(f"its {name!r} is {repr(value)[:40]}")


def _sound(score: Score) -> Score:
    """The same verdict in Python's own values.

    Raises:
        TypeError: It is none.
    """
    found = Score(bool(score.correct), float(score.value), score.detail, score.error)
    check_kinds({"detail": found.detail, "error": found.error}, _SCORE_KINDS)
    return found if math.isfinite(found.value) else Score.none(f"the scorer gave {found.value}")


def in_own_numbers(usage: Usage) -> Usage:
    """The same in Python's own numbers: a strategy or a model of one's own may count in others.

    Dollars that are no number are unknown: no limit would hold with them.
    """
    counts: dict[str, Any] = {}
    for each in fields(Usage):
        value = getattr(usage, each.name)
        if each.name == "steps":
            counts["steps"] = {name: in_own_numbers(step) for name, step in value.items()}
        elif each.name in ("dollars", "virtual_dollars"):
            counts[each.name] = float(value) if value is not None and math.isfinite(value) else None
        else:
            counts[each.name] = int(value) if type(value) is int or isinstance(value, Integral) else float(value)
    return Usage(**counts)


def _usage_json(usage: Usage) -> dict[str, Any]:
    state = {name: getattr(usage, name) for name in usage.__slots__}
    return state | {"steps": {name: _usage_json(step) for name, step in usage.steps.items()}}


def usage_of(state: Mapping[str, Any]) -> Usage:
    """A `Usage` from its JSON.

    Raises:
        KeyError: A field is missing.
        TypeError: There is one too many, or of another kind.
    """
    check_kinds(state, _USAGE_KINDS)
    return Usage(**{**state, "steps": {name: usage_of(each) for name, each in state["steps"].items()}})


@cache
def _packages() -> tuple[tuple[str, str], ...]:
    import platform

    found = [("python", platform.python_version())]
    for name in _PACKAGES:
        try:
            found.append((name, version(name)))
        except PackageNotFoundError:
            continue
    return tuple(found)


def packages() -> dict[str, str]:
    """The versions of Python and of the packages that shape answers."""
    return dict(_packages())
