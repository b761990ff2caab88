"""Names in a query: which source a column belongs to."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

from boxkit.errors import UnsupportedQuery
from boxkit.plan import Column
from boxkit.plan.schema import Slot

__all__ = ["Scope", "Source"]


@dataclass(slots=True)
class Source:
    """One source of a FROM: a table or a subquery.

    Attributes:
        name: What the query calls it.
        slots: Its columns, whose ``of`` is unique in the query.
        labels: The labels of columns that have another name (folded) in the source.
        merged: Columns (folded) that a USING or NATURAL join took from another source; ``*`` leaves them out.
    """

    name: str
    slots: tuple[Slot, ...]
    merged: set[str] = field(default_factory=set)
    labels: dict[str, str] = field(default_factory=dict)

    def find(self, name: str) -> Slot | None:
        """The column of that name; exact spelling goes first, then any case."""
        name = self.labels.get(name.casefold(), name)
        folded = name.casefold()
        exact = [slot for slot in self.slots if slot.name == name]
        return next(iter(exact), None) or next((slot for slot in self.slots if slot.name.casefold() == folded), None)


@dataclass(slots=True)
class Scope:
    """The sources of a SELECT, and those of the query around it.

    Attributes:
        sources: In order.
        parent: The scope of the query around it.
        aliases: Expressions by the names (folded) that the SELECT list gives them.
        mended: Columns (folded) that a right or full join took together: a row has what one side has.
    """

    sources: list[Source] = field(default_factory=list)
    parent: Scope | None = None
    aliases: dict[str, Any] = field(default_factory=dict)
    mended: set[str] = field(default_factory=set)

    @property
    def owners(self) -> set[str]:
        """Every name that a source has here or further out."""
        own = {slot.of for source in self.sources for slot in source.slots}
        return own | (self.parent.owners if self.parent else set())

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The columns here, then those further out."""
        own = tuple(slot for source in self.sources for slot in source.slots)
        return own + (self.parent.slots if self.parent else ())

    def column(self, name: str, table: str = "") -> Column | None:
        """The column that a name means, looked for here first, then further out; None where there is none.

        Raises:
            UnsupportedQuery: Several sources have it, or it is one of two that a right or full join took together.
        """
        if not table and name.casefold() in self.mended:
            raise UnsupportedQuery("a column that a right or full join takes together")
        found = list(self._here(name, table))
        if len(found) > 1:
            raise UnsupportedQuery(f"the ambiguous column {name!r}")
        if found:
            return Column(found[0].name, found[0].of)
        return self.parent.column(name, table) if self.parent else None

    def _here(self, name: str, table: str) -> Iterator[Slot]:
        for source in self.sources:
            if table and source.name.casefold() != table.casefold():
                continue
            slot = source.find(name)
            if slot is not None and (table or slot.name.casefold() not in source.merged):
                yield slot

    def starred(self, table: str = "") -> list[Slot]:
        """The columns that ``*`` or ``table.*`` stands for."""
        chosen = [source for source in self.sources if not table or source.name.casefold() == table.casefold()]
        if not chosen:
            raise UnsupportedQuery(f"the unknown table {table!r}")
        if not table and self.mended:
            raise UnsupportedQuery("a column that a right or full join takes together")
        return [
            slot for source in chosen for slot in source.slots if table or slot.name.casefold() not in source.merged
        ]


def free_name(wanted: str, taken: Collection[str]) -> str:
    """The name, numbered from 2 where it is taken."""
    name, number = wanted, 2
    while name in taken:
        name, number = f"{wanted}_{number}", number + 1
    return name
