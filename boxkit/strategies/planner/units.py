"""Units that a question and a field measure the same thing in, but not alike: minutes asked, milliseconds held."""

from __future__ import annotations

import re

__all__ = ["clash"]

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
_AMOUNT = re.compile(r"\b(?:\d[\d.,]*|an?|one|two|three|four|five|six|seven|eight|nine|ten|half an?)[ -]?([a-z]+)\b")
_LABEL = re.compile(r'\[\(?"((?:[^"\\]|\\.)+)"\)?\]\s*(?:[<>]=?|==|!=)')
_WORDS = re.compile(r"[a-z]+")


def clash(question: str, code: str) -> str | None:
    """What is wrong where an amount of one unit is compared with a field held in another; None where nothing is.

    >>> clash("Which tracks are longer than 5 minutes?", 'answer = Track[Track["Milliseconds"] > 5]')
    "the question says minutes, but 'Milliseconds' is in milliseconds"
    >>> clash("Which rivers are longer than 5 km?", 'answer = river[river["length_km"] > 5]') is None
    True
    """
    asked = {word: _UNITS[word] for word in _AMOUNT.findall(question.lower()) if word in _UNITS}
    for label in _LABEL.findall(code):
        spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", label).lower()
        held = {word: _UNITS[word] for word in _WORDS.findall(spaced) if word in _UNITS}
        for wanted, (dimension, unit) in asked.items():
            same = [word for word, known in held.items() if known[0] == dimension]
            if same and not any(held[word][1] == unit for word in same):
                return f"the question says {wanted}, but {label!r} is in {same[0]}"
    return None
