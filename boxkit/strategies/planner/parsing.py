"""Rules in order: each reads one kind of phrase and takes up its items; what is left must be accounted for."""

from __future__ import annotations

from boxkit.strategies.planner.comparisons import (
    read_averages,
    read_comparisons,
    read_exceeding,
    read_numbers,
    read_texts,
)
from boxkit.strategies.planner.differences import read_differences
from boxkit.strategies.planner.draft import Draft, Rule
from boxkit.strategies.planner.groups import read_groups, read_repeats
from boxkit.strategies.planner.index import Index
from boxkit.strategies.planner.orders import read_orders
from boxkit.strategies.planner.superlatives import read_superlatives
from boxkit.strategies.planner.tagging import Item
from boxkit.strategies.planner.targets import read_targets
from boxkit.strategies.planner.values import read_flags, read_values, read_without

__all__ = ["RULES", "parse"]

#: The order matters: a rule never sees what an earlier one has taken up.
RULES: tuple[Rule, ...] = (
    read_differences,
    read_orders,
    read_groups,
    read_averages,
    read_exceeding,
    read_without,
    read_superlatives,
    read_comparisons,
    read_texts,
    read_values,
    read_flags,
    read_numbers,
    read_targets,
    read_repeats,
)


def parse(items: list[Item], index: Index) -> Draft:
    """What the items ask for."""
    draft = Draft(items, index)
    for rule in RULES:
        rule(draft)
    return draft
