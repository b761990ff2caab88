"""Orders: sorted by age, in alphabetical order of name, longest first, from the cheapest to the most expensive."""

from __future__ import annotations

from dataclasses import replace

from boxkit.strategies.planner.adjectives import ADJECTIVES
from boxkit.strategies.planner.draft import GLUE, Draft, Figure, Order
from boxkit.strategies.planner.superlatives import FUNCTIONS

__all__ = ["read_orders"]

#: What an adjective measures, where the data calls nothing so: the length of books is their pages.
_NOUNS = {
    "length": "long",
    "duration": "long",
    "thickness": "thick",
    "size": "large",
    "height": "high",
    "altitude": "high",
    "depth": "deep",
    "width": "wide",
    "weight": "heavy",
    "speed": "fast",
    "age": "old",
    "seniority": "senior",
    "expense": "expensive",
}


def read_orders(draft: Draft) -> None:
    """``ordered by price in descending order``, ``in alphabetical order of name``, ``longest first``."""
    for place, item in enumerate(draft.items):
        if item.kind == "first" and not item.used:
            _read_graded_first(draft, place)
        if item.kind == "superlative" and not item.used:
            _read_from_to(draft, place)
        if item.used or item.kind not in ("order", "direction"):
            continue
        direction = item.value if item.kind == "direction" else ""
        item.used = True
        at = draft.after(place, frozenset(("empty", "preposition", "of")))
        named = draft.at(at)
        if item.kind == "order" and named is not None and named.is_value:
            # "ordered by Ann": who did it, and not how to sort.
            continue
        figures: list[Figure] = []
        while True:
            each = draft.at(at)
            if each is not None and each.kind == "direction" and not each.used:
                direction, each.used = each.value, True
                at = draft.after(at, frozenset(("empty", "preposition", "of")))
                continue
            found = _figure(draft, at)
            if found is None:
                break
            figures.append(found[0])
            at = draft.after(found[1], frozenset(("empty", "preposition", "and", "mark", "of")))
            if item.kind == "direction":
                break
        if not figures and direction and draft.orders:
            draft.orders = [Order(order.figure, direction == "desc") for order in draft.orders]
            continue
        for figure in figures:
            draft.orders.append(Order(figure, direction == "desc"))
        if not figures:
            draft.orders.append(Order(None, direction == "desc"))


def _figure(draft: Draft, place: int) -> tuple[Figure, int] | None:
    """A figure that begins here, ``price``, ``number of books``, ``average age``, and its last place; taken up."""
    operator = draft.free(place, "count", "mean", "sum", "median")
    at = draft.after(place, GLUE) if operator is not None else place
    if operator is not None and operator.kind != "count" and draft.free(at, "count"):
        draft.items[at].used = True
        at = draft.after(at, GLUE)
    mention = draft.schema(at)
    word = draft.free(at, "word")
    if word is not None and operator is None and word.value in _NOUNS:
        word.used = True
        return Figure("", None, adjective=_NOUNS[word.value]), at
    if mention is None:
        return None
    following = draft.schema(at + 1)
    if following is not None and mention.links[0].kind == "box" and following.only("field"):
        mention.used = True
        mention, at = following, at + 1
    mention.used = True
    if operator is None:
        return Figure("", mention), at
    operator.used = True
    if operator.kind == "count":
        return Figure("" if draft.is_measure(mention) else "count", mention, operator.value == "distinct"), at
    return Figure(FUNCTIONS[operator.kind], mention), at


def _read_graded_first(draft: Draft, place: int) -> None:
    """``longest first`` says how what is shown is ordered, unless a superlative has said so already."""
    adjective = draft.at(draft.before(place, frozenset(("empty",))))
    if adjective is None or adjective.used or adjective.kind not in ("superlative", "extreme"):
        return
    draft.items[place].used = adjective.used = True
    earlier = any(each.kind in ("superlative", "extreme") for each in draft.items[: place - 1] if each is not adjective)
    said = draft.orders[-1].figure if draft.orders else None
    if said is not None and said.function:
        known = ADJECTIVES.get(adjective.adjective)
        large = known is None or bool(known.large)
        draft.orders[-1] = Order(said, large == (adjective.value == "max"))
    elif said is not None:
        # "by age, oldest first": which end of the ages, and not by two things.
        draft.orders[-1] = Order(replace(said, adjective=adjective.adjective), adjective.value == "max")
    elif not earlier:
        draft.orders.append(Order(Figure("", None, adjective=adjective.adjective), adjective.value == "max"))


def _read_from_to(draft: Draft, place: int) -> None:
    """``from the cheapest to the most expensive``: all of them, in this order."""
    before = draft.at(draft.before(place, frozenset(("empty",))))
    to = draft.at(draft.after(place, frozenset(("empty",))))
    last = draft.free(draft.after(draft.items.index(to), frozenset(("empty",))), "superlative") if to else None
    if before is None or to is None or last is None or before.text.lower() != "from" or to.text.lower() != "to":
        return
    first = draft.items[place]
    for item in (before, first, to, last):
        item.used = True
    draft.orders.append(Order(Figure("", None, adjective=first.adjective), first.value == "max"))
