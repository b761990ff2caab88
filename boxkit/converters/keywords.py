"""The words of names: what a column or a table is called, without what only says that it identifies something."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

__all__ = [
    "GENERIC",
    "IDS",
    "ROLES",
    "SELF",
    "abbreviates",
    "core_words",
    "is_about",
    "is_generic",
    "is_key_like",
    "is_named_after",
    "is_of",
    "is_reference",
    "stem",
    "unnumbered",
    "words",
]


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Words that only say that a column identifies something.
IDS = _set(
    "id ids code no num number key nr guid uuid pk fk ref cd sk oid identifier nummer kennung schlussel schluessel"
    " codigo clave numero cle codice"
)
#: The same, glued to what is identified: ``deptno``, ``orderkey``.
_GLUED = re.compile(r"(.{3,}?)(?:num|number|nummer|key|code|no|nr)")
_REFERENCE = re.compile(rf"{_GLUED.pattern}|.{{1,2}}n[or]")
#: Words that say that a column refers to something.
_LINKS = _set("link linked fk ref")
#: Column names that say nothing about whose they are.
GENERIC = _set(
    "name title label value date time year month day type kind status state description text note comment count total"
    " amount price quantity rank position age sex gender level address email phone first last full short long"
)
#: Parts of table names that say what a table is for, not what is in it.
_TABLE_WORDS = _set("ref tbl table dim fact list master lookup lkp data info detail details all the of type name")
SELF = _set("parent boss mgr manager supervisor mentor superior predecessor successor")
#: Who is kept in a table, and what other tables call them.
ROLES = (
    (
        _set("employee staff worker faculty teacher instructor professor personnel lecturer"),
        _set(
            "manager mgr supervisor boss rep representative agent clerk head chief leader seller salesman driver"
            " salesperson instructor teacher professor lecturer advisor adviser tutor"
            " dean chair engineer technician doctor nurse"
        ),
    ),
    (
        _set("people person user member individual party human contact player student customer"),
        _set(
            "male female man woman husband wife spouse partner mother father parent child friend author owner winner"
            " loser candidate customer client student patient actor director creator sender receiver buyer guest host"
            " recipient coach captain follower followee liker"
        ),
    ),
    (_set("movie film title show"), _set("movie film title show episode")),
)
_PLURALS = ((r"ies$", "y"), (r"(ss|sh|ch|x)es$", r"\1"), (r"(?<![su])s$", ""))


_IRREGULAR = {"people": "person", "men": "man", "women": "woman", "children": "child"}


@lru_cache(maxsize=50_000)
def words(name: str) -> tuple[str, ...]:
    """The words of a name in small letters, without accents, and singular.

    >>> words("CustomerIDs"), words("ref_countries"), words("src_apid"), words("Länder")
    (('customer', 'id'), ('ref', 'country'), ('src', 'apid'), ('lander',))
    """
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", re.sub(r"IDs(?![a-z])", "Ids", name))
    spaced = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1 \2", spaced)
    plain = "".join(each for each in unicodedata.normalize("NFKD", spaced) if not unicodedata.combining(each))
    found = re.findall(r"[^\W_]+", plain.casefold())
    return tuple(_singular(re.sub(r"^(id)s?\d*$", r"\1", word)) for word in found)


def _singular(word: str) -> str:
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) > 3:
        for pattern, replacement in _PLURALS:
            shorter = re.sub(pattern, replacement, word)
            if shorter != word:
                return shorter
    return word


@lru_cache(maxsize=50_000)
def stem(name: str) -> tuple[str, ...]:
    """A column's words without those that only say that it identifies."""
    found = words(name)
    bare = unnumbered(tuple(word for word in found if word not in IDS))
    if len(found) == 1 and not bare:
        return ()
    if len(bare) == 1 == len(found):
        glued = _GLUED.fullmatch(bare[0])
        if glued:
            return (glued[1],)
        if bare[0].endswith("id") and len(bare[0]) > 4:
            return (bare[0][:-2],)
    return bare


def unnumbered(found: tuple[str, ...]) -> tuple[str, ...]:
    """Without numbers at the end: ``home_player_1`` is a player at home."""
    while len(found) > 1 and found[-1].isdigit():
        found = found[:-1]
    return found


def is_generic(column: str) -> bool:
    """Whether a column's name says nothing about whose it is."""
    return set(stem(column)) <= GENERIC


def is_key_like(column: str, table: str) -> bool:
    """Whether a column's name alone suggests that it identifies its table's rows."""
    found = words(column)
    return is_reference(column) or core_words(table) == found or found[-1:] in (("name",), ("title",))


@lru_cache(maxsize=50_000)
def is_reference(column: str) -> bool:
    """Whether a column's name says that it identifies something, be it of its own table or another."""
    found = words(column)
    return bool(found) and (
        bool(set(found) & (IDS | _LINKS)) or found[-1][-2:] == "id" or bool(_REFERENCE.fullmatch(found[-1]))
    )


@lru_cache(maxsize=50_000)
def is_of(column: str, table: str) -> bool:
    """Whether a column's name says that it identifies one of what the table is named after."""
    return is_reference(column) and stem(column) == core_words(table)


@lru_cache(maxsize=50_000)
def is_about(key: str, table: str) -> bool:
    """Whether a key's name fits its table: ``id``, ``team_api_id`` of teams, ``StuID`` of students."""
    own = words(table)
    return any(word in own or abbreviates(word, each) for word in stem(key) or own for each in own)


@lru_cache(maxsize=50_000)
def is_named_after(column: str, table: str) -> bool:
    """Whether a column's name says that it identifies its own table's rows: ``team_api_id``, or ``model`` of models."""
    core = core_words(table)
    return stem(column) == core or (is_reference(column) and stem(column)[: len(core)] == core)


@lru_cache(maxsize=50_000)
def core_words(table: str) -> tuple[str, ...]:
    """The words of a table's name that say what is in it."""
    found = words(table)
    return tuple(word for word in found if word not in _TABLE_WORDS) or found or (table,)


def abbreviates(short: str, long: str) -> bool:
    """Whether one of two words is the beginning of the other, of three letters at least."""
    if len(short) >= len(long):
        short, long = long, short
    return len(short) >= 3 and long.startswith(short)
