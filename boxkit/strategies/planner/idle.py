"""Words that nothing takes up: which of them may be left out, and what that costs."""

from __future__ import annotations

from boxkit.strategies.planner.draft import Draft
from boxkit.strategies.planner.tagging import Item
from boxkit.strategies.planner.thesaurus import idle_words
from boxkit.strategies.planner.words import stem

__all__ = ["idle_cost"]

#: For one word. Some of them say something after all: an answer with several left out is doubtful.
PLAIN, FRAME = 0.05, 0.03
#: A field with more distinct values says no status.
_MAX_STATUS = 12
_ASKER = frozenset("i we me us my our you i'm i'd we're".split())
_SUPPOSING = frozenset("if suppose supposing imagine assuming say".split())
_ENDS = frozenset(".!?:;—–")


def idle_cost(draft: Draft, item: Item) -> float | None:
    """What it costs to leave a word out; None where it may be a condition."""
    word = stem(item.value)
    places = draft.index.values.get(item.value, {})
    if any(draft.index.fields[place].distinct <= _MAX_STATUS for place in places):
        return None
    words = idle_words()
    if word in words["relate"] or word in words["plain"]:
        return PLAIN
    if word not in words["frame"] and word not in words["suppose"]:
        return None
    clause = _clause(draft, item)
    if word in words["suppose"] and item.value.endswith("ing") and _ASKER & set(clause[:2]):
        # "I am thinking of buying the Rose. What does it cost?"
        return FRAME
    if word in words["suppose"] and _SUPPOSING & set(clause[:2]):
        return FRAME
    return FRAME if word in words["frame"] and (_ASKER | _SUPPOSING) & set(clause) else None


def _clause(draft: Draft, item: Item) -> list[str]:
    """The words of the clause that the item stands in."""
    place = draft.items.index(item)
    start = place
    while start > 0 and not (draft.items[start - 1].kind == "mark" and draft.items[start - 1].value in _ENDS):
        start -= 1
    end = place
    while end < len(draft.items) and not (draft.items[end].kind == "mark" and draft.items[end].value in _ENDS):
        end += 1
    return [word for each in draft.items[start:end] for word in each.text.lower().split()]
