"""Conditions that name a value, what must not be there, and "both"."""

from __future__ import annotations

from dataclasses import replace

from boxkit.strategies.planner.draft import Clause, Draft, Related
from boxkit.strategies.planner.lexicon import LIGHT_WORDS
from boxkit.strategies.planner.tagging import Item

__all__ = ["read_values", "read_without"]

_BREAKS = frozenset(("relative", "and", "or", "group", "order", "mark", "compare", "superlative", "extreme", "both"))


def read_without(draft: Draft) -> None:
    """``without books``, ``never published``, ``do not live in France``: what follows says what must not be."""
    for place, item in enumerate(draft.items):
        if item.used or item.kind not in ("without", "not"):
            continue
        thing: Item | None = None
        for at in range(place + 1, len(draft.items)):
            each = draft.items[at]
            if each.kind == "compare" or (each.kind == "mention" and each.is_value and not each.used):
                draft.negated.add(at)
                item.used = True
                break
            if each.kind == "contain":
                draft.negated.add(at)
                item.used = True
                break
            if each.kind in _BREAKS and thing is not None:
                break
            found = draft.schema(at)
            if found is not None and (thing is None or _is_better(found, thing)):
                thing = found
        if item.used or thing is None or (item.kind == "not" and not thing.only("box")):
            continue
        item.used = thing.used = True
        draft.related.append(Related(thing))


def _is_better(one: Item, two: Item) -> bool:
    """A box by its own name rather than by a verb that hints at it."""
    return bool(one.only("box")) and two.links[0].how in ("synonym", "part", "fuzzy")


def read_values(draft: Draft) -> None:
    """``from France``, ``fantasy books``, ``whose genre is fantasy``; alternatives with "or"; "both … and …"."""
    last: int | None = None
    for place, item in enumerate(draft.items):
        if item.used or item.kind != "mention" or not item.is_value:
            continue
        link = _between(draft, last, place) if last is not None else ""
        previous = draft.clauses[-1] if link and draft.clauses else None
        both = _takes_both(draft, place) or bool(previous and previous.both and link == "and")
        negated = draft.is_negated(place) or bool(previous and previous.negated and link)
        clause = Clause("value", _subject(draft, place, item), value=item, negated=negated, both=both)
        item.used = True
        if (
            previous is not None
            and previous.operator == "value"
            and not both
            and _are_alternatives(previous, clause, link)
        ):
            for joining in draft.items[last or 0 : place]:
                joining.used = joining.used or joining.kind == "or"
            number = previous.alternative or len(draft.clauses)
            draft.clauses[-1] = replace(previous, alternative=number)
            clause = replace(clause, alternative=number)
        draft.clauses.append(clause)
        last = place
    _use_either(draft)


def _use_either(draft: Draft) -> None:
    """``either A or B`` says no more than ``A or B``."""
    if any(clause.alternative for clause in draft.clauses):
        for item in draft.items:
            item.used = item.used or (item.kind == "or" and item.text.lower() == "either")


def _between(draft: Draft, one: int, two: int) -> str:
    """``and``, ``or`` or a comma, where nothing else that matters stands between two places; else empty."""
    found = ""
    for item in draft.items[one + 1 : two]:
        if item.kind in ("and", "or", "each_other"):
            found = "or" if item.kind == "or" else "and"
        elif item.kind == "mark" and item.value == ",":
            found = found or ","
        elif item.kind in ("empty", "preposition") or (
            item.kind == "mention" and not item.is_value and not item.only("box")
        ):
            continue
        else:
            return ""
    return found


def _are_alternatives(one: Clause, two: Clause, link: str) -> bool:
    assert one.value is not None and two.value is not None
    shared = {each.place for each in one.value.only("value")} & {each.place for each in two.value.only("value")}
    return bool(shared) or link == "or"


def _takes_both(draft: Draft, place: int) -> bool:
    for item in draft.items[max(0, place - 4) : place]:
        if item.kind == "both" and not item.used:
            item.used = True
            return True
    return False


def _subject(draft: Draft, place: int, item: Item) -> Item | None:
    """The mention of the field beside the value: ``genre is fantasy``, ``fantasy genre``; it is taken up."""
    places = {link.place for link in item.only("value")}
    skipped = frozenset(("empty", "preposition", "relative", "not", "of", "both", "without", "mark"))
    before = draft.before(place, skipped)
    while (light := draft.at(before)) is not None and light.kind == "word" and light.value in LIGHT_WORDS:
        before = draft.before(before, skipped)
    for at in (before, draft.after(place, frozenset(("empty",)))):
        subject = draft.schema(at)
        if subject is not None and places & {link.place for link in subject.only("field")}:
            subject.used = True
            return subject
    return None
