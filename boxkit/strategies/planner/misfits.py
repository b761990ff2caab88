"""Readings that the question's words cannot mean: two ends at once, a figure for people, the other end of a way."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from boxkit.box import BoxSet
from boxkit.strategies.planner.index import Index
from boxkit.strategies.planner.joins import Joins, Step
from boxkit.strategies.planner.lexicon import DIRECTIONS, PLACE_WORDS
from boxkit.strategies.planner.query import Query, is_apart
from boxkit.strategies.planner.search import Candidate
from boxkit.strategies.planner.tagging import Item
from boxkit.strategies.planner.unsaid import attribute, counts_one, everything, odd_measure, other_name, total_rows
from boxkit.strategies.planner.words import normal, stem

__all__ = ["misfit"]

_LIVES = re.compile(r"\b(?:lives?|lived|living|resid(?:es?|ed|ing)|dwell\w*|born|based)\b")
_BUT_ONE = re.compile(r"\b(?:but|bar) (?:one|two|three|\d)\b|\bnext to last\b|\brunners? up\b")
_SO_DID = re.compile(r"\b(?:so|neither|nor) (?:did|do|does|has|have|was|were|is|are)\b")
_DIFFERENT = re.compile(r"\b(?:different|distinct|unique|various)\b")
_FIGURE = re.compile(r"[-+$€£~]?\d[\d,. ]*%?\*?")
_ARE_ALL = re.compile(
    r"(?<!what )\b(?:is|are|were|was|be) (?:all|always|entirely|without exception)\b(?! (?:the|of|our|these|those))"
)
#: What is asked for by name, and never by a figure.
_CALLED = frozenset(("people", "person", "inhabitants", *PLACE_WORDS))
_TRADED = frozenset("sell sold buy bought order purchas ship deliv rent".split())
_QUANTITIES = frozenset("quantity qty unit copy piece stock".split())
#: Nouns that stand behind a preposition and say no condition: "on record", "in all".
_SET_PHRASES = frozenset("record file total all order existence sequence general fact turn terms name list".split())
_MONEY = frozenset("euro dollar pound".split())
_UNITS_OF_TIME = frozenset("year month week day hour minute second quarter head capita".split())
_WAYS = {
    "from": DIRECTIONS["from"] | {"leav", "out", "off"},
    "to": DIRECTIONS["to"] | {"into", "land", "toward", "reach"},
}


def misfit(items: Sequence[Item], candidate: Candidate, index: Index, boxes: BoxSet, joins: Joins) -> str | None:
    """What the words say that the reading does otherwise; None where it fits them."""
    query, text = candidate.query, " ".join(normal(item.text) for item in items)
    rules: tuple[Callable[[], str | None], ...] = (
        lambda: _two_ends(query),
        lambda: _but_one(text),
        lambda: _each_of_them(text, candidate),
        lambda: _ungrouped(items, query),
        lambda: _single_rows(items, query, index),
        lambda: _other_thing(items, query, index),
        lambda: _people(items, query, index),
        lambda: _so_did(text),
        lambda: _amounts_counted(text, query, index, boxes),
        lambda: _where_from(items, candidate, joins),
        lambda: _direction(items, candidate, index),
        lambda: _state(items),
        lambda: _some_other(items),
        lambda: _unit(items),
        lambda: _happened(items, query, boxes),
        lambda: _pieces(items, candidate, index),
        lambda: _total(items, candidate, index),
        lambda: _several_amounts(items, query, index),
        lambda: _not_always(query, index, joins),
        lambda: everything(items, query),
        lambda: attribute(items),
        lambda: counts_one(items, query, index),
        lambda: other_name(items, query, index, joins),
        lambda: total_rows(items, query, index, boxes),
        lambda: odd_measure(items, query, index),
    )
    return next((why for rule in rules if (why := rule()) is not None), None)


def _two_ends(query: Query) -> str | None:
    """``the cheapest and the dearest book``: no row is both."""
    ends: dict[object, bool] = {}
    for ranking in query.rankings:
        if ranking.count != 0 and ends.setdefault(ranking.measure, ranking.descending) != ranking.descending:
            return f"the largest and the smallest {ranking.measure.field!r} are asked for at once"
    return None


def _but_one(text: str) -> str | None:
    match = _BUT_ONE.search(text)
    return f"a rank among others is not understood: could not place {match.group()!r}" if match else None


def _so_did(text: str) -> str | None:
    match = _SO_DID.search(text)
    return f"could not place {match.group()!r}" if match else None


def _amounts_counted(text: str, query: Query, index: Index, boxes: BoxSet) -> str | None:
    """``the number of balls``, where the balls are a number: that number, or a sum, and not how many differ."""
    for output in query.outputs:
        known = index.fields.get(output.measure.place)
        if output.measure.function != "count" or known is None or _DIFFERENT.search(text):
            continue
        cells = [str(cell) for cell in boxes[known.place.box].frame[known.place.field].dropna().head(200)]
        figures = sum(_FIGURE.fullmatch(cell) is not None for cell in cells)
        if known.kind != "number" and (known.kind != "text" or 2 * figures <= len(cells)):
            continue
        return f"{output.measure.field!r} is a number already, and is not counted"
    return None


def _each_of_them(text: str, candidate: Candidate) -> str | None:
    """``whose books are all over 300 pages``: not whoever has one such book."""
    match = _ARE_ALL.search(text)
    if (
        match is not None
        and candidate.tree.steps
        and not any(output.measure.function for output in candidate.query.outputs)
    ):
        return f"{match.group()!r} is a condition on all of them together, which is not understood"
    return None


def _ungrouped(items: Sequence[Item], query: Query) -> str | None:
    """``price per minute``, ``total amount per year``, and the reading makes no groups."""
    for place, item in enumerate(items[:-1]):
        rest = [each for each in items[place + 1 :] if each.kind != "empty"]
        if item.text.lower() == "per" and not query.is_grouped:
            return f"could not place '{item.text} {items[place + 1].text}'"
        if not rest or rest[0].kind != "word" or rest[0].used or stem(rest[0].value) not in map(stem, _UNITS_OF_TIME):
            continue
        if item.kind == "group" or (item.kind == "preposition" and item.text.lower() == "by"):
            return f"could not place '{item.text} {rest[0].text}'"
    return None


def _single_rows(items: Sequence[Item], query: Query, index: Index) -> str | None:
    """``the average fee per appointment``, where an appointment has one fee."""
    if not any(item.kind == "group" for item in items) or any(
        measure.function == "count" for measure in query.measures()
    ):
        return None
    made = [
        output.measure for output in query.outputs if output.measure.function in ("average", "median", "min", "max")
    ]
    for box in {measure.box for measure in made}:
        keyed = [place for place in query.groups if place.box == box and index.fields[place].unique]
        if keyed or box in query.entities:
            return f"a figure of each row of {box} is one of a single row"
    return None


def _other_thing(items: Sequence[Item], query: Query, index: Index) -> str | None:
    """``Which river flows through the most countries?``, answered by countries."""
    said = [item for item in items if item.kind not in ("mark", "empty")]
    if len(said) < 2 or said[0].text.lower() not in ("which", "what") or said[1].kind != "mention":
        return None
    asked = said[1]
    top = asked.links[0]
    if top.kind != "box" or top.score < 0.9 or top.how not in ("exact", "stem"):
        return None
    places = {output.measure.place for output in query.outputs}
    named = {link.box for link in asked.only("box")} | {link.box for link in asked.links if link.place in places}
    fields = {field for link in asked.only("field") for field in (link.field, index.fields[link.place].label)}
    if all(place.box not in named and place.field not in fields for place in places) and not asked.used:
        return f"which {asked.text!r} is asked, and the reading gives {', '.join(sorted(map(str, places)))}"
    return None


def _people(items: Sequence[Item], query: Query, index: Index) -> str | None:
    """``Which people live there?``, answered by how many they are; ``what county``, by how many there are."""
    said = [normal(item.text) for item in items if item.kind not in ("mark", "empty")]
    words = [word for item in items for word in normal(item.text).split()]
    called = {two for one, two in pairwise(words) if one in ("which", "what")} & _CALLED
    asks = said[:1] == ["who"] or bool(called)
    known = [index.fields.get(output.measure.place) for output in query.outputs]
    if "people" in called and any(item.kind == "word" and item.text.lower() == "people" for item in items):
        return "could not place 'people'"
    if asks and all(each is not None and each.kind == "number" for each in known):
        return f"{min(called, default='who')!r} is asked for by name, and the reading gives figures"
    return None


def _where_from(items: Sequence[Item], candidate: Candidate, joins: Joins) -> str | None:
    """``authors who live in London``, found by where their publishers are."""
    query = candidate.query
    shown = query.entities[0] if query.entities else query.outputs[0].measure.box
    at = next(
        (place for place, item in enumerate(items) if _LIVES.search(normal(item.text)) and not item.is_value), None
    )
    # What lives there stands in front: "where is OPEC based?"
    behind = {link.place for item in items[at + 1 :] for link in item.only("value")} if at is not None else set()
    for test in query.tests:
        if test.operator != "in" or test.via is not None or test.measure.box == shown:
            continue
        tree = joins.tree(shown, frozenset((test.measure.box,)))
        if test.measure.place in behind and tree is not None and tree.multiplies:
            return f"whether {items[at or 0].text!r} is said of {test.measure.box} or of what is asked for"
    return None


def _direction(items: Sequence[Item], candidate: Candidate, index: Index) -> str | None:
    """``flights from London``, joined by where they arrive; or by one of both ends that no word tells."""
    said = {stem(word) for item in items if not item.is_value for word in normal(item.text).split()}
    for step in candidate.tree.steps:
        way = _way(step, index)
        if way is not None and not said & _WAYS[way]:
            return f"whether {step.key.fields[0]!r} or the other end is meant"
        other = "to" if way == "from" else "from"
        if way is not None and said & _WAYS[other] and not _both_ways(candidate, index):
            before = [items[at - 1].text.lower() for at, item in enumerate(items) if at and item.is_value]
            if before and all(word == other for word in before):
                return f"whether {step.key.fields[0]!r} or the other end is meant"
    return None


def _way(step: Step, index: Index) -> str | None:
    """``to`` for a key that holds where something arrives, where its box also has where it departs; or ``from``."""
    words = {
        stem
        for field in step.key.fields
        for known in index.of_box(step.key.box)
        if known.place.field == field
        for stem in known.stems
    }
    others = {
        stem for known in index.of_box(step.key.box) if known.place.field not in step.key.fields for stem in known.stems
    }
    for way, other in (("from", "to"), ("to", "from")):
        if words & DIRECTIONS[way] and others & DIRECTIONS[other]:
            return way
    return None


def _both_ways(candidate: Candidate, index: Index) -> bool:
    return len({_way(step, index) for step in candidate.tree.steps} - {None}) > 1


def _state(items: Sequence[Item]) -> str | None:
    """``languages spoken at home``, ``rooms in use``: a condition in a light noun that nothing took up."""
    for before, item, after in _windows(items):
        word = item.text.lower()
        if before is None or item.kind != "word" or item.used or word in _SET_PHRASES or word.endswith(("ing", "ed")):
            continue
        at = items.index(item)
        if before.text.lower() in ("a", "an") and at > 1:
            before = items[at - 2]
        closed = after is None or after.kind in ("mark", "preposition", "relative", "and", "or")
        if before.kind == "preposition" and before.text.lower() in ("at", "in", "on", "under", "from") and closed:
            return f"could not place '{before.text} {item.text}'"
    return None


def _some_other(items: Sequence[Item]) -> str | None:
    """``authors who use a pen name``: something that is done with a thing, and that no reading has."""
    for at, item in enumerate(items):
        before = [each for each in items[max(0, at - 3) : at] if each.kind != "preposition"][-2:]
        if item.kind != "mention" or item.used or len(before) < 2 or before[1].text.lower() not in ("a", "an"):
            continue
        after = items[at + 1] if at + 1 < len(items) else None
        alone = after is None or after.kind not in ("mention", "of", "word")
        if alone and before[0].kind == "word" and not before[0].used:
            return f"could not place '{before[0].text} {before[1].text} {item.text}'"
    return None


def _unit(items: Sequence[Item]) -> str | None:
    """``How many people use the euro?``: no unit of an amount, but a thing."""
    for before, item, after in _windows(items):
        if item.kind != "word" or item.used or stem(item.value) not in _MONEY or before is None:
            continue
        if before.text.lower() in ("the", "a", "an") and (after is None or after.kind not in ("number", "mention")):
            return f"could not place {item.text!r}"
    return None


def _happened(items: Sequence[Item], query: Query, boxes: BoxSet) -> str | None:
    """``mountains that have been climbed``, where some have no ascent."""
    if {"where", "when"} & {item.text.lower().split()[-1] for item in items if item.text}:
        return None
    for before, item, after in _windows(items):
        if item.kind != "mention" or item.used or item.is_value or not item.text.lower().endswith(("ed", "en", "wn")):
            continue
        if (
            before is None
            or before.text.lower() not in ("been", "was", "were", "is", "are")
            or (after and after.kind != "mark")
        ):
            continue
        top = item.links[0]
        own = top.box == query.outputs[0].measure.box
        if own and top.kind == "field" and bool(boxes[top.box].frame[top.field].isna().any()):
            return f"could not place {item.text!r}"
    return None


def _pieces(items: Sequence[Item], candidate: Candidate, index: Index) -> str | None:
    """``How many desks were sold?``, counted in orders, where each order says how many."""
    query = candidate.query
    counts = [output.measure for output in query.outputs if output.measure.function == "count"]
    amounts = [
        known.place.field
        for box in (query.root, *candidate.tree.boxes)
        for known in index.of_box(box)
        if known.kind == "number" and _QUANTITIES & set(known.words)
    ]
    if not counts or not amounts:
        return None
    said = {stem(word) for item in items for word in normal(item.text).split()}
    after = next((items[at + 1] for at, item in enumerate(items[:-1]) if item.kind == "count"), None)
    if (after is not None and after.is_value) or said & {*map(stem, _TRADED), *map(stem, _QUANTITIES)}:
        return f"whether rows are counted or their {amounts[0]!r} added up"
    return None


def _total(items: Sequence[Item], candidate: Candidate, index: Index) -> str | None:
    """``total sales``, shown one by one because a field is called "total"."""
    query = candidate.query
    for item, after in zip(items, [*items[1:], None], strict=True):
        if item.kind != "mention" or "total" not in normal(item.text).split():
            continue
        places = {link.place for link in item.only("field")}
        shown = any(output.measure.place in places and not output.measure.function for output in query.outputs)
        of_one = query.tests and any(test.operator == "in" for test in query.tests)
        if shown and after is not None and after.kind in ("mention", "group") and not of_one:
            return "whether 'total' is a field or a sum"
        ranked = any(ranking.measure.place in places and not ranking.measure.function for ranking in query.rankings)
        shares = not any(index.fields[output.measure.place].unique for output in query.outputs if output.measure.field)
        if ranked and (candidate.tree.multiplies or shares):
            return "whether 'total' is a field or a sum"
    return None


def _several_amounts(items: Sequence[Item], query: Query, index: Index) -> str | None:
    """``the population of Europe``, given for every country: whatever has the value, its own amount is asked for."""
    if len(query.outputs) != 1 or query.is_grouped or query.rankings or not query.tests:
        return None
    measure = query.outputs[0].measure
    known = index.fields.get(measure.place)
    if measure.function or known is None or known.kind != "number":
        return None
    named = {test.measure.place for test in query.tests}
    things = [item for item in items if item.kind == "mention" and not item.is_value and item.only("box")]
    unique = any(
        place.field in index.naming.get(place.box, ()) or index.fields[place].unique
        for place in named
        if place in index.fields
    )
    if not things and not unique and all(test.operator == "in" for test in query.tests):
        return f"several rows have a {measure.field!r}, and one of them or their sum may be meant"
    return None


def _not_always(query: Query, index: Index, joins: Joins) -> str | None:
    """``patients who did not attend``: once, or never?"""
    for test in query.tests:
        known = index.fields.get(test.measure.place)
        if test.negated and known is not None and known.kind == "boolean" and is_apart(test, query.root, joins):
            return f"whether {test.measure.field!r} is not so once, or never"
    return None


def _windows(items: Sequence[Item]) -> Iterator[tuple[Item | None, Item, Item | None]]:
    """Each item with those beside it; articles and the like are passed over behind it."""
    for at, item in enumerate(items):
        yield (items[at - 1] if at else None), item, (items[at + 1] if at + 1 < len(items) else None)
