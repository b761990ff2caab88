"""What boxes and fields are called: the phrases by which a question may name them, whole and in pieces."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace

from boxkit.strategies.planner.fields import FieldIndex, Place
from boxkit.strategies.planner.index import Index
from boxkit.strategies.planner.lexicon import EMPTY_WORDS, PERSON_WORDS
from boxkit.strategies.planner.linking import Lexicon, Link, Phrase, best_of
from boxkit.strategies.planner.words import normal, singular, stem

__all__ = ["lexicon_of", "without_units"]

Table = defaultdict[Phrase, list[Link]]

_UNITS = frozenset(
    """
    km kms m cm mm mi mile foot ft kg g lb sq km2 usd eur euro dollar percent ms billion mib mb gb mph kmh
    million 2 3 f c inch m2 s sec h hr ha
    """.split()
)
#: Words that a name may have besides those that a question uses: "born" is enough for ``birth_date``.
_GENERIC = frozenset("date year time name number code amount value text type count on at day total in no".split())
_FLAG_WORDS = frozenset("is has have was are can on do".split())
_KEY_ENDS = (("id",), ("number",), ("key",))
_DIVISIONS = frozenset(map(stem, "state province county region district town city country".split()))


def lexicon_of(index: Index) -> Lexicon:
    """The lexicon of an index."""
    tables = _Tables(index, defaultdict(list), defaultdict(list), defaultdict(list), index.junctions())
    for box in index.boxes:
        tables.add_box(box)
    labelled = {Place(place.box, known.label): known for place, known in index.fields.items() if known.label}
    for place, known in index.fields.items():
        if known.label:
            # A thing of a graph is spoken of by its label.
            continue
        named = labelled.get(place)
        tables.add_field(known if named is None else replace(known, words=named.words, stems=named.stems))
    return Lexicon(index, _sorted(tables.phrases), _sorted(tables.stemmed), _sorted(tables.parts))


def _sorted(table: Table) -> dict[Phrase, tuple[Link, ...]]:
    return {phrase: best_of(links) for phrase, links in table.items()}


def _pieces(stems: Phrase) -> Iterator[Phrase]:
    for size in range(1, min(len(stems), 4)):
        yield from itertools.combinations(stems, size)


@dataclass(frozen=True, slots=True)
class _Tables:
    """The lexicon's tables while they are filled."""

    index: Index
    phrases: Table
    stemmed: Table
    parts: Table
    junctions: frozenset[str]

    def add(self, words: Phrase, link: Link) -> None:
        """A whole name."""
        if words:
            self.phrases[words].append(link)
            self.stemmed[tuple(map(stem, words))].append(link)

    def add_box(self, box: str) -> None:
        """A box's name, and the pieces of it."""
        words = self.index.boxes[box]
        # Nobody speaks of a junction by its whole name: "countries border" is no ``country_borders``.
        self.add(words, Link("box", box, 0.75 if box in self.junctions and len(words) > 1 else 1.0))
        self._add_written(box, words, Link("box", box, 0.97))
        keys = self.index.keys[box]
        if len(keys) == 1 and not any(
            "id" in each.words for each in self.index.of_box(box) if each.place.field == keys[0]
        ):
            self.add(("id",), Link("field", box, 0.85, keys[0], how="part"))
            self.add((*words, "id"), Link("field", box, 0.85, keys[0], how="part"))
        if self.index.naming[box] and PERSON_WORDS & set(words):
            # "How many people work there?": those that it has.
            self.add(("person",), Link("box", box, 0.8, how="synonym"))
        for noun in self._called_by_key(box):
            self.add(noun, Link("box", box, 0.95, how="key"))
        naming = self.index.naming[box]
        if len(naming) == 2:
            self.add(("full", "name"), Link("box", box, 0.9, how="part"))
            self.add(("name",), Link("box", box, 0.85, how="part"))
        elif naming and "name" not in self.index.fields[Place(box, naming[0])].words:
            self.add(("name",), Link("field", box, 0.75, naming[0], how="part"))
        elif naming:
            self.add(("name",), Link("field", box, 0.88, naming[0], how="part"))
        stems = self.index.box_stems[box]
        for piece in _pieces(stems):
            # The last word of a compound is the thing itself: ``car_makers`` are makers, ``order_items`` items.
            score = 0.88 if piece == stems[-len(piece) :] else 0.55
            self.parts[piece].append(Link("box", box, score, how="part"))

    def _add_written(self, name: str, words: Phrase, link: Link) -> None:
        """``cat`` and ``c77`` as they stand, beside what they may be short for."""
        written = tuple(singular(word) for word in normal(name).split())
        if written != words and len(written[0] if written else "") > 1:
            self.add(written, link)

    def _called_by_key(self, box: str) -> Iterator[Phrase]:
        """``order`` for the rows of a box called otherwise whose key is ``order_id``, or ``Order No.``."""
        keys = self.index.keys[box]
        known = self.index.fields[Place(box, keys[0])] if len(keys) == 1 else None
        if known is not None and not known.refers and known.words[-1:] in _KEY_ENDS:
            noun = known.words[:-1]
            if noun and not set(noun) <= _GENERIC and noun not in self.index.boxes.values():
                yield noun

    def add_field(self, known: FieldIndex) -> None:
        """A field's name: as it is, with and without the box's name, without its unit, the other way round."""
        place = known.place
        self._add_written(place.field, known.words, Link("field", place.box, 0.97, place.field))
        own = self.index.boxes[place.box]
        core = without_units(known.words)
        if known.kind == "boolean" and len(core) > 1 and core[0] in _FLAG_WORDS:
            self.add(core[1:], Link("field", place.box, 0.98, place.field))
            core = core[1:]
        bare = tuple(word for word in core if word not in own) if len(core) > 1 else core
        short = core[1:] if len(core) > 1 and len(core[0]) == 1 else ()
        named_alike = known.refers and known.words in self.index.boxes.values()
        for words, score in ((known.words, 1.0), (core, 0.98), (bare, 0.96), (short, 0.93)):
            # Where a key is called as the box that it refers to, that box is meant, and not its number.
            fitting = score * (0.85 if named_alike else 0.96 if known.refers else 1.0)
            for phrase, fit in _ways(words, own):
                self.add(phrase, Link("field", place.box, fitting * fit, place.field))
        if known.kind == "date" and len(core) > 1 and core[-1] == "date":
            self.add((*core[:-1], "year"), Link("field", place.box, 0.9, place.field, how="part"))
        self._add_pieces(known, tuple(map(stem, core)), set(map(stem, bare)))
        for said in known.said:
            self._add_said(place, tuple(word for word in said if word not in EMPTY_WORDS))

    def _add_said(self, place: Place, words: Phrase) -> None:
        """What the source says that a field is: as good as a name, a word of it as good as a part of one."""
        self.add(words, Link("field", place.box, 0.95, place.field))
        for piece in _pieces(tuple(map(stem, words))):
            if not set(piece) <= _GENERIC:
                self.parts[piece].append(Link("field", place.box, 0.85, place.field, how="part"))

    def _add_pieces(self, known: FieldIndex, core: Phrase, bare: set[str]) -> None:
        place = known.place
        for piece in _pieces(core):
            if known.kind == "id" and not set(piece) & {"id", "code", "number", "ssn", "key"}:
                # ``author_id`` is not meant by "author"; the box is.
                self.parts[piece].append(Link("field", place.box, 0.4, place.field, how="part"))
                continue
            if (bare and not set(piece) & bare) or (set(piece) <= _GENERIC and piece not in (core[-1:], core[:1])):
                continue
            rest = set(core) - set(piece)
            if set(piece) <= _GENERIC:
                self.parts[piece].append(Link("field", place.box, 0.6, place.field, how="part"))
                continue
            score = 0.9 if rest <= _GENERIC else 0.5 + 0.35 * len(piece) / len(core)
            if set(core) <= _DIVISIONS:
                # ``state_province_county`` holds whichever of them there is.
                score = 0.88
            if piece == core[-len(piece) :]:
                # The head of the name: ``capacity`` of ``student_capacity``.
                score = max(score, 0.8)
            self.parts[piece].append(Link("field", place.box, score, place.field, how="part"))


def _ways(words: Phrase, own: Phrase) -> Iterator[tuple[Phrase, float]]:
    """The ways a field's words are put in a question, and how well each fits."""
    if not words:
        return
    yield words, 1.0
    yield (*own, *words), 1.0
    if words[0] == "number" and len(words) > 1:
        yield ("number", "of", *words[1:]), 1.0
        yield words[1:], 0.85
    if words[-1] in ("phone", "telephone", "fax", "account", "room", "flight", "contact", "card"):
        yield (*words, "number"), 0.95
    if words[-1] == "id" and len(words) > 1:
        # Who asks for the department number wants no name.
        yield (*words[:-1], "number"), 0.85
        yield (*words[:-1], "code"), 0.85
    if len(words) == 2:
        yield (words[1], "of", words[0]), 0.97
        yield (words[1], words[0]), 0.9


def without_units(words: Phrase) -> Phrase:
    """A name's words without the units and the year behind them: ``area_km2``, ``population_2020``."""
    kept = words
    while len(kept) > 1 and (kept[-1] in _UNITS or (kept[-1].isdigit() and len(kept[-1]) == 4)):
        kept = kept[:-1]
    return kept if kept != ("number",) else words
