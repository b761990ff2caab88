"""What choosing among demonstrations needs to know of each, in columns, so that no line is read before it is chosen."""

from __future__ import annotations

import itertools
import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

from boxkit.memory.demonstration import Demonstration, question_key

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Allowed = npt.NDArray[np.bool_]

__all__ = ["Catalog", "as_set"]


@dataclass(slots=True)
class Catalog:
    """Columns of equal length, one entry a demonstration.

    Attributes:
        ids: Their ids.
        keys: What equal questions share (`question_key`).
        datasets: Their datasets.
        kinds: Their kinds.
        sources: Their sources.
        splits: Their splits.
    """

    ids: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    datasets: list[str] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    splits: list[str] = field(default_factory=list)
    _by_key: tuple[dict[str, list[int]], int] = field(default=({}, 0), init=False, repr=False, compare=False)
    _masks: dict[tuple[frozenset[str], int], Allowed] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @classmethod
    def of(cls, demonstrations: Iterable[Demonstration]) -> Catalog:
        """The catalog of these."""
        catalog = cls()
        for demonstration in demonstrations:
            catalog.add(demonstration)
        return catalog

    def __len__(self) -> int:
        return len(self.ids)

    def add(self, demonstration: Demonstration) -> None:
        """Append one entry."""
        self.ids.append(demonstration.id)
        self.keys.append(question_key(demonstration.question))
        self.datasets.append(demonstration.dataset)
        self.kinds.append(demonstration.kind)
        self.sources.append(demonstration.source)
        self.splits.append(demonstration.split)

    def take(self, positions: Iterable[int]) -> Catalog:
        """The catalog of the entries at these positions."""
        chosen = list(positions)
        return Catalog(*([column[at] for at in chosen] for column in self.columns().values()))

    def to_text(self, lengths: Sequence[int]) -> str:
        """The catalog as JSON, with the length of each line in the file that it belongs to.

        A column is one text, an entry a line: that reads back ten times as fast as a list would.
        """
        columns = {name: "\n".join(column) for name, column in self.columns().items()}
        return json.dumps(columns | {"lengths": " ".join(map(str, lengths))})

    @classmethod
    def from_text(cls, text: str) -> tuple[Catalog, tuple[list[int], list[int]]]:
        """The catalog that `to_text` wrote, and where each line starts and ends."""
        columns = json.loads(text)
        bounds = list(itertools.accumulate(map(int, columns.pop("lengths").split()), initial=0))
        count = len(bounds) - 1
        catalog = cls(**{name: column.split("\n") if count else [] for name, column in columns.items()})
        return catalog, (bounds[:-1], [bound - 1 for bound in bounds[1:]])

    def columns(self) -> dict[str, list[str]]:
        """The columns by name."""
        return {each.name: getattr(self, each.name) for each in fields(self) if each.init}

    def where(self, **wanted: Collection[str] | None) -> list[int]:
        """The positions whose columns have one of the values wanted; a column that is None does not count."""
        tests = [(getattr(self, name), values) for name, values in wanted.items() if values is not None]
        return [at for at in range(len(self)) if all(column[at] in values for column, values in tests)]

    def outside(self, excluded: Collection[str]) -> list[int]:
        """The positions of what is in none of the splits: ``"dev"`` (of every dataset) or ``"spider/dev"``."""
        out = self._excluded(excluded)
        return [at for at in range(len(self)) if (self.datasets[at], self.splits[at]) not in out]

    def _excluded(self, excluded: Collection[str]) -> set[tuple[str, str]]:
        pairs = set(zip(self.datasets, self.splits, strict=True)) if excluded else set()
        return {(dataset, split) for dataset, split in pairs if split in excluded or f"{dataset}/{split}" in excluded}

    def allowed(self, question: str, excluded: frozenset[str]) -> Allowed | None:
        """Which positions may be offered for a question, (n,) bool; None for all.

        Args:
            question: It is never offered its own demonstration, nor one of the same words.
            excluded: Splits; see `outside`.
        """
        import numpy as np

        if self._by_key[1] != len(self):
            self._by_key = (_positions(self.keys), len(self))
        same = self._by_key[0].get(question_key(question), ())
        if not same and not excluded:
            return None
        mask = self._masks.get((excluded, len(self)))
        if mask is None:
            mask = np.zeros(len(self), dtype=np.bool_)
            mask[self.outside(excluded)] = True
            self._masks = {(excluded, len(self)): mask}
        allowed = mask.copy()
        allowed[list(same)] = False
        return allowed


def as_set(values: str | Iterable[str] | None) -> frozenset[str] | None:
    """One text, or several, as a set; None stays None."""
    if values is None:
        return None
    return frozenset({values} if isinstance(values, str) else values)


def _positions(keys: list[str]) -> dict[str, list[int]]:
    by_key: dict[str, list[int]] = {}
    for at, key in enumerate(keys):
        by_key.setdefault(key, []).append(at)
    return by_key
