"""What names say about a foreign key: how likely a column's name is to mean another table's key."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from boxkit.converters.keywords import (
    GENERIC,
    IDS,
    ROLES,
    SELF,
    abbreviates,
    core_words,
    is_about,
    stem,
    unnumbered,
    words,
)

__all__ = ["clues", "name_evidence", "names_a_role", "role_evidence", "telling_labels", "telling_names"]

#: Letters of a word that ends another: ``hero`` of a table of superheroes.
_COMPOUND = 4
#: Letters of a word before all columns' names that tells nothing.
_PREFIX = 3
_ENDINGS = ("e", "n", "s", "en", "er", "es", "nen")


def telling_names(names: Mapping[str, str], labels: Iterable[str]) -> dict[str, str]:
    """Tables' names, without what most have in common, in the singular that columns use.

    >>> telling_names({"a": "olist_orders_data", "b": "olist_items_data", "c": "olist_Länder_data"}, ["land_id"])
    {'a': 'order', 'b': 'item', 'c': 'land'}
    """
    found = {name: words(source_name) for name, source_name in names.items()}
    shared = {
        word
        for each in found.values()
        for word in each
        if len(found) > 2 and sum(word in other for other in found.values()) > 0.6 * len(found)
    }
    known = {word for label in labels for word in stem(label)}
    return {
        name: "_".join(_singular(word, known) for word in each if word not in shared) or "_".join(each) or name
        for name, each in found.items()
    }


def _singular(word: str, known: set[str]) -> str:
    """The word without a plural's ending, where the columns' names have it only so."""
    for ending in _ENDINGS if word not in known else ():
        shorter = word.removesuffix(ending)
        if shorter != word and shorter in known and len(shorter) >= _COMPOUND:
            return shorter
    return word


def telling_labels(labels: Sequence[str]) -> dict[str, str]:
    """Columns' names without a short word that all of them begin with: ``l_orderkey`` is ``orderkey``.

    >>> telling_labels(["l_orderkey", "l_partkey", "l_tax"])
    {'l_orderkey': 'orderkey', 'l_partkey': 'partkey', 'l_tax': 'tax'}
    """
    found = {label: words(label) for label in labels}
    first = {each[0] if len(each) > 1 else "" for each in found.values()}
    if len(labels) > 2 and len(first) == 1 and 0 < len(min(first)) <= _PREFIX and min(first) not in IDS:
        return {label: "_".join(each[1:]) for label, each in found.items()}
    return {label: label for label in labels}


def clues(name: str) -> set[str]:
    """Beginnings and ends of a name's words: without a common one, `name_evidence` finds nothing between two tables."""
    found = words(name)
    glued = "".join(found)
    return {part for word in (*found, *stem(name), glued) for part in (word[:3], word[-_COMPOUND:])}


def name_evidence(column: str, table: str, key: str, parent: str) -> tuple[float, str]:
    """How strongly names say that ``table.column`` refers to ``parent.key``: from 0.0 to 1.0, and why."""
    own, theirs = unnumbered(words(column)), words(key)
    own_stem, key_stem, core = stem(column), stem(key), core_words(parent)
    if table == parent:
        return _self_evidence(own, own_stem, theirs, key_stem)
    generic = not key_stem or set(key_stem) <= GENERIC
    if "".join(own) == "".join(theirs) and not generic:
        return 1.0, "the same name"
    if own_stem and own_stem in (core, words(parent)):
        return 1.0, f"it is named after {parent}"
    if own_stem and not generic and own_stem == key_stem:
        return 1.0 if is_about(key, parent) else 0.9, f"it means {key}"
    if own_stem and generic and own_stem == (*core, *key_stem):
        return 1.0, f"it is named after {parent} and its {key}"
    if generic and "".join(own) == "".join((*core, *theirs)):
        return 1.0, f"it is named after {parent} and its {key}"
    if not generic and len(own) > len(theirs) and own[-len(theirs) :] == theirs:
        return 0.9, f"its name ends with {key}"
    if (
        len(own_stem) > len(core)
        and own_stem[-len(core) :] == core
        and (generic or own[-1] in IDS or own[-1] == core[-1])
    ):
        return 0.9, f"its name ends with {parent}"
    if key_stem and not generic and set(key_stem) <= set(own_stem) and own[-1] in IDS:
        return 0.7, f"its name holds {key}"
    if own_stem and set(core) <= set(own_stem) and (own[-1] in IDS or own[-1] in core):
        return 0.7, f"its name holds {parent}"
    if (own_stem and len(core) > 1 and own_stem == core[-len(own_stem) :]) or (
        own_stem and own_stem == core[: len(own_stem)]
    ):
        return 0.65, f"its name is part of {parent}"
    if own_stem and len(own_stem[-1]) >= _COMPOUND and core[-1].endswith(own_stem[-1]):
        return 0.65, f"its name is part of {parent}"
    if own_stem and abbreviates(own_stem[-1], core[-1]):
        return 0.5, f"its name is short for {parent}"
    return 0.0, ""


def _self_evidence(
    own: tuple[str, ...], own_stem: tuple[str, ...], key: tuple[str, ...], key_stem: tuple[str, ...]
) -> tuple[float, str]:
    if own == key or not own_stem:
        return 0.0, ""
    if key_stem and len(own) > len(key) and own[-len(key) :] == key:
        return 0.8, "its name ends with its own table's key"
    if set(own_stem) & SELF or own[:2] == ("report", "to"):
        return 0.7, "its name means another row of the same table"
    return 0.0, ""


def names_a_role(column: str) -> bool:
    """Whether a column names a role of somebody or something."""
    return any(not their_roles.isdisjoint(stem(column)) for _, their_roles in ROLES)


def role_evidence(column: str, parent: str) -> tuple[float, str]:
    """Whether a column names a role that rows of ``parent`` can have: an instructor is one of the faculty."""
    roles, core = set(stem(column)), core_words(parent)
    for people, their_roles in ROLES:
        if core[-1] in people and roles & their_roles and not roles & set(core):
            return 0.5, f"it names a role of {parent}"
    return 0.0, ""
