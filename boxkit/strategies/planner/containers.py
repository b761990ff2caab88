"""Whose field it is: the mention of the thing that a field or a value is said to belong to."""

from __future__ import annotations

from boxkit.strategies.planner.draft import Draft
from boxkit.strategies.planner.tagging import Item

__all__ = ["container_of", "holder_of", "is_theirs"]


_THEIRS = frozenset(("their", "its"))


def container_of(draft: Draft, item: Item, is_value: bool) -> Item | None:
    """The mention of the thing that a field or a value is said to belong to; None where nothing says."""
    place = draft.items.index(item)
    before = draft.at(place - 1)
    if before is not None and before.kind == "mark" and before.value == "'s":
        before = draft.at(place - 2)
    if before is not None and _names_box(before):
        return before
    if is_theirs(draft, item):
        # "Find their names": those of what was asked for.
        return next((each for each in draft.items[:place] if _names_box(each) and each.links[0].kind == "box"), None)
    after = draft.at(place + 1)
    if is_value:
        if after is not None and _names_box(after):
            return after
        at = draft.before(
            place, frozenset(("empty", "preposition", "relative", "word", "not", "without", "of", "both"))
        )
        found = draft.at(at)
        return found if found is not None and _names_box(found) else None
    at = place + 1
    while (found := draft.at(at)) is not None:
        if found.kind in ("of", "preposition"):
            following = draft.at(
                draft.after(at, frozenset(("empty", "distinct", "superlative", "extreme", "number", "group")))
            )
            while following is not None and following.kind == "mention" and following.is_value:
                following = draft.at(draft.items.index(following) + 1)
            return following if following is not None and _names_box(following) else None
        if (
            found.kind in ("empty", "and", "group")
            or (found.kind == "mark" and found.value == ",")
            or (found.kind == "mention" and found.is_schema and not _names_box(found))
        ):
            at += 1
            continue
        return None
    return None


def holder_of(draft: Draft, place: int) -> Item | None:
    """The thing that has the most or is the largest: ``room`` in "room with the most beds", "the largest room"."""
    at = draft.before(place, frozenset(("empty", "relative")))
    before, after = draft.at(at), draft.at(place + 1)
    tied = any(item.kind == "relative" for item in draft.items[at + 1 : place])
    for item in (before if tied else None, after if draft.items[place].kind == "superlative" else None):
        if item is not None and item.kind == "mention" and not item.is_value and item.links[0].kind == "box":
            return item
    return None


def is_theirs(draft: Draft, item: Item) -> bool:
    """Whether it is said to belong to what was named before: ``their names``."""
    before = draft.at(draft.items.index(item) - 1)
    return before is not None and before.text.lower() in _THEIRS


def _names_box(item: Item) -> bool:
    return (
        item.kind == "mention"
        and not item.is_value
        and any(link.score >= 0.6 and link.how in ("exact", "stem", "part", "key") for link in item.only("box"))
    )
