"""A small world of true facts to try boxkit on: a table, a database and a graph about the same countries.

The facts are general knowledge as of the end of 2024, compiled for boxkit; figures are rounded, and what is not known
for certain is left empty. Countries are the members of the United Nations, by their common English names. A capital is
the one that the country's own law names (the seat of government, where it names several).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["COUNTRIES", "GEOGRAPHY", "ORGANISATIONS", "ExampleQuestion", "questions", "sources"]

_FOLDER = Path(__file__).resolve().parent

#: One row a country: capital, continent, area, population, currency, independence.
COUNTRIES = _FOLDER / "countries.csv"

#: Cities, rivers, dams, languages, mountains and lakes, with declared keys.
GEOGRAPHY = _FOLDER / "geography.sqlite"

#: International organisations with their members and seats, and which countries border which.
ORGANISATIONS = _FOLDER / "organisations.ttl"

_QUESTIONS = _FOLDER / "questions.jsonl"


@dataclass(frozen=True, slots=True)
class ExampleQuestion:
    """A question about the example world whose answer is known.

    Attributes:
        id: ``c`` for the CSV file, ``d`` for the database, ``g`` for the graph, ``j`` for two of them joined.
        question: As somebody would type it.
        sources: The files that it needs, by name.
        rows: The right answer, in any order; entities are answered by their names.
    """

    id: str
    question: str
    sources: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files that it needs."""
        return tuple(_FOLDER / name for name in self.sources)


def sources() -> tuple[Path, Path, Path]:
    """The three files: table, database, graph."""
    return COUNTRIES, GEOGRAPHY, ORGANISATIONS


def questions() -> tuple[ExampleQuestion, ...]:
    """The forty questions: ten a source, and ten that need two sources joined."""
    lines = _QUESTIONS.read_text(encoding="utf-8").splitlines()
    return tuple(_question(json.loads(line)) for line in lines if line.strip())


def _question(record: dict[str, Any]) -> ExampleQuestion:
    return ExampleQuestion(
        record["id"], record["question"], tuple(record["sources"]), tuple(tuple(row) for row in record["rows"])
    )
