"""Literals become typed columns: whole numbers, numbers, truth values, dates as ISO text; what is none stays text."""

from __future__ import annotations

import datetime
import decimal
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from boxkit.converters.graph.store import XSD, Literal

__all__ = ["Decoded", "column_type", "decode", "prefer"]

_INTEGERS = frozenset(
    XSD + name
    for name in (
        "integer int long short byte nonNegativeInteger positiveInteger nonPositiveInteger negativeInteger"
        " unsignedInt unsignedLong unsignedShort unsignedByte"
    ).split()
)
_NUMBERS = frozenset(XSD + name for name in ("decimal", "double", "float"))

_ZONE = r"(?:Z|[+-]\d\d:\d\d)?"
_DATE = re.compile(rf"(-?\d{{4,}})-(\d\d)-(\d\d){_ZONE}")
_DATETIME = re.compile(rf"(-?\d{{4,}})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d+)?{_ZONE}")
# Freebase writes "2008-08:00" for a year in a zone: a sign and hours may follow anything.
_YEAR = re.compile(rf"(-?\d{{4,}}){_ZONE}")
_YEAR_MONTH = re.compile(rf"(-?\d{{4,}})-(\d\d){_ZONE}")
_TIME = re.compile(rf"(\d\d):(\d\d):(\d\d)(?:\.\d+)?{_ZONE}")
_INTEGER = re.compile(r"[+-]?\d+")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")

#: The sorts of date that may stand in one column of ISO text.
_DATES = ("date", "datetime", "year", "year and month")

_TYPE_WORDS = {
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
    "date": "text, ISO date",
    "datetime": "text, ISO datetime",
    "year": "integer, year",
    "year and month": "text, ISO year and month",
    "time": "text, ISO time",
    "text": "text",
    "duration": "text, ISO duration",
}


@dataclass(frozen=True, slots=True)
class Decoded:
    """One literal's value.

    Attributes:
        sort: ``"integer"``, ``"number"``, ``"boolean"``, ``"date"``, ``"datetime"``, ``"year"``, ``"year and month"``,
            ``"time"``, ``"duration"`` or ``"text"``.
        value: As a plain Python value; dates as ISO text, years as integers, decimals that a float would move as
            `decimal.Decimal`.
        claimed: The local name of the datatype that the text is not written as; empty where all is well.
    """

    sort: str
    value: Any
    claimed: str = ""


def decode(literal: Literal) -> Decoded:
    """The value of ``literal``, or its text where it is not written as its datatype says.

    >>> decode(Literal("042", XSD + "integer")).value, decode(Literal("1,000", XSD + "integer"))
    (42, Decoded(sort='text', value='1,000', claimed='integer'))
    >>> decode(Literal("0.5", XSD + "decimal")).value, decode(Literal("1.1234567890123456789", XSD + "decimal")).value
    (0.5, Decimal('1.1234567890123456789'))
    """
    datatype = literal.datatype
    if not datatype or literal.language or not datatype.startswith(XSD) or datatype == XSD + "string":
        return Decoded("text", literal.text)
    text = literal.text.strip(" \t\r\n")
    if datatype in _INTEGERS:
        found = Decoded("integer", int(text)) if _INTEGER.fullmatch(text) and len(text) < 4000 else None
    elif datatype in _NUMBERS:
        found = _number(text, exact=datatype == XSD + "decimal")
    else:
        found = _other(datatype.removeprefix(XSD), text)
    return found or Decoded("text", literal.text, datatype.removeprefix(XSD))


def _number(text: str, *, exact: bool) -> Decoded | None:
    """A number as a float; as a Decimal where the float would be another number, or infinite.

    A double is by its definition the float nearest to its digits, so that only ``exact`` ones (decimals) keep more.
    """
    special = {"INF": float("inf"), "+INF": float("inf"), "-INF": float("-inf"), "NaN": float("nan")}
    if text in special:
        return Decoded("number", special[text])
    if not _NUMBER.fullmatch(text):
        return None
    near = float(text)
    if not exact and abs(near) != float("inf"):
        return Decoded("number", near)
    try:
        written = decimal.Decimal(text)
    except decimal.InvalidOperation:
        return None
    return Decoded("number", near if decimal.Decimal(repr(near)) == written else written)


def _other(local: str, text: str) -> Decoded | None:
    if local == "boolean":
        truth = {"true": True, "1": True, "false": False, "0": False}.get(text)
        return None if truth is None else Decoded("boolean", truth)
    if local in ("date", "dateTime", "dateTimeStamp"):
        return _moment(local, text)
    if local == "gYear":
        year = _YEAR.fullmatch(text)
        return Decoded("year", int(year[1])) if year else None
    if local == "gYearMonth":
        month = _YEAR_MONTH.fullmatch(text)
        return Decoded("year and month", f"{month[1]}-{month[2]}") if month and 1 <= int(month[2]) <= 12 else None
    if local == "time":
        return Decoded("time", text) if _TIME.fullmatch(text) else None
    if local in ("duration", "dayTimeDuration", "yearMonthDuration"):
        return Decoded("duration", text) if re.fullmatch(r"-?P(?=.)[\dYMDTHS.W]*", text) else None
    return Decoded("text", text)


def _moment(local: str, text: str) -> Decoded | None:
    """A date or a moment; Freebase files dates under dateTime and years under date, which is told from their form."""
    if day := _DATE.fullmatch(text):
        written = f"{day[1]}-{day[2]}-{day[3]}"
        return Decoded("date", written) if _is_day(*day.groups()) else None
    if moment := _DATETIME.fullmatch(text):
        hour, minute, second = (int(moment[at]) for at in (4, 5, 6))
        right = _is_day(moment[1], moment[2], moment[3]) and hour <= 24 and minute < 60 and second < 61
        return Decoded("datetime", text) if right and local != "date" else None
    return None


def _is_day(year: str, month: str, day: str) -> bool:
    number = int(year)
    # datetime ends at 1 and 9999; the calendar repeats every 400 years.
    number = number if 1 <= number <= 9999 else number % 400 + 2000
    try:
        datetime.date(number, int(month), int(day))
    except ValueError:
        return False
    return True


def column_type(sorts: Sequence[str]) -> tuple[str, str]:
    """The type of a column that holds values of these sorts: the sort that they share, and the type in words.

    Whole numbers among numbers are numbers, dates of several precisions ISO text; anything else is ``"mixed"``.
    """
    kinds = set(sorts)
    if len(kinds) == 1:
        sort = next(iter(kinds))
        return sort, _TYPE_WORDS[sort]
    if kinds <= {"integer", "number", "year"}:
        return ("number", "number") if "number" in kinds else ("integer", "integer")
    if kinds and kinds <= set(_DATES):
        return "dates", "text, ISO date (some less or more precise)"
    written = {"text", "date", "datetime", "time", "duration", "year and month"}
    if kinds and (kinds <= written or (kinds <= written | {"year"} and kinds & set(_DATES) > {"year"})):
        return "text", "text"
    return "mixed", "mixed"


def prefer(languages: Sequence[str], order: Sequence[str]) -> str | None:
    """The language to keep of ``languages`` (tags, ``""`` for none): the first of ``order``, else the commonest.

    ``en`` stands for ``en-gb`` too, where ``en`` itself is not there.

    >>> prefer(["de", "en-gb", ""], ("en", "")), prefer(["de", ""], ("en", "")), prefer(["fr", "de", "de"], ("en", ""))
    ('en-gb', '', 'de')
    """
    there = Counter(languages)
    for wanted in order:
        if wanted in there:
            return wanted
        close = sorted(tag for tag in there if wanted and tag.startswith(wanted + "-"))
        if close:
            return close[0]
    return max(sorted(there), key=lambda tag: there[tag]) if there else None
