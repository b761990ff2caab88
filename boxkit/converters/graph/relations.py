"""Which relations a question needs: all, a list, the most similar to it, or those over a threshold of similarity."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypeAlias

from boxkit.converters.graph.embeddings import Similarity, comparison
from boxkit.converters.graph.lexicon import Lexicon
from boxkit.converters.graph.names import snake, split_iri
from boxkit.converters.graph.options import Options
from boxkit.errors import SourceNotFound, nearest

__all__ = ["Relations", "Similarity", "choose", "lexical_similarity", "ranking", "relation_text"]

#: All (None), the k most similar, a threshold, or names and IRIs.
Relations: TypeAlias = int | float | Sequence[str] | None


def choose(lexicon: Lexicon, asked: Options, near: Mapping[int, int]) -> tuple[frozenset[int] | None, str]:
    """The relations to follow, None for all; and how they were chosen, in words.

    Args:
        lexicon: The graph's words.
        asked: What the user asked for: `Options.relations`, and what compares them with the question.
        near: The relations around the topics, each with its distance in steps; ties go to the nearer.

    Raises:
        ValueError: A number of relations, or a threshold, without a question to compare with.
        SourceNotFound: A relation that the graph does not have.
    """
    wanted = asked.relations
    if wanted is None or (isinstance(wanted, int) and not 0 < wanted < len(near)):
        return None, ""
    if not isinstance(wanted, (int, float)):
        listed = frozenset(_listed(lexicon, wanted))
        return listed, f" along {len(listed)} relations"
    numbers = sorted(near)
    ranked, name = ranking(asked, [relation_text(lexicon, number) for number in numbers])
    order = sorted(range(len(numbers)), key=lambda at: (-ranked[at], near[numbers[at]], numbers[at]))
    if isinstance(wanted, float):
        chosen = frozenset(numbers[at] for at in order if ranked[at] >= wanted)
        return chosen, f" along the {len(chosen)} of {len(numbers)} relations as similar as {wanted:g} by {name}"
    chosen = frozenset(numbers[at] for at in order[:wanted])
    return chosen, f" along the {wanted} of {len(numbers)} relations most similar to the question by {name}"


def ranking(asked: Options, texts: Sequence[str]) -> tuple[list[float], str]:
    """How similar each of ``texts`` is to the question, and by what.

    Raises:
        ValueError: There is no question.
    """
    if not asked.question:
        raise ValueError(
            f"relations={asked.relations!r} compares relations with a question: give one, or list the relations"
        )
    measure = comparison(asked.embedding, asked.similarity)
    return [float(score) for score in measure.scores(asked.question, texts)], measure.name


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
