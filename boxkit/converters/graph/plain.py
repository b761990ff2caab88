"""Triples as plain data: tuples, records, tab-separated text, the per-question graphs of published data sets."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from boxkit.box import Note
from boxkit.converters.graph.attributed import literal_of
from boxkit.converters.graph.looks import HEADERS, PARTS
from boxkit.converters.graph.store import XSD, Literal, StoreBuilder, Term, TripleStore
from boxkit.errors import UnreadableSource

__all__ = ["read_text", "record_triples", "store_of_triples"]

_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"(?:@([A-Za-z][A-Za-z0-9-]*)|\^\^<?([^<>\s]+)>?)?', re.DOTALL)
_WHOLE = re.compile(r"[+-]?(?:0|[1-9]\d{0,17})")
_PART = re.compile(r"[+-]?\d+\.\d+(?:[eE][+-]?\d+)?")
_DAY = re.compile(r"-?\d{4}-\d\d-\d\d")
_MOMENT = re.compile(r"-?\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?")
_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f"}

#: The fields under which published data sets keep a question's triples (RoG; UnifiedSKG and StructGPT; AoG's results).
GRAPH_FIELDS = ("graph", "kg_tuples", "triples")


def store_of_triples(triples: Iterable[Any], where: str = "triples") -> tuple[TripleStore, list[Note]]:
    """The store of ``triples``: sequences of three, or records with ``subject``, ``predicate`` and ``object``.

    A term may be plain text, an IRI, an N-Triples term (``<…>``, ``_:x``, ``"…"@en``), an rdflib term or a number.
    A plain value that is written as a number or an ISO date, and is no subject anywhere, is a literal of that type.

    Raises:
        UnreadableSource: Something is no triple.
    """
    parts = [_three(each, at, where) for at, each in enumerate(triples, start=1)]
    subjects = {str(subject).strip() for subject, _, _ in parts}
    builder = StoreBuilder()
    dropped = 0
    for subject, relation, value in parts:
        if subject in (None, "") or relation in (None, "") or value in (None, ""):
            dropped += 1
            continue
        builder.add(_node(subject), _node(relation), _value(value, subjects, where))
    notes = [Note("dropped", f"{dropped} triples with an empty part are left out")] if dropped else []
    return builder.build(), notes


def _three(each: Any, at: int, where: str) -> tuple[Any, Any, Any]:
    if isinstance(each, Mapping):
        for names in PARTS:
            if all(name in each for name in names):
                return each[names[0]], each[names[1]], each[names[2]]
        raise UnreadableSource(f"record {at} has no subject, predicate and object: {sorted(each)[:6]}", where=where)
    if isinstance(each, (tuple, list)) and len(each) == 3:
        return each[0], each[1], each[2]
    raise UnreadableSource(f"item {at} is no triple: {str(each)[:80]!r}", where=where)


def _node(term: Any) -> Term:
    """A subject or a relation."""
    if type(term).__module__.startswith("rdflib."):
        return f"_:{term}" if type(term).__name__ == "BNode" else str(term)
    text = str(term).strip()
    return text[1:-1] if text.startswith("<") and text.endswith(">") else text


def _value(term: Any, subjects: set[str], where: str) -> Term:
    if type(term).__module__.startswith("rdflib.") and type(term).__name__ == "Literal":
        language = (term.language or "").lower()
        return Literal(str(term), "" if language else str(term.datatype or ""), language)
    if not isinstance(term, str):
        literal = literal_of(term, where)
        return literal if literal is not None else Literal("")
    text = term.strip()
    if quoted := _QUOTED.fullmatch(text):
        return Literal(_unescaped(quoted[1]), quoted[3] or "", (quoted[2] or "").lower())
    if text not in subjects:
        for form, datatype in ((_WHOLE, "integer"), (_PART, "decimal"), (_DAY, "date"), (_MOMENT, "dateTime")):
            if form.fullmatch(text):
                return Literal(text, XSD + datatype)
    return _node(text)


def _unescaped(text: str) -> str:
    def one(match: re.Match[str]) -> str:
        code = match[1]
        return chr(int(code[1:], 16)) if code[0] in "uU" else _ESCAPES.get(code, code)

    return re.sub(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", one, text, flags=re.DOTALL)


def read_text(text: str, where: str) -> Iterator[Any]:
    """The triples of a text of JSON records, or of lines of three fields, with or without a header.

    Raises:
        UnreadableSource: A line has not three fields.
    """
    lines = text.splitlines()
    first = next((line for line in lines if line.strip()), "")
    if first.lstrip().startswith("{"):
        for at, line in enumerate(lines, start=1):
            if line.strip():
                yield _record(line, at, where)
        return
    if "\t" in first:
        rows: Iterable[list[str]] = (line.split("\t") for line in lines)
    else:
        rows = csv.reader(io.StringIO(text))
    for at, row in enumerate(rows, start=1):
        if not any(cell.strip() for cell in row):
            continue
        if len(row) != 3:
            raise UnreadableSource(f"line {at} has {len(row)} fields, and a triple three", where=where)
        if at > 1 or tuple(cell.strip().lower() for cell in row) not in HEADERS:
            yield tuple(row)


def _record(line: str, at: int, where: str) -> Any:
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        raise UnreadableSource(f"line {at} is no JSON: {error.msg}", where=where) from error


def record_triples(record: Mapping[str, Any]) -> list[Any] | None:
    """The triples that a question's record holds, in any of the published layouts; None where it holds none."""
    for name in GRAPH_FIELDS:
        triples = record.get(name)
        if isinstance(triples, list) and all(isinstance(each, (list, tuple)) and len(each) == 3 for each in triples):
            return triples
    return None
