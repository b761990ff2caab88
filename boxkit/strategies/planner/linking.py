"""Which boxes, fields and values a span of the question may mean, and how well."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from boxkit.strategies.planner.fields import FieldIndex, Place
from boxkit.strategies.planner.index import Index
from boxkit.strategies.planner.lexicon import EMPTY_WORDS, PERSON_WORDS, synonyms
from boxkit.strategies.planner.places import same_country
from boxkit.strategies.planner.thesaurus import named_otherwise
from boxkit.strategies.planner.words import Token, normal, singular, stem

__all__ = ["Lexicon", "Link", "lexicon_of", "without_units"]

#: The longest run of words that is looked up.
MAX_WORDS = 8
#: A field with more distinct values does not sort its rows into kinds.
MAX_KINDS = 40

_UNITS = frozenset(
    """
    km kms m cm mm mi mile foot ft kg g lb sq km2 usd eur euro dollar percent ms billion mib mb gb mph kmh
    million 2 3 f c inch m2 s sec h hr ha
    """.split()
)


@dataclass(frozen=True, slots=True)
class Link:
    """A meaning of a span.

    Attributes:
        kind: A box, a field of one, or values of a field.
        box: The box.
        score: How well the words fit, in (0, 1].
        field: The field; empty for a box.
        values: The values as the source writes them.
        how: The kind of match: ``exact``, ``stem``, ``part``, ``key`` (what a key identifies), ``synonym``, ``place``,
            ``fuzzy``, ``words``.
    """

    kind: Literal["box", "field", "value"]
    box: str
    score: float
    field: str = ""
    values: tuple[Any, ...] = ()
    how: str = "exact"

    @property
    def place(self) -> Place:
        """Its field."""
        return Place(self.box, self.field)


Phrase = tuple[str, ...]
Table = defaultdict[Phrase, list[Link]]

#: Words that a name may have besides those that a question uses: "born" is enough for ``birth_date``.
_GENERIC = frozenset("date year time name number code amount value text type count on at day total in no".split())
_GENDERS = dict.fromkeys(("female", "woman", "girl"), ("f", "female", "w")) | dict.fromkeys(
    ("male", "man", "boy"), ("m", "male")
)
_FLAG_WORDS = frozenset("is has have was are can on do".split())
_KEY_ENDS = (("id",), ("number",), ("key",))
_DIVISIONS = frozenset(map(stem, "state province county region district town city country".split()))
_STEM = 0.92
_BESIDE_LITERAL = 0.65
_OTHERWISE, _OTHERWISE_PHRASE = 0.87, 0.9


@dataclass(frozen=True, slots=True)
class Lexicon:
    """An index turned round: phrases to what bears them as its name, or as a piece of it.

    Attributes:
        index: The index it was made of.
        phrases: Whole names, by their words.
        stemmed: Whole names, by their words' stems.
        parts: Pieces of names of several words, by stems.
    """

    index: Index
    phrases: dict[Phrase, tuple[Link, ...]]
    stemmed: dict[Phrase, tuple[Link, ...]]
    parts: dict[Phrase, tuple[Link, ...]]

    def schema(self, words: Phrase, stems: Phrase) -> tuple[Link, ...]:
        """Boxes and fields that these words (singular) may name, best first."""
        found = [*self.phrases.get(words, ()), *self.parts.get(stems, ())]
        found += [replace(link, score=link.score * _STEM, how="stem") for link in self.stemmed.get(stems, ())]
        # A field that has the word in its name is meant before one that has a synonym: "state" is no ``country`` there.
        weight = _BESIDE_LITERAL if any(link.kind == "field" and link.score >= 0.55 for link in found) else 1.0
        if len(stems) <= 3:
            for at, word in enumerate(stems):
                for other in synonyms(word):
                    changed = (*stems[:at], other, *stems[at + 1 :])
                    found += [
                        replace(link, score=link.score * 0.9 * weight, how="synonym")
                        for link in self.stemmed.get(changed, ())
                    ]
                    found += [
                        replace(link, score=link.score * 0.88 * weight, how="synonym")
                        for link in self.parts.get(changed, ())
                    ]
        literal = any(link.score >= 0.55 and link.how != "synonym" for link in found)
        if not literal and not (len(words) == 1 and self._sorts_rows(words[0])):
            found += self._otherwise(stems)
        return _best(found)

    def has(self, word: str) -> bool:
        """Whether a box or a field is called by the word with this stem, or by another of the same meaning."""
        named = (word, *synonyms(word))
        return any(
            link.score >= 0.7
            for each in named
            for table in (self.stemmed, self.parts)
            for link in table.get((each,), ())
        )

    def _sorts_rows(self, word: str) -> bool:
        """Whether the word is, or is in, one of few values of a field: ``professors``, where these are of ranks."""
        places = self.index.values.get(word, {})
        return bool(self.kinds(word)) or any(self.index.fields[place].distinct <= MAX_KINDS for place in places)

    def _otherwise(self, stems: Phrase) -> Iterator[Link]:
        """What the source calls by another word of the same concept; a phrase says more than one word."""
        names = named_otherwise(stems)
        links = [link for each in names for table in (self.stemmed, self.parts) for link in table.get((each,), ())]
        links = [link for link in links if link.score >= 0.7]
        alone = len({(link.box, link.field) for link in links}) == 1
        weight = (_OTHERWISE if len(stems) == 1 else _OTHERWISE_PHRASE) + (0.06 if alone else 0.0)
        for link in links:
            yield replace(link, score=link.score * weight, how="synonym")

    def values(self, words: tuple[Token, ...]) -> tuple[Link, ...]:
        """Values that these words may be."""
        text = normal(" ".join(token.text if token.kind != "number" else str(token.value) for token in words))
        if not text or (len(words) == 1 and words[0].kind != "quoted" and _says_nothing(words[0])):
            return ()
        found = list(self._named(text, 1.0, "exact", " ".join(token.text for token in words)))
        if words[-1].kind == "word":
            for variant in _variants(text) if len(words) == 1 or any(token.capital for token in words) else ():
                found += self._named(variant, 0.94, "stem")
            for gender in _GENDERS.get(singular(text), ()):
                found += (link for link in self._named(gender, 0.96, "place") if self._is_gender(link.place))
            for country in same_country(text):
                found += self._named(country, 0.97, "place")
        return _best(found)

    def _is_gender(self, place: Place) -> bool:
        return bool({"sex", "gender"} & set(self.index.fields[place].words))

    def _named(self, text: str, score: float, how: str, written: str = "") -> Iterator[Link]:
        for place, values in self.index.values.get(text, {}).items():
            # Case and spaces make no other value of it; signs, as in C++, do.
            same = tuple(value for value in values if _spaced(value) == _spaced(written))
            yield Link("value", place.box, score, place.field, same or values, how)

    def loose_values(self, text: str, fuzzy: bool = True) -> tuple[Link, ...]:
        """Values that hold all the words of ``text``, or are spelt almost like it."""
        words = text.split()
        sets = [set(self.index.by_word.get(word, ())) for word in words]
        holding = set.intersection(*sets) if sets else set()
        found: list[Link] = []
        for whole in sorted(holding)[:200]:
            found += self._named(whole, 0.8 if len(holding) <= 3 else 0.6, "words")
        if not found and fuzzy and len(text) >= 4:
            found = list(self._fuzzy(text))
        return _best(found)

    def kinds(self, word: str) -> tuple[Link, ...]:
        """Values that hold the word, of fields with few different ones: ``monarchies``, where these are of kinds."""
        found: dict[Place, list[Any]] = defaultdict(list)
        for whole in self.index.by_word.get(singular(word), ()):
            for place, values in self.index.values.get(whole, {}).items():
                if self.index.fields[place].distinct <= MAX_KINDS:
                    found[place] += values
        return tuple(
            Link("value", place.box, 0.75, place.field, tuple(values), "words") for place, values in found.items()
        )

    def _fuzzy(self, text: str) -> Iterator[Link]:
        from rapidfuzz import fuzz, process

        close = process.extract(text, self.index.values.keys(), scorer=fuzz.ratio, score_cutoff=86, limit=3)
        for whole, ratio, _ in close:
            yield from self._named(whole, 0.8 * ratio / 100, "fuzzy")

    def misspelt(self, word: str) -> tuple[Link, ...]:
        """Boxes and fields whose one-word name is spelt almost like ``word``."""
        from rapidfuzz import fuzz, process
        from rapidfuzz.distance import OSA

        single = [phrase[0] for phrase in self.stemmed if len(phrase) == 1]
        close = process.extractOne(word, single, scorer=fuzz.ratio, score_cutoff=84)
        if close is None:
            # Two letters that changed places are one slip, though two of them differ.
            turned = [each for each in single if sorted(each) == sorted(word) and each[0] == word[0] and len(each) > 4]
            close = process.extractOne(word, turned, scorer=OSA.distance, score_cutoff=1)
        if close is None:
            return ()
        return tuple(replace(link, score=link.score * 0.75, how="fuzzy") for link in self.stemmed[(close[0],)])


def _spaced(text: str) -> str:
    return " ".join(text.casefold().split())


def _says_nothing(token: Token) -> bool:
    # "I" is no abbreviation.
    return token.kind == "word" and token.lower in EMPTY_WORDS and (not token.text.isupper() or token.text == "I")


def _variants(text: str) -> Iterator[str]:
    head, _, last = text.rpartition(" ")
    single = singular(last)
    if single != last:
        yield f"{head} {single}".strip()
    else:
        for plural in (f"{last}s", f"{last[:-1]}ies" if last.endswith("y") else f"{last}es"):
            yield f"{head} {plural}".strip()


def _best(links: Iterable[Link]) -> tuple[Link, ...]:
    by_meaning: dict[tuple[str, str, str], Link] = {}
    for link in links:
        key = (link.kind, link.box, link.field)
        held = by_meaning.get(key)
        if held is None or link.score > held.score:
            by_meaning[key] = link
        elif link.kind == "value" and link.score == held.score and link.values != held.values:
            by_meaning[key] = replace(held, values=tuple(dict.fromkeys((*held.values, *link.values))))
    return tuple(sorted(by_meaning.values(), key=lambda link: -link.score))


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
    return {phrase: _best(links) for phrase, links in table.items()}


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
