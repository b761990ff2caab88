"""What a question says besides: what it is for, a group between commas, a count that is asked for twice."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from boxkit.strategies.planner.restated import without_first_wording
from boxkit.strategies.planner.tagging import Item
from boxkit.strategies.planner.thesaurus import idle_words
from boxkit.strategies.planner.words import normal, singular, stem

__all__ = ["put_aside"]

#: How an occasion begins: "for a report", "while preparing a quiz".
_OPENS = frozenset(
    """for as in while when because since preparing prepare planning plan writing write doing making working organising
    organizing designing editing updating""".split()
)
_ABOUT = frozenset(("on", "about", "concerning", "regarding", "covering"))
#: What an occasion may consist of; a figure or a comparison in it is more than an occasion.
_TIES = frozenset(("empty", "word", "mention", "preposition", "of", "and", "relative"))
_NOTHING = frozenset(("empty", "mark", "group", "relative", "preposition", "of"))
_ASKING = frozenset("which what who whose list show give name find tell in for of".split())
_FIGURES = frozenset(("count", "mean", "sum", "median", "extreme"))
#: An occasion of more words and marks than this is a clause of its own.
_MAX_OCCASION = 14


def put_aside(items: list[Item]) -> list[Item]:
    """The items, those said besides made empty or put where they are plain.

    Args:
        items: The question's items; they are changed.
    """
    items = without_first_wording(items)
    _occasion(items)
    _pointing_tail(items)
    items = _asked_behind(items)
    _shared(items)
    items = _between_commas(items)
    items = _counted_again(items)
    _dangling_group(items)
    return items


def _occasion(items: Sequence[Item]) -> None:
    """``For a quiz on Kazakhstan, …``: what the answer is for is no condition; what that is about may be one."""
    end = next(
        (at for at, item in enumerate(items) if item.kind == "mark" and item.value in (",", ":", "–", "—")), None
    )
    if end is None or end > _MAX_OCCASION or items[0].text.lower() not in _OPENS:
        return
    clause, rest = items[:end], items[end + 1 :]
    named = any(item.kind == "word" and _is_occasion(item) for item in clause)
    rest_says = any(item.kind == "mention" for item in rest)
    if not (named and rest_says) or not all(item.kind in _TIES or item.value[:1] in ("'", "’") for item in clause):
        return
    about = False
    for item in clause:
        if item.kind == "preposition":
            about = item.text.lower() in _ABOUT
        if item.kind == "word" or (item.kind == "mention" and not about and item.text.islower()):
            item.kind, item.links = "empty", ()


def _pointing_tail(items: Sequence[Item]) -> None:
    """``Norway's capital - which city is that?``: the tail asks for what was named, and for no more."""
    end = len(items)
    while end and items[end - 1].kind == "mark":
        end -= 1
    start = next((at for at in range(end - 1, 0, -1) if items[at].kind == "mark" or items[at].text in ("-", "–")), None)
    if start is None or items[end - 1].text.lower() not in ("that", "it", "this", "he", "she", "they"):
        return
    tail = items[start + 1 : end]
    asks = bool(tail) and tail[0].text.lower() in ("which", "what", "who")
    named = any(item.kind == "mention" for item in items[:start])
    if asks and named and len(tail) <= 4 and all(item.kind in ("relative", "empty", "word") for item in tail):
        for item in tail:
            item.kind = "empty"


def _asked_behind(items: list[Item]) -> list[Item]:
    """``Ulm is the seat of which firms?`` is "which firms is Ulm the seat of?"."""
    end = len(items)
    while end and items[end - 1].kind == "mark":
        end -= 1
    if end < 4 or any(item.kind in (*_FIGURES, "group", "superlative", "mark") for item in items[: end - 1]):
        return items
    asking, thing = items[end - 2], items[end - 1]
    said = asking.text.lower().split()[-1] in ("which", "what") and asking.kind in ("relative", "empty")
    front = items[0].text.lower() in _ASKING or items[0].kind == "relative"
    # A verb is no thing: "the firm is based in which city?"
    earlier = any(
        item.kind == "mention" and item.is_schema and not item.is_value and items[at - 1].text.lower() == "the"
        for at, item in enumerate(items[: end - 2])
    )
    if not said or front or not earlier or thing.kind != "mention" or not thing.only("box"):
        return items
    return [asking, thing, *items[: end - 2], *items[end:]]


def _is_occasion(item: Item) -> bool:
    word = singular(item.value.removesuffix("'s").removesuffix("’s"))
    return stem(word) in idle_words()["occasion"]


def _shared(items: Sequence[Item]) -> None:
    """``countries share borders``, ``which tracks share``: a verb that only ties, and no share of anything."""
    for at, item in enumerate(items):
        if item.kind != "share" or item.text.lower() != "share" or at == 0:
            continue
        before, after = items[at - 1], items[at + 1] if at + 1 < len(items) else None
        plural = before.kind == "mention" and before.text.lower().endswith("s") and "'" not in before.text
        if plural and (after is None or after.kind != "of"):
            item.kind = "empty"


def _between_commas(items: list[Item]) -> list[Item]:
    """``count, genre by genre, the tracks``: the group goes behind what is counted."""
    marks = [at for at, item in enumerate(items) if item.kind == "mark" and item.value in (",", "–", "—")]
    for one, two in pairwise(marks):
        span = items[one + 1 : two]
        begins = any(item.kind in _FIGURES for item in items[:one])
        if not (begins and span and span[0].kind == "group" and 1 < len(span) <= 4):
            continue
        if any(item.kind not in ("group", "mention", "empty") or item.is_value for item in span):
            continue
        rest = items[two + 1 :]
        end = next((at for at, item in enumerate(rest) if item.kind == "mark"), len(rest))
        return [*items[:one], *rest[:end], *span, *rest[end:]]
    return items


def _counted_again(items: list[Item]) -> list[Item]:
    """``books per genre and give the number of books for each``: what is said of each group is its count, once."""
    counts = [at for at, item in enumerate(items) if item.kind == "count"]
    if not counts or len(counts) > 2 or any(items[at].value == "distinct" for at in counts):
        return items
    last = counts[-1]
    first = counts[0] if len(counts) == 2 else -1
    thing = next((item for item in items[first + 1 : last] if item.kind == "mention" and not item.is_value), None)
    rest = items[last + 1 :]
    again = any(_same(item, thing) for item in rest) if thing is not None else False
    # "tracks per genre, how many there are"
    leads = all(item.kind == "empty" for item in items[: items.index(thing)]) if thing is not None else False
    again = again or (items[last].value == "each" and leads)
    if thing is None or not any(item.kind == "group" for item in items[first + 1 : last]) or (first < 0 and not again):
        return items
    if not all(item.kind in _NOTHING or _same(item, thing) for item in rest):
        return items
    begin = last
    while begin > first + 1 and items[begin - 1].kind in ("empty", "and", "each_other", "mark"):
        begin -= 1
    grouped = next(at for at in range(first + 1, last) if items[at].kind == "group")
    if sum(item.kind == "mention" for item in items[grouped:begin]) > 1:
        # "… each role? List its code and the number of …": more is to be shown.
        return items
    ends = [item for item in items[begin:] if item.kind == "mark" and item.value in ".?!"][-1:]
    counted = Item("count", items[last].text, items[last].lo, items[last].hi)
    return [*([counted] if first < 0 else []), *items[:begin], *ends]


def _same(one: Item, two: Item) -> bool:
    return one.kind == "mention" and singular(normal(one.text)) == singular(normal(two.text))


def _dangling_group(items: Sequence[Item]) -> None:
    """``per country … in each``: "each" of what the groups are made by already."""
    groups = [at for at, item in enumerate(items) if item.kind == "group"]
    if len(groups) < 2:
        return
    last = groups[-1]
    if items[last].text.lower().split()[-1] in ("each", "every") and all(
        item.kind in ("mark", "empty") for item in items[last + 1 :]
    ):
        items[last].kind = "empty"
