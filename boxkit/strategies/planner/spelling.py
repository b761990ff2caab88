"""Slips of the pen in the words of questions: ``avergae``, ``higest``; names and values are looked up elsewhere."""

from __future__ import annotations

from functools import lru_cache

from boxkit.strategies.planner.adjectives import ADJECTIVES, comparatives, superlatives
from boxkit.strategies.planner.lexicon import EMPTY_WORDS, LIGHT_WORDS, PERSON_WORDS, PLACE_WORDS, synonyms
from boxkit.strategies.planner.linking import Lexicon
from boxkit.strategies.planner.thesaurus import concepts, idle_words
from boxkit.strategies.planner.words import Token, singular, stem, tokens

__all__ = ["spelt_right"]

#: What rules are made of; a slip in one of them costs the whole question.
_OURS = frozenset(
    """
    average averages number numbers total totals amount highest lowest greatest fewest maximum minimum median
    different distinct unique difference between before after during without except excluding
    percentage percent proportion fraction fewer greater smaller larger longer shorter higher lower cheaper older
    younger earlier later expensive expensive common frequent ordered sorted descending ascending alphabetical
    together altogether either neither latest earliest every starting ending containing exactly
    """.split()
)
#: A shorter word is a slip only where two letters changed places.
_LONG = 6
_SHORTEST = 5


@lru_cache(maxsize=1)
def _vocabulary() -> tuple[str, ...]:
    return tuple(sorted(word for word in _OURS | set(superlatives) if len(word) >= _SHORTEST))


@lru_cache(maxsize=1)
def _known() -> frozenset[str]:
    words = {*EMPTY_WORDS, *_OURS, *superlatives, *comparatives, *ADJECTIVES, *PERSON_WORDS, *PLACE_WORDS}
    stems = {*map(stem, words), *LIGHT_WORDS}
    stems |= {each for phrase in concepts() for each in phrase}
    return frozenset(stems.union(*idle_words().values()) | words)


def spelt_right(question: str, lexicon: Lexicon) -> str:
    """The question with its own words spelt right; what the data may know stays as it is.

    A word is changed that neither the data nor the Planner knows, that begins with the same letter as a word of
    questions, and is one letter away from it: one too many, one missing, another one, or two that changed places.
    """
    for token in reversed(tokens(question)):
        word = token.lower
        if token.kind == "word" and token.text.isascii() and token.text.isalpha() and len(word) >= _SHORTEST:
            meant = _meant(token, lexicon)
            if meant:
                question = f"{question[: token.start]}{meant}{question[token.end :]}"
    return question


def _meant(token: Token, lexicon: Lexicon) -> str:
    if (token.capital and token.start > 0) or token.stem in _known() or token.lower in _known():
        return ""
    if synonyms(token.stem) or lexicon.schema((singular(token.lower),), (token.stem,)):
        return ""
    if token.lower in lexicon.index.by_word or token.lower in lexicon.index.values:
        return ""
    found = [word for word in _vocabulary() if _is_slip(token.lower, word)]
    # "higest" is rather "highest" than "hugest".
    found = [word for word in found if word in _OURS] or found
    # In a name of the data, only letters that changed places: "county" is no slip of "country".
    said = singular(token.lower)
    names = [phrase[0] for phrase in lexicon.phrases if len(phrase) == 1 and len(phrase[0]) >= _LONG]
    found = found or [name for name in names if sorted(name) == sorted(said) and _is_slip(said, name)]
    return found[0] if len(found) == 1 else ""


def _is_slip(word: str, meant: str) -> bool:
    from rapidfuzz.distance import OSA

    if word[0] != meant[0] or abs(len(word) - len(meant)) > 1:
        return False
    turned = len(word) == len(meant) and sorted(word) == sorted(meant)
    return (turned or len(meant) >= _LONG) and OSA.distance(word, meant, score_cutoff=1) == 1
