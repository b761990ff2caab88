"""In which of two roles a value stands: origin or destination, a person or the person's friend."""

from __future__ import annotations

from boxkit.strategies.planner.draft import Draft
from boxkit.strategies.planner.lexicon import DIRECTIONS
from boxkit.strategies.planner.options import Option
from boxkit.strategies.planner.tagging import Item

__all__ = ["against_direction", "may_have_other_role", "preposition"]


def preposition(draft: Draft, item: Item) -> str:
    """The preposition in front, ``from`` in "from the United States"; empty for none."""
    before = draft.at(draft.before(draft.items.index(item), frozenset(("empty",))))
    return before.text.lower() if before is not None and before.kind == "preposition" else ""


def against_direction(draft: Draft, item: Item, option: Option, goes: bool) -> float:
    """``from Los Angeles`` is the origin, ``to`` the destination, where there are such fields; dear if it has both."""
    said = preposition(draft, item)
    if not option.values or said not in DIRECTIONS:
        return 0.0
    stems = set(draft.index.fields[option.place].stems)
    if goes and not stems & DIRECTIONS[said]:
        return 0.4
    return sum(0.1 for word, fields in DIRECTIONS.items() if word != said and stems & fields)


def may_have_other_role(draft: Draft, item: Item, option: Option) -> bool:
    """``friends of Bob``, where Bob is in two fields of one box: his friends, or those whose friend he is?"""
    parents = draft.index.parents
    parent = parents.get(option.place) if option.values else None
    others = [link for link in item.only("value") if link.box == option.box and link.field != option.field]
    if parent is not None and _owns(draft, item) and _is_asked(draft, item, option):
        return True
    if parent is None or all(parents.get(link.place) != parent for link in others):
        return False
    if preposition(draft, item) in DIRECTIONS:
        return False
    asked = next((clause.subject for clause in draft.clauses if clause.value is item), None)
    return asked is None or _owns(draft, item)


def _owns(draft: Draft, item: Item) -> bool:
    """``Bob's``, ``of Bob``, ``does Bob have``."""
    before = draft.at(draft.items.index(item) - 1)
    after = draft.at(draft.items.index(item) + 1)
    return (before is not None and before.kind == "of") or (
        after is not None and after.text.lower() in ("'s", "have", "has", "had")
    )


def _is_asked(draft: Draft, value: Item, option: Option) -> bool:
    """``How many friends does Bob have?``, where Bob is found as somebody's friend: his own are asked for."""
    asked = [target.figure.item for target in draft.targets]
    asked += [clause.subject for clause in draft.clauses if clause.value is value]
    return any(link.place == option.place and link.score >= 0.9 for item in asked if item for link in item.links)
