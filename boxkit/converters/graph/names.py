"""Readable names for IRIs: short ids for entities, ``snake_case`` names for types and relations."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from urllib.parse import unquote

__all__ = ["is_opaque", "last_word", "readable", "short_ids", "snake", "split_iri"]

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_OPAQUE = re.compile(r"[A-Za-z]{0,4}[-_]?\d+|[mg]\.[0-9a-z_]+|[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-fA-F]{16,}|\d[\w-]*")


def split_iri(iri: str) -> tuple[str, str]:
    """Namespace and local name; an IRI with nothing after its last ``#``, ``/`` (or ``:`` of a URN) is all local name.

    >>> split_iri("http://ex.org/ns#Band"), split_iri("mailto:a@b.org"), split_iri("people.person")
    (('http://ex.org/ns#', 'Band'), ('', 'mailto:a@b.org'), ('', 'people.person'))
    """
    scheme = iri.find("://")
    if scheme >= 0:
        at = iri.rfind("#")
        if at < 0:
            at = iri.rfind("/")
        return (iri[: at + 1], iri[at + 1 :]) if scheme + 2 < at < len(iri) - 1 else ("", iri)
    if iri.startswith("urn:") and iri.count(":") > 1 and not iri.endswith(":"):
        at = iri.rindex(":")
        return iri[: at + 1], iri[at + 1 :]
    return "", iri


def snake(text: str) -> str:
    """``text`` in lower case with underscores.

    >>> snake("SoloArtist"), snake("dateOfBirth"), snake("place of birth"), snake("depth_mm"), snake("ISOCode")
    ('solo_artist', 'date_of_birth', 'place_of_birth', 'depth_mm', 'iso_code')
    """
    parted = _CAMEL.sub("_", text)
    kept = "".join(char if char.isalnum() else "_" for char in parted)
    return re.sub(r"_{2,}", "_", kept).strip("_").lower()


def is_opaque(local: str) -> bool:
    """Whether a local name says nothing to a reader: ``Q42``, ``P19``, ``m.02mjmr``, a UUID.

    >>> [is_opaque(name) for name in ("Q42", "BFO_0000050", "m.0c_md_", "John_Lennon", "capital")]
    [True, True, True, False, False]
    """
    return _OPAQUE.fullmatch(local) is not None


def readable(identifier: str) -> str:
    """An id as words, for an entity that has no label; empty where the id says nothing.

    >>> readable("John_Lennon"), readable("Q42"), readable("Caf%C3%A9"), readable("McCartney")
    ('John Lennon', '', 'Café', 'McCartney')
    """
    if is_opaque(identifier) or identifier.startswith("_:"):
        return ""
    text = unquote(identifier)
    if "://" in text or "@" in text:
        return text
    return re.sub(r"[_\s]+", " ", text).strip()


#: Local names that many documents give to different things (``…/card#i``).
_EVERYWHERE = frozenset({"i", "me", "this", "it", "id", "self"})


def short_ids(
    iris: Mapping[str, tuple[str, str]], known: Collection[str], prefixes: Mapping[str, str]
) -> dict[str, str]:
    """A short id for each of ``iris``: its local name, where its namespace is ``known`` and no other has that name.

    Others with the same local name are told apart by a prefix (``ex:Paris``); IRIs of unknown namespaces stay whole.

    Args:
        iris: Each with its namespace and local name.
        known: The namespaces to shorten.
        prefixes: Namespaces by prefix.
    """
    inside = frozenset(known)
    split: dict[str, tuple[str, str]] = {}
    whole: set[str] = set()
    for iri, parts in iris.items():
        if parts[0] in inside:
            split[iri] = parts
        else:
            whole.add(iri)
    times = Counter(local for _, local in split.values())
    named = _prefix_of(sorted({space for space, _ in split.values()}), prefixes)
    ids = {iri: iri for iri in whole}
    for iri, (space, local) in split.items():
        alone = times[local] == 1 and local not in _EVERYWHERE and local not in whole
        ids[iri] = local if alone else f"{named[space]}:{local}"
    # A document's own last words may still clash: then nothing is shortened.
    clashes = Counter(ids.values())
    return {iri: short if clashes[short] == 1 else iri for iri, short in ids.items()}


def _prefix_of(spaces: Iterable[str], prefixes: Mapping[str, str]) -> dict[str, str]:
    declared = {space: prefix for prefix, space in sorted(prefixes.items(), reverse=True) if prefix}
    named: dict[str, str] = {}
    for space in spaces:
        stem = declared.get(space) or last_word(space)
        name, number = stem, 2
        while name in named.values():
            name, number = f"{stem}{number}", number + 1
        named[space] = name
    return named


def last_word(space: str) -> str:
    """The last word of a namespace, to tell its names from others'.

    >>> last_word("http://xmlns.com/foaf/0.1/"), last_word("http://www.w3.org/2004/02/skos/core#")
    ('foaf', 'core')
    """
    words = re.findall(r"[A-Za-z][\w-]*", space.split("://", 1)[-1])
    return words[-1] if words else "ns"
