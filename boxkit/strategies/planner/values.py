"""Conditions that name a value, what must not be there, and "both"."""

from __future__ import annotations

from dataclasses import replace

from boxkit.strategies.planner.draft import Clause, Draft, Related
from boxkit.strategies.planner.lexicon import LIGHT_WORDS
from boxkit.strategies.planner.tagging import Item

__all__ = ["read_flags", "read_values", "read_without"]

#: What a mention that says itself that something is so begins with.
_HOLDS = ("is ", "are ", "was ", "were ", "being ", "has ", "have ", "having ")
_AT_ONCE = ("at the same time", "at once", "simultaneously", "as well", "too", "alike", "in common")
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
            if each.kind == "mention" and not each.used and _is_flag(draft, each) and thing is None:
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
        if link == "and" and previous is not None and not both and _is_said_of_both(draft, last or 0, place):
            draft.clauses[-1] = previous = replace(previous, both=True)
            both = True
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
    if last is not None:
        _hold_at_once(draft, last)
    _use_either(draft)


def read_flags(draft: Draft) -> None:
    """``landlocked countries``, ``are landlocked``, ``is official``: a field of yes and no, used as an adjective."""
    for place, item in enumerate(draft.items):
        if item.used or item.kind != "mention" or item.is_value or not _is_flag(draft, item):
            continue
        before = draft.at(place - 1)
        follows = item.text.lower().startswith(_HOLDS) or (
            before is not None and before.text.lower() in ("is", "are", "was", "were", "be", "not", "no", "do", "does")
        )
        thing = draft.schema(draft.after(place, frozenset(("empty", "mark"))))
        if (
            follows
            or (before is not None and before.kind in ("without", "not", "and", "or", "relative"))
            or thing is not None
        ):
            negated = draft.is_negated(place)
            item.used = True
            draft.clauses.append(Clause("flag", item, negated=negated))


def _is_flag(draft: Draft, item: Item) -> bool:
    top = item.links[0]
    return (
        any(bool(draft.index.fields[link.place].yes) for link in item.only("field") if link.score >= top.score - 0.01)
        and top.score >= 0.85
    )


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
        elif item.kind in ("empty", "preposition", "of") or (
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


def _is_said_of_both(draft: Draft, one: int, two: int) -> bool:
    """``in Ulm and also in Bonn``, ``in Ulm and in Bonn at the same time``: both hold, each by a row of its own."""
    joining = [item for item in draft.items[one + 1 : two] if item.kind in ("and", "each_other")]
    return _is_at_once(draft, two) or any("also" in item.text.lower().split() for item in joining)


def _is_at_once(draft: Draft, place: int) -> bool:
    behind = draft.items[place + 1 :]
    said = " ".join(item.text.lower() for item in behind).rstrip(" .?!")
    words = next((words for words in _AT_ONCE if said == words or said.endswith(f" {words}")), "")
    for item in behind if words else ():
        item.used = item.used or (item.kind == "word" and item.value in words.split())
    return bool(words)


def _hold_at_once(draft: Draft, last: int) -> None:
    """``How many EU countries are members of NATO as well?``: two values of one field, each in a row of its own."""
    named = [at for at, clause in enumerate(draft.clauses) if clause.operator == "value" and not clause.both]
    if len(named) != 2 or len(draft.clauses) != 2 or any(draft.clauses[at].negated for at in named):
        return
    one, two = draft.clauses
    assert one.value is not None and two.value is not None
    shared = {each.place for each in one.value.only("value")} & {each.place for each in two.value.only("value")}
    ends = sorted(at for at, item in enumerate(draft.items) if item is one.value or item is two.value)
    also = any("also" in item.text.lower().split() for item in draft.items[ends[0] + 1 : ends[-1]])
    if shared and (_is_at_once(draft, last) or also):
        draft.clauses = [replace(clause, both=True, alternative=0) for clause in draft.clauses]


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
