"""Units that a question and a field measure the same thing in, but not alike: minutes asked, milliseconds held."""

from __future__ import annotations

import re

__all__ = ["MONEY", "clash", "unit_of"]

#: Unit → what it measures. Spellings of one unit stand together.
_UNITS: dict[str, tuple[str, str]] = {
    word: (dimension, words.split()[0])
    for dimension, spellings in {
        "time": (
            "millisecond milliseconds ms msec millis",
            "second seconds sec secs",
            "minute minutes min mins",
            "hour hours hr hrs",
            "day days",
            "week weeks",
            "month months",
            "year years yr yrs",
        ),
        "length": (
            "millimetre millimetres millimeter millimeters mm",
            "centimetre centimetres centimeter centimeters cm",
            "metre metres meter meters m",
            "kilometre kilometres kilometer kilometers km kms",
            "mile miles mi",
            "foot feet ft",
            "inch inches",
        ),
        "mass": (
            "gram grams g",
            "kilogram kilograms kilo kilos kg kgs",
            "tonne tonnes ton tons",
            "pound pounds lb lbs",
            "ounce ounces oz",
        ),
        "money": (
            "dollar dollars usd",
            "euro euros eur",
            "yen jpy",
            "sterling quid gbp",
        ),
        "size": (
            "byte bytes",
            "kilobyte kilobytes kb kib",
            "megabyte megabytes mb mib",
            "gigabyte gigabytes gb gib",
        ),
    }.items()
    for words in spellings
    for word in words.split()
}
MONEY = frozenset(unit for dimension, unit in _UNITS.values() if dimension == "money")
_FINE = frozenset(("millisecond", "second", "minute", "hour"))
_NUMBER_WORD = (
    r"an?|half an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|"
    r"seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion"
)
_AMOUNT = re.compile(rf"(?:\b(?:{_NUMBER_WORD})[ -]|\d[ -]?)(?=([a-z]+)\b)")
_PERCENT = re.compile(rf"(?:\d|\b(?:{_NUMBER_WORD})) ?(%|percent\b|per cent\b)")
_SHARES = frozenset(
    "percent percentage pct perc rate share ratio proportion fraction discount margin growth tax vat".split()
)
_LABEL = re.compile(r'\[\(?"((?:[^"\\]|\\.)+)"\)?\](?:\s*(?:[<>]=?|==|!=)\s*-?\d|\.between\(-?\d)')
_WORDS = re.compile(r"[a-z]+")


def unit_of(word: str) -> str | None:
    """The unit that a lower-case word spells, by one name for all its spellings; None for another word."""
    known = _UNITS.get(word)
    return known[1] if known is not None else None


def clash(question: str, code: str) -> str | None:
    """What is wrong where an amount of one unit is compared with a field held in another; None where nothing is.

    Hours, minutes and seconds are also wrong where the field's name says no unit: nobody can tell which it is held in.

    >>> clash("Which tracks are longer than 5 minutes?", 'answer = Track[Track["Milliseconds"] > 5]')
    "the question says minutes, but 'Milliseconds' is in milliseconds"
    >>> clash("Which rivers are longer than 5 km?", 'answer = river[river["length_km"] > 5]') is None
    True
    >>> clash("Which films are longer than two hours?", 'answer = film[film["runtime"] > 2]')
    "the question says hours, but 'runtime' does not say its unit"
    """
    lower = question.lower()
    asked = {word: _UNITS[word] for word in _AMOUNT.findall(lower) if word in _UNITS}
    percent = _PERCENT.search(lower)
    for label in _LABEL.findall(code):
        words = _WORDS.findall(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", label).lower())
        held = {word: _UNITS[word] for word in words if word in _UNITS}
        for wanted, (dimension, unit) in asked.items():
            same = [word for word, known in held.items() if known[0] == dimension]
            if same and not any(held[word][1] == unit for word in same):
                return f"the question says {wanted}, but {label!r} is in {same[0]}"
            if not same and unit in _FINE:
                return f"the question says {wanted}, but {label!r} does not say its unit"
        if percent is not None and not _SHARES & set(words):
            return f"the question says {percent.group(1)!r}, but {label!r} does not hold percentages"
    return None
