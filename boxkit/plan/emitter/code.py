"""A piece of code, and how tightly it binds."""

from __future__ import annotations

from dataclasses import dataclass

from boxkit.plan.types import Type

__all__ = ["AND", "ATOM", "COMPARISON", "LOOSE", "OR", "PRODUCT", "SUM", "UNARY", "Code"]

# How tightly code binds, loosest last.
ATOM, UNARY, PRODUCT, SUM, AND, OR, COMPARISON, LOOSE = range(8)


@dataclass(frozen=True, slots=True)
class Code:
    """A piece of code that computes a value.

    Attributes:
        text: The code.
        type: What it computes.
        single: Whether it is one value rather than a column.
        binds: How tightly its outermost operator binds.
        array: Whether a column is a bare array, which has no methods of pandas'.
        known: The mask of where it counts as known, if that is not where it is there.
    """

    text: str
    type: Type
    single: bool = False
    binds: int = ATOM
    array: bool = False
    known: str = ""

    def at(self, level: int) -> str:
        """The code, in parentheses where an operator of that level needs them."""
        return self.text if self.binds <= level else f"({self.text})"
