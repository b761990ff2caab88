"""Conditions: more than, between, before, in a year, equal to a value, containing a text, above the average."""

from __future__ import annotations

from typing import Any

from boxkit.strategies.planner.adjectives import ADJECTIVES
from boxkit.strategies.planner.draft import GLUE, Clause, Draft, Figure, Function
from boxkit.strategies.planner.tagging import Item
from boxkit.strategies.planner.units import unit_of

__all__ = ["read_averages", "read_comparisons", "read_exceeding", "read_numbers", "read_texts"]

_FUNCTIONS: dict[str, Function] = {"mean": "average", "sum": "sum", "median": "median"}
_UNITS = frozenset(
    """
    euro euros dollar dollars usd eur pound pounds year years old km kilometers kilometres kilometer kilometre
    miles mile meters metres feet inches kg kilos percent % minutes hours seconds days square degrees cm m
    people lbs mph
    """.split()
)
_CURRENCIES = {"$": "dollar", "€": "euro", "£": "sterling"}
_POSSESS = frozenset(("have", "has", "had", "having", "with"))
_ENDS = {">": "<", "<": ">"}
_TIMES = frozenset("before after since until year during till prior earlier later following preceding ahead".split())


def read_comparisons(draft: Draft) -> None:
    """``more than 3 books``, ``price above 40``, ``born before 1950``, ``between 10 and 20 pages``."""
    for place, item in enumerate(draft.items):
        if item.used or item.kind not in ("compare", "between"):
            continue
        last, literal = _literal(draft, place)
        if literal is None:
            continue
        operator = "between" if item.kind == "between" else item.value
        after = draft.after(last, frozenset(("empty",)))
        following = draft.at(after)
        if following is not None and following.kind == "orequal" and not following.used:
            operator, following.used = following.value, True
        item.used = True
        for taken in draft.items[place : last + 1]:
            taken.used = taken.used or taken.kind in ("number", "date", "and", "preposition", "word", "direction")
        _attach(draft, place, last, operator, literal)


def _is_year(literal: Any) -> bool:
    return isinstance(literal, int) and 1000 <= literal <= 2100


def _literal(draft: Draft, place: int) -> tuple[int, Any]:
    """The number or date compared with, or a pair of them for ``between``, and the place of the last one."""
    first = draft.after(place, GLUE | {"word", "mark"}) if draft.items[place].kind == "between" else draft.after(place)
    start = draft.at(first)
    if start is None or start.kind not in ("number", "date"):
        return place, None
    if draft.items[place].kind != "between":
        return first, start.literal
    second = draft.after(first, GLUE | {"and", "word", "direction", "mark"})
    end = draft.at(second)
    if end is None or end.kind not in ("number", "date"):
        return place, None
    return second, (start.literal, end.literal)


def _attach(draft: Draft, place: int, last: int, operator: str, literal: Any) -> None:
    item = draft.items[place]
    first = literal[0] if isinstance(literal, tuple) else literal
    is_year = isinstance(first, int) and 1000 <= first <= 2100 and item.kind == "between"
    dated = bool(_TIMES & set(item.text.lower().split())) or isinstance(first, str) or is_year
    adjective = item.adjective or _old(draft, last)
    if item.adjective in ("late", "early") and (isinstance(first, str) or (_is_year(first) and operator in _ENDS)):
        # "later than 1990" is about a time, whatever it is called.
        operator = {"late": operator, "early": _ENDS.get(operator, operator)}[item.adjective]
        adjective, dated = "", True
    negated = draft.is_negated(place)
    left = _left_subject(draft, place)
    if item.adjective and left is not None and left.links[0].kind == "box":
        # "students older than 20": a student is who is old, whatever fields have students in their names.
        left = None
    right = _right_subject(draft, last)
    things = left is not None and left.links[0].kind == "box" and right is not None and draft.is_measure(right)
    ordered = left is not None and draft.is_ordered(left) and not _is_aggregated(draft, left)
    if right is not None and (things or not ordered):
        figure = Figure("count", right) if draft.is_thing(right) else None
        if figure is None and not draft.is_ordered(right):
            figure = Figure("count", right)
        right.used = True
        graded = "" if figure is not None else adjective
        draft.clauses.append(
            Clause(operator, right, literal, negated=negated, figure=figure, adjective=graded, dated=dated)
        )
        return
    if left is not None:
        figure = _figure_before(draft, left)
        left.used = True
        draft.clauses.append(
            Clause(operator, left, literal, negated=negated, figure=figure, adjective=adjective, dated=dated)
        )
        return
    unit = _unit(draft, last)
    draft.clauses.append(Clause(operator, None, literal, negated=negated, adjective=adjective, dated=dated, unit=unit))


def _unit(draft: Draft, last: int) -> str:
    """The unit behind the number; a word of it costs nothing."""
    item = draft.at(last + 1)
    unit = unit_of(item.value) if item is not None and item.kind == "word" else None
    if item is not None and unit is not None:
        item.used = True
    return unit or _CURRENCIES.get(draft.items[last].text[:1], "")


def _old(draft: Draft, last: int) -> str:
    """``20 years old``, ``4000 km long``: the adjective behind the number; it is taken up."""
    for item in draft.items[last + 1 : last + 4]:
        if item.kind == "word" and item.value in ADJECTIVES:
            item.used = True
            return item.value
        if item.kind not in ("word", "empty", "orequal") and not (item.kind == "mention" and item.is_schema):
            break
    return ""


def _left_subject(draft: Draft, place: int) -> Item | None:
    """The mention just in front: ``price above``, ``cost more than``, ``whose age is over``."""
    at = draft.before(place, frozenset(("empty", "relative", "not", "mark", "and", "of")))
    if (priced := draft.at(at)) is not None and priced.text.lower() in ("at", "for"):
        # "priced at more than 20"
        at = draft.before(at, frozenset(("empty",)))
    item = draft.schema(at)
    if item is None or any(each.text.lower() in _POSSESS for each in draft.items[at + 1 : place]):
        return None
    if draft.is_ordered(item):
        return item
    count = draft.at(draft.before(at, frozenset(("empty",))))
    return item if count is not None and count.kind == "count" and not count.used and at > 2 else None


def _is_aggregated(draft: Draft, item: Item) -> bool:
    return _figure_before(draft, item, peek=True) is not None


def _figure_before(draft: Draft, item: Item, peek: bool = False) -> Figure | None:
    """Whether the mention stands behind ``average``, ``total`` or ``number of``: then its groups are compared."""
    place = draft.items.index(item)
    at = draft.before(place, frozenset(("empty", "of")))
    operator = draft.at(at)
    if operator is None or operator.used or operator.kind not in ("mean", "sum", "median", "count"):
        return None
    # At the head of the question it is what is asked for.
    if draft.before(at, frozenset(("empty",))) < 0:
        return None
    if not peek:
        operator.used = True
    if operator.kind == "count":
        return Figure("count", item)
    return Figure(_FUNCTIONS[operator.kind], item)


def _right_subject(draft: Draft, last: int) -> Item | None:
    """The mention behind the number: ``20 pages``, ``3 different fantasy books``."""
    at = last + 1
    while (item := draft.at(at)) is not None:
        if (
            item.kind in ("empty", "distinct", "orequal")
            or (item.kind == "word" and item.value in _UNITS)
            or item.kind == "measure"
        ):
            if item.kind == "word":
                item.used = True
            at += 1
            continue
        if (measured := _said_of(draft, at, last)) is not None:
            return measured
        if item.kind == "mention" and item.is_value and draft.schema(at + 1) is not None:
            at += 1
            continue
        break
    item = draft.schema(at)
    if item is None:
        return None
    return item


def _said_of(draft: Draft, at: int, last: int) -> Item | None:
    """``over 100 cm in height``: the measure behind the unit."""
    item = draft.items[at]
    unit = draft.items[at - 1]
    if item.kind != "preposition" or item.text.lower() != "in" or at - 1 == last or unit_of(unit.value) is None:
        return None
    mention = draft.schema(draft.after(at, frozenset(("empty",))))
    return mention if mention is not None and draft.is_measure(mention) else None


def read_averages(draft: Draft) -> None:
    """``above the average [price]``, ``older than average``."""
    for place, item in enumerate(draft.items):
        if item.used:
            continue
        operator = item.value if item.kind == "aboveaverage" else ""
        adjective = item.adjective
        last = place
        if item.kind == "exceed":
            mean = draft.at(draft.after(place))
            if mean is None or mean.kind != "mean" or mean.used:
                continue
            operator, last = item.value, draft.after(place)
            mean.used = True
        if not operator:
            continue
        right = draft.schema(draft.after(last, GLUE))
        left = _left_subject(draft, place)
        subject = next((each for each in (right, left) if each is not None and draft.is_ordered(each)), None)
        item.used = True
        for each in (left, right):
            if each is not None and draft.is_ordered(each):
                each.used = True
        draft.clauses.append(Clause("average", subject, comparison=operator, adjective=adjective))


def read_exceeding(draft: Draft) -> None:
    """``larger than France``, ``more pages than 'Silent River'``: compared with another row's value."""
    for place, item in enumerate(draft.items):
        if item.used or item.kind != "exceed":
            continue
        at = draft.after(place)
        other = draft.value(at)
        if other is None or not other.is_value:
            continue
        item.used = other.used = True
        draft.clauses.append(Clause("exceed", None, value=other, adjective=item.adjective, comparison=item.value))


def read_texts(draft: Draft) -> None:
    """``contains the word 'Silent'``, ``starts with S``."""
    for place, item in enumerate(draft.items):
        if item.used or not (item.kind == "contain" or _is_had(draft, place)):
            continue
        at = draft.after(place)
        text = draft.at(at)
        if text is None or text.used or text.kind not in ("quoted", "mention", "word"):
            continue
        literal = text.literal if isinstance(text.literal, str) else text.text
        subject = draft.schema(draft.before(place, frozenset(("empty", "relative"))))
        right = draft.schema(draft.after(at, frozenset(("empty", "preposition", "of"))))
        beside = draft.at(draft.after(at, frozenset(("empty",))))
        if right is not None and beside is not None and beside.text.lower() in ("in", "as") and right.only("field"):
            subject = right
        item.used = text.used = True
        if subject is not None:
            subject.used = True
        negated = draft.is_negated(place)
        draft.clauses.append(Clause(item.value or "contains", subject, literal, negated=negated))


def _is_had(draft: Draft, place: int) -> bool:
    """``have an "a" in their names``: a text that is in another."""
    at = draft.after(place, frozenset(("empty",)))
    text, into = draft.at(at), draft.at(draft.after(at, frozenset(("empty",))))
    quoted = text is not None and (text.kind == "quoted" or (text.is_value and len(text.text) == 1))
    named = draft.schema(draft.after(at, frozenset(("empty", "preposition"))))
    has = draft.items[place].text.lower() in _POSSESS
    return has and quoted and into is not None and into.text.lower() == "in" and named is not None


def read_numbers(draft: Draft) -> None:
    """Numbers and dates that stand alone: ``in 2015``, ``with 4 cylinders``, ``room 108``, ``aged 30``."""
    for place, item in enumerate(draft.items):
        if item.used or item.kind not in ("number", "date") or _is_in_a_name(draft, item):
            continue
        if item.text.lower() == "one" and _right_subject(draft, place) is None:
            # "the one with the highest price"
            item.used = True
            continue
        left = draft.schema(draft.before(place, frozenset(("empty", "preposition", "relative"))))
        if left is not None and not any(link.score >= 0.6 for link in left.only("field")):
            left = None
        between = draft.items[draft.items.index(left) : place] if left is not None else []
        if any(each.text.lower() in _POSSESS for each in between) and _right_subject(draft, place) is not None:
            # "countries that have five or more customers"
            left = None
        if left is None and (right := _right_subject(draft, place)) is not None:
            item.used = right.used = True
            figure = Figure("count", right) if not draft.is_ordered(right) else None
            draft.clauses.append(Clause(_or_equal(draft, place), right, item.literal, figure=figure))
            continue
        is_year = item.kind == "date" or (isinstance(item.literal, int) and 1000 <= item.literal <= 2100)
        if left is None and not is_year:
            continue
        item.used = True
        if left is not None and not _is_target(left):
            left.used = True
        negated = draft.is_negated(place)
        draft.clauses.append(Clause(_or_equal(draft, place), left, item.literal, negated=negated, dated=is_year))


def _is_in_a_name(draft: Draft, item: Item) -> bool:
    """``population in 2020``, where a field is called so; the search sees whether that field is meant."""
    written = str(item.literal)
    return len(written) == 4 and any(written in known.words for known in draft.index.fields.values())


def _is_target(item: Item) -> bool:
    return item.links[0].kind == "box" and item.links[0].how == "exact"


def _or_equal(draft: Draft, place: int) -> str:
    following = draft.at(draft.after(place))
    if following is not None and following.kind == "orequal" and not following.used:
        following.used = True
        return following.value
    return "="
