"""Superlatives: the most expensive, the top five by price, born first, the most common."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from boxkit.strategies.planner.adjectives import ADJECTIVES
from boxkit.strategies.planner.containers import holder_of
from boxkit.strategies.planner.draft import GLUE, Draft, Figure, Function, Superlative
from boxkit.strategies.planner.lexicon import LIGHT_WORDS
from boxkit.strategies.planner.tagging import Item
from boxkit.strategies.planner.words import stem

__all__ = ["FUNCTIONS", "in_head", "read_superlatives"]

FUNCTIONS: dict[str, Function] = {"mean": "average", "sum": "sum", "median": "median"}
_MOST = {"max": "max", "min": "min"}


def in_head(draft: Draft, place: int) -> bool:
    """Whether nothing that is asked for stands before: then ``the highest price`` is itself asked for."""
    for item in draft.items[:place]:
        if item.kind == "mention" and item.is_schema and not item.is_value:
            if any(item is group for group in draft.groups):
                # "for each city, the highest price": by what is grouped is not what is asked for.
                continue
            return False
        if item.kind in ("count",) or item.text.lower() == "who":
            return False
        if item.kind == "mention" and item.is_value and _has(draft.at(draft.items.index(item) + 1)):
            # "village with the least area" asks for the village.
            return False
    return True


def _has(item: Item | None) -> bool:
    return item is not None and item.text.lower() in ("with", "having", "that has", "whose")


def read_superlatives(draft: Draft) -> None:
    """``the most expensive book``, ``the 3 largest``, ``has the most books``, ``born first``."""
    for place, item in enumerate(draft.items):
        if item.used:
            continue
        if item.kind == "first":
            _read_first(draft, place)
        elif item.kind == "frequent" or (item.adjective == "popular" and not _is_measured(draft, "popular")):
            _read_frequent(draft, place)
        elif item.kind in ("superlative", "extreme"):
            _read_superlative(draft, place)


def _is_measured(draft: Draft, adjective: str) -> bool:
    known = ADJECTIVES[adjective]
    measures = {*known.large, *known.small}
    return any(each.is_ordered and measures & set(each.stems) for each in draft.index.fields.values())


def _number_beside(draft: Draft, place: int) -> Item | None:
    """``3 most expensive``, ``top 3``, ``3 books with the highest``: how many are wanted."""
    for at in (draft.before(place, frozenset(("empty",))), draft.after(place, frozenset(("empty",)))):
        number = draft.free(at, "number")
        if number is not None and number.text.lower() == "one" and at > place:
            # "the dearest one" is not one of those that tie.
            number.used = True
            continue
        if number is not None and isinstance(number.literal, int):
            return number
    for at, number in enumerate(draft.items[:place]):
        before = draft.at(draft.before(at, frozenset(("empty",))))
        following = draft.schema(draft.after(at, frozenset(("empty",))))
        if number.kind != "number" or number.used or following is None or not isinstance(number.literal, int):
            continue
        if before is None or before.kind in ("of", "relative", "extreme", "first"):
            return number
    return None


def _direction(value: str) -> Literal["max", "min"]:
    return "min" if value == "min" else "max"


def _read_superlative(draft: Draft, place: int) -> None:
    item = draft.items[place]
    number = _number_beside(draft, place)
    found = _superlative_of(draft, place, item, number.literal if number else None)
    for each in draft.items[place + 1 :] if found else ():
        # "the most pages in total" says again that they are added up.
        said = each.kind == "sum" and each.text.lower() in ("in total", "in all", "altogether", "all together")
        each.used = each.used or (said and draft.superlatives[-1].figure.summed)
    if found and number is not None:
        number.used = True
        top = draft.free(draft.before(draft.items.index(number), frozenset(("empty",))), "extreme", "first")
        if top is not None:
            top.used = True
    if item.used and draft.superlatives:
        draft.superlatives[-1] = replace(draft.superlatives[-1], holder=holder_of(draft, place))


def _superlative_of(draft: Draft, place: int, item: Item, count: int | None) -> bool:
    """Whether there is a superlative here; it is added to the draft."""
    direction = _direction(item.value)
    at = draft.after(place, frozenset(("empty", "of", "number")))
    operator = draft.free(at, "mean", "sum", "median", "count")
    function: Function = ""
    if operator is not None:
        at = draft.after(at, frozenset(("empty", "of")))
        function = "count" if operator.kind == "count" else FUNCTIONS[operator.kind]
    counted = function == "count" or any(word in item.text.lower().split() for word in ("number", "count", "amount"))
    while (value := draft.value(at)) is not None and value.is_value:
        at += 1
    mention = draft.schema(at)
    following = draft.schema(at + 1)
    if mention is not None and mention.links[0].kind == "box" and following is not None and draft.is_ordered(following):
        mention, at = following, at + 1
    head = in_head(draft, place)
    most = item.kind == "extreme" and item.text.lower().split()[-1] in ("most", "least", "fewest")
    dated = mention is not None and most and _is_date_of_many(draft, mention)
    if mention is not None and draft.is_ordered(mention) and not draft.is_thing(mention) and not dated:
        if head and count is None and operator is None and not _describes(draft, item, at):
            return False
        _take(item, operator, mention)
        function = "" if function == "count" else function
        draft.superlatives.append(
            Superlative(
                Figure(function, mention, adjective=item.adjective, direction=direction, summed=most), direction, count
            )
        )
        return True
    if item.kind == "superlative" and not counted:
        measure = _measure_named(draft, at if mention is not None else place)
        if measure is None and mention is None and item.adjective in ("early", "late", "recent"):
            # "founded earliest", "hired most recently"
            before = _measure_before(draft, place)
            measure = before if before is not None and not draft.is_thing(before) else None
        _take(item, operator, measure)
        figure = Figure("", measure, adjective=item.adjective, direction=direction)
        draft.superlatives.append(Superlative(figure, direction, count))
        return True
    if mention is None:
        mention = _measure_before(draft, place)
        if mention is None:
            return False
        _take(item, operator, mention)
        draft.superlatives.append(Superlative(Figure("", mention, summed=most), direction, count))
        return True
    if (head or item.text.lower().endswith(("top", "bottom"))) and not counted:
        # ``top 5 books by price``
        measure = _measure_named(draft, at)
        if measure is None:
            counts = _count_named(draft, at)
            if counts is not None:
                _take(item, *counts)
                amount = draft.is_measure(counts[0]) and not draft.is_thing(counts[0])
                function = FUNCTIONS.get(counts[1].kind, "" if amount else "count")
                draft.superlatives.append(Superlative(Figure(function, counts[0]), direction, count))
            return counts is not None
        _take(item, operator, measure)
        draft.superlatives.append(Superlative(Figure("", measure), direction, count))
        return True
    _take(item, operator, mention)
    draft.superlatives.append(Superlative(Figure("count", mention), direction, count))
    return True


def _describes(draft: Draft, item: Item, at: int) -> bool:
    """``the youngest independent country``: the mention says which country, and is not what is asked for."""
    following = draft.schema(at + 1)
    return item.kind == "superlative" and following is not None and following.links[0].kind == "box"


def _is_date_of_many(draft: Draft, mention: Item) -> bool:
    """``most orders``, where only a date is called so: they are counted, whenever they were."""
    top = mention.links[0]
    dated = top.kind == "field" and draft.index.fields[top.place].kind == "date"
    return dated and mention.text.lower().endswith("s") and top.how == "part"


def _take(*items: Item | None) -> None:
    for item in items:
        if item is not None:
            item.used = True


def _measure_named(draft: Draft, place: int) -> Item | None:
    """``by pages``, ``in terms of price``, ``with respect to age`` behind the noun."""
    for at in range(place + 1, min(place + 5, len(draft.items))):
        item = draft.items[at]
        if item.kind == "preposition" and item.text.lower() in ("by", "in"):
            mention = draft.schema(draft.after(at, GLUE | {"word"}))
            year = draft.at(draft.after(at, GLUE))
            if mention is None and year is not None and year.kind == "number":
                # "by 2020 population"
                mention = draft.schema(draft.items.index(year) + 1)
            if mention is not None and draft.is_ordered(mention) and not draft.is_thing(mention):
                for word in draft.items[at : draft.items.index(mention)]:
                    word.used = word.used or word.kind == "word"
                return mention
    return None


def _count_named(draft: Draft, place: int) -> tuple[Item, Item] | None:
    """``by number of plants``, ``by plant count``, ``by total fee`` behind the noun: what is counted, and its word."""
    for at in range(place + 1, min(place + 4, len(draft.items))):
        if draft.items[at].kind != "preposition" or draft.items[at].text.lower() != "by":
            continue
        first = draft.after(at, frozenset(("empty",)))
        count, mention = (
            draft.free(first, "count", *FUNCTIONS),
            draft.schema(draft.after(first, frozenset(("empty", "of")))),
        )
        if count is not None and mention is not None:
            return mention, count
        mention, count = draft.schema(first), draft.free(first + 1, "count")
        if count is not None and mention is not None:
            return mention, count
    return None


def _measure_before(draft: Draft, place: int) -> Item | None:
    """``costs the most``: the mention just in front."""
    mention = draft.schema(draft.before(place, frozenset(("empty", "relative", "preposition"))))
    return mention if mention is not None and draft.is_ordered(mention) else None


def _read_first(draft: Draft, place: int) -> None:
    """``born first``, ``the last founded``."""
    item = draft.items[place]
    before = _measure_before(draft, place)
    at = draft.after(place, GLUE)
    while (light := draft.at(at)) is not None and light.kind == "word" and stem(light.value) in LIGHT_WORDS:
        at = draft.after(at, GLUE)
    after = draft.schema(at)
    asks_when = {"when", "year", "date", "day"} & {each.text.lower() for each in draft.items[:place]}
    to_be = _dated_behind(draft, at) if after is not None and after.only("box") and not asks_when else None
    if to_be is not None:
        _take(item, to_be)
        draft.superlatives.append(Superlative(Figure("", to_be), _direction(item.value)))
    elif before is not None and not draft.is_thing(before) and not _is_asked(draft, before):
        _take(item, before)
        draft.superlatives.append(Superlative(Figure("", before), _direction(item.value)))
    elif after is not None and draft.is_ordered(after) and not draft.is_thing(after) and not in_head(draft, place):
        _take(item, after)
        draft.superlatives.append(Superlative(Figure("", after), _direction(item.value)))


def _is_asked(draft: Draft, mention: Item) -> bool:
    """``in what year was the first …``: the year is asked for, and not what comes first by it."""
    asking = draft.at(draft.items.index(mention) - 1)
    return asking is not None and asking.text.lower().split()[-1] in ("what", "which")


def _dated_behind(draft: Draft, place: int) -> Item | None:
    """``the first book to be published``: the mention of a time right behind the thing."""
    mention = draft.schema(draft.after(place, frozenset(("empty", "preposition"))))
    if mention is None or draft.is_thing(mention) or not draft.is_ordered(mention):
        return None
    return (
        mention
        if any(draft.index.fields[link.place].kind in ("date", "year") for link in mention.only("field"))
        else None
    )


def _read_frequent(draft: Draft, place: int) -> None:
    """``the most common genre``: the thing named, by how many rows have it."""
    item = draft.items[place]
    number = _number_beside(draft, place)
    if number is not None:
        number.used = True
    item.used = True
    counted = None
    for at in range(place + 1, len(draft.items)):
        mention = draft.schema(at)
        before = draft.at(draft.before(at, frozenset(("empty",))))
        if (
            mention is not None
            and mention.only("box")
            and before is not None
            and before.kind in ("preposition", "of", "count")
        ):
            before.used = True
            counted = mention
    if counted is not None:
        counted.used = True
    adjacent = draft.schema(draft.after(place, frozenset(("empty",))))
    if adjacent is not None and not in_head(draft, place):
        # "the parties with the most common form": what is most common is not what is asked for.
        draft.doubts.append(f"the rows with the most common {adjacent.text!r}")
    figure = Figure("count", counted, summed=item.text.lower().endswith(("prolific", "productive")))
    draft.superlatives.append(Superlative(figure, _direction(item.value), number.literal if number else None))
