"""What a question says and its reading leaves out: all rows for a verb's object, a thing's name for another's."""

from __future__ import annotations

import re
from collections.abc import Sequence

from boxkit.box import BoxSet
from boxkit.strategies.planner.index import Index
from boxkit.strategies.planner.joins import Joins
from boxkit.strategies.planner.lexicon import PERSON_WORDS
from boxkit.strategies.planner.linking import Link
from boxkit.strategies.planner.query import Query
from boxkit.strategies.planner.tagging import Item
from boxkit.strategies.planner.words import normal, stem

__all__ = ["attribute", "counts_one", "everything", "is_repeated", "odd_measure", "other_name", "total_rows"]

_WH = frozenset("which what who whose how".split())
#: Words that say no more than that something is there.
_PRESENCE = frozenset(
    map(
        stem,
        """
        exist appear occur list record register store hold own keep carry possess contain include feature have know call
        exactly precisely actually currently today nowadays already really just altogether overall total
        entry item thing figure display show represent comprise different various particular respective come go
        live there together catalogue offer stock available hail span run make amount belong found find
        """.split(),
    )
)
#: Of these, what says more where nothing follows: "which authors live?"
_LIGHT = frozenset(map(stem, "come go live run make belong hail span".split()))
_ATTRIBUTES = frozenset("live home host house work guest cover use issue release launch return board".split())
_PERSONS = frozenset(map(stem, PERSON_WORDS))
_RATIO = re.compile(r"\b(?:which|what) .*\b(?:most|fewest|least|highest|lowest|largest|smallest) .*\bper\b")
_HOW_MANY_PEOPLE = re.compile(r"\bhow many (?:people|persons|inhabitants|residents)\b")
_OF_PLACE = frozenset("in through from at of to on along across into".split())


def everything(items: Sequence[Item], query: Query) -> str | None:
    """``Which teachers hold a degree?``, answered by all teachers: what tells them from the others was left out."""
    narrowed = query.tests or query.havings or query.absences or query.present or query.rankings or query.is_grouped
    said = [item for item in items if item.kind not in ("mark", "empty")]
    asks = bool(said) and said[0].text.lower().split()[0] in _WH
    if narrowed or not asks or any(output.measure.function not in ("", "count") for output in query.outputs):
        return None
    first = next((at for at, item in enumerate(items) if item.kind == "mention"), None)
    end = next((at for at, item in enumerate(items) if at > (first or 0) and item.text in ("?", ".", "!", ":")), None)
    for item in items[first + 1 : end] if first is not None else ():
        word = stem(item.value)
        last = item is items[end - 1] if end else item is items[-1]
        if any(each.kind == "mention" for each in items[items.index(item) : end]):
            # "how many services are provided by the stations": it ties the two.
            continue
        if item.kind == "word" and not item.used and (word not in _PRESENCE or (last and word in _LIGHT)):
            return f"could not place {item.text!r}"
    return None


def attribute(items: Sequence[Item]) -> str | None:
    """``live albums``: a noun or adjective in front of a thing that looks like a verb."""
    for at, item in enumerate(items[:-1]):
        before = items[at - 1] if at else None
        after = items[at + 1]
        if item.kind not in ("word", "empty") or item.used or item.text.lower() not in _ATTRIBUTES:
            continue
        opens = before is None or before.kind in ("count", "of", "relative", "superlative", "everything", "group")
        opens = opens or (before is not None and before.text.lower() in ("the", "all", "any", "a", "an", "our", "me"))
        imperative = before is None and item.kind == "empty"
        if opens and not imperative and after.kind == "mention" and any(link.kind == "box" for link in after.links):
            return f"could not place {item.text!r}"
    return None


#: A field of few rows may have each value once by chance: only one that is a name tells its rows apart.
_NAMES = frozenset(stem(word) for word in ("name", "title", "label"))


def counts_one(items: Sequence[Item], query: Query, index: Index) -> str | None:
    """``How many audio files are there?``, where a kind of file is called so: that kind is only one."""
    if query.is_grouped or len(query.outputs) != 1 or query.outputs[0].measure.function != "count":
        return None
    said = {stem(word) for item in items if not item.is_value for word in normal(item.text).split()}
    if said & {"call", "name", "titl"}:
        return None
    box = query.outputs[0].measure.box
    for test in query.tests:
        known = index.fields.get(test.measure.place)
        own = test.measure.box == box and test.operator == "in" and not (test.negated or test.via or test.alternative)
        if own and known is not None and known.unique and _NAMES & set(known.stems) and len(test.values) == 1:
            return f"only one {box} is called {test.values[0]!r}, and what belongs to it may be meant"
    return None


def other_name(items: Sequence[Item], query: Query, index: Index, joins: Joins) -> str | None:
    """``tracks by AC/DC``, where both a band and a composer are called so."""
    said = {stem(word) for item in items if not item.is_value for word in normal(item.text).split()}
    tested = {test.measure.place for test in query.tests if test.operator == "in" and test.via is None}
    for at, item in enumerate(items):
        before = items[at - 1].text.lower() if at else ""
        if item.kind != "mention" or not item.is_value or before in _OF_PLACE:
            continue
        values = item.only("value")
        chosen = next((link for link in values if link.place in tested), None)
        # A thing of a graph is of several classes: a politician and a person.
        if chosen is None or chosen.field.endswith("_label") or said & _called(chosen, index):
            continue
        keyed = {frozenset((key.box, key.parent)) for key in joins.keys}
        for link in values:
            names = link.field in index.naming.get(link.box, ()) and link.box != chosen.box
            # A key between them says that both are the same.
            names = names and frozenset((link.box, chosen.box)) not in keyed
            tied = names and joins.tree(query.root, frozenset((link.box,))) is not None
            if tied and link.score >= chosen.score and len(link.values) == 1:
                return f"whether {item.text!r} is a {chosen.field!r} of {chosen.box} or a {link.box}"
    return None


def _called(link: Link, index: Index) -> set[str]:
    """What tells that a value is meant as this: the field's words; for a thing's own name, those of the thing too."""
    naming = link.field in index.naming.get(link.box, ())
    return {*index.fields[link.place].stems, *(index.box_stems[link.box] if naming else ())}


def total_rows(items: Sequence[Item], query: Query, index: Index, boxes: BoxSet) -> str | None:
    """``total invoices per country``, where an invoice, or each payment of one, has an amount: counted or added up?"""
    said = {word for item in items for word in normal(item.text).split()}
    counted = {output.measure.box for output in query.outputs if output.measure.function == "count"}
    if {"number", "count", "many", "numbers"} & said:
        return None
    theirs = {key.box for key in boxes.foreign_keys if key.parent in counted}
    for word, held_by in (("total", counted), ("amount", counted | theirs), ("quantity", counted | theirs)):
        known = [each for box in held_by for each in index.of_box(box) if each.kind == "number"]
        if word in said and any(word in each.words for each in known):
            return f"whether {word!r} asks for a number of rows or for a sum"
    return None


def odd_measure(items: Sequence[Item], query: Query, index: Index) -> str | None:
    """What is most, or how many people there are, by a measure that does not tell: a date, some cities' people."""
    text = " ".join(normal(item.text) for item in items)
    if _RATIO.search(text) and query.rankings:
        return "a figure of one thing per another is not understood"
    most = any(
        item.kind == "extreme" and item.text.lower().split()[-1] in ("most", "least", "fewest") for item in items
    )
    for ranking in query.rankings:
        known = index.fields.get(ranking.measure.place)
        if (
            most
            and ranking.count != 0
            and known is not None
            and known.kind in ("date", "year")
            and not ranking.measure.function
        ):
            return f"'most' is no end of {known.place.field!r}"
    summed = next((output.measure for output in query.outputs if output.measure.function == "sum"), None)
    if summed is None or not _HOW_MANY_PEOPLE.search(text):
        return None
    said = {stem(word) for word in text.split()}
    tested = {test.measure.box for test in query.tests}
    if tested and summed.box not in tested and not said & set(index.box_stems[summed.box]):
        return f"the people of each {summed.box} are known, and these may not be all"
    return None


def is_repeated(question: str, query: Query, rows: Sequence[Sequence[object]]) -> bool:
    """Whether names are asked for and some come twice: of one thing in two rows, or of two that share it?"""
    if len(query.outputs) != 1 or query.distinct or query.is_grouped or query.rankings or len(rows[:1]) == 0:
        return False
    measure = query.outputs[0].measure
    named = {"name", "names", "title", "titles"} & set(normal(question).split())
    thing = not _PERSONS & {stem(word) for word in normal(measure.box).split()}
    called = normal(measure.field).split()[-1:] in (["name"], ["title"], ["label"])
    return bool(named and thing and called and not measure.function) and len(set(map(tuple, rows))) < len(rows)
