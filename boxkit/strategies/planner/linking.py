"""Which boxes, fields and values a span of the question may mean, and how well."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from boxkit.strategies.planner.fields import Place
from boxkit.strategies.planner.index import Index
from boxkit.strategies.planner.lexicon import EMPTY_WORDS, synonyms
from boxkit.strategies.planner.places import same_country
from boxkit.strategies.planner.thesaurus import named_otherwise
from boxkit.strategies.planner.words import Token, normal, singular

__all__ = ["Lexicon", "Link", "Phrase", "best_of"]

#: The longest run of words that is looked up.
MAX_WORDS = 8
#: A field with more distinct values does not sort its rows into kinds.
MAX_KINDS = 40


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
_GENDERS = dict.fromkeys(("female", "woman", "girl"), ("f", "female", "w")) | dict.fromkeys(
    ("male", "man", "boy"), ("m", "male")
)
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
                for other in sorted(synonyms(word)):
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
        return best_of(found)

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
        names = sorted(named_otherwise(stems))
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
        return best_of(found)

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
        return best_of(found)

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


def best_of(links: Iterable[Link]) -> tuple[Link, ...]:
    """One link for each meaning, the best, best first; values that fit as well are put together."""
    by_meaning: dict[tuple[str, str, str], Link] = {}
    for link in links:
        key = (link.kind, link.box, link.field)
        held = by_meaning.get(key)
        if held is None or link.score > held.score:
            by_meaning[key] = link
        elif link.kind == "value" and link.score == held.score and link.values != held.values:
            by_meaning[key] = replace(held, values=tuple(dict.fromkeys((*held.values, *link.values))))
    return tuple(sorted(by_meaning.values(), key=lambda link: -link.score))
