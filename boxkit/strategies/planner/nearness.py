"""Words that no name resembles, tied by an embedding to the fields whose names mean something near."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from boxkit.strategies.planner.index import Index
from boxkit.strategies.planner.lexicon import EMPTY_WORDS, LIGHT_WORDS
from boxkit.strategies.planner.linking import Link
from boxkit.strategies.planner.tagging import Item
from boxkit.strategies.planner.words import stem

if TYPE_CHECKING:
    from boxkit.memory import Embedding

__all__ = ["near_fields"]

#: A field whose name is less near to a word is not meant by it.
_NEAR = 0.55
_MAX_FIELDS = 3
_MIN_CHARS = 4


def near_fields(items: Sequence[Item], index: Index, embedding: Embedding) -> list[Item]:
    """The items, with words that mean nothing else as mentions of the fields that are near to them.

    Args:
        items: The question's items.
        index: The boxes' index.
        embedding: Tells how near texts are; every field's name is embedded, and each such word.
    """
    at = [place for place, item in enumerate(items) if _is_open(item)]
    fields = [known for known in index.fields.values() if known.words and not known.refers]
    if not at or not fields:
        return list(items)
    names = embedding.documents([" ".join(known.words) for known in fields])
    nearness = embedding.queries([items[place].text for place in at]) @ names.T
    found = list(items)
    for place, near in zip(at, nearness, strict=True):
        order = sorted(range(len(fields)), key=lambda each: -float(near[each]))[:_MAX_FIELDS]
        links = tuple(
            Link("field", fields[each].place.box, min(0.8, float(near[each])), fields[each].place.field, how="near")
            for each in order
            if near[each] >= _NEAR
        )
        if links:
            found[place] = replace(items[place], kind="mention", links=links)
    return found


def _is_open(item: Item) -> bool:
    word = item.value
    return item.kind == "word" and len(word) >= _MIN_CHARS and word not in EMPTY_WORDS and stem(word) not in LIGHT_WORDS
