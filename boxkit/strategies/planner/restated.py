"""A question that is asked twice in other words: ``Who earns the most? Name the three best-paid people.``"""

from __future__ import annotations

from collections.abc import Sequence

from boxkit.strategies.planner.adjectives import ADJECTIVES
from boxkit.strategies.planner.lexicon import LIGHT_WORDS
from boxkit.strategies.planner.tagging import Item
from boxkit.strategies.planner.words import name_words, stem

__all__ = ["without_first_wording"]

_TOLD = frozenset("name list give show tell find identify state which what".split())
#: A sentence with one of them leans on the one before it.
_POINTS = frozenset("it its they them their those these he him his she her this that there".split())
_SILENT = frozenset(("empty", "mark", "relative", "preposition", "of"))
_ENDS = frozenset(("superlative", "extreme"))


def without_first_wording(items: list[Item]) -> list[Item]:
    """The second of two sentences, where the first asks for nothing that it does not say; else all items."""
    ends = [at for at, item in enumerate(items) if item.kind == "mark" and item.value in ("?", ".")]
    inner = [at for at in ends if at + 1 < len(items)]
    if len(inner) != 1:
        return items
    first, second = items[: inner[0]], items[inner[0] + 1 :]
    words = {word for item in second for word in item.text.lower().split()}
    ended = any(item.kind in _ENDS for item in second)
    if second[0].text.lower() not in _TOLD or words & _POINTS or not ended:
        return items
    return second if all(_is_said(item, first, second) for item in first) else items


def _is_said(item: Item, first: Sequence[Item], second: Sequence[Item]) -> bool:
    """Whether an item of the first sentence is in the second too."""
    if item.kind in _SILENT:
        return True
    if item.kind == "word":
        return stem(item.value) in LIGHT_WORDS
    if item.kind in _ENDS:
        alike = (each for each in second if each.kind in _ENDS and each.value == item.value)
        return any(_are_alike(item.adjective, each.adjective) for each in alike)
    if item.kind == "number":
        named = {word for each in first for link in each.only("field") for word in name_words(link.field)}
        return str(item.literal) in named or any(item.literal == each.literal for each in second)
    if item.kind != "mention":
        return False
    if item.is_value:
        return any(each.is_value and each.links[0] == item.links[0] for each in second)
    said = {(link.box, link.field) for each in second for link in each.links if link.kind != "value"}
    measured = {measure for each in second if each.adjective for measure in _measures(each.adjective)}
    return any(
        (link.box, link.field) in said or measured & {stem(word) for word in name_words(link.field)}
        for link in item.links
        if link.kind != "value" and link.score >= 0.7
    )


def _are_alike(one: str, two: str) -> bool:
    """Whether two adjectives mean the same end of a measure, as "early" and "old" do; "most" goes with any."""
    if not one or not two or one == two:
        return True
    first, second = ADJECTIVES[one], ADJECTIVES[two]
    return bool(set(first.large) & set(second.large) or set(first.small) & set(second.small))


def _measures(adjective: str) -> tuple[str, ...]:
    known = ADJECTIVES.get(adjective)
    return (*known.large, *known.small) if known is not None else ()
