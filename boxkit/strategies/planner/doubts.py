"""Why a reading is not to be given as the answer: words that change it and are not in the query."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from boxkit.box import BoxSet, ForeignKey
from boxkit.strategies.planner.fields import Place
from boxkit.strategies.planner.hidden import hidden, of_single_rows
from boxkit.strategies.planner.index import Index
from boxkit.strategies.planner.joins import Joins
from boxkit.strategies.planner.misfits import misfit
from boxkit.strategies.planner.query import Query
from boxkit.strategies.planner.search import Candidate
from boxkit.strategies.planner.shortfalls import (
    figure_instead,
    not_placed,
    repeats_question,
    several_in_a_cell,
    totals_among,
    unordered,
)
from boxkit.strategies.planner.tagging import Item
from boxkit.strategies.planner.words import name_words, normal

__all__ = ["doubt_of", "is_none", "is_several"]

#: One amount, and no list of them.
_AMOUNT = re.compile(r"(?:what (?:is|was) )?(?:the )?(?:total )?(?:amount|quantity) of\b")
_TOTAL = re.compile(r"\btotal (?!\w+s\b)")
_ORDINALS = frozenset("second third fourth fifth sixth seventh eighth ninth tenth penultimate".split())
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)")
_BEFORE_UNIT = frozenset("a per each every one half".split())
_NEGATIONS = frozenset("no not none never neither nor nobody nothing without cannot".split())
_ASKING = frozenset("show list give return display get print tell me us the".split())
_TIMES = frozenset("date time day year month".split())
_AGE = re.compile(r"\bhow old\b|\bages?\b", re.IGNORECASE)


def doubt_of(items: Sequence[Item], candidate: Candidate, index: Index, boxes: BoxSet, joins: Joins) -> str | None:
    """What the query leaves out of the question, the word named; None where it leaves nothing out."""
    rules: tuple[Callable[[], str | None], ...] = (
        lambda: not_placed(candidate.unplaced) if candidate.unplaced else None,
        lambda: repeats_question(candidate.query),
        lambda: figure_instead(items, candidate.query),
        lambda: unordered(items, candidate.query, index),
        lambda: totals_among(candidate.query, index),
        lambda: several_in_a_cell(candidate.query, boxes),
        lambda: _ordinal(items),
        lambda: _universal(items, candidate.query),
        lambda: _only(items),
        lambda: _also(items, candidate),
        lambda: _age(items, candidate.query, index),
        lambda: _how_much(items, candidate.query, index),
        lambda: _when(items, candidate.query, index),
        lambda: _between(items, candidate),
        lambda: hidden(items, index),
        lambda: of_single_rows(items, candidate.query, index),
        lambda: _negation(items, candidate.query),
        lambda: _negated_kinds(candidate, index, boxes),
        lambda: _own_relation(items, candidate.query, index),
        lambda: _role(items, candidate, index, boxes, joins),
        lambda: misfit(items, candidate, index, boxes, joins),
    )
    return next((why for rule in rules if (why := rule()) is not None), None)


def is_none(query: Query, rows: Sequence[Sequence[object]]) -> bool:
    """Whether a count of what fulfils a condition is 0: as with no rows, mostly not what was asked."""
    counts = len(query.outputs) == 1 and query.outputs[0].measure.function == "count"
    narrowed = query.tests or query.havings or query.absences or query.present
    return bool(counts and query.outputs[0].kind == "plain" and narrowed and len(rows) == 1 and tuple(rows[0]) == (0,))


def is_several(question: str, query: Query, rows: Sequence[Sequence[object]]) -> bool:
    """Whether one amount is asked for, and answered by several: their sum may be meant, or one of them."""
    if len(rows) < 2 or len(query.outputs) != 1:
        return False
    output, text = query.outputs[0], normal(question)
    if output.measure.function or output.kind != "plain":
        return False
    if re.search(r"\bthe (?:only|sole|single)\b", text) is not None:
        return True
    words = text.split()
    if {"each", "every", "per"} & set(words):
        return False
    totalled = "total" in name_words(output.measure.field) and _TOTAL.search(text) is not None
    return words[:2] == ["how", "much"] or _AMOUNT.match(text) is not None or totalled


def _words(items: Sequence[Item]) -> Iterator[tuple[int, Item, str]]:
    """The words that are in no name and no value, each with its item and the item's place."""
    for place, item in enumerate(items):
        if item.kind not in ("mention", "quoted", "date", "distinct"):
            for word in item.text.lower().split():
                yield place, item, word


def _ordinal(items: Sequence[Item]) -> str | None:
    before = ""
    for place, item, word in _words(items):
        named = word in _ORDINALS or _ORDINAL.fullmatch(word) is not None
        unit = word == "second" and (before in _BEFORE_UNIT or (place > 0 and items[place - 1].kind == "number"))
        if named and not unit:
            return f"a rank among others is not understood: could not place {item.text!r}"
        before = word
    return None


def _universal(items: Sequence[Item], query: Query) -> str | None:
    """``in every team``, ``with all the tags``: not a condition that one row can fulfil."""
    if query.is_grouped:
        return None
    boxes = {query.root} | {output.measure.box for output in query.outputs if not output.measure.field}
    boxes |= {output.measure.box for output in query.outputs}
    places = {measure.place for measure in query.measures()}
    figured = all(output.measure.function not in ("", "count") for output in query.outputs)
    for place, _, word in _words(items):
        if word not in ("every", "each", "all"):
            continue
        if figured and word == "all" and place and items[place - 1].kind == "of":
            # "the total area of all African countries": of those together.
            continue
        rest = items[place + 1 :]
        said = next((item for item in rest if item.kind == "mention" and item.is_schema and not item.is_value), None)
        if said is None or rest.index(said) > 3:
            continue
        if not any(link.box in boxes if link.kind == "box" else link.place in places for link in said.links):
            return f"{word!r} of {said.text!r} is a condition on all of them together, which is not understood"
    return None


def _only(items: Sequence[Item]) -> str | None:
    for place, _, word in _words(items):
        if word not in ("only", "solely", "exclusively"):
            continue
        before = [item.text.lower() for item in items[:place]]
        after = items[place + 1].kind if place + 1 < len(items) else ""
        if not all(each in _ASKING for each in before) and before[-1:] != ["the"] and after != "number":
            return f"could not place {word!r}"
    return None


def _also(items: Sequence[Item], candidate: Candidate) -> str | None:
    said = any(word == "also" for _, _, word in _words(items))
    both = any(test.both for test in candidate.query.tests)
    return "could not place 'also'" if said and candidate.tree.steps and not both else None


def _age(items: Sequence[Item], query: Query, index: Index) -> str | None:
    match = _AGE.search(" ".join(item.text for item in items))
    for output in query.outputs:
        known = index.fields.get(output.measure.place)
        shown = known is not None and known.kind in ("date", "year") and output.measure.function != "count"
        if match is not None and shown:
            return f"{match.group()!r} asks for an age, but {output.measure.field!r} is a time"
    return None


def _how_much(items: Sequence[Item], query: Query, index: Index) -> str | None:
    """``How much are the roses?``, answered by their names."""
    named = {link.box for item in items for link in item.only("box")[:1] if link.score >= 0.9}
    if items and items[0].text == "how much" and named and query.outputs[0].measure.box not in named:
        return f"'How much' is asked of {sorted(named)[0]}, and what is known is of {query.outputs[0].measure.box}"
    if [item.text.lower() for item in items[:2]] != ["how", "much"]:
        return None
    for output in query.outputs:
        known = index.fields.get(output.measure.place)
        if output.measure.function or output.kind != "plain" or (known is not None and known.kind == "number"):
            return None
    return "'How much' asks for an amount, and the reading gives none"


def _when(items: Sequence[Item], query: Query, index: Index) -> str | None:
    """``When and where did it freeze?``, answered by the places alone."""
    if not items or items[0].text.lower() != "when":
        return None
    for output in query.outputs:
        known = index.fields.get(output.measure.place)
        if known is not None and (known.kind in ("date", "year") or _TIMES & set(known.words)):
            return None
    return "'When' asks for a time, and the reading gives none"


def _between(items: Sequence[Item], candidate: Candidate) -> str | None:
    """``guests of rooms that have no balcony``: not guests of no room that has one."""
    query = candidate.query
    away = {test.measure.box for test in query.tests if test.negated} | {absence.box for absence in query.absences}
    at = next((place for place, item in enumerate(items) if item.kind in ("without", "not")), None)
    if at is None or not away:
        return None
    said = [item.links[0].box for item in items[:at] if item.links and item.links[0].kind == "box"]
    shown = {query.root} | {output.measure.box for output in query.outputs}
    if (
        said
        and said[-1] not in shown | away | set(query.present)
        and items[at].text.lower().startswith(("that", "which"))
    ):
        return f"whether {items[at].text!r} is said of {said[-1]} or of what is asked for"
    return None


def _negation(items: Sequence[Item], query: Query) -> str | None:
    """A "not" that the query has nothing of."""
    if query.absences or any(test.negated or test.operator == "missing" for test in (*query.tests, *query.havings)):
        return None
    compared = ("compare", "orequal", "aboveaverage", "exceed")
    for _, item, word in _words(items):
        if (word in _NEGATIONS or word.endswith(("n't", "n’t"))) and item.kind not in compared:
            return f"could not place {item.text!r}"
    return None


def _negated_kinds(candidate: Candidate, index: Index, boxes: BoxSet) -> str | None:
    """A "not" about what many rows share: that one row is otherwise does not say that none is so."""
    query = candidate.query
    if not query.absences and not any(test.negated for test in query.tests):
        return None
    for output in query.outputs:
        measure = output.measure
        shared = (query.distinct and not measure.function) or (measure.function == "count" and measure.distinct)
        if measure.field and shared and not _names_row(index, measure.place):
            return f"which {measure.field!r} has none of its rows so is not what the reading says"
    joined = {test.measure.box for test in query.tests if test.negated} - {query.root}
    for step in candidate.tree.steps if joined else ():
        if not step.multiplies and boxes[step.key.box].frame[list(step.key.fields)].isna().any(axis=None):
            return f"rows without {step.key.fields[0]!r} would be left out of what is not so"
    return None


def _names_row(index: Index, place: Place) -> bool:
    return (
        place.field in index.naming.get(place.box, ())
        or (place.field,) == index.keys[place.box]
        or index.fields[place].unique
    )


def _own_relation(items: Sequence[Item], query: Query, index: Index) -> str | None:
    """``report to Adams``, where the reports are in a key to the same box: the row named is not the row asked for."""
    named = {test.measure.box for test in query.tests if test.operator == "in" and test.via is None}
    for item in items:
        for link in item.links[:1] if item.kind == "mention" else ():
            parent = index.parents.get(link.place)
            if link.kind == "field" and parent is not None and parent.box == link.box and link.box in named:
                return f"whether {item.text!r} leads to or from the row that is named"
    return None


def _role(items: Sequence[Item], candidate: Candidate, index: Index, boxes: BoxSet, joins: Joins) -> str | None:
    """``movies with Ford`` found by who directed them, where others are tied to movies too, and no word says which."""
    named = {test.measure.box for test in candidate.query.tests if test.operator == "in" and test.via is None}
    named |= {absence.box for absence in candidate.query.absences}
    said = [word for item in items if not item.is_value for word in normal(item.text).split()]
    apart = [joins.tree(candidate.query.root, frozenset((box,))) for box in sorted(named - set(candidate.tree.boxes))]
    for step in (*candidate.tree.steps, *(step for tree in apart if tree is not None for step in tree.steps)):
        key = step.key
        if step.box not in named or len(key.fields) != 1 or key.origin == "linked":
            continue
        known = index.fields[Place(key.box, key.fields[0])]
        role = [word for word in known.words if word not in ("id", "key", "code", "number", *index.boxes[key.parent])]
        told = any(word[:5] == each[:5] for word in role for each in said)
        if role and not told and _other_ways(key, boxes):
            return f"whether {key.fields[0]!r} ties the {step.box} that is named, or something else does"
    return None


def _other_ways(key: ForeignKey, boxes: BoxSet) -> bool:
    """Whether another key, or a box between them, ties the two boxes of a key too."""
    ends = {frozenset((each.box, each.parent)) for each in boxes.foreign_keys if each != key}
    if frozenset((key.box, key.parent)) in ends:
        return True
    return any({frozenset((key.box, each)), frozenset((each, key.parent))} <= ends for each in boxes)
