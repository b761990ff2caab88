"""Words that add nothing where they stand, and turns of phrase that say the same as a plainer one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath

from boxkit.strategies.planner.asides import put_aside
from boxkit.strategies.planner.tagging import Item
from boxkit.strategies.planner.words import name_words, singular

__all__ = ["plainly"]

#: What the whole of the data is called.
_WHOLE = frozenset(
    """
    database db library collection catalogue catalog dataset data set list file table record system register registry
    archive inventory spreadsheet sheet book workbook
    """.split()
)
_ROWS = frozenset(("row", "line", "entry", "record", "tuple", "observation"))
#: Where something stands in a list; before a preposition or at the end it asks for nothing.
_KEPT = frozenset("listed filed kept stored grouped catalogued cataloged categorised categorized tagged".split())
#: What "we" do with our things; in the past it would be an event.
_OURS = frozenset("stock carry offer hold keep sell".split())
_WE = frozenset(("we", "you", "i"))
_PAY = re.compile(
    r"\b(?:what|how much) (?:would|do|does|must|will|should) (?:i|we|you|one)(?: have to| need to)? (?:pay|spend)\b"
)
_HOW_MUCH = re.compile(r"\s*(?:and |so )?how much (?:is|are|for)\b")
_FIGURES = frozenset(
    """mean sum median count difference share compare between exceed aboveaverage measure order
    frequent""".split()
)
_GO_ON = frozenset(("preposition", "relative", "compare", "and", "group", "superlative", "extreme", "count"))
_SKIPPED = frozenset(("empty", "relative"))


def plainly(
    items: list[Item], question: str, sources: Sequence[str], boxes: int, amounts: Sequence[Item]
) -> list[Item]:
    """The items, with fillers said to be empty and a few turns of phrase put the plain way.

    Args:
        items: The question's items; those that add nothing are changed.
        question: The question.
        sources: What was loaded, in words.
        boxes: How many boxes there are.
        amounts: Those of the items that name a field with amounts.
    """
    items = put_aside(items)
    lower = question.lower()
    stems = [name_words(PurePath(source.split("?")[0]).stem) for source in sources]
    called = frozenset(words[0] for words in stems if len(words) == 1)
    for at, item in enumerate(items):
        if item.text.lower() == "that" and at and items[at - 1].text.lower() in _GIVING:
            # "and give that depth"
            item.kind = "empty"
        if item.kind == "word" and _adds_nothing(items, at, called, boxes, lower):
            item.kind = "empty"
    return _priced(_asked_last(items), lower, amounts)


def _adds_nothing(items: Sequence[Item], at: int, called: frozenset[str], boxes: int, lower: str) -> bool:
    word = items[at].value
    before, after = _next(items, at, -1), _next(items, at, 1)
    after_kind, after_word = (after.kind, after.value) if after is not None else ("mark", "")
    ends = after_kind == "mark"
    ours = singular(word) in called and at > 0 and items[at - 1].text.lower() in ("the", "our", "this", "my")
    if (ours or singular(word) in _WHOLE) and before is not None and before.kind in ("preposition", "of"):
        return ends or after_kind in _GO_ON or (after_kind == "word" and after_word in _WHOLE)
    if word in ("table", "set") and before is not None and (before.value in _WHOLE or before.only("box")):
        return True
    if word in _KEPT:
        return ends or after_kind == "preposition"
    if word in _OURS and " did " not in f" {lower} ":
        return bool(_WE & {item.text.lower() for item in items[max(0, at - 3) : at]})
    return boxes == 1 and singular(word) in _ROWS and before is not None and before.kind == "count"


def _next(items: Sequence[Item], at: int, step: int) -> Item | None:
    at += step
    while 0 <= at < len(items) and items[at].kind in _SKIPPED:
        at += step
    return items[at] if 0 <= at < len(items) else None


def _asked_last(items: list[Item]) -> list[Item]:
    """``Growers in Lund: how many?`` is "how many growers in Lund"."""
    counts = [at for at, item in enumerate(items) if item.kind == "count"]
    if len(counts) != 1 or counts[0] < 2 or not items[counts[0]].text.lower().startswith("how many"):
        return items
    at = counts[0]
    rest = all(item.kind in ("empty", "mark") for item in items[at + 1 :])
    asks = any(item.text.lower() in _ASKING or item.kind in ("relative", "group", "and") for item in items[:2])
    if not rest or asks or items[at - 1].kind != "mark" or items[at - 1].value not in (":", ",", ";"):
        return items
    return [items[at], *items[: at - 1], *items[at + 1 :]]


_GIVING = frozenset("give show list tell return include and with of for".split())
_ASKING = frozenset("which what who show list give name find return for when where".split())


def _priced(items: list[Item], lower: str, amounts: Sequence[Item]) -> list[Item]:
    """``How much is the rose?``, ``What would I pay for it?``: what it costs is asked."""
    paid = _PAY.search(lower)
    if amounts or any(item.kind in _FIGURES for item in items) or not (paid or _HOW_MUCH.match(lower)):
        return items
    for item in items:
        if paid and item.kind == "word" and item.value in ("pay", "spend"):
            item.kind = "empty"
    return [Item("measure", "how much", 0, 1, adjective="expensive"), *items]
