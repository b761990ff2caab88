"""What names say about a foreign key: how likely a column's name is to mean another table's key."""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["is_generic", "is_key_like", "name_evidence", "role_evidence", "stem", "words"]


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Words that only say that a column identifies something.
_IDS = _set("id ids code no num number key nr guid uuid pk fk ref cd")
#: Column names that say nothing about whose they are.
_GENERIC = _set(
    "name title label value date time year month day type kind status state description text note comment count total"
    " amount price quantity rank position age sex gender level address email phone first last full short long"
)
#: Parts of table names that say what a table is for, not what is in it.
_TABLE_WORDS = _set("ref tbl table dim fact list master lookup lkp data info detail details all the of type")
_SELF = _set("parent boss manager supervisor mentor superior predecessor successor")
#: Who is kept in a table, and what other tables call them.
_ROLES = (
    (
        _set("employee staff worker faculty teacher instructor professor personnel lecturer"),
        _set(
            "manager supervisor boss rep representative agent clerk head chief leader seller salesman driver"
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
)
_PLURALS = ((r"ies$", "y"), (r"(ss|sh|ch|x)es$", r"\1"), (r"(?<![su])s$", ""))


@lru_cache(maxsize=10_000)
def words(name: str) -> tuple[str, ...]:
    """The words of a name in small letters and singular.

    >>> words("CustomerIDs"), words("ref_countries"), words("src_apid")
    (('customer', 'id'), ('ref', 'country'), ('src', 'apid'))
    """
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", re.sub(r"IDs(?![a-z])", "Ids", name))
    spaced = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1 \2", spaced)
    found = re.findall(r"[^\W_]+", spaced.casefold())
    return tuple("id" if word == "ids" else _singular(word) for word in found)


def _singular(word: str) -> str:
    if len(word) > 3:
        for pattern, replacement in _PLURALS:
            shorter = re.sub(pattern, replacement, word)
            if shorter != word:
                return shorter
    return word


def stem(name: str) -> tuple[str, ...]:
    """A column's words without those that only say that it identifies."""
    found = words(name)
    bare = tuple(word for word in found if word not in _IDS)
    if len(found) == 1 and not bare:
        return ()
    if len(bare) == 1 == len(found) and bare[0].endswith("id") and len(bare[0]) > 4:
        return (bare[0][:-2],)
    return bare


def is_generic(column: str) -> bool:
    """Whether a column's name says nothing about whose it is."""
    return set(stem(column)) <= _GENERIC


def is_key_like(column: str, table: str) -> bool:
    """Whether a column's name alone suggests that it identifies its table's rows."""
    found = words(column)
    return (
        bool(set(found) & _IDS)
        or _core(table) == found
        or found[-1:] in (("name",), ("title",))
        or found[-1][-2:] == "id"
    )


def _core(table: str) -> tuple[str, ...]:
    found = words(table)
    return tuple(word for word in found if word not in _TABLE_WORDS) or found


def name_evidence(column: str, table: str, key: str, parent: str) -> tuple[float, str]:
    """How strongly names say that ``table.column`` refers to ``parent.key``: from 0.0 to 1.0, and why."""
    own, theirs = words(column), words(key)
    own_stem, key_stem, core = stem(column), stem(key), _core(parent)
    if table == parent:
        return _self_evidence(own, own_stem, theirs, key_stem)
    generic = not key_stem or set(key_stem) <= _GENERIC
    if "".join(own) == "".join(theirs) and not generic:
        return 1.0, "the same name"
    if own_stem and own_stem == core:
        return 1.0, f"it is named after {parent}"
    if own_stem and generic and own_stem == (*core, *key_stem):
        return 1.0, f"it is named after {parent} and its {key}"
    if generic and "".join(own) == "".join((*core, *theirs)):
        return 1.0, f"it is named after {parent} and its {key}"
    if not generic and len(own) > len(theirs) and own[-len(theirs) :] == theirs:
        return 0.9, f"its name ends with {key}"
    if (
        len(own_stem) > len(core)
        and own_stem[-len(core) :] == core
        and (generic or own[-1] in _IDS or own[-1] == core[-1])
    ):
        return 0.9, f"its name ends with {parent}"
    if key_stem and not generic and set(key_stem) <= set(own_stem) and own[-1] in _IDS:
        return 0.7, f"its name holds {key}"
    if own_stem and set(core) <= set(own_stem) and (own[-1] in _IDS or own[-1] in core):
        return 0.7, f"its name holds {parent}"
    if (own_stem and len(core) > 1 and own_stem == core[-len(own_stem) :]) or (
        own_stem and own_stem == core[: len(own_stem)]
    ):
        return 0.6, f"its name is part of {parent}"
    if own_stem and _abbreviates(own_stem[-1], core[-1]):
        return 0.5, f"its name is short for {parent}"
    return 0.0, ""


def _self_evidence(
    own: tuple[str, ...], own_stem: tuple[str, ...], key: tuple[str, ...], key_stem: tuple[str, ...]
) -> tuple[float, str]:
    if own == key or not own_stem:
        return 0.0, ""
    if key_stem and len(own) > len(key) and own[-len(key) :] == key:
        return 0.8, "its name ends with its own table's key"
    if set(own_stem) & _SELF or own[:2] == ("report", "to"):
        return 0.7, "its name means another row of the same table"
    return 0.0, ""


def role_evidence(column: str, parent: str) -> tuple[float, str]:
    """Whether a column names a role that rows of ``parent`` can have: an instructor is one of the faculty."""
    roles, core = set(stem(column)), set(_core(parent))
    for people, their_roles in _ROLES:
        if core & people and roles & their_roles and not roles & core:
            return 0.5, f"it names a role of {parent}"
    return 0.0, ""


def _abbreviates(short: str, long: str) -> bool:
    if len(short) >= len(long):
        short, long = long, short
    return len(short) >= 3 and long.startswith(short)
