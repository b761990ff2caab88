"""The question as a row of items: operators, mentions of boxes, fields and values, numbers, dates, other words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from boxkit.strategies.planner.adjectives import ADJECTIVES, comparatives, one_of, superlatives
from boxkit.strategies.planner.lexicon import EMPTY_WORDS, LIGHT_WORDS, NOUNS_TOO
from boxkit.strategies.planner.linking import MAX_WORDS, Lexicon, Link
from boxkit.strategies.planner.operators import OPERATORS
from boxkit.strategies.planner.words import SPELT_OUT, Token, normal, singular, stem, tokens

__all__ = ["Item", "tag"]

#: Operators that are common words: a name or a value that contains them wins.
_WEAK = dict.fromkeys(("of", "preposition", "relative", "and", "or", "not"), 0.4) | dict.fromkeys(
    ("group", "sum", "mean", "extreme", "direction", "count"), 0.75
)


_WORDS_OF_OURS = frozenset(
    "total average number most least top first last all one none each both maximum minimum other same per".split()
)
#: What may be a number of rows, or a number that rows have.
_AMOUNTS = frozenset(("amount", "quantity"))
_MONTHS = frozenset("january february march april may june july august september october november december".split())


@dataclass(slots=True)
class Item:
    """A span of the question and what it does there.

    Attributes:
        kind: An operator's kind (`operators.OPERATORS`), ``superlative``, ``measure``, ``frequent``, ``mention``,
            ``number``, ``date``, ``quoted`` (a text that is no known value), ``mark``, ``empty`` or ``word``.
        text: As written.
        lo: Its first token.
        hi: The token behind its last.
        value: The operator's variant; a mark's or word's text.
        adjective: The base form of an adjective.
        links: What a mention may mean, best first.
        literal: A number, a date's text, a quoted text.
        used: Whether a reading has taken it up.
    """

    kind: str
    text: str
    lo: int
    hi: int
    value: str = ""
    adjective: str = ""
    links: tuple[Link, ...] = ()
    literal: Any = None
    used: bool = False

    def only(self, kind: str) -> tuple[Link, ...]:
        """Its links of one kind."""
        return tuple(link for link in self.links if link.kind == kind)

    @property
    def is_value(self) -> bool:
        """Whether it is best read as a value."""
        return bool(self.links) and self.links[0].kind == "value"

    @property
    def is_schema(self) -> bool:
        """Whether it may name a box or a field."""
        return any(link.kind != "value" for link in self.links)


@lru_cache(maxsize=1)
def _patterns() -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    return tuple((each.kind, each.value, re.compile(f"(?:{each.pattern})(?= |$)")) for each in OPERATORS)


@lru_cache(maxsize=1)
def _adjective_patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    base, most, more = one_of(ADJECTIVES), one_of(superlatives), one_of(comparatives)
    known = (
        ("superlative", rf"(?:the )?(?P<much>most|least) (?P<base>{base})"),
        ("superlative", rf"(?:the )?(?P<most>{most})(?! (?:number|amount|count) of)"),
        (
            "frequent",
            r"(?:the )?(?P<much>most|least) "
            r"(?:common|frequent|frequently used|commonly used|used|frequently|prolific|productive)(?:ly)?",
        ),
        ("compare", rf"(?:(?P<much>more|less) (?P<base>{base})|(?P<more>{more})) than(?= (?:#|@))"),
        ("exceed", rf"(?:a )?(?:(?P<much>more|less) (?P<base>{base})|(?P<more>{more})) than"),
        ("measure", rf"how (?P<base>{base})"),
        ("superlative", rf"(?P<much>most|least) (?P<base>{base})ly"),
        ("first", r"(?:the )?(?P<which>first|last|latest)"),
    )
    return tuple((kind, re.compile(f"(?:{pattern})(?= |$)")) for kind, pattern in known)


def _canvas(found: tuple[Token, ...]) -> tuple[str, list[int]]:
    """The tokens joined by spaces, numbers as ``#``, dates as ``@``, quoted texts as ``"``; and where each begins."""
    signs = {"number": "#", "date": "@", "quoted": '"'}
    pieces = [
        signs.get(token.kind, SPELT_OUT.get(token.text.lower(), token.text.casefold().replace("’", "'")))
        for token in found
    ]
    starts, at = [], 0
    for piece in pieces:
        starts.append(at)
        at += len(piece) + 1
    return " ".join(pieces), starts


Span = tuple[float, Item]


def tag(question: str, lexicon: Lexicon) -> list[Item]:
    """The items that cover the question best, in order."""
    found = tokens(question)
    spans: list[list[Span]] = [[] for _ in found]
    for weight, item in (*_operators(found, lexicon), *_mentions(found, lexicon), *_literals(found)):
        spans[item.lo].append((weight, item))
    best: list[tuple[float, Item | None]] = [(0.0, None)] * (len(found) + 1)
    for lo in range(len(found) - 1, -1, -1):
        best[lo] = (best[lo + 1][0], None)
        for weight, item in spans[lo]:
            total = weight + best[item.hi][0]
            if total > best[lo][0]:
                best[lo] = (total, item)
    items, at = [], 0
    while at < len(found):
        item = best[at][1] or _plain(found[at], at)
        items.append(item)
        at = item.hi
    return _loose(items, found, lexicon)


def _plain(token: Token, at: int) -> Item:
    kind = "mark" if token.kind == "mark" else "empty" if token.lower in EMPTY_WORDS else "word"
    return Item(kind, token.text, at, at + 1, token.lower)


def _text(found: tuple[Token, ...], lo: int, hi: int) -> str:
    return " ".join(token.text for token in found[lo:hi])


def _operators(found: tuple[Token, ...], lexicon: Lexicon) -> Iterator[Span]:
    canvas, starts = _canvas(found)
    place = {start: at for at, start in enumerate(starts)}
    for at, start in enumerate(starts):
        if found[at].kind == "quoted":
            continue
        if _is_distributive(found, at, lexicon):
            yield 3.0, Item("group", _text(found, at, at + 2), at, at + 2)
        for kind, value, pattern in _patterns():
            if match := pattern.match(canvas, start):
                if kind == "count" and canvas.startswith("numbers", start) and at and _is_content(found[at - 1]):
                    # "the phone numbers of all employees"
                    break
                if kind == "count" and found[at].lower == "count" and at and _is_amount(found[at - 1], lexicon):
                    # "page count", where the pages are a number
                    yield 0.5, Item("empty", found[at].text, at, at + 1, "count")
                    break
                if kind == "count" and _are_named_numbers(found, at, place.get(match.end() + 1), lexicon):
                    # "the numbers of all flights", where a flight has a number
                    break
                if kind == "count" and found[at].lower == "number" and at and _numbers(found[at - 1], lexicon):
                    # "the department number of Ada"
                    break
                if kind == "count" and _have_amounts(found, at, place.get(match.end() + 1), lexicon):
                    # "the amount of orders", where an order has an amount
                    break
                hi = place.get(match.end() + 1, len(found))
                said = hi - at - (found[at].lower == "the")
                weight = (_WEAK.get(kind, 0.9) if said == 1 else 0.9) * said + 0.1
                yield weight, Item(kind, _text(found, at, hi), at, hi, value)
                break
        for kind, pattern in _adjective_patterns():
            if match := pattern.match(canvas, start):
                hi = place.get(match.end() + 1, len(found))
                said = hi - at - (found[at].lower == "the")
                yield 0.95 * said + 0.1, _graded(kind, match, _text(found, at, hi), at, hi)


def _is_distributive(found: tuple[Token, ...], at: int, lexicon: Lexicon) -> bool:
    """``city by city``, where something is called so."""
    one, by, two = (*found[at : at + 3], None, None, None)[:3]
    if one is None or by is None or two is None or by.lower != "by" or one.kind != "word" or one.stem != two.stem:
        return False
    return bool(lexicon.schema((singular(one.lower),), (one.stem,)))


def _numbers(token: Token, lexicon: Lexicon) -> bool:
    """Whether something is called the number of what the token names."""
    return any(link.kind == "field" for link in lexicon.phrases.get((singular(token.lower), "number"), ()))


def _is_amount(token: Token, lexicon: Lexicon) -> bool:
    """Whether the word names a number, and nothing that could be counted."""
    links = lexicon.phrases.get((singular(token.lower),), ()) if token.kind == "word" else ()
    return bool(links) and links[0].kind == "field" and lexicon.index.fields[links[0].place].kind == "number"


def _are_named_numbers(found: tuple[Token, ...], at: int, of: int | None, lexicon: Lexicon) -> bool:
    said = any(token.lower == "numbers" for token in found[at:of])
    return said and of is not None and any(_numbers(token, lexicon) for token in found[of : of + 2])


def _have_amounts(found: tuple[Token, ...], at: int, of: int | None, lexicon: Lexicon) -> bool:
    """Whether the rows that are named behind "amount of", or "quantity of", have a number called so."""
    said = {token.lower for token in found[at:of]} & _AMOUNTS
    if not said or of is None:
        return False
    for hi in (of + 1, of + 2):
        words = tuple(singular(token.lower) for token in found[of:hi])
        for link in lexicon.phrases.get(words, ()):
            known = lexicon.index.of_box(link.box) if link.kind == "box" else ()
            if any(each.kind == "number" and said & set(each.words) for each in known):
                return True
    return False


def _is_content(token: Token) -> bool:
    return token.kind == "word" and token.lower not in EMPTY_WORDS and token.lower not in ("total", "average")


def _graded(kind: str, match: re.Match[str], text: str, lo: int, hi: int) -> Item:
    parts = match.groupdict()
    base = (
        parts.get("base")
        or superlatives.get(parts.get("most") or "")
        or comparatives.get(parts.get("more") or "")
        or ""
    )
    less = parts.get("much") in ("least", "less")
    if kind == "first":
        return Item(kind, text, lo, hi, "min" if parts["which"] == "first" else "max")
    if kind in ("superlative", "frequent"):
        return Item(kind, text, lo, hi, "min" if less else "max", base)
    return Item(kind, text, lo, hi, "<" if less else ">", base)


def _mentions(found: tuple[Token, ...], lexicon: Lexicon) -> Iterator[Span]:
    for lo in range(len(found)):
        for hi in range(lo + 1, min(lo + MAX_WORDS, len(found)) + 1):
            piece = found[lo:hi]
            if any(token.kind == "mark" for token in piece):
                break
            if found[hi - 1].kind == "quoted" and hi - lo > 1:
                break
            links = _links(piece, lexicon)
            if len(piece) > 1 and piece[-1].lower.endswith("ed") and links and links[0].how == "stem":
                # "products priced at 240" are products, and no ``product_price``.
                links = tuple(link for link in links if link.kind == "value" or link.how != "stem")
            if links:
                weight = links[0].score * (hi - lo) + 0.14 * (hi - lo) - 0.1
                if links[0].kind == "value" and any(token.capital for token in piece):
                    weight += 0.3 * (hi - lo)
                if piece[0].kind == "quoted":
                    weight += 2
                yield weight, Item("mention", _text(found, lo, hi), lo, hi, links=links)


def _links(piece: tuple[Token, ...], lexicon: Lexicon) -> tuple[Link, ...]:
    if len(piece) == 1 and piece[0].kind in ("number", "date"):
        return ()
    values = lexicon.values(piece)
    if len(piece) == 1 and piece[0].kind == "word" and piece[0].text.islower():
        values = tuple(link for link in values if _is_written_so(piece[0], link))
    if len(piece) == 1 and not piece[0].start and piece[0].lower in _WORDS_OF_OURS:
        # "Per continent" begins with a word of ours, and not with Peru's code.
        values = tuple(link for link in values if piece[0].text in link.values)
    schema: tuple[Link, ...] = ()
    if all(token.kind == "word" for token in piece):
        stems = tuple(token.stem for token in piece)
        if len(piece) > 1 or piece[0].lower not in EMPTY_WORDS or (piece[0].lower in NOUNS_TOO and piece[0].start):
            schema = lexicon.schema(tuple(singular(token.lower) for token in piece), stems)
            if len(piece) == 1 and piece[0].lower in _WORDS_OF_OURS:
                # "the total" is a sum, and no other word for an amount.
                schema = tuple(link for link in schema if link.how != "synonym")
    if len(piece) == 1 and piece[0].text.islower() and any(_bears_word(link) for link in schema):
        # In lower case, "state" is rather a field than the department called State.
        values = tuple(
            link if piece[0].text in link.values else replace(link, score=link.score * 0.75) for link in values
        )
    if piece[0].kind == "quoted" or (piece[0].capital and piece[0].start):
        return tuple(sorted((*values, *schema), key=lambda link: -link.score))
    return tuple(sorted((*schema, *values), key=lambda link: -link.score))


def _bears_word(link: Link) -> bool:
    return link.kind == "field" and link.score >= 0.5 and link.how in ("exact", "stem", "part")


def _is_written_so(token: Token, link: Link) -> bool:
    """Whether a lower-case word is rather this value than the common word that it looks like."""
    if token.text in link.values:
        return token.text not in _WORDS_OF_OURS
    if token.stem in LIGHT_WORDS or token.text in _WORDS_OF_OURS or len(token.text) <= 3:
        return False
    return not all(isinstance(value, str) and value.isupper() for value in link.values) or len(token.text) > 5


def _literals(found: tuple[Token, ...]) -> Iterator[Span]:
    for at, token in enumerate(found):
        if token.kind in ("number", "date", "quoted"):
            yield 1.0, Item(token.kind, token.text, at, at + 1, literal=token.value)


def _loose(items: list[Item], found: tuple[Token, ...], lexicon: Lexicon) -> list[Item]:
    """Names that are in no value as they stand: by some of their words, or with a slip of the pen."""
    done: list[Item] = []
    # Where there are dates, a month is a time, and not a word of some title.
    dated = any(known.kind == "date" for known in lexicon.index.fields.values())
    at = 0
    while at < len(items):
        run = at
        while (
            run < len(items)
            and items[run].kind in ("word", "quoted")
            and (found[items[run].lo].capital or items[run].kind == "quoted")
            and not (dated and items[run].value in _MONTHS)
        ):
            run += 1
        if run > at and (links := lexicon.loose_values(normal(_text(found, items[at].lo, items[run - 1].hi)))):
            done.append(
                Item(
                    "mention",
                    _text(found, items[at].lo, items[run - 1].hi),
                    items[at].lo,
                    items[run - 1].hi,
                    links=links,
                    literal=items[at].literal,
                )
            )
            at = run
            continue
        item = items[at]
        if item.kind == "word" and len(item.value) >= 5 and not (dated and item.value in _MONTHS):
            kinds = () if stem(item.value) in LIGHT_WORDS else lexicon.kinds(item.value)
            if links := kinds or lexicon.misspelt(found[item.lo].stem):
                item = Item("mention", item.text, item.lo, item.hi, links=links)
        done.append(item)
        at += 1
    return done
