"""Columns of texts, typed block by block as `cells.typed` types them whole, without a Python object a cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from boxkit.box import Note
from boxkit.converters.cells import MISSING_WORDS, is_boolean, is_exact, is_integer, is_number, typed
from boxkit.converters.filling import Filling

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["TextColumn"]

#: What a column is taken for: not known yet, these three, or what only all of its texts together can tell.
Kind = Literal["unknown", "integers", "numbers", "texts", "whole"]

_LOOKED_AT = 1_000
#: A number no longer than this has no more digits than a float holds.
_EXACT_CHARS = 15
_WORDS = pa.array(sorted(MISSING_WORDS))
_IN_INTEGERS, _IN_NUMBERS = (
    np.isin(np.arange(256), np.frombuffer(signs, dtype=np.uint8)) for signs in (b"0123456789-", b"0123456789-+.eE")
)
_ZERO, _NINE, _MINUS = b"09-"


class TextColumn:
    """A column as its blocks come. Where a block belies what the earlier ones were taken for, it must be read again.

    Args:
        rows: About how many there will be.
        kind: What it is taken for.

    Attributes:
        kind: What it is taken for; to be given to the column that is read again.
        is_refuted: Whether it must be read again.
    """

    def __init__(self, rows: int, kind: Kind = "unknown") -> None:
        self.kind: Kind = kind
        self.is_refuted = False
        self._rows = 0
        self._filling = Filling(rows)
        self._kept: list[pa.Array] = []
        self._words = Counter[str]()
        self._first_word: int | None = None
        self._has_fraction = False

    def put(self, array: pa.Array) -> None:
        """Add a block of texts, the empty ones missing."""
        if self.is_refuted:
            return
        if self.kind == "unknown":
            self.kind = _kind(array)
        if self.kind == "whole":
            self._kept.append(array)
        elif self.kind == "unknown" or array.null_count == len(array):
            self._filling.nothing(len(array))
        elif self.kind == "texts":
            self._filling.texts(array)
        else:
            self._put_numbers(array)
        self._rows += len(array)

    def _put_numbers(self, array: pa.Array) -> None:
        texts = array
        if self.kind == "numbers" or (numbers := _integers(texts)) is None:
            texts = self._without_words(array)
            numbers = _integers(texts) if self.kind == "integers" else None
        if numbers is not None:
            missing = numbers.is_null().to_numpy(zero_copy_only=False) if numbers.null_count else None
            self._filling.integers(
                numbers.fill_null(0).to_numpy() if numbers.null_count else numbers.to_numpy(), missing
            )
            return
        if self.kind == "integers":
            self._refute("numbers")
            return
        floats = _floats(texts)
        if floats is None:
            self._refute("texts")
            return
        self._has_fraction = self._has_fraction or _some_fraction(texts)
        self._filling.floats(floats.to_numpy(zero_copy_only=False))

    def _without_words(self, array: pa.Array) -> pa.Array:
        """The texts without spaces around them, words for nothing among numbers as missing."""
        is_word = pc.is_in(array, _WORDS)
        if pc.any(is_word).as_py():
            self._words.update(array.filter(is_word).to_pylist())
            if self._first_word is None:
                self._first_word = self._rows + pc.index(is_word, True).as_py()
            array = pc.if_else(is_word, pa.scalar(None, array.type), array)
        trimmed = pc.utf8_trim_whitespace(array)
        return pc.if_else(pc.equal(trimmed, ""), pa.scalar(None, array.type), trimmed)

    def _refute(self, kind: Kind) -> None:
        self.kind, self.is_refuted = kind, True
        self._filling = Filling(0)

    def end(self) -> None:
        """No more blocks come; what only all of them show is known now."""
        if self.kind == "numbers" and not self._has_fraction and not self.is_refuted:
            # Integers throughout, of which some are too long.
            self._refute("texts")

    def series(self, box: str, label: str, notes: list[Note]) -> pd.Series[Any]:
        """The column.

        Args:
            box: For notes.
            label: For notes.
            notes: Added to.
        """
        if self.kind == "whole":
            return _typed(pa.chunked_array(self._kept, pa.string()), box, label, notes)
        if self._words:
            shown = ", ".join(repr(word) for word in sorted(self._words))
            message = f"{self._words.total()} cells that say {shown} among numbers are missing"
            notes.append(Note("cast", message, box, label, self._first_word))
        return self._filling.series("text")


def _kind(array: pa.Array) -> Kind:
    known = set(pc.unique(array.drop_null().slice(0, _LOOKED_AT)).to_pylist())
    texts = {text.strip() for text in known - MISSING_WORDS} - {""}
    if not texts:
        return "whole" if known else "unknown"
    if not all(is_number(text) or is_boolean(text) for text in texts):
        return "texts"
    if all(map(is_integer, texts)):
        return "integers"
    return "numbers" if all(map(is_number, texts)) else "whole"


def _integers(texts: pa.Array) -> pa.Array | None:
    """The integers; None where a text is none, or too long for 64 bits."""
    if not _all_plain(texts, _IN_INTEGERS):
        return None
    try:
        return texts.cast(pa.int64())
    except pa.ArrowInvalid:
        return None


def _floats(texts: pa.Array) -> pa.Array | None:
    """The numbers; None where a text is none, or one that a float would move."""
    if not _all_plain(texts, _IN_NUMBERS):
        return None
    try:
        numbers = texts.cast(pa.float64())
    except pa.ArrowInvalid:
        return None
    doubtful = pc.greater(pc.binary_length(texts), _EXACT_CHARS)
    if pc.any(doubtful).as_py():
        written, as_float = texts.filter(doubtful), numbers.filter(doubtful)
        odd = written.filter(pc.not_equal(as_float.cast(pa.string()), written))
        if not _all_exact(pc.unique(odd).to_pylist()):
            return None
    powers = pc.match_substring(texts, "e", ignore_case=True)
    if pc.any(powers).as_py() and not _all_exact(pc.unique(texts.filter(powers)).to_pylist()):
        return None
    return numbers


def _all_exact(texts: Iterable[str]) -> bool:
    return all(is_number(text) and is_exact(text) for text in texts)


def _places(texts: pa.Array) -> tuple[Any, Any, Any]:
    """The bytes of the texts, where each begins, and how long it is."""
    _, offsets, data = texts.buffers()
    ends = np.frombuffer(offsets, dtype=np.int32)[texts.offset : texts.offset + len(texts) + 1]
    content = np.frombuffer(data, dtype=np.uint8) if data is not None else np.zeros(0, dtype=np.uint8)
    return content[: ends[-1]], ends[:-1], np.diff(ends)


def _all_plain(texts: pa.Array, signs: Any) -> bool:
    """Whether the texts have only these signs, and no zero before other digits."""
    content, starts, sizes = _places(texts)
    if not signs[content[starts[0] :]].all():
        return False
    several = sizes > 1
    starts, ends = starts[several], (starts + sizes)[several]
    first = starts + (content[starts] == _MINUS)
    second = content[np.minimum(first + 1, ends - 1)]
    zeros = (content[first] == _ZERO) & (first + 1 < ends) & (second >= _ZERO) & (second <= _NINE)
    return not zeros.any()


def _some_fraction(texts: pa.Array) -> bool:
    content, starts, _ = _places(texts)
    return bool(np.isin(content[starts[0] :], np.frombuffer(b".eE", dtype=np.uint8)).any())


def _typed(array: pa.ChunkedArray, box: str, label: str, notes: list[Note]) -> pd.Series[Any]:
    """As `typed` has it, by the distinct texts where there are few of them."""
    import pandas as pd

    encoded = pc.dictionary_encode(array.combine_chunks())
    distinct: list[str | None] = encoded.dictionary.to_pylist()
    if len(distinct) > _LOOKED_AT or not MISSING_WORDS.isdisjoint(distinct):
        return typed(array.to_pylist(), box, label, notes)
    places = encoded.indices.fill_null(len(distinct)).to_numpy(zero_copy_only=False)
    some = typed([*distinct, *[None] * bool(encoded.null_count)], box, label, notes)
    return pd.Series(some.take(places).array, copy=False)
