"""What describes a box before a row of it is read: its fields, its keys, notes on it, and how its rows can be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Field", "ForeignKey", "Note", "NoteKind", "Reader", "Reading", "SourceKind"]

SourceKind = Literal["table", "database", "graph"]

NoteKind = Literal[
    "renamed",
    "cast",
    "dropped",
    "undecodable",
    "unreadable",
    "dangling key",
    "ambiguous",
    "truncated",
    "skipped",
    "lint",
]


@dataclass(frozen=True, slots=True)
class Note:
    """One thing that loading changed, could not read, or that whoever writes code should know.

    Attributes:
        kind: What sort of thing it is.
        message: One sentence for people and models alike.
        box: The box concerned; None for the whole source.
        field: The field's label; None for the whole box.
        row: The row's position, from 0, of the first occurrence.
        fix: pandas code that deals with it, where there is such code.
    """

    kind: NoteKind
    message: str
    box: str | None = None
    field: str | None = None
    row: int | None = None
    fix: str | None = None

    def __str__(self) -> str:
        place = self.box or ""
        if self.field is not None:
            place += f"[{self.field!r}]"
        if self.row is not None:
            place += f" row {self.row}"
        text = f"{place}: {self.message}" if place else self.message
        return f"{text} (fix: {self.fix})" if self.fix else text


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a box.

    Attributes:
        label: The frame's column label; text, unique in its box.
        type: The type in words: ``"integer"``, ``"number"``, ``"text"``, ``"text, ISO date"``, ``"boolean"``,
            ``"datetime"``, ``"bytes"``, ``"mixed"``…; empty where only reading would tell.
        source_name: The name in the source; equal to ``label`` unless a Note says why not. A relation's IRI in a graph.
        description: What the source or the user says it means.
        examples: A few true values; empty where none have been read.
        declared: The SQL type that a database declares for it (``"VARCHAR(40)"``); empty where it declares none.
        affinity: What SQLite makes of that type, ``"INTEGER"``, ``"TEXT"``, ``"BLOB"``, ``"REAL"`` or ``"NUMERIC"``;
            empty for other sources.
        collation: How SQL compares its texts (``"NOCASE"``); empty where it does as the database usually does.
    """

    label: str
    type: str = ""
    source_name: str = ""
    description: str = ""
    examples: tuple[object, ...] = ()
    declared: str = ""
    affinity: str = ""
    collation: str = ""

    def __post_init__(self) -> None:
        if not self.source_name:
            object.__setattr__(self, "source_name", self.label)


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """Fields of one box whose values are found in fields of another (or the same) box.

    Attributes:
        box: The referring box.
        fields: Its fields; several for a composite key.
        parent: The box referred to.
        parent_fields: The fields referred to, pairwise with ``fields``.
        origin: ``"declared"`` by the source, ``"inferred"`` from names and values, ``"linked"`` across sources.
        confidence: 1.0 for declared keys, else an estimate in [0, 1].
        evidence: Why an inferred or linked key is believed.
        dangling: True where some values, or the parent itself, are missing.
    """

    box: str
    fields: tuple[str, ...]
    parent: str
    parent_fields: tuple[str, ...]
    origin: Literal["declared", "inferred", "linked"] = "declared"
    confidence: float = 1.0
    evidence: str = ""
    dangling: bool = False

    def __str__(self) -> str:
        own, theirs = (_columns(names) for names in (self.fields, self.parent_fields))
        return f"{self.box}[{own}] -> {self.parent}[{theirs}]"


def _columns(labels: Sequence[str]) -> str:
    return repr(labels[0]) if len(labels) == 1 else repr(list(labels))


@dataclass(frozen=True, slots=True)
class Reading:
    """What a `Reader` read: the frame, and what it had to note while reading."""

    frame: pd.DataFrame
    notes: tuple[Note, ...] = ()


@runtime_checkable
class Reader(Protocol):
    """Reads a box's rows. Never changes its source; the same source gives the same frame."""

    def read(self, columns: Sequence[str] | None = None, limit: int | None = None) -> Reading:
        """Read the fields named (all, in the box's order, where None), and the first ``limit`` rows."""
        ...

    def count(self) -> int:
        """The number of rows."""
        ...

    def fingerprint(self) -> str:
        """A text that changes whenever what `read` returns may have changed. Cheap: no full scan."""
        ...
