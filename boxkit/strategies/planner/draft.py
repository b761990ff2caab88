"""A draft: what a question asks for in terms of its own words, before these words are tied to boxes and fields."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from boxkit.strategies.planner.index import Index
from boxkit.strategies.planner.tagging import Item

__all__ = ["Clause", "Draft", "Figure", "Order", "Related", "Rule", "Superlative", "Target"]

Function = Literal["", "count", "sum", "average", "median", "min", "max"]

#: Items that only tie others together.
GLUE = frozenset(("empty", "of", "preposition", "relative"))


@dataclass(frozen=True, slots=True)
class Figure:
    """A number made of a thing: its count, or an aggregate of it; with no function, its own value.

    Attributes:
        function: What is done with the values.
        item: The mention; None where only an adjective says which.
        distinct: Whether each value counts once.
        adjective: The adjective that speaks of it.
        direction: Which end of the adjective's scale.
        summed: Whether "most" is said of it: where a thing has several of these amounts, their sum is meant; of a
            count with no item, that what belongs to a thing is counted ("prolific"), and not who is called the same.
    """

    function: Function
    item: Item | None
    distinct: bool = False
    adjective: str = ""
    direction: str = "max"
    summed: bool = False


@dataclass(frozen=True, slots=True)
class Target:
    """Something the answer shows.

    Attributes:
        figure: What, and how it is made up.
        kind: ``plain``; ``difference`` of the largest and smallest; ``share`` of rows; ``year`` of a date; ``who``,
            ``when``, ``where``: to be found; ``everything``: all fields; ``measure``: the field an adjective speaks of.
        style: A share's unit: ``percent`` or ``fraction``.
    """

    figure: Figure
    kind: Literal["plain", "difference", "share", "year", "who", "when", "where", "measure", "everything"] = "plain"
    style: str = ""


@dataclass(frozen=True, slots=True)
class Clause:
    """A condition.

    Attributes:
        operator: ``=``, ``<``, ``<=``, ``>``, ``>=``, ``between``, ``contains``, ``starts``, ``ends``, ``value``,
            ``missing``, ``average`` (compared with the average, as ``adjective``'s operator says) or ``exceed``.
        subject: The mention of the field; None: to be found.
        literal: What is compared with: a number, a date's text, a pair of them.
        value: The mention of a value.
        negated: Whether it must not hold.
        figure: For a condition on a group: what of it is compared.
        adjective: The adjective that speaks of the field.
        alternative: Clauses of one number are alternatives; 0 stands alone.
        both: Whether it is one of several that must all hold, each in a row of its own.
        dated: Whether its words speak of time.
        unit: The unit that the amount is in, where one is said.
    """

    operator: str
    subject: Item | None = None
    literal: Any = None
    value: Item | None = None
    negated: bool = False
    figure: Figure | None = None
    adjective: str = ""
    comparison: str = ""
    alternative: int = 0
    both: bool = False
    dated: bool = False
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Related:
    """A thing that must not be there: "authors without books"."""

    item: Item


@dataclass(frozen=True, slots=True)
class Superlative:
    """The first few by a figure.

    Attributes:
        figure: By what.
        direction: The largest or the smallest.
        count: How many; None for the one, with its ties.
        holder: The thing that is said to have the most of it: ``the room with the most beds``; None where none is said.
    """

    figure: Figure
    direction: Literal["max", "min"]
    count: int | None = None
    holder: Item | None = None


@dataclass(frozen=True, slots=True)
class Order:
    """How the rows are to be ordered; without a figure, by what they show first."""

    figure: Figure | None
    descending: bool


@dataclass(slots=True)
class Draft:
    """What has been read so far; the rules fill it in, each taking up items."""

    items: list[Item]
    index: Index
    targets: list[Target] = field(default_factory=list)
    clauses: list[Clause] = field(default_factory=list)
    groups: list[Item] = field(default_factory=list)
    related: list[Related] = field(default_factory=list)
    superlatives: list[Superlative] = field(default_factory=list)
    orders: list[Order] = field(default_factory=list)
    limit: int | None = None
    negated: set[int] = field(default_factory=set)
    distinct: bool = False
    notes: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)

    def at(self, place: int) -> Item | None:
        """The item at a place; None beyond the ends."""
        return self.items[place] if 0 <= place < len(self.items) else None

    def after(self, place: int, skip: frozenset[str] = GLUE) -> int:
        """The next place that holds no item of a kind to skip; ``len(items)`` if none."""
        place += 1
        while place < len(self.items) and self.items[place].kind in skip:
            place += 1
        return place

    def before(self, place: int, skip: frozenset[str] = GLUE) -> int:
        """The same, backwards; -1 if none."""
        place -= 1
        while place >= 0 and self.items[place].kind in skip:
            place -= 1
        return place

    def free(self, place: int, *kinds: str) -> Item | None:
        """The item at a place if it is of one of these kinds and not taken up."""
        item = self.at(place)
        return item if item is not None and not item.used and item.kind in kinds else None

    def schema(self, place: int) -> Item | None:
        """A free mention there that may name a box or a field, and is not rather a value."""
        item = self.free(place, "mention")
        return item if item is not None and item.is_schema and not item.is_value else None

    def value(self, place: int) -> Item | None:
        """A free mention there that may be a value."""
        item = self.free(place, "mention")
        return item if item is not None and item.only("value") else None

    def is_negated(self, place: int) -> bool:
        """Whether what stands here must not hold; a "not" just in front is taken up."""
        if place in self.negated:
            return True
        item = self.at(self.before(place))
        if item is None or item.used or item.kind not in ("not", "without"):
            return False
        item.used = True
        return True

    def is_ordered(self, item: Item) -> bool:
        """Whether the mention may be of a field with amounts or dates."""
        return any(self.index.fields[link.place].is_ordered for link in item.only("field") if link.score >= 0.5)

    def is_measure(self, item: Item) -> bool:
        """Whether the mention may be of a field with amounts."""
        return any(self.index.fields[link.place].kind == "number" for link in item.only("field") if link.score >= 0.5)

    def is_thing(self, item: Item) -> bool:
        """Whether the mention is of a box, or of what stands for one, rather than of an amount."""
        top = item.links[0]
        return top.kind == "box" or (top.kind == "field" and not self.is_ordered(item))


#: Reads one kind of phrase, wherever it stands, and takes up its items.
Rule = Callable[[Draft], None]
