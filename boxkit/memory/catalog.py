"""What choosing among demonstrations needs to know of each, in columns, so that no line is read before it is chosen."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

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

    def columns(self) -> dict[str, list[str]]:
        """The columns by name."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @classmethod
    def from_columns(cls, columns: dict[str, Any]) -> Catalog:
        """The catalog that `columns` gave.

        Raises:
            ValueError: Columns are missing, unequal, or no lists.
        """
        try:
            catalog = cls(*(columns[each.name] for each in fields(cls)))
        except KeyError as error:
            raise ValueError(f"the catalog has no column {error}") from None
        lengths = {len(column) if isinstance(column, list) else -1 for column in catalog.columns().values()}
        if len(lengths) > 1 or -1 in lengths:
            raise ValueError("the catalog's columns are not equally long lists")
        return catalog

    def where(self, **wanted: Collection[str] | None) -> list[int]:
        """The positions whose columns have one of the values wanted; a column that is None does not count."""
        tests = [(getattr(self, name), values) for name, values in wanted.items() if values is not None]
        return [at for at in range(len(self)) if all(column[at] in values for column, values in tests)]

    def allowed(self, question: str, excluded: Collection[str]) -> Allowed | None:
        """Which positions may be offered for a question, (n,) bool; None for all.

        Args:
            question: It is never offered its own demonstration, nor one of the same words.
            excluded: Splits, as ``"dev"`` (of every dataset) or ``"spider/dev"``.
        """
        import numpy as np

        key = question_key(question)
        same = [at for at, own in enumerate(self.keys) if own == key]
        if not same and not excluded:
            return None
        allowed = np.ones(len(self), dtype=np.bool_)
        allowed[same] = False
        if excluded:
            for at, (dataset, split) in enumerate(zip(self.datasets, self.splits, strict=True)):
                if split in excluded or f"{dataset}/{split}" in excluded:
                    allowed[at] = False
        return allowed


def as_set(values: str | Iterable[str] | None) -> frozenset[str] | None:
    """One text, or several, as a set; None stays None."""
    if values is None:
        return None
    return frozenset({values} if isinstance(values, str) else values)
