"""Ways between boxes: what they cost, and which readings select the same rows by them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from boxkit.box import BoxSet
from boxkit.strategies.planner.joins import Joins, Tree
from boxkit.strategies.planner.meanings import Choice
from boxkit.strategies.planner.query import Query, Test
from boxkit.strategies.planner.tagging import Item

__all__ = ["are_twins", "joined_cost"]


def joined_cost(choice: Choice, hints: Sequence[Item], tree: Tree, joins: Joins) -> float:
    """Boxes that no word names cost; so does a choice between equally short ways.

    Args:
        choice: What the words were taken for.
        hints: Mentions that are in the query only by their box.
        tree: How the boxes are joined.
        joins: The keys.
    """
    named = {option.box for option in choice.values() if not option.field}
    named |= {link.box for item in hints for link in item.only("box") if link.score >= 0.6}
    # Boxes tied across sources are the same things under two names, of which one is paid for.
    again = {step.key.parent for step in tree.steps if step.key.origin == "linked" and step.key.confidence >= 0.9}
    linked = {box for step in tree.steps if step.key.origin == "linked" for box in (step.key.box, step.key.parent)}
    valued = {option.box for option in choice.values() if option.values}
    unnamed = [box for box in tree.boxes if box not in named and box not in again]
    doubt = sum(0.4 * (1 - step.key.confidence) for step in tree.steps)
    if tree.choices > 1:
        # Of two ways as short, the one is meant on which boxes stand that are named.
        said = frozenset(box for box in tree.boxes if box in named or box in valued)
        told = joins.tree(tree.root, said)
        tree = told if told is not None and set(told.boxes) == set(tree.boxes) else tree
    free = 1 if not named & set(tree.boxes) else 0
    prices = ((linked | joins.junctions, 0.03), (valued, 0.05))
    costs = [next((price for boxes, price in prices if box in boxes), 0.12) for box in unnamed]
    costs.sort(reverse=True)
    return sum(costs[free:]) + 0.02 * len(tree.steps) + (0.25 if tree.choices > 1 else 0.0) + doubt


def are_twins(one: Query, two: Query, boxes: BoxSet) -> bool:
    """Whether two queries differ only in another field of a box that says the same of the same rows.

    A source may hold one thing twice: ``continent`` and ``region`` of the countries of South America.
    """
    if len(one.tests) != len(two.tests) or replace(one, tests=()) != replace(two, tests=()):
        return False
    return all(a == b or _select_same(a, b, boxes) for a, b in zip(one.tests, two.tests, strict=True))


def _select_same(one: Test, two: Test, boxes: BoxSet) -> bool:
    plain = all(test.operator == "in" and not (test.via or test.alternative) for test in (one, two))
    if not plain or one.measure.box != two.measure.box or (one.negated, one.both) != (two.negated, two.both):
        return False
    frame = boxes[one.measure.box].frame
    first, second = (frame[test.measure.field].isin(test.values) for test in (one, two))
    return bool(first.any() and (first == second).all())
