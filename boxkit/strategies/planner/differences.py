"""Differences: between the highest and the lowest price; by how much the dearest exceeds the cheapest."""

from __future__ import annotations

from boxkit.strategies.planner.adjectives import ADJECTIVES
from boxkit.strategies.planner.draft import Draft, Figure, Target
from boxkit.strategies.planner.tagging import Item
from boxkit.strategies.planner.words import stem

__all__ = ["read_differences"]

_APART = frozenset(map(stem, ("exceed", "differ", "apart")))


def read_differences(draft: Draft) -> None:
    """``the difference between the highest and the lowest price``."""
    for place, item in enumerate(draft.items):
        if item.kind != "difference":
            continue
        ends: list[Item] = []
        for at in range(place + 1, min(place + 12, len(draft.items))):
            each = draft.items[at]
            if each.kind in ("extreme", "superlative", "and"):
                ends.append(each)
            elif (
                (found := draft.schema(at)) is not None
                and draft.is_ordered(found)
                and len(ends) >= 2
                and not draft.is_thing(found)
            ):
                verbs = [each for each in draft.items[place:] if stem(each.value) in _APART]
                for taken in (*ends, found, item, *verbs):
                    taken.used = True
                draft.targets.append(Target(Figure("", found), "difference"))
                return
        if _read_ends_apart(draft, place):
            return


def _read_ends_apart(draft: Draft, place: int) -> bool:
    """``by how much does the dearest plant exceed the cheapest``: two ends of a scale, whatever stands between."""
    minus = draft.items[place].text.lower() == "minus"
    rest = draft.items if minus else draft.items[place + 1 :]
    ends = [each for each in rest if each.kind in ("extreme", "superlative")]
    if {each.value for each in ends} == {"min", "max"}:
        opposite = not any(each.adjective for each in ends)
    else:
        graded = [each.adjective for each in ends if each.adjective in ADJECTIVES]
        sides = {bool(ADJECTIVES[adjective].large) and adjective != "young" for adjective in graded}
        opposite = len(sides) == 2
    figures = ("number", "date", "group", "count")
    others = [each for each in rest if each.is_value or (each.kind in figures and each.text.lower() != "one")]
    if len(ends) != 2 or not opposite or others:
        return False
    gap = draft.schema(place - 1)
    named = [] if gap is None or minus else [gap]
    measures = [
        each
        for each in (*named, *rest)
        if each.kind == "mention" and draft.is_ordered(each) and not draft.is_thing(each)
    ]
    adjective = next((each.adjective for each in ends if each.adjective), "")
    if len({each.text.lower() for each in measures}) > 1 or not (measures or adjective):
        return False
    measure = measures[0] if measures else None
    for taken in (*named, draft.items[place], *rest):
        says = taken.kind not in ("mention", "word") or stem(taken.value) in _APART
        taken.used = taken.used or says or taken in measures
    draft.targets.append(Target(Figure("", measure, adjective=adjective), "difference"))
    return True
