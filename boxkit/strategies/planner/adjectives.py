"""Gradable adjectives, the measures they speak of, and their comparatives and superlatives."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

__all__ = ["ADJECTIVES", "Adjective", "comparatives", "one_of", "superlatives"]


@dataclass(frozen=True, slots=True)
class Adjective:
    """A gradable adjective: the measures whose large values it means, and those whose small values it means."""

    large: tuple[str, ...]
    small: tuple[str, ...] = ()


def _measures(text: str) -> tuple[str, ...]:
    return tuple(text.split())


#: By base form. Measures are stems as `words.stem` gives them for field names, the likeliest first.
ADJECTIVES: dict[str, Adjective] = {
    base: Adjective(_measures(large), _measures(small))
    for base, large, small in (
        ("expensive", "price cost fee rent fare rate charge amount", ""),
        ("costly", "price cost fee rent fare rate charge amount", ""),
        ("pricey", "price cost fee rent fare rate charge", ""),
        ("dear", "price cost fee rent fare rate charge amount", ""),
        ("valuable", "price value worth", ""),
        ("affordable", "", "price cost fee rent fare rate charge"),
        ("inexpensive", "", "price cost fee rent fare rate charge"),
        ("cheap", "", "price cost fee rent fare rate charge"),
        ("old", "age", "birth born dob found establish open build date year"),
        ("ancient", "age", "found establish build year"),
        ("young", "birth born dob found establish open build date year", "age"),
        ("new", "date publish releas found establish year join hire enrol regist", ""),
        ("recent", "date publish releas found establish year time join hire enrol regist", ""),
        ("late", "date publish releas year time", ""),
        ("early", "", "date publish releas found establish year time"),
        ("long", "length durat page runtim distanc time millisecond minut", ""),
        ("lengthy", "length durat page runtim", ""),
        ("short", "", "length durat height page runtim distanc time millisecond"),
        ("brief", "", "length durat page runtim"),
        ("thick", "page thick", ""),
        ("thin", "", "page thick"),
        ("slim", "", "page thick"),
        ("lofty", "height elev altitud", ""),
        ("tall", "height elev storey", ""),
        ("high", "height elev altitud", ""),
        ("low", "", "height elev altitud"),
        ("large", "size area popul capac", ""),
        ("big", "size area popul capac", ""),
        ("small", "", "size area popul capac"),
        ("vast", "area size", ""),
        ("tiny", "", "area size"),
        ("little", "", "size area popul capac"),
        ("huge", "size area popul capac", ""),
        ("extensive", "area size length", ""),
        ("elderly", "age", ""),
        ("modern", "date publish releas found establish build year", ""),
        ("swift", "speed veloc", "time lap"),
        ("weighty", "weight mass", ""),
        ("lucrative", "profit revenu", ""),
        ("heavy", "weight mass", ""),
        ("light", "", "weight mass"),
        ("populous", "popul inhabit citizen", ""),
        ("populated", "popul inhabit citizen", ""),
        ("inhabited", "popul inhabit", ""),
        ("fast", "speed veloc mph horsepow", "time lap"),
        ("quick", "speed veloc", "time lap"),
        ("slow", "time lap", "speed veloc"),
        ("rich", "wealth worth gdp incom revenu money salari", ""),
        ("wealthy", "wealth worth gdp incom revenu money", ""),
        ("poor", "", "wealth worth gdp incom revenu money"),
        ("deep", "depth", ""),
        ("shallow", "", "depth"),
        ("wide", "width", ""),
        ("narrow", "", "width"),
        ("hot", "temperatur", ""),
        ("warm", "temperatur", ""),
        ("cold", "", "temperatur"),
        ("popular", "popular rate vote download", ""),
        ("good", "rate score grade point", "rank"),
        ("bad", "rank", "rate score grade point"),
        ("remote", "distanc", ""),
        ("far", "distanc", ""),
        ("close", "", "distanc"),
        ("senior", "age senior", ""),
        ("spacious", "area size capac", ""),
        ("profitable", "profit", ""),
        ("powerful", "horsepow power", ""),
    )
}

_IRREGULAR_DEGREES = {
    "good": ("better", "best"),
    "bad": ("worse", "worst"),
    "far": ("farther further", "farthest furthest"),
    "pricey": ("pricier", "priciest"),
    "old": ("elder older", "eldest oldest"),
}


def _degree(base: str, suffix: str) -> str:
    if base.endswith("e"):
        return base + suffix[1:]
    if base.endswith("y"):
        return base[:-1] + "i" + suffix
    if re.fullmatch(r"[^aeiou]*[aeiou][bdgmnt]", base):
        return base + base[-1] + suffix
    return base + suffix


def _forms(degree: Literal[0, 1]) -> dict[str, str]:
    forms: dict[str, str] = {}
    for base in ADJECTIVES:
        if base in _IRREGULAR_DEGREES:
            forms |= dict.fromkeys(_IRREGULAR_DEGREES[base][degree].split(), base)
        else:
            forms[_degree(base, ("er", "est")[degree])] = base
    return forms


#: ``older`` → ``old``; ``more expensive`` is put together by the tagger.
comparatives: dict[str, str] = _forms(0)
superlatives: dict[str, str] = _forms(1)


def one_of(words: Iterable[str]) -> str:
    """The words as alternatives of a pattern, the longest first."""
    return "|".join(sorted(words, key=len, reverse=True))
