"""Readings that give something, but not what was asked: the question's own words, or a figure for a thing."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from boxkit.box import BoxSet
from boxkit.strategies.planner.index import Index
from boxkit.strategies.planner.query import Query
from boxkit.strategies.planner.tagging import Item

__all__ = ["figure_instead", "not_placed", "repeats_question", "several_in_a_cell", "totals_among", "unordered"]

_SUMMED = ("sum", "average", "median", "max", "min", "count")
#: The share of cells with several values from which on a field is not counted.
_FEW = 0.2
_MAX_NAMED = 8
_MAX_CHARS = 60


def not_placed(words: Sequence[str]) -> str:
    """That these words could not be placed: the first few of them, and the beginnings of long ones."""
    words = [word for word in words if word.strip()]
    if not words:
        return "the question could not be put together with enough confidence"
    named = ", ".join(repr(word if len(word) <= _MAX_CHARS else f"{word[:_MAX_CHARS]}…") for word in words[:_MAX_NAMED])
    return f"could not place {named}" + (f" and {len(words) - _MAX_NAMED} more" if len(words) > _MAX_NAMED else "")


def repeats_question(query: Query) -> str | None:
    """``who was in the Boer War``, answered by "Boer War": what is shown is what was said."""
    said = {
        test.measure.place
        for test in query.tests
        if test.operator == "in" and len(test.values) == 1 and not (test.negated or test.alternative or test.via)
    }
    shown = [output.measure for output in query.outputs]
    if all(not measure.function and measure.place in said for measure in shown) and not query.absences:
        return f"the answer would only repeat the {shown[0].field!r} that the question names"
    return None


def figure_instead(items: Sequence[Item], query: Query) -> str | None:
    """``which city has the least area``, answered by the area: who asks which thing wants no figure."""
    words = [item for item in items if item.kind not in ("mark", "empty")]
    asks = [item for item in items[:3] if item.text.lower().split()[-1:] in (["which"], ["who"])]
    made = all(output.measure.function in ("min", "max") for output in query.outputs)
    if not asks or not made:
        return None
    named = next((item for item in words if item.kind == "mention"), None)
    figures = {output.measure.field for output in query.outputs}
    if named is not None and not figures & {link.field for link in named.links}:
        return f"which {named.text!r} is asked, and the reading gives only {', '.join(sorted(figures))}"
    return None


def unordered(items: Sequence[Item], query: Query, index: Index) -> str | None:
    """``the largest population``, where the populations are texts like "69,074" that have no order."""
    ranked = {ranking.measure.place for ranking in query.rankings}
    ranked |= {output.measure.place for output in query.outputs if output.measure.function}
    for one, two in pairwise(items):
        if one.kind not in ("superlative", "extreme") or two.kind != "mention":
            continue
        top = two.links[0]
        if top.kind == "field" and index.fields[top.place].has_figures and top.place not in ranked:
            return f"{two.text!r} are texts that cannot be ordered as amounts"
    return None


def totals_among(query: Query, index: Index) -> str | None:
    """A count or a sum over rows of which one is the total of the others."""
    made = any(measure.function in _SUMMED for measure in query.measures()) or bool(query.rankings)
    return f"{query.root} has a row of totals among its rows" if made and query.root in index.totals else None


def several_in_a_cell(query: Query, boxes: BoxSet) -> str | None:
    """The different values of a field are counted whose cells hold several: ``Ulm, Bonn, Jena``."""
    for measure in query.measures():
        if measure.function != "count" or not measure.field:
            continue
        cells = [str(cell) for cell in boxes[measure.box].frame[measure.field].dropna().head(500)]
        if cells and sum(", " in cell or "\n" in cell or ";" in cell for cell in cells) > _FEW * len(cells):
            return f"cells of {measure.field!r} hold several values each"
    return None
