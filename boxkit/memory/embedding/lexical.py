"""An embedding with no model: hashed words, word pairs and letter groups, and the shape of the question.

What makes a good demonstration is a question of the same shape ("which … has the most …"), more than one on the same
subject. So words that say what is done with the data weigh most, and different words for the same thing ("at least",
"no fewer than") share a feature; words that are probably values or names weigh least. Weights are fixed: they depend
on no corpus, so that a vector never changes when a memory grows.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
import zlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from boxkit.memory.embedding.shapes import LIGHT_SHAPES, STOP_WORDS, shapes_of

if TYPE_CHECKING:
    from boxkit.memory.embedding.protocol import Vectors

__all__ = ["LexicalEmbedding"]

DIMENSION = 512

#: Weights by kind of feature.
SHAPE, SHAPE_PAIR, WORD, VALUE, STOP, PAIR, LETTERS, OPENING = 2.2, 0.5, 0.6, 0.2, 0.3, 0.3, 0.1, 0.6

#: Shapes that are found in questions of many sorts weigh this much of the others.
LIGHT = 0.5

_TOKEN = re.compile(r"'[^']+'(?!\w)|\"[^\"]+\"|\d[\d.,:/-]*|\w+")


class LexicalEmbedding:
    """Deterministic, offline, about 0.2 ms a question; (n, 512) float32, L2-normalised."""

    name = "lexical-1"
    dimension = DIMENSION

    def documents(self, texts: Sequence[str]) -> Vectors:
        """Vectors of demonstrations' questions."""
        import numpy as np

        from boxkit.memory.embedding.protocol import unit

        vectors = np.zeros((len(texts), DIMENSION), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for feature, weight in features(text):
                # The high bits choose the sign: collisions then cancel out instead of adding up.
                mixed = zlib.crc32(feature.encode("utf-8", "surrogatepass")) * 2654435761 & 0xFFFFFFFF
                row[mixed % DIMENSION] += weight if mixed >> 31 else -weight
        return unit(vectors)

    def queries(self, texts: Sequence[str]) -> Vectors:
        """The same: questions and demonstrations are one kind of text."""
        return self.documents(texts)


def features(text: str) -> Iterator[tuple[str, float]]:
    """The features of a text with their weights; a feature that occurs twice is given twice."""
    folded = unicodedata.normalize("NFKC", text)
    tokens = list(_tokens(folded))
    for shape in (shapes := shapes_of(folded.casefold())):
        yield f"s:{shape}", SHAPE * (LIGHT if shape in LIGHT_SHAPES else 1)
    for at, one in enumerate(shapes):
        for other in shapes[at + 1 :]:
            yield f"S:{min(one, other)}:{max(one, other)}", SHAPE_PAIR
    stems = [_stem(token) for token, _ in tokens]
    for (token, is_value), stem in zip(tokens, stems, strict=True):
        weight = STOP if token in STOP_WORDS else VALUE if is_value else WORD
        yield f"w:{stem}", weight
        if weight == WORD:
            padded = f"<{stem}>"
            for start in range(len(padded) - 2):
                yield f"c:{padded[start : start + 3]}", LETTERS
    for one, other in itertools.pairwise(stems):
        yield f"p:{one}:{other}", PAIR
    if stems:
        yield f"o:{' '.join(stems[:2])}", OPENING


def _tokens(text: str) -> Iterator[tuple[str, bool]]:
    """The words in small letters, and whether each is probably a value: a number, quoted, or a name."""
    for at, match in enumerate(_TOKEN.finditer(text)):
        token = match.group()
        if token[0].isdigit():
            yield ("#year" if re.fullmatch(r"(1[5-9]|20)\d\d", token) else "#number"), True
        elif token[0] in "'\"":
            yield "#text", True
        else:
            yield token.casefold(), at > 0 and token[0].isupper()


def _stem(word: str) -> str:
    """The word without a plural's ending; no more, so that words stay apart that mean different things."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
