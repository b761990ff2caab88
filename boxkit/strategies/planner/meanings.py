"""What is chosen for the words of a draft, and what follows from it for any part of a query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from boxkit.box import BoxSet
from boxkit.strategies.planner.draft import Draft, Figure
from boxkit.strategies.planner.fields import Place
from boxkit.strategies.planner.index import Index
from boxkit.strategies.planner.joins import Joins
from boxkit.strategies.planner.options import Option
from boxkit.strategies.planner.query import Measure

__all__ = ["Choice", "Meanings", "NoSense"]

Choice = Mapping[object, Option]


class NoSense(Exception):
    """A choice that cannot be meant."""


@dataclass(slots=True)
class Meanings:
    """A draft and a choice of meanings; the parts of a query are made of them.

    Attributes:
        draft: What was read.
        choice: What each slot means.
        boxes: The boxes.
        joins: Their keys.
        penalty: What this choice costs besides, as far as the query is put together.
        extra: Boxes that a row must have a partner in.
    """

    draft: Draft
    choice: Choice
    boxes: BoxSet
    joins: Joins
    penalty: float = 0.0
    extra: list[str] = field(default_factory=list)

    @property
    def index(self) -> Index:
        """What is known of the boxes."""
        return self.draft.index

    def labels(self, option: Option) -> tuple[str, ...]:
        """The field itself, or the fields that name a box's rows."""
        if option.field:
            return (option.field,)
        naming = self.index.naming.get(option.box, ())
        if naming:
            return naming
        keys = self.index.keys[option.box]
        stems = self.index.fields[Place(option.box, keys[0])].stems[:-1] if len(keys) == 1 else ()
        if option.how != "key" and not (stems and stems == self.index.box_stems[option.box]):
            # That "orders" are told by their ``order_id`` is no guess.
            self.penalty += 0.2
        if keys:
            return keys
        return self.boxes[option.box].labels[:1]

    def counted(self, option: Option, distinct: bool) -> Measure:
        """The count of a box's rows, or of a field's different values."""
        if not option.field or self.index.keys[option.box] == (option.field,):
            return Measure("count", option.box)
        known = self.index.fields[option.place]
        if known.unique and not distinct:
            return Measure("count", option.box)
        return Measure("count", option.box, option.field, True)

    def option(self, figure: Figure | None, key: object) -> Option | None:
        """What is chosen for a figure's mention, or for what is only implied."""
        if figure is not None and figure.item is not None and id(figure.item) in self.choice:
            return self.choice[id(figure.item)]
        return self.choice.get(key)

    def share_names(self, box: str, labels: tuple[str, ...]) -> bool:
        """Whether rows with keys of their own have the same names: these are not to be thrown together."""
        return self.has_key(box) and bool(self.boxes[box].frame[list(labels)].dropna().duplicated().any())

    def has_key(self, box: str) -> bool:
        """Whether something identifies the box's rows."""
        return bool(self.index.keys[box])

    def is_named(self, box: str) -> bool:
        """Whether the question names the box itself, and not only a field of it."""
        return any(
            option.box == box and not option.field and option.how in ("exact", "stem", "who")
            for option in self.choice.values()
        ) or any(
            not item.used and any(link.box == box and link.score >= 0.9 for link in item.only("box"))
            for item in self.draft.items
            if item.kind == "mention"
        )
