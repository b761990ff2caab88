"""A question over a BoxSet, read: candidate queries with their plans, code and confidence; or why there are none."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from boxkit.box import BoxSet
from boxkit.errors import PlanError
from boxkit.plan import describe, emit
from boxkit.plan.algebra import Plan
from boxkit.strategies.planner.compile import compile_query
from boxkit.strategies.planner.confidence import confidence, signs_of
from boxkit.strategies.planner.doubts import doubt_of
from boxkit.strategies.planner.fillers import plainly
from boxkit.strategies.planner.index import Index, index_of
from boxkit.strategies.planner.joins import Joins
from boxkit.strategies.planner.linking import Lexicon, Link
from boxkit.strategies.planner.naming import lexicon_of
from boxkit.strategies.planner.nearness import near_fields
from boxkit.strategies.planner.parsing import parse
from boxkit.strategies.planner.query import Measure, Query
from boxkit.strategies.planner.rewording import reworded
from boxkit.strategies.planner.search import Candidate, search
from boxkit.strategies.planner.shapes import REACH, Similar, likeliest
from boxkit.strategies.planner.spelling import spelt_right
from boxkit.strategies.planner.tagging import Item, tag
from boxkit.strategies.planner.words import tokens

if TYPE_CHECKING:
    from boxkit.memory import Embedding

__all__ = ["Planned", "Reading", "read"]

#: Candidates whose cost is within this of the best one's rival it.
MARGIN = 0.039
MAX_RIVALS = 3
#: Items that no one would miss by themselves.
_TIES = frozenset(("empty", "mark", "relative", "preposition", "of", "and", "or", "group", "each_other"))
#: A text of more words and marks, or of more characters, is no question that this can read.
MAX_TOKENS, MAX_CHARACTERS = 250, 10_000
#: So many phrases are tried for the one that is in the way of a reading.
MAX_LEFT_OUT = 12
_SIGNS = frozenset(("<", "<=", ">", ">=", "between"))


@dataclass(frozen=True, slots=True)
class Planned:
    """A candidate, written out.

    Attributes:
        candidate: The query and its costs.
        plan: Its plan.
        code: The plan as pandas.
        confidence: The estimated chance that it is what was asked, in [0, 1].
        signs: What the confidence is made of.
    """

    candidate: Candidate
    plan: Plan
    code: str
    confidence: float
    signs: dict[str, float]

    @property
    def sentences(self) -> list[str]:
        """What the plan does, in plain sentences."""
        return describe(self.plan)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a question was understood to ask.

    Attributes:
        items: The question's spans and what each was taken for.
        best: The best candidates, first the best; those behind it rival it.
        unplaced: Words that could not be placed in the best candidate, or at all.
        partial: Boxes too large for all their values to be known.
        doubt: What the best candidate leaves out of the question, or why there is none; None where nothing is left out.
    """

    items: tuple[Item, ...]
    best: tuple[Planned, ...]
    unplaced: tuple[str, ...]
    partial: tuple[str, ...] = ()
    doubt: str | None = None

    def understood(self) -> list[str]:
        """The question's words and what they were taken for."""
        mentions = [f"{item.text!r}: {_meaning(item)}" for item in self.items if item.links]
        return mentions + (_compared(self.items, self.best[0].candidate.query) if self.best else [])


def _meaning(item: Item) -> str:
    link = item.links[0]
    if link.kind == "value":
        shown = " or ".join(map(repr, link.values[:3]))
        return f"{link.box}[{link.field!r}] = {shown}"
    return f"the box {link.box}" if link.kind == "box" else f"{link.box}[{link.field!r}]"


def _compared(items: Sequence[Item], query: Query) -> list[str]:
    """What is compared, and what the first few are the first by; with the words, where it is clear which."""
    tests = [test for test in (*query.tests, *query.havings) if test.operator in _SIGNS]
    found = [f"{_measured(test.measure)} {test.operator} {' and '.join(map(str, test.values))}" for test in tests]
    said = [item.text for item in items if item.kind in ("compare", "between")]
    lines = [f"{word!r}: {each}" for word, each in zip(said, found, strict=True)] if len(said) == len(found) else found
    firsts = [ranking for ranking in query.rankings if ranking.count != 0]
    ends = [f"the {'largest' if each.descending else 'smallest'} {_measured(each.measure)}" for each in firsts]
    said = [item.text for item in items if item.kind in ("superlative", "extreme", "frequent")]
    return lines + ([f"{a!r}: {b}" for a, b in zip(said, ends, strict=True)] if len(said) == len(ends) else ends)


def _measured(measure: Measure) -> str:
    of = f"{measure.box}[{measure.field!r}]" if measure.field else f"rows of {measure.box}"
    return f"{measure.function} of {of}" if measure.function else of


@dataclass(frozen=True, slots=True)
class _Known:
    index: Index
    lexicon: Lexicon
    joins: Joins


_LOCK = threading.Lock()
_KNOWN: dict[str, _Known] = {}


def _known(boxes: BoxSet) -> _Known:
    fingerprint = boxes.fingerprint
    with _LOCK:
        known = _KNOWN.get(fingerprint)
        if known is None:
            index = index_of(boxes)
            unique = frozenset(place for place, known in index.fields.items() if known.unique)
            known = _KNOWN[fingerprint] = _Known(
                index, lexicon_of(index), Joins(boxes.foreign_keys, index.keys, index.junctions(), unique)
            )
            weakref.finalize(boxes, _KNOWN.pop, fingerprint, None)
    return known


def read(
    question: str,
    boxes: BoxSet,
    ties: str = "all",
    shown: Sequence[Similar] = (),
    embedding: Embedding | None = None,
    *,
    guessing: bool = False,
) -> Reading:
    """Read ``question`` over ``boxes``; deterministic.

    Args:
        question: In words.
        boxes: The boxes.
        ties: Whether a superlative gives ``all`` that tie, or the ``first``.
        shown: Demonstrations of similar questions, which tell readings apart that cost about the same.
        embedding: Ties words that no name resembles to fields that mean something near; None for none.
        guessing: Whether a question that makes no reading is read without one of its phrases, which `doubt` then names.
    """
    reach = REACH if shown else MARGIN
    known = _known(boxes)
    too_long = _too_long(question)
    if too_long:
        return Reading((), (), (), known.index.partial, too_long)
    items = _items(question, boxes, known, embedding)
    best = _best(items, boxes, known, ties, reach)
    if not best and guessing:
        guess = _guess(items, boxes, known, ties)
        if guess is not None:
            return guess
    best = _told_apart(best, shown)
    unplaced = best[0].candidate.unplaced if best else _unknown(items)
    doubt = doubt_of(items, best[0].candidate, known.index, boxes, known.joins) if best else None
    return Reading(tuple(items), tuple(best), unplaced, known.index.partial, doubt)


def _items(question: str, boxes: BoxSet, known: _Known, embedding: Embedding | None) -> list[Item]:
    """The question's spans, put plainly."""
    lexicon = known.lexicon
    question = reworded(spelt_right(question, lexicon), lexicon.has, lexicon.phrases.__contains__)
    items = tag(question, lexicon)
    amounts = [item for item in items if any(_is_amount(known.index, link) for link in item.only("field"))]
    items = plainly(items, question, boxes.sources, len(boxes), amounts)
    return near_fields(items, known.index, embedding) if embedding is not None else items


def _best(items: list[Item], boxes: BoxSet, known: _Known, ties: str, reach: float) -> list[Planned]:
    """The cheapest candidates that can be written, first the best."""
    candidates = search(parse(items, known.index), boxes, known.joins)
    best: list[Planned] = []
    for candidate in candidates:
        if len(best) > MAX_RIVALS or (best and candidate.cost > candidates[0].cost + reach):
            break
        planned = _written(candidate, candidates, boxes, known, ties)
        if planned is not None and planned.code not in {each.code for each in best}:
            best.append(planned)
    return best


def _guess(items: Sequence[Item], boxes: BoxSet, known: _Known, ties: str) -> Reading | None:
    """The cheapest reading of the question without one of its phrases; None where none of them is in the way."""
    found: tuple[float, Reading] | None = None
    said = [at for at, item in enumerate(items) if item.kind not in _TIES]
    for at in said[:MAX_LEFT_OUT]:
        kept = [replace(item, used=False) for item in (*items[:at], *items[at + 1 :])]
        best = _best(kept, boxes, known, ties, 0.0)[:1]
        if best and (found is None or best[0].candidate.cost < found[0]):
            left = items[at].text
            unplaced = (left, *best[0].candidate.unplaced)
            told = f"the question makes no reading with {left!r}, which is left out"
            best = [replace(best[0], confidence=0.0)]  # the estimate is of another question than the one asked
            found = best[0].candidate.cost, Reading(tuple(kept), tuple(best), unplaced, known.index.partial, told)
    return None if found is None else found[1]


def _too_long(question: str) -> str:
    """Why a question is not read; empty where it is."""
    if len(question) > MAX_CHARACTERS:
        return f"the question has {len(question):,} characters, and no more than {MAX_CHARACTERS:,} are read"
    said = len(tokens(question))
    is_short = said <= MAX_TOKENS
    return "" if is_short else f"the question has {said:,} words and marks, and no more than {MAX_TOKENS} are read"


def _is_amount(index: Index, link: Link) -> bool:
    return link.score >= 0.6 and index.fields[link.place].kind == "number"


def _told_apart(best: list[Planned], shown: Sequence[Similar]) -> list[Planned]:
    """The reading that has the shape of a demonstration; without one, those that rival the best."""
    at = likeliest([planned.code for planned in best], shown)
    if at is not None:
        return [best[at]]
    return [each for each in best if each.candidate.cost <= best[0].candidate.cost + MARGIN]


def _written(candidate: Candidate, others: list[Candidate], boxes: BoxSet, known: _Known, ties: str) -> Planned | None:
    try:
        plan = compile_query(candidate.query, boxes, known.index, known.joins, ties)
        code = emit(plan, boxes)
    except PlanError:
        return None
    signs = signs_of(candidate, others)
    return Planned(candidate, plan, code, confidence(signs), signs)


def _unknown(items: list[Item]) -> tuple[str, ...]:
    """Words that mean nothing here; where every word does, those that no rule could put together."""
    words = tuple(item.text for item in items if item.kind in ("word", "quoted"))
    return words or tuple(item.text for item in items if not item.used and item.kind not in _TIES)
