"""The scored search: every choice of meanings that makes a query, at a cost; what is not accounted for costs most."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from boxkit.box import BoxSet
from boxkit.strategies.planner.assemble import Assembly
from boxkit.strategies.planner.containers import container_of, is_theirs
from boxkit.strategies.planner.draft import Draft
from boxkit.strategies.planner.fields import Place
from boxkit.strategies.planner.hidden import is_attribute
from boxkit.strategies.planner.idle import idle_cost
from boxkit.strategies.planner.index import Index
from boxkit.strategies.planner.joins import Joins, Tree
from boxkit.strategies.planner.lexicon import LIGHT_WORDS
from boxkit.strategies.planner.meanings import Choice, Meanings, NoSense
from boxkit.strategies.planner.options import Slot, slots_of
from boxkit.strategies.planner.query import Measure, Query, is_apart, join_tree
from boxkit.strategies.planner.roles import against_direction, may_have_other_role, preposition
from boxkit.strategies.planner.tagging import Item
from boxkit.strategies.planner.ways import are_twins, joined_cost
from boxkit.strategies.planner.words import normal, stem

__all__ = ["Candidate", "search"]

MAX_CHOICES = 600
#: So many candidates are looked at for twins of the cheapest.
TWINS = 6
#: A field with more distinct values says no status.
MAX_STATUS = 12
_UNITS = frozenset(
    """
    euro dollar usd eur pound year old km kilometer kilometre mile meter metre feet inch kg kilo percent minute
    hour second degree
    """.split()
)
#: Operators that change the answer: one that nothing took up is a misunderstanding.
_WEIGHTY = frozenset(
    """without not compare between superlative extreme frequent count mean sum median share difference exceed
    aboveaverage
    contain order direction first measure orequal number date quoted""".split()
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A query, what it cost, and why.

    Attributes:
        query: The query.
        cost: The sum of ``costs``.
        costs: What it is made of: ``words``, ``links``, ``joins``, ``places``, ``hints``, ``guesses``, ``length``.
        unplaced: Words that nothing accounts for.
        tree: How its boxes are joined.
        hows: How the words that it is made of were matched.
        twin: Whether it says the same as the cheapest by another field.
    """

    query: Query
    cost: float
    costs: dict[str, float]
    unplaced: tuple[str, ...]
    tree: Tree
    hows: tuple[str, ...] = ()
    twin: bool = False


def search(draft: Draft, boxes: BoxSet, joins: Joins) -> list[Candidate]:
    """The candidates, cheapest first; each query once."""
    slots = slots_of(draft)
    words, unplaced = _words(draft)
    # A long question has more in it to be misunderstood.
    length = 0.02 * max(0, sum(item.hi - item.lo for item in draft.items if item.kind != "mark") - 12)
    if any(not slot.options for slot in slots) or not draft.targets:
        return []
    found: dict[Query, Candidate] = {}
    hints = [item for item in draft.items if item.kind == "mention" and not item.used]
    for choice in _choices(slots):
        candidate = _candidate(draft, boxes, joins, choice, slots, hints)
        if candidate is None:
            continue
        costs = {"words": words, "length": length, **candidate.costs}
        candidate = replace(candidate, cost=sum(costs.values()), costs=costs, unplaced=(*unplaced, *candidate.unplaced))
        held = found.get(candidate.query)
        if held is None or candidate.cost < held.cost:
            found[candidate.query] = candidate
    ranked = sorted(found.values(), key=lambda each: (each.cost, str(each.query)))
    best = ranked[0].query if ranked else None
    return [
        replace(each, twin=at < TWINS and best is not None and are_twins(best, each.query, boxes))
        for at, each in enumerate(ranked)
    ]


def _choices(slots: Sequence[Slot]) -> Iterator[Choice]:
    """The combinations, with the costlier options of the widest slots left out where there are too many."""
    options = [list(slot.options) for slot in slots]
    while math.prod(map(len, options)) > MAX_CHOICES:
        widest = max(
            (each for each in options if len(each) > 1),
            key=lambda each: each[-1].cost - each[0].cost + 0.01 * len(each),
        )
        widest.pop()
    for combination in itertools.product(*options):
        yield {slot.key: option for slot, option in zip(slots, combination, strict=True)}


def _words(draft: Draft) -> tuple[float, list[str]]:
    """What the words and operators cost that no rule took up."""
    cost, unplaced = 0.0, []
    for item in draft.items:
        if item.used:
            continue
        if item.kind == "word":
            if _describes_target(draft, item):
                cost += 0.08
            elif is_attribute(draft.items, item):
                cost += 0.4
                unplaced.append(item.text)
            elif item.value in _UNITS or ({stem(item.value), item.value} & LIGHT_WORDS and not _is_status(draft, item)):
                cost += 0.02
            elif (idle := idle_cost(draft, item)) is not None:
                cost += idle
            else:
                cost += 0.4
                unplaced.append(item.text)
        elif item.kind == "number" and _is_in_a_name(draft, item):
            continue
        elif item.kind in _WEIGHTY:
            cost += 0.6
            unplaced.append(item.text)
        elif item.kind == "or":
            cost += 0.5
        elif item.kind in ("group", "both", "distinct", "everything"):
            cost += 0.2
        elif item.kind == "mention" and item.is_value:
            cost += 0.6
            unplaced.append(item.text)
    return cost + 0.4 * len(draft.doubts), unplaced


def _is_status(draft: Draft, item: Item) -> bool:
    """Whether a word that mostly only ties others is one of few values of a field: lessons that were ``completed``."""
    places = draft.index.values.get(item.value, {})
    return any(draft.index.fields[place].distinct <= MAX_STATUS for place in places)


def _describes_target(draft: Draft, item: Item) -> bool:
    """``which city is the capital``: a word of ours for what is asked for by its name."""
    place = draft.items.index(item)
    asked, verb, named = draft.at(place - 1), draft.at(place + 1), draft.at(draft.after(place))
    if asked is None or verb is None or named is None or asked.text.lower() not in ("which", "what"):
        return False
    said = named.used and named.kind == "mention" and not named.is_value
    return verb.text.lower() in ("is", "are", "was", "were") and said


def _is_in_a_name(draft: Draft, item: Item) -> bool:
    return any(str(item.literal) in known.words for known in draft.index.fields.values())


def _candidate(
    draft: Draft, boxes: BoxSet, joins: Joins, choice: Choice, slots: Sequence[Slot], hints: Sequence[Item]
) -> Candidate | None:
    meanings = Meanings(draft, choice, boxes, joins)
    try:
        query = Assembly(meanings).query()
        present = _wanted_boxes(query, hints, joins)
        if present and not query.absences:
            query = Assembly(Meanings(draft, choice, boxes, joins)).query(present)
    except NoSense:
        return None
    tree = join_tree(query, joins)
    if tree is None or any(joins.tree(query.root, frozenset((absence.box,))) is None for absence in query.absences):
        return None
    twice = _said_twice(draft)
    if any(choice.get(one) != choice.get(two) for one, two in twice):
        return None
    links = sum(option.cost for option in choice.values()) - sum(choice[one].cost for one, _ in twice if one in choice)
    everything = any(target.kind == "everything" for target in draft.targets)
    hinted, unplaced = _hints(query, tree, hints, draft.index, joins, everything)
    for item in draft.items:
        if item.kind == "number" and not item.used and _is_in_a_name(draft, item):
            used = any(str(item.literal) in draft.index.fields[m.place].words for m in query.measures() if m.field)
            hinted += 0.0 if used else 0.6
            unplaced += [] if used else [item.text]
    costs = {
        "links": links,
        "places": _places(draft, choice, slots, joins),
        "joins": joined_cost(choice, hints, tree, joins),
        "hints": hinted,
        "guesses": meanings.penalty
        + _intricacy(query, joins, draft.index)
        + _strays(query, choice, joins)
        + sum(0.6 for slot in slots if slot.item and may_have_other_role(draft, slot.item, choice[slot.key])),
    }
    return Candidate(query, 0.0, costs, tuple(unplaced), tree, tuple(option.how for option in choice.values()))


def _said_twice(draft: Draft) -> list[tuple[int, int]]:
    """Slots of one meaning: ``each state and the number of towns in each state``."""
    shown = [target.figure.item for target in draft.targets if target.figure.item and not target.figure.function]
    named: dict[str, int] = {}
    pairs = [(named.setdefault(normal(item.text), id(item)), id(item)) for item in (*shown, *draft.groups)]
    return [(one, two) for one, two in pairs if one != two]


def _strays(query: Query, choice: Choice, joins: Joins) -> float:
    """What only an adjective or a date hints at should belong to the thing itself, not to one of many others."""
    cost = 0.0
    for option in choice.values():
        if option.how in ("adjective", "when", "where", "unit") and option.box != query.root:
            tree = joins.tree(query.root, frozenset((option.box,)))
            cost += 0.2 if tree is not None and tree.multiplies else 0.0
    said = {option.box for option in choice.values() if not option.field}
    for ranking in query.rankings:
        # "the mountains in order of height": not of the height of some other thing in the same country.
        if not ranking.measure.function and ranking.measure.box not in {query.root, *said} and not ranking.shared:
            tree = joins.tree(query.root, frozenset((ranking.measure.box,)))
            cost += 0.2 if tree is not None and tree.multiplies else 0.0
    return cost


def _intricacy(query: Query, joins: Joins, index: Index) -> float:
    """What it costs to read several rankings, the best of each group, or a missing parent into a question."""
    cost = 0.03 if query.is_grouped else 0.0
    cost += 0.15 * max(0, len({ranking.measure for ranking in query.rankings}) - 1)
    if query.is_grouped and query.rankings and not any(ranking.measure.function for ranking in query.rankings):
        cost += 0.2
    named = [
        test.measure.place for test in query.tests if test.operator == "in" and not test.alternative and not test.both
    ]
    for number in {test.alternative for test in query.tests if test.alternative}:
        places = [test.measure.place for test in query.tests if test.alternative == number]
        # "in Ulm, Bavaria or in Bonn": which of these go together?
        cost += 0.5 if len(places) > 2 and len(set(places)) > 1 else 0.0
    cost += 0.4 * sum(_is_counted_itself(output.measure, index) for output in query.outputs)
    # A field that has one value cannot have another.
    cost += 0.5 if len(set(named)) < len(named) else 0.0
    cost += 0.15 * _counts_what_is_named(query, index)
    cost += 0.5 * sum(_is_one_each(measure, query, joins) for measure in {*query.measures()})
    negated = bool(query.absences) or any(test.negated for test in query.tests)
    cost += 0.3 if negated and query.rankings and any(ranking.count != 0 for ranking in query.rankings) else 0.0
    for absence in query.absences:
        tree = joins.tree(query.root, frozenset((absence.box,)))
        cost += 0.0 if tree is not None and tree.multiplies else 0.35
    return cost


def _counts_what_is_named(query: Query, index: Index) -> bool:
    """Whether rows are counted that are called by the name given: how many albums of those called 'Iron Maiden'."""
    counted = [output.measure.box for output in query.outputs if output.measure.function == "count"]
    return any(
        test.operator == "in"
        and not (test.negated or test.alternative or test.via)
        and test.measure.box in counted
        and (test.measure.field in index.naming.get(test.measure.box, ()) or index.fields[test.measure.place].unique)
        for test in query.tests
    )


def _is_one_each(measure: Measure, query: Query, joins: Joins) -> bool:
    """Whether each of the things that make the groups has at most one of what is counted: a worker's employers."""
    if measure.function != "count" or measure.field or len(query.entities) != 1 or measure.box in query.entities:
        return False
    tree = joins.tree(query.entities[0], frozenset((measure.box,)))
    return tree is not None and not tree.multiplies


def _is_counted_itself(measure: Measure, index: Index) -> bool:
    """Whether rows are counted that hold a count under the same name: how many faculty are in ``faculty``."""
    if measure.function != "count" or measure.field:
        return False
    stems = index.box_stems[measure.box]
    return any(each.kind == "number" and each.stems == stems for each in index.of_box(measure.box))


def _wanted_boxes(query: Query, hints: Sequence[Item], joins: Joins) -> tuple[str, ...]:
    """Boxes that a noun names and that nothing else brings in."""
    there = {measure.box for measure in query.measures()} | {place.box for place in query.groups} | set(query.entities)
    there |= {test.via.box for test in query.tests if test.via is not None}
    there |= {query.root} | {absence.box for absence in query.absences}
    there |= _looked_up(query, joins)
    wanted: list[str] = []
    for item in hints:
        named = [link for link in item.only("box") if link.score >= 0.9 and link.how in ("exact", "stem")]
        top = item.links[0]
        if named and top.kind == "box" and not any(link.box in there for link in item.links if link.score >= 0.7):
            wanted.append(named[0].box)
            there |= {named[0].box}
    return tuple(wanted)


def _looked_up(query: Query, joins: Joins) -> set[str]:
    """The boxes on the ways to what is looked up apart."""
    apart = {absence.box for absence in query.absences}
    apart |= {test.measure.box for test in query.tests if is_apart(test, query.root, joins)}
    return {box for each in apart if (way := joins.tree(query.root, frozenset((each,)))) for box in way.boxes}


def _hints(
    query: Query, tree: Tree, hints: Sequence[Item], index: Index, joins: Joins, everything: bool
) -> tuple[float, list[str]]:
    """What it costs that a mention is in the query only by its box, or not at all."""
    used = {measure.place for measure in query.measures()} | set(query.groups)
    if everything:
        # Where every field is shown, that one is among them accounts for nothing.
        used -= {output.measure.place for output in query.outputs}
    used |= {Place(step.key.box, label) for step in tree.steps for label in step.key.fields}
    used |= {Place(place.box, known.label) for place in used if (known := index.fields.get(place)) and known.label}
    there = set(tree.boxes) | {absence.box for absence in query.absences}
    there |= {test.via.box for test in query.tests if test.via is not None}
    there |= _looked_up(query, joins)
    cost, unplaced = 0.0, []
    for item in hints:
        if item.is_value:
            continue
        best = 0.4
        for link in item.links:
            if link.kind == "field" and link.place in used:
                best = min(best, 0.01)
            elif link.kind == "box" and link.box in there:
                best = min(best, 0.0 if link.how in ("exact", "stem") else 0.05)
            elif link.kind == "field" and link.box in there:
                # "a Moss Hall title" is the thing that has a title.
                named = link.box == query.root and link.field in index.naming.get(link.box, ())
                best = min(best, 0.08 if named else 0.3 if link.score >= 0.9 else 0.12)
        if best > 0.1 and stem(normal(item.text)) in LIGHT_WORDS:
            best = 0.04
        cost += best
        if best >= 0.3:
            unplaced.append(item.text)
    return cost, unplaced


def _places(draft: Draft, choice: Choice, slots: Sequence[Slot], joins: Joins) -> float:
    """A field should belong to the box that its words stand beside: ``names of authors``, ``book price``."""
    cost = 0.0
    goes = {"from", "to"} <= {preposition(draft, slot.item) for slot in slots if slot.item and choice[slot.key].values}
    for slot in slots:
        option = choice[slot.key]
        by_name = option.how == "part" and "name" in (slot.item.text.lower() if slot.item else "")
        if slot.item is None or not (option.field or by_name):
            continue
        cost += against_direction(draft, slot.item, option, goes)
        container = container_of(draft, slot.item, bool(option.values))
        if container is None or _holds_name(slot.item, draft.index.box_stems[option.box]):
            continue
        weight = 0.05 if option.values else 0.22
        if container in slots_items(slots) and not choice[id(container)].field:
            tied = option.box in joins.junctions and not option.values
            cost += 0.0 if choice[id(container)].box == option.box else min(weight, 0.08) if tied else weight
            continue
        boxes = {link.box: link.score for link in container.only("box")}
        if not boxes:
            boxes = {link.box: link.score - 0.1 for link in container.only("field")}
        # What stands in a junction belongs to both that it ties: "languages that are official in".
        whole = [link.box for link in slot.item.only("field") if link.how in ("exact", "stem") and link.score >= 0.6]
        owned = bool(set(boxes) & set(whole))
        near = not (is_theirs(draft, slot.item) or owned) and (
            option.box in joins.junctions or any(_is_near(joins, box, option.box) for box in boxes)
        )
        cost += (0.08 if near else weight) * (1 - boxes.get(option.box, 0.0))
    return cost + _lists(draft, choice)


def _lists(draft: Draft, choice: Choice) -> float:
    """``type codes and descriptions``: what stands in one list is of one box, where that has both."""
    cost = 0.0
    for one, two in pairwise(target.figure.item for target in draft.targets):
        if one is None or two is None or id(one) not in choice or id(two) not in choice:
            continue
        first, second = choice[id(one)], choice[id(two)]
        both = set.intersection(
            *({link.box for link in each.only("field") if link.score >= 0.6} for each in (one, two))
        )
        apart = bool(first.field and second.field) and first.box != second.box
        cost += 0.1 if apart and both and container_of(draft, two, False) is None else 0.0
    return cost


def _holds_name(item: Item, stems: tuple[str, ...]) -> bool:
    """Whether the mention itself says whose field it is: ``flight numbers``."""
    return len(item.text.split()) > len(stems) and set(stems) <= {stem(word) for word in normal(item.text).split()}


def _is_near(joins: Joins, one: str, two: str) -> bool:
    """Whether a row of one box has but one of the other: ``population of the members``."""
    tree = joins.tree(one, frozenset((two,)))
    return tree is not None and 0 < len(tree.steps) <= 2 and not tree.multiplies


def slots_items(slots: Sequence[Slot]) -> list[Item]:
    """The mentions that slots are about."""
    return [slot.item for slot in slots if slot.item is not None]
