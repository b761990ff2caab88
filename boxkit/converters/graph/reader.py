"""The rows of a graph's box, held in memory with the ids' IRIs."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from boxkit.box import Reading

if TYPE_CHECKING:
    import pandas as pd

    from boxkit.converters.graph.origin import Origin

__all__ = ["GraphReader"]


@dataclass(frozen=True, slots=True)
class GraphReader:
    """A frame made from triples.

    Attributes:
        frame: All rows.
        iris: The IRI of each entity id of the graph; shared by its boxes.
        ids: The other way round.
        content: A hash of what was read.
        state: What tells whether the source has changed since; None where it lives in memory.
        origin: The graph that it was made from; None where that cannot be asked in SPARQL.
    """

    frame: pd.DataFrame = field(repr=False)
    iris: Mapping[str, str] = field(repr=False)
    ids: Mapping[str, str] = field(repr=False)
    content: str
    state: Callable[[], str] | None = None
    origin: Origin | None = field(default=None, repr=False, compare=False)

    def read(self, columns: Sequence[str] | None = None, limit: int | None = None) -> Reading:
        """A copy of some fields and the first rows."""
        frame = self.frame if columns is None else self.frame[list(columns)]
        return Reading((frame if limit is None else frame.head(limit)).copy())

    def count(self) -> int:
        """The number of rows."""
        return len(self.frame)

    def fingerprint(self) -> str:
        """Changes with the graph's content, what was taken of it, and its file."""
        now = self.state() if self.state is not None else ""
        shape = f"{self.content} {self.frame.shape} {list(self.frame.columns)} {now}"
        return hashlib.sha256(shape.encode()).hexdigest()
