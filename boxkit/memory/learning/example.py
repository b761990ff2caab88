"""A training question: what is asked, of what, and what the right answer is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from boxkit.memory.demonstration import Kind

if TYPE_CHECKING:
    from boxkit.box import BoxSet

__all__ = ["Example", "Language"]

Language = Literal["", "sql", "sparql", "sexpr"]


@dataclass(frozen=True, slots=True)
class Example:
    """One training question.

    Attributes:
        id: Unique in its dataset.
        question: In words.
        boxes: Gives what it is asked of; called once an attempt, so keep what is dear to load.
        gold: Gives the right rows; called after the code has run.
        program: The gold program; empty where there is none.
        language: What the program is written in.
        dialect: SQL's dialect.
        dataset: Where the question comes from.
        kind: What the boxes are made of.
        source: Which table, database or graph of the dataset.
        split: Which part of the dataset.
        ordered: Whether the order of the rows counts.
        about: Anything else to keep with the demonstration.
    """

    id: str
    question: str
    boxes: Callable[[], BoxSet]
    gold: Callable[[], Sequence[Sequence[Any]]]
    program: str = ""
    language: Language = ""
    dialect: str = "sqlite"
    dataset: str = ""
    kind: Kind = "database"
    source: str = ""
    split: str = "train"
    ordered: bool = False
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """Its name over all datasets."""
        return f"{self.dataset}/{self.split}/{self.id}"
