"""N-Triples in bulk: columns of raw tokens, each decoded once. Whatever is not plain N-Triples is left to a parser."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from boxkit.converters.graph.store import XSD, Literal, StoreBuilder, Term

__all__ = ["read_ntriples"]

_IRI = r"<[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>\"{}|^`\\]*>"
_BLANK = r"_:[^\s<>\"]+"
_LITERAL = rf'"(?:[^"\\\n\r]|\\.)*"(?:@[A-Za-z]+(?:-[A-Za-z0-9]+)*|\^\^{_IRI})?'
_LINE = rf"^(?P<s>{_IRI}|{_BLANK})[ \t]+(?P<p>{_IRI})[ \t]+(?P<o>{_IRI}|{_BLANK}|{_LITERAL})[ \t]*\.[ \t\r]*$"
_ESCAPES = re.compile(r'(?:[^\\]|\\[tbnrf"\'\\]|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8})*', re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))")
_ESCAPED = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f"}


def read_ntriples(data: bytes) -> StoreBuilder | None:
    """The triples of ``data``; None where a line is neither a triple in the usual form, nor blank, nor a comment."""
    encoded = _encoded(data)
    if encoded is None:
        return None
    numbers = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    builder = StoreBuilder()
    try:
        moved = np.fromiter((builder.term(term) for term in _terms(encoded.dictionary)), dtype=np.int64)
    except ValueError:
        return None
    placed, count = moved[numbers], len(numbers) // 3
    builder.fill(placed[:count], placed[count : 2 * count], placed[2 * count :])
    return builder


def _encoded(data: bytes) -> Any:
    """All subjects, then all relations, then all values, as an Arrow dictionary of tokens; None where a line is odd."""
    import pyarrow as pa
    import pyarrow.compute as pc

    lines = _lines(data)
    if lines is None:
        return None
    parts = pc.extract_regex(lines, _LINE)
    if parts.null_count:
        rest = lines.filter(pc.is_null(parts))
        if not pc.all(pc.match_substring_regex(rest, r"^\s*(?:#.*)?$")).as_py():
            return None
        parts = parts.drop_null()
    columns = [pc.struct_field(parts, at).combine_chunks() for at in range(3)]
    return pa.concat_arrays(columns).dictionary_encode()


def _lines(data: bytes) -> Any:
    """The lines as an Arrow column of text; None where they are not UTF-8, or hold what would part them."""
    import pyarrow as pa
    import pyarrow.csv as csv

    if not data.strip() or b"\x01" in data or b"\x00" in data:
        return None
    try:
        table = csv.read_csv(
            io.BytesIO(data),
            csv.ReadOptions(column_names=["line"], use_threads=False, block_size=1 << 24),
            csv.ParseOptions(delimiter="\x01", quote_char=False, escape_char=False, newlines_in_values=False),
            csv.ConvertOptions(column_types={"line": pa.string()}, strings_can_be_null=False),
        )
    except pa.ArrowInvalid:
        return None
    return table.column("line")


def _terms(tokens: Any) -> Iterator[Term]:
    """The terms that the tokens write.

    Raises:
        ValueError: One has an escape that N-Triples does not know.
    """
    make, string = Literal._make, XSD + "string"
    for token in tokens.to_pylist():
        if token[0] == "<":
            yield token[1:-1]
        elif token[0] == "_":
            yield token
        else:
            end = token.rindex('"')
            text, tail = token[1:end], token[end + 1 :]
            if "\\" in text:
                text = _unescaped(text)
            datatype = tail[3:-1] if tail[:1] == "^" else ""
            yield make((text, "" if datatype == string else datatype, tail[1:].lower() if tail[:1] == "@" else ""))


def _unescaped(text: str) -> str:
    if not _ESCAPES.fullmatch(text):
        raise ValueError(text)
    return _ESCAPE.sub(_character, text)


def _character(match: re.Match[str]) -> str:
    if code := match[1] or match[2]:
        return chr(int(code, 16))
    return _ESCAPED.get(match[3], match[3])
