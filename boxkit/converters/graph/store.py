"""Triples as three arrays of integers, sorted by subject, with the terms they number."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["BLANK", "IRI", "LITERAL", "XSD", "Ints", "Literal", "StoreBuilder", "Term", "TripleStore", "distinct"]

XSD = "http://www.w3.org/2001/XMLSchema#"

IRI, BLANK, LITERAL = 0, 1, 2

Ints: TypeAlias = npt.NDArray[np.int64]


class Literal(NamedTuple):
    """A literal as written: its text, its datatype's IRI (empty for plain text), its language in lower case."""

    text: str
    datatype: str = ""
    language: str = ""


#: An IRI or a plain name as text, a blank node as ``_:name``, or a literal.
Term: TypeAlias = str | Literal


@dataclass(frozen=True, eq=False)
class TripleStore:
    """A graph in memory.

    Attributes:
        terms: What the integers stand for; literals are `Literal`, the rest text.
        kinds: (n_terms,) uint8: `IRI`, `BLANK` or `LITERAL`.
        subjects: (n_triples,) int32, ascending; with ``predicates`` and ``objects``, no triple twice.
        predicates: (n_triples,) int32.
        objects: (n_triples,) int32.
        prefixes: Namespace by prefix, where the source declared any.
        content: A hash of the source's content.
    """

    terms: Sequence[Term]
    kinds: npt.NDArray[np.uint8]
    subjects: npt.NDArray[np.int32]
    predicates: npt.NDArray[np.int32]
    objects: npt.NDArray[np.int32]
    prefixes: Mapping[str, str] = field(default_factory=dict)
    content: str = ""

    def __len__(self) -> int:
        return len(self.subjects)

    @cached_property
    def numbers(self) -> dict[Term, int]:
        """The integer of each term."""
        return dict(zip(self.terms, range(len(self.terms)), strict=True))

    @cached_property
    def _out(self) -> Ints:
        """(n_terms + 1,): where each subject's triples begin."""
        return np.searchsorted(self.subjects, np.arange(len(self.terms) + 1)).astype(np.int64)

    @cached_property
    def _in(self) -> tuple[Ints, Ints]:
        """Where each object's triples begin in the second array, which lists triples by object, then relation."""
        order = np.lexsort((self.subjects, self.predicates, self.objects)).astype(np.int64)
        starts = np.searchsorted(self.objects[order], np.arange(len(self.terms) + 1)).astype(np.int64)
        return starts, order

    @cached_property
    def _by_predicate(self) -> tuple[Ints, Ints]:
        order = np.argsort(self.predicates, kind="stable").astype(np.int64)
        starts = np.searchsorted(self.predicates[order], np.arange(len(self.terms) + 1)).astype(np.int64)
        return starts, order

    def number(self, term: Term) -> int | None:
        """The integer of ``term``; None where the graph does not hold it."""
        return self.numbers.get(term)

    def out_of(self, nodes: Ints) -> Ints:
        """The triples (as positions) whose subject is among ``nodes``, node by node."""
        return _ranges(self._out[nodes], self._out[nodes + 1])

    def into(self, nodes: Ints) -> Ints:
        """The triples (as positions) whose object is among ``nodes``, node by node."""
        starts, order = self._in
        return order[_ranges(starts[nodes], starts[nodes + 1])]

    def degrees(self, nodes: Ints) -> tuple[Ints, Ints]:
        """How many triples leave and enter each node, without listing them."""
        starts, _ = self._in
        return self._out[nodes + 1] - self._out[nodes], starts[nodes + 1] - starts[nodes]

    def with_predicate(self, predicate: int) -> Ints:
        """The triples (as positions) of one relation, by subject."""
        starts, order = self._by_predicate
        return order[starts[predicate] : starts[predicate + 1]]

    @cached_property
    def relations(self) -> Ints:
        """The relations, ascending."""
        return distinct(self.predicates, len(self.terms))

    def only(self, triples: Ints) -> TripleStore:
        """The store of some triples, with the same terms and integers."""
        kept = np.sort(triples)
        return TripleStore(
            self.terms,
            self.kinds,
            self.subjects[kept],
            self.predicates[kept],
            self.objects[kept],
            self.prefixes,
            self.content,
        )

    def text(self, number: int) -> str:
        """The term as text: a literal's own, else the IRI, name or blank node."""
        term = self.terms[number]
        return term.text if isinstance(term, Literal) else term


def distinct(numbers: npt.NDArray[np.int32] | Ints, size: int) -> Ints:
    """The distinct values of ``numbers``, all below ``size``, ascending."""
    seen = np.zeros(size, dtype=bool)
    seen[numbers] = True
    return np.flatnonzero(seen).astype(np.int64)


def _ranges(starts: Ints, ends: Ints) -> Ints:
    """Every integer of the ranges ``starts[i] : ends[i]``, one after another."""
    lengths = ends - starts
    total = int(lengths.sum())
    if not total:
        return np.empty(0, dtype=np.int64)
    shift = np.repeat(starts - np.concatenate(([0], np.cumsum(lengths)[:-1])), lengths)
    return np.arange(total, dtype=np.int64) + shift


class StoreBuilder:
    """Collects triples in any order and numbers their terms."""

    def __init__(self) -> None:
        self.numbers: dict[Term, int] = {}
        self.subjects: list[int] = []
        self.predicates: list[int] = []
        self.objects: list[int] = []
        self._filled: tuple[Ints, Ints, Ints] | None = None

    def term(self, term: Term) -> int:
        """The integer of ``term``."""
        number = self.numbers.get(term)
        if number is None:
            number = self.numbers[term] = len(self.numbers)
        return number

    def add(self, subject: Term, predicate: Term, value: Term) -> None:
        """Add one triple; a second time changes nothing."""
        self.subjects.append(self.term(subject))
        self.predicates.append(self.term(predicate))
        self.objects.append(self.term(value))

    def extend(self, triples: Iterable[tuple[Term, Term, Term]]) -> None:
        """Add many triples."""
        for triple in triples:
            self.add(*triple)

    def fill(self, subjects: Ints, predicates: Ints, objects: Ints) -> None:
        """Take whole columns of integers that `term` gave, in place of what was added before."""
        self._filled = (subjects, predicates, objects)

    def build(self, prefixes: Mapping[str, str] | None = None, content: str = "") -> TripleStore:
        """The store. Blank nodes are named ``_:1``, ``_:2`` … by what is said of them: one graph gives one store."""
        subjects, predicates, objects = self._filled or (
            np.array(self.subjects, dtype=np.int64),
            np.array(self.predicates, dtype=np.int64),
            np.array(self.objects, dtype=np.int64),
        )
        terms = list(self.numbers)
        kinds = np.array([_kind(term) for term in terms], dtype=np.uint8)
        if (kinds == BLANK).any():
            terms = _name_blanks(terms, kinds, subjects, predicates, objects)
        # Numbered in the order of their texts, so that nothing depends on the order in which triples came.
        order = sorted(range(len(terms)), key=[_sort_key(term) for term in terms].__getitem__)
        rank = np.empty(len(terms), dtype=np.int64)
        rank[order] = np.arange(len(terms))
        terms, kinds = [terms[at] for at in order], kinds[order]
        triples = _distinct(rank[subjects], rank[predicates], rank[objects])
        return TripleStore(
            terms,
            kinds,
            triples[0].astype(np.int32),
            triples[1].astype(np.int32),
            triples[2].astype(np.int32),
            dict(prefixes or {}),
            content or _content(terms, triples),
        )


def _sort_key(term: Term) -> str:
    """Names, then blank nodes, then literals, each by their text."""
    if isinstance(term, Literal):
        return f"2{term.text}\x00{term.datatype}\x00{term.language}"
    return f"1{term}" if term.startswith("_:") else f"0{term}"


def _kind(term: Term) -> int:
    if isinstance(term, Literal):
        return LITERAL
    return BLANK if term.startswith("_:") else IRI


def _distinct(subjects: Ints, predicates: Ints, objects: Ints) -> tuple[Ints, Ints, Ints]:
    order = np.lexsort((objects, predicates, subjects))
    subjects, predicates, objects = subjects[order], predicates[order], objects[order]
    if len(subjects) > 1:
        new = np.ones(len(subjects), dtype=bool)
        new[1:] = (np.diff(subjects) != 0) | (np.diff(predicates) != 0) | (np.diff(objects) != 0)
        subjects, predicates, objects = subjects[new], predicates[new], objects[new]
    return subjects, predicates, objects


def _content(terms: Sequence[Term], triples: tuple[Ints, Ints, Ints]) -> str:
    """A hash over the triples' texts, whatever the order in which they came."""
    total = 0
    hashes = [int.from_bytes(hashlib.blake2b(repr(term).encode(), digest_size=8).digest(), "big") for term in terms]
    table = np.array(hashes, dtype=np.uint64) if hashes else np.empty(0, dtype=np.uint64)
    if len(triples[0]):
        one, two, three = (table[part] for part in triples)
        total = int(np.sum(one * np.uint64(3) ^ two * np.uint64(5) ^ three * np.uint64(7), dtype=np.uint64))
    return f"{len(triples[0])}-{total:x}"


ROUNDS = 12


def _name_blanks(terms: list[Term], kinds: npt.NDArray[np.uint8], s: Ints, p: Ints, o: Ints) -> list[Term]:
    """Blank nodes renamed by colour: what they say, refined by what those around them say, until no more split."""
    blanks = np.flatnonzero(kinds == BLANK)
    around: dict[int, list[tuple[str, str, int]]] = {int(blank): [] for blank in blanks}
    for at in np.flatnonzero((kinds[s] == BLANK) | (kinds[o] == BLANK)):
        subject, predicate, value = int(s[at]), repr(terms[p[at]]), int(o[at])
        if subject in around:
            around[subject].append((">", predicate, value))
        if value in around:
            around[value].append(("<", predicate, subject))
    colours = dict.fromkeys(around, "")
    distinct = 1
    for _ in range(ROUNDS):
        colours = {node: _colour(links, terms, colours) for node, links in around.items()}
        if len(set(colours.values())) == distinct:
            break
        distinct = len(set(colours.values()))
    # Nodes of one colour say the same in the same places: which of them comes first makes no difference.
    ranked = sorted(around, key=lambda node: (colours[node], node))
    renamed = list(terms)
    for rank, node in enumerate(ranked, start=1):
        renamed[node] = f"_:{rank}"
    return renamed


def _colour(links: list[tuple[str, str, int]], terms: Sequence[Term], colours: Mapping[int, str]) -> str:
    said = sorted(f"{way}{predicate}{colours.get(other) or _ground(terms[other])}" for way, predicate, other in links)
    return hashlib.blake2b("\n".join(said).encode(), digest_size=12).hexdigest()


def _ground(term: Term) -> str:
    return "_" if isinstance(term, str) and term.startswith("_:") else repr(term)
