"""Words for common things and fields, by concept: what a question may call what a source names otherwise.

The data, ``thesaurus.txt`` and ``idle.txt``, are our own.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

from boxkit.strategies.planner.words import normal, singular, stem

__all__ = ["LONGEST", "concepts", "idle_words", "named_otherwise"]

#: Words of the longest phrase that is looked up.
LONGEST = 7

Phrase = tuple[str, ...]


def _lines(name: str) -> list[str]:
    lines = files(__package__ or "").joinpath(name).read_text("utf-8").splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")]


def _stems(text: str) -> Phrase:
    return tuple(stem(singular(word)) for word in normal(text).split())


@lru_cache(maxsize=1)
def concepts() -> dict[Phrase, frozenset[str]]:
    """Phrases of questions, by stems, and the stems of the names that they may stand for."""
    table: dict[Phrase, set[str]] = {}
    for line in _lines("thesaurus.txt"):
        names, _, phrases = line.partition(":")
        stems = {stem(word) for word in names.split()}
        for phrase in phrases.split(","):
            table.setdefault(_stems(phrase), set()).update(stems)
        for name in names.split():
            # The names of one concept may stand for each other.
            table.setdefault((stem(name),), set()).update(stems)
    return {phrase: frozenset(stems) for phrase, stems in table.items() if phrase}


def named_otherwise(stems: Phrase) -> frozenset[str]:
    """Stems of names that may be meant by a phrase of these stems; empty for a phrase that is not known."""
    return concepts().get(stems, frozenset()) if len(stems) <= LONGEST else frozenset()


@lru_cache(maxsize=1)
def idle_words() -> dict[str, frozenset[str]]:
    """Stems of words that may be left out, by what they do: ``relate``, ``frame``, ``occasion`` …"""
    table: dict[str, set[str]] = {}
    for line in _lines("idle.txt"):
        what, _, words = line.partition(":")
        table.setdefault(what, set()).update(map(stem, words.split()))
    return {what: frozenset(stems) for what, stems in table.items()}
