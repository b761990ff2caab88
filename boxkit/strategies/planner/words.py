"""A question as tokens: words with their stems, numbers, dates and quoted texts, each with its place in the text."""

from __future__ import annotations

import datetime
import re
import threading
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

__all__ = ["SPELT_OUT", "Token", "name_words", "normal", "normal_uncached", "singular", "stem", "tokens"]

TokenKind = Literal["word", "number", "date", "quoted", "mark"]

SPELT_OUT = {"max": "maximum", "min": "minimum", "avg": "average", "dept": "department", "qty": "quantity"}
_SCALES = {
    "dozen": 12,
    "hundred": 100,
    "thousand": 1_000,
    "million": 1_000_000,
    "billion": 1_000_000_000,
    "mn": 1_000_000,
    "mio": 1_000_000,
    "bn": 1_000_000_000,
}
#: Of these, those that are written right behind the digits; "m" only behind a currency, else it is metres.
_GLUED_SCALES = {"k": 1_000, "mn": 1_000_000, "mio": 1_000_000, "bn": 1_000_000_000, "m": 1_000_000}
_NUMBER_WORDS = {
    word: value
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split()
    )
} | {
    "sixteen": 16,
    "seventeen": 17,
    "eighteen": 18,
    "nineteen": 19,
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
}
_TENS = frozenset(word for word, value in _NUMBER_WORDS.items() if 20 <= value < 100)
_MONTHS = "january february march april may june july august september october november december".split()
_MONTH = "|".join(f"{name}|{name[:3]}" for name in _MONTHS)

#: A year behind it must still be a year.
_LAST_YEAR = 9998
#: A number of more digits is no amount.
_MOST_DIGITS = 300
_LARGEST = 1e300

_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_PIECE = re.compile(
    rf"""
    (?P<quoted>"[^"]+"|“[^”]+”|«[^»]+»|(?<![\w'])['‘](?=\S)[^'‘’]*(?:['’]\w[^'‘’]*)*['’](?!\w))
  | (?P<iso>\d{{4}}-\d{{1,2}}-\d{{1,2}})
  | (?P<written>(?:{_DAY}\s+(?:of\s+)?)?\b(?:{_MONTH})\.?\s+(?:{_DAY}\s*,?\s+)?\d{{4}}\b)
  | (?P<number>(?<![\w.])[$€£]?-?(?:\d{{1,3}}(?:,\d{{3}})+|\d+)(?:\.\d+)?(?![\w]|\.\d))
  | (?P<scaled>(?<![\w.])(?:[$€£]\d+(?:\.\d+)?m|[$€£]?\d+(?:\.\d+)?(?:k|mn|mio|bn))(?!\w))
  | (?P<possessive>['’]s?(?!\w))
  | (?P<word>[^\W_]+(?:[.\-&/][^\W_]+|['’](?!s\b)[^\W_]+)*)
  | (?P<mark>[,;:?!()])
    """,
    re.VERBOSE | re.IGNORECASE,
)

#: ``eid``, ``CName``, ``gtype``: the box's initial in front of a word.
_GLUED = re.compile(r"[a-z](id|name|type|code|no|date)")
_NOT_WORD = re.compile(r"[\W_]+")


def _pairs(text: str) -> dict[str, str]:
    entries = (entry.split(":") for entry in text.split(";"))
    return {" ".join(name.split()): " ".join(meaning.split()) for name, meaning in entries}


_IRREGULAR = _pairs(
    """
    people: person; children: child; men: man; women: woman; feet: foot; teeth: tooth; mice: mouse; geese: goose;
    lives: life; wives: wife; leaves: leaf; loaves: loaf; knives: knife; shelves: shelf; halves: half; wolves: wolf;
    thieves: thief; calves: calf; series: series; species: species; matrices: matrix; indices: index;
    criteria: criterion; data: data; media: media; movies: movie; cookies: cookie; staff: staff; news: news; buses:
    bus; campuses: campus; statuses: status; faculties: faculty; theses: thesis; analyses: analysis; aircraft:
    aircraft; wrote: write; written: write; writes: write; bought: buy; sold: sell; won: win; taught: teach; led:
    lead; founded: found; sang: sing; sung: sing; paid: pay; spoken: speak; spoke: speak; made: make; held: hold;
    built: build; flew: fly; flown: fly; taken: take; took: take; given: give; born: birth; died: death; dying: die;
    ran: run; drove: drive; driven: drive; drawn: draw; drew: draw; sent: send; left: leave; spent: spend; owned:
    own; beaten: beat; became: become; began: begin; begun: begin; grown: grow; grew: grow; borders: border;
    bordering: border; lenses: lens; lens: lens; gases: gas; gas: gas; atlases: atlas; atlas: atlas;
    flows: flow; lies: lie; lying: lie
    """
)

_ABBREVIATIONS = _pairs(
    """
    fname: first name; lname: last name; firstname: first name; lastname: last name; dept: department; num: number;
    no: number; nr: number; qty: quantity; desc: description; addr: address; dob: birth date; birthdate: birth date;
    birthday: birth date; birthplace: birth place; yr: year; avg: average; min: minimum; max: maximum; pct: percent;
    temp: temperature; amt: amount; tel: telephone; lat: latitude; lng: longitude; lon: longitude; long: longitude;
    gov: government; prof: professor; mgr: manager; emp: employee; org: organisation; cat: category; acc: account;
    lang: language; pop: population; hq: headquarters; oct: october; nov: november; dec: december; jan: january;
    feb: february; mar: march; apr: april; jul: july; jun: june; aug: august; sep: september; stuid: student id;
    stu: student; fac: faculty; cust: customer; flno: number; msrp: price; mpg: mpg; username: user name; ms:
    milliseconds
    """
)


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the question.

    Attributes:
        text: As written; without the quotes where it was quoted.
        kind: ``"word"``, ``"number"``, ``"date"`` (a full date or a month of a year), ``"quoted"``, ``"mark"``.
        lower: In lower case, accents off.
        stem: What `stem` makes of it.
        value: The number, or the date in ISO form (``"2021-05"`` for a month).
        start: Its first character's place in the question.
        end: The place behind its last.
    """

    text: str
    kind: TokenKind
    lower: str
    stem: str
    value: Any
    start: int
    end: int

    @property
    def capital(self) -> bool:
        """Whether it begins with a capital."""
        return self.text[:1].isupper()


def normal_uncached(text: str) -> str:
    """Lower case, accents off, every run of anything but letters and digits one space."""
    plain = text.casefold()
    if not plain.isascii():
        plain = unicodedata.normalize("NFKD", plain)
        plain = "".join(char for char in plain if not unicodedata.combining(char))
    return _NOT_WORD.sub(" ", plain).strip()


@lru_cache(maxsize=16384)
def normal(text: str) -> str:
    """`normal_uncached`, remembered: for the words of questions and names."""
    return normal_uncached(text)


@lru_cache(maxsize=16384)
def singular(word: str) -> str:
    """The singular of a lower-case English noun, by the common rules; other words mostly stay."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word == "ids":
        return "id"
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is", "ous")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if word.endswith("oes") and len(word) > 5:
        return word[:-2]
    return word[:-1]


#: Snowball's stemmer keeps the word that it works on in itself: two threads at once would mix theirs.
_ONE_STEMMER = threading.Lock()


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer("english")


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """The word's stem: singular first, then Snowball's English rules; ``publisher`` and ``published`` share theirs."""
    base = singular(word)
    if len(base) < 4 or not base.isascii() or not base.isalpha():
        return base
    with _ONE_STEMMER:
        stemmed: str = _stemmer().stemWord(base)
    return {"organis": "organ", "organiz": "organ", "organ": "organ"}.get(stemmed, stemmed)


def name_words(name: str) -> tuple[str, ...]:
    """The lower-case singular words of a box's or field's name: underscores, camel case and abbreviations undone.

    >>> name_words("founded_year"), name_words("AlbumId"), name_words("FName"), name_words("Citizens")
    (('found', 'year'), ('album', 'id'), ('first', 'name'), ('citizen',))
    """
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[a-z])(?=\d)", " ", name)
    words: list[str] = []
    whole = normal(name)
    glued = None if whole in _ABBREVIATIONS else _GLUED.fullmatch(whole)
    if glued is not None:
        whole = glued.group(1)
    parts = [whole] if whole in _ABBREVIATIONS or glued else normal(spaced).split()
    for word in parts:
        words.extend(_ABBREVIATIONS.get(word, singular(word)).split())
    return tuple(words)


def _month_number(name: str) -> int:
    return next(at for at, month in enumerate(_MONTHS, start=1) if month.startswith(name[:3].lower()))


def _written_date(text: str) -> str:
    month = _month_number(next(re.finditer(_MONTH, text, re.IGNORECASE)).group())
    numbers = re.findall(r"\d+", text)
    year = next(number for number in numbers if len(number) == 4)
    day = next((number for number in numbers if len(number) < 4), None)
    return f"{year}-{month:02}" + (f"-{int(day):02}" if day else "")


def _is_date(value: str) -> bool:
    """Whether there is such a day, or such a month."""
    try:
        day = datetime.date.fromisoformat(value if value.count("-") == 2 else f"{value}-01")
    except ValueError:
        return False
    return day.year <= _LAST_YEAR


def _number(text: str) -> int | float:
    digits = text.lstrip("$€£").replace(",", "")
    return float(digits) if "." in digits else int(digits)


def _scaled_number(text: str) -> int | float:
    """``10k``, ``$2.5m``."""
    digits = text.strip("$€£").rstrip("kmnbio")
    value = float(digits) * _GLUED_SCALES[text.strip("$€£").removeprefix(digits)]
    return int(value) if value == int(value) else value


def tokens(question: str) -> tuple[Token, ...]:
    """The question's tokens in order; number words and scales (``two million``) become numbers."""
    found: list[Token] = []
    for match in _PIECE.finditer(question):
        kind, text = match.lastgroup or "word", match.group()
        start, end = match.span()
        if kind == "quoted":
            inner = text[1:-1].strip()
            found.append(Token(inner, "quoted", normal(inner), "", inner, start, end))
        elif kind in ("iso", "written"):
            value = _written_date(text) if kind == "written" else "-".join(f"{int(x):02}" for x in text.split("-"))
            dated = _is_date(value)
            found.append(
                Token(text, "date" if dated else "word", text.lower(), "", value if dated else None, start, end)
            )
        elif kind == "number" and len(text) > _MOST_DIGITS:
            found.append(Token(text, "word", text, text, None, start, end))
        elif kind == "scaled":
            found.append(Token(text, "number", text.lower(), "", _scaled_number(text.lower()), start, end))
        elif kind == "number":
            found.append(Token(text, "number", text, "", _number(text), start, end))
        elif kind == "possessive":
            found.append(Token("'s", "mark", "'s", "", None, start, end))
        elif kind == "mark":
            found.append(Token(text, "mark", text, "", None, start, end))
        else:
            found.append(_word(text.rstrip("."), start, end))
    return tuple(_shared_names(_scaled(found)))


def _shared_names(found: list[Token]) -> list[Token]:
    """``first and last name``: the noun stands for both."""
    shared: list[Token] = []
    for at, token in enumerate(found):
        shared.append(token)
        said = [each.lower for each in found[at : at + 3]]
        if said == ["first", "and", "last"] and at + 3 < len(found) and found[at + 3].stem == "name":
            shared.append(found[at + 3])
    return shared


def _word(text: str, start: int, end: int) -> Token:
    lower = normal(text)
    if lower in SPELT_OUT:
        return Token(text, "word", SPELT_OUT[lower], stem(SPELT_OUT[lower]), None, start, end)
    if lower in _NUMBER_WORDS:
        return Token(text, "number", lower, lower, _NUMBER_WORDS[lower], start, end)
    return Token(text, "word", lower, stem(lower), None, start, end)


def _scaled(found: list[Token]) -> list[Token]:
    merged: list[Token] = []
    for token in found:
        before = merged[-1] if merged else None
        scale = _SCALES.get(token.lower) if token.kind == "word" else None
        tens = before is not None and before.lower in _TENS and token.lower in _NUMBER_WORDS and 0 < token.value < 10
        if before is not None and tens:
            text = f"{before.text} {token.text}"
            merged[-1] = Token(text, "number", text.lower(), "", before.value + token.value, before.start, token.end)
        elif before and before.kind == "number" and scale and abs(value := before.value * scale) < _LARGEST:
            value = int(value) if value == int(value) else value
            text = f"{before.text} {token.text}"
            merged[-1] = Token(text, "number", text.lower(), "", value, before.start, token.end)
        else:
            merged.append(token)
    return merged
