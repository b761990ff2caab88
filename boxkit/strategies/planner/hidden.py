"""Conditions that hide in small words: who wants, about what, set where, living or used; and figures of single rows."""

from __future__ import annotations

from collections.abc import Sequence

from boxkit.strategies.planner.index import Index
from boxkit.strategies.planner.query import Query
from boxkit.strategies.planner.tagging import Item

__all__ = ["hidden", "is_attribute", "of_single_rows"]

_WISHES = frozenset(
    "want wants wanted like likes liked need needs needed wish wishes hope hopes plan plans try".split()
)
_ASKERS = frozenset("i we you i'd we'd would 'd please one someone anyone".split())
#: In front of "about", which then says what is told of.
_TELLING = frozenset(("i", "am", "writing", "know", "information"))
_HAPPENS = frozenset("set rise rises rose begin begins start starts end ends takes took print".split())
#: Words in attributive position that only say which of them are spoken of.
_POINTING = frozenset(
    "named called listed given following remaining existing mentioned recorded registered stored including "
    "counting looking being combined united".split()
)
_TONGUES = frozenset(
    """
    english french german spanish italian portuguese dutch russian polish japanese chinese arabic turkish greek swedish
    danish finnish norwegian hungarian czech korean romanian bulgarian ukrainian vietnamese thai latin
    """.split()
)
_BEFORE = frozenset(("relative", "of", "count", "group", "superlative", "preposition", "distinct", "mean", "sum"))


def is_attribute(items: Sequence[Item], item: Item) -> bool:
    """Whether a participle stands in front of a noun and may say which: ``living authors``, ``used books``."""
    word = item.text.lower()
    if not word.endswith(("ing", "ed")) or word in _POINTING:
        return False
    place = next(at for at, each in enumerate(items) if each is item)
    before = items[place - 1] if place else None
    after = items[place + 1] if place + 1 < len(items) else None
    if before is None or after is None or after.kind != "mention" or after.is_value:
        return False
    determined = before.kind in _BEFORE or before.text.lower() in ("the", "a", "an", "all", "any", "our", "no")
    return determined and any(link.kind == "box" for link in after.links)


def hidden(items: Sequence[Item], index: Index) -> str | None:
    """The first small word that says something which no query holds; None where there is none."""
    for place, item in enumerate(items):
        word = item.text.lower()
        before = [each.text.lower() for each in items[max(0, place - 3) : place]]
        after = items[place + 1] if place + 1 < len(items) else None
        if item.used or not before:
            continue
        value = after if after is not None and after.kind == "mention" and after.is_value else None
        if word in _WISHES and item.kind in ("empty", "word") and not _ASKERS & {w for b in before for w in b.split()}:
            return f"could not place {item.text!r}"
        if word == "about" and value is not None and not _TELLING & set(before):
            return f"whether something is 'about' {value.text!r}"
        if word in _HAPPENS and after is not None and after.text.lower() in ("in", "at", "on"):
            following = next((each for each in items[place + 2 :] if each.kind != "empty"), None)
            if following is not None and following.is_value:
                return f"could not place {item.text!r}"
        if word == "print" and before[-1] in ("of", "in"):
            return "could not place 'print'"
        if word == "in" and value is not None and value.text.lower() in _TONGUES and value.links[0].how == "place":
            noun = items[place + 2] if place + 2 < len(items) else None
            if noun is None or noun.kind != "mention":
                return f"whether {value.text!r} is a language"
        if _done_by_another(item, items[place + 1 : place + 4], index):
            return f"who {item.text!r} it"
    return None


def _done_by_another(item: Item, following: Sequence[Item], index: Index) -> bool:
    """``founded by Norway``, where a date is called so and Norway is tied to it in some other way."""
    rest = [each for each in following if each.kind != "empty"]
    if item.kind != "mention" or item.is_value or len(rest) < 2 or rest[0].text.lower() != "by":
        return False
    if not item.text.lower().endswith("ed") or not rest[1].is_value:
        return False
    top = item.links[0]
    dated = top.kind == "field" and index.fields[top.place].kind in ("date", "year")
    return dated and not {link.box for link in item.links} & {link.box for link in rest[1].only("value")}


def of_single_rows(items: Sequence[Item], query: Query, index: Index) -> str | None:
    """``For each title, the average of pages``: a figure of one row each is not what anybody asks for."""
    made = [output.measure for output in query.outputs if output.measure.function]
    if not query.is_grouped or not made or any(item.kind == "group" for item in items):
        return None
    named = [
        place for place in query.groups if place.field in index.naming.get(place.box, ()) or index.fields[place].unique
    ]
    if named and all(measure.box == named[0].box for measure in made):
        return f"a figure of each {named[0].field!r} is one of a single row"
    return None
