"""Self-consistency and hybrids: several answers, and what to do where they agree or do not (StarQA, section 4)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from boxkit.answer import Answer
from boxkit.bounds import check_count
from boxkit.box import BoxSet
from boxkit.canonical import vote_key
from boxkit.strategies.loop import spent_before, usage_of
from boxkit.strategies.steps import Steps, Strategy, StrategyBase, Together

__all__ = ["Hybrid", "SelfConsistency", "Vote", "vote"]


@dataclass(frozen=True, slots=True)
class Vote:
    """The outcome of a vote among answers.

    Attributes:
        answer: The winner; the first failure where none succeeded.
        votes: How many agreed on it.
        counts: How many agreed on each answer, most first.
    """

    answer: Answer
    votes: int
    counts: tuple[int, ...]


def vote(answers: Sequence[Answer], *, ties: Literal["first", "random"] = "first", seed: int = 0) -> Vote:
    """The answer most agree on, by their canonical rows; failed and empty ones do not vote.

    Args:
        answers: At least one, in the order they came.
        ties: Whether the first seen of equally many wins, or one at random.
        seed: For ``"random"``.
    """
    groups: dict[Any, list[Answer]] = {}
    for answer in answers:
        if answer.ok and any(cell is not None for row in answer.rows for cell in row):
            groups.setdefault(vote_key(answer.rows), []).append(answer)
    if not groups:
        # Nobody votes: an honest empty answer is better than a failure.
        return Vote(next((answer for answer in answers if answer.ok), answers[0]), 0, ())
    most = max(map(len, groups.values()))
    winners = [group for group in groups.values() if len(group) == most]
    # The question seeds the draw, so that a run is repeatable and questions still differ.
    chosen = random.Random(f"{seed} {answers[0].question}").choice(winners) if ties == "random" else winners[0]  # noqa: S311 - a draw among equals, no secret
    return Vote(chosen[0], most, tuple(sorted(map(len, groups.values()), reverse=True)))


def _samples(strategy: Strategy, question: str, boxes: BoxSet, samples: int, temperature: float, seed: int) -> Together:
    return Together([strategy.sampled(temperature, seed + at).steps(question, boxes) for at in range(samples)])


@dataclass(frozen=True, slots=True)
class SelfConsistency(StrategyBase):
    """Several samples of a strategy vote on their canonical answers.

    ``answer.details`` has the votes and the agreement: the winner's share of the samples.

    Attributes:
        strategy: What is sampled.
        samples: How often (3).
        temperature: At which.
        ties: Whether the first seen of equally many wins, or one at random.
        seed: The first sample's; the others count up from it.
    """

    strategy: Strategy
    samples: int = 3
    temperature: float = 0.7
    ties: Literal["first", "random"] = "first"
    seed: int = 0

    def __post_init__(self) -> None:
        check_count("samples of SelfConsistency", self.samples)

    @property
    def name(self) -> str:
        """The strategy's name in reports."""
        return f"SelfConsistency({self.strategy.name}, {self.samples})"

    def sampled(self, temperature: float, seed: int) -> SelfConsistency:
        """This strategy with other samples."""
        return replace(self, temperature=temperature, seed=seed * self.samples)

    def steps(self, question: str, boxes: BoxSet) -> Steps[Answer]:
        """Sample, vote; see the class."""
        answers: list[Answer] = yield _samples(
            self.strategy, question, boxes, self.samples, self.temperature, self.seed
        )
        won = vote(answers, ties=self.ties, seed=self.seed)
        details = {
            **won.answer.details,
            "votes": won.votes,
            "agreement": won.votes / self.samples,
            "counts": won.counts,
        }
        return replace(won.answer, usage=usage_of(answers), strategy=self.name, details=details)


@dataclass(frozen=True, slots=True)
class Hybrid(StrategyBase):
    """The first strategy's samples where enough of them agree, else the fallback.

    Attributes:
        first: What is sampled (Text2SQL in the paper).
        fallback: What answers where the samples do not agree (Text2SQLCode).
        samples: How often ``first`` is asked (3).
        agree: How many must agree (2).
        temperature: At which ``first`` is sampled.
        seed: The first sample's.
    """

    first: Strategy
    fallback: Strategy
    samples: int = 3
    agree: int = 2
    temperature: float = 0.7
    seed: int = 0

    def __post_init__(self) -> None:
        check_count("samples of Hybrid", self.samples)
        check_count("agree of Hybrid", self.agree)
        if self.agree > self.samples:
            raise ValueError(f"agree is between 1 and samples ({self.samples}), not {self.agree}")

    @property
    def name(self) -> str:
        """The strategy's name in reports."""
        return f"Hybrid({self.first.name}, {self.fallback.name})"

    def sampled(self, temperature: float, seed: int) -> Hybrid:
        """This strategy with other samples."""
        return replace(self, temperature=temperature, seed=seed * self.samples)

    def steps(self, question: str, boxes: BoxSet) -> Steps[Answer]:
        """Sample, compare, fall back; see the class."""
        answers: list[Answer] = yield _samples(self.first, question, boxes, self.samples, self.temperature, self.seed)
        won = vote(answers)
        if won.votes >= self.agree:
            details = {**won.answer.details, "votes": won.votes, "fell_back": False}
            return replace(won.answer, usage=usage_of(answers), strategy=self.name, details=details)
        with spent_before(usage_of(answers)):
            last: Answer = yield from self.fallback.steps(question, boxes)
        details = {**last.details, "votes": won.votes, "fell_back": True}
        return replace(last, usage=usage_of([*answers, last]), strategy=self.name, details=details)
