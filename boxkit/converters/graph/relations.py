"""Which relations a question needs: all, a list, the most similar to it, or those over a threshold of similarity."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TypeAlias

from boxkit.converters.graph.lexicon import Lexicon
from boxkit.converters.graph.names import snake, split_iri
from boxkit.errors import SourceNotFound, nearest

__all__ = ["Relations", "Similarity", "choose", "lexical_similarity", "relation_text"]

#: All (None), the k most similar, a threshold, or names and IRIs.
Relations: TypeAlias = int | float | Sequence[str] | None

#: From a question and texts to a number each; greater is more similar. Must be deterministic.
Similarity: TypeAlias = Callable[[str, Sequence[str]], Sequence[float]]


def choose(
    lexicon: Lexicon,
    wanted: Relations,
    question: str | None,
    near: Mapping[int, int],
    similarity: Similarity | None = None,
) -> frozenset[int] | None:
    """The relations to follow; None for all.

    Args:
        lexicon: The graph's words.
        wanted: What the user asked for.
        question: What relations are compared with.
        near: The relations around the topics, each with its distance in steps; ties go to the nearer.
        similarity: How alike a question and a relation are; by shared words and parts of words where None.

    Raises:
        ValueError: A number of relations, or a threshold, without a question to compare with.
        SourceNotFound: A relation that the graph does not have.
    """
    if wanted is None or (isinstance(wanted, int) and not isinstance(wanted, bool) and not 0 < wanted < len(near)):
        return None
    if isinstance(wanted, (bool, str)):
        raise ValueError(f"relations must be None, a number, a threshold or a list of names, not {wanted!r}")
    if not isinstance(wanted, (int, float)):
        return frozenset(_listed(lexicon, wanted))
    if not question:
        raise ValueError(f"relations={wanted!r} compares relations with a question: give one, or list the relations")
    numbers = sorted(near)
    texts = [relation_text(lexicon, number) for number in numbers]
    scores = (similarity or lexical_similarity)(question, texts)
    ranked = sorted(zip(scores, numbers, strict=True), key=lambda each: (-float(each[0]), near[each[1]], each[1]))
    if isinstance(wanted, float):
        return frozenset(number for score, number in ranked if score >= wanted)
    return frozenset(number for _, number in ranked[:wanted])


def relation_text(lexicon: Lexicon, relation: int) -> str:
    """A relation in words: its name with dots and slashes as blanks, its label and comment where there are any."""
    iri = lexicon.store.text(relation)
    local = split_iri(iri)[1]
    words = snake(local.replace(".", " ").replace("/", " ")).replace("_", " ")
    label = lexicon.texts_of([iri]).get(iri, "")
    return " ".join(part for part in (words, label, lexicon.comment(iri)[:200]) if part)


def _listed(lexicon: Lexicon, names: Iterable[str]) -> Iterable[int]:
    by_word: dict[str, list[int]] = {}
    for number in lexicon.store.relations.tolist():
        iri = lexicon.store.text(number)
        for form in {iri, split_iri(iri)[1], lexicon.word(iri)}:
            by_word.setdefault(form, []).append(number)
    for name in names:
        found = by_word.get(name) or by_word.get(snake(name))
        if not found:
            close = nearest(name, by_word)
            raise SourceNotFound(
                f"the graph has no relation {name!r}", hint=f"nearest: {', '.join(map(repr, close))}" if close else None
            )
        yield from found


_STOP = frozenset(
    "a an the of in on at to for by is are was were what which who whom whose how many much does do did and or"
    " with".split()
)


def lexical_similarity(question: str, texts: Sequence[str]) -> list[float]:
    """Similarity by words, cut to their stems, and by their parts; words in few relations count more. From 0 to 1."""
    asked = _words(question)
    parts = _trigrams(asked)
    bags = [_words(text) for text in texts]
    spread = Counter(word for bag in bags for word in bag)
    weigh = {word: math.log(1 + len(texts) / times) for word, times in spread.items()}
    scores = []
    for bag in bags:
        shared = sum(weigh[word] for word in bag if word in asked)
        total = math.sqrt(sum(weigh[word] for word in bag) or 1.0) * math.sqrt(len(asked) or 1)
        grams = _trigrams(bag)
        partly = len(parts & grams) / math.sqrt(len(parts) * len(grams)) if parts and grams else 0.0
        scores.append(round(min(1.0, 0.7 * shared / total + 0.3 * partly), 6))
    return scores


def _words(text: str) -> frozenset[str]:
    return frozenset(_stem(word) for word in re.findall(r"[^\W_]+", text.lower()) if word not in _STOP)


def _stem(word: str) -> str:
    for ending in ("ies", "ing", "ers", "er", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)] + ("y" if ending == "ies" else "")
    return word


def _trigrams(words: Collection[str]) -> frozenset[str]:
    return frozenset(f" {word} "[at : at + 3] for word in words for at in range(len(word)))
