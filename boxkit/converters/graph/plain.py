"""Triples as plain data: tuples, records, tab-separated text, the per-question graphs of published data sets."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from boxkit.box import Note
from boxkit.converters.graph.attributed import literal_of
from boxkit.converters.graph.lexicon import NAMING
from boxkit.converters.graph.looks import HEADERS, PARTS
from boxkit.converters.graph.names import split_iri
from boxkit.converters.graph.store import XSD, Literal, StoreBuilder, Term, TripleStore
from boxkit.converters.graph.vocabulary import VOCABULARIES, Vocabulary
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

NAME = "type.object.name"


def store_of_triples(
    triples: Iterable[Any], where: str = "triples", vocabulary: object = None
) -> tuple[TripleStore, list[Note]]:
    """The store of ``triples``: sequences of three, or records with ``subject``, ``predicate`` and ``object``.

    A term may be plain text, an IRI, an N-Triples term (``<…>``, ``_:x``, ``"…"@en``), an rdflib term or a number.
    A plain value that is written as a number or an ISO date, and is no subject anywhere, is a literal of that type; one
    that a relation for names gives is a text.

    Args:
        triples: The triples.
        where: What the user calls them.
        vocabulary: The profile of their words, where it is known already: its relations for names.

    Raises:
        UnreadableSource: Something is no triple.
    """
    parts = [_three(each, at, where) for at, each in enumerate(triples, start=1)]
    names = _Names.of(parts, vocabulary)
    subjects = {str(subject).strip() for subject, _, _ in parts}
    builder = StoreBuilder()
    dropped = 0
    for subject, relation, value in parts:
        if subject in (None, "") or relation in (None, "") or value in (None, ""):
            dropped += 1
            continue
        named, term = _node(relation), _value(value, subjects, where)
        if isinstance(term, str) and names.has(named, term):
            term = Literal(term)
        builder.add(_node(subject), named, term)
    notes = [Note("dropped", f"{dropped} triples with an empty part are left out")] if dropped else []
    return builder.build(), notes


@dataclass(frozen=True, slots=True)
class _Names:
    """Which plain values are names of their subjects, rather than entities.

    Attributes:
        sure: The relations that vocabularies keep for names.
        likely: Relations that are called so; their values are names where nothing else mentions them.
        nodes: What stands as a subject, or as the value of another relation.
    """

    sure: frozenset[str]
    likely: frozenset[str]
    nodes: frozenset[str]

    @classmethod
    def of(cls, parts: Iterable[tuple[Any, Any, Any]], vocabulary: object) -> _Names:
        known = [*VOCABULARIES.values(), *([vocabulary] if isinstance(vocabulary, Vocabulary) else [])]
        sure = frozenset(relation for words in known for relation in (*words.labels, *words.aliases))
        texts = [tuple(part.strip() if isinstance(part, str) else "" for part in each) for each in parts]
        likely = frozenset(relation for _, relation, _ in texts if split_iri(relation)[1].lower() in NAMING) - sure
        nodes = {subject for subject, _, _ in texts}
        nodes.update(value for _, relation, value in texts if relation not in likely)
        return cls(sure, likely, frozenset(nodes))

    def has(self, relation: Term, value: str) -> bool:
        """Whether ``value`` is a name there."""
        if value.startswith("_:") or "://" in value:
            return False
        return relation in self.sure or (relation in self.likely and value not in self.nodes)


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
    """The triples that a question's record holds, in any of the published layouts; None where it holds none.

    UnifiedSKG's records keep the names of their graph's entities beside it: pairs of a name and an id.
    """
    for field in GRAPH_FIELDS:
        triples = record.get(field)
        if isinstance(triples, list) and all(isinstance(each, (list, tuple)) and len(each) == 3 for each in triples):
            nodes = {part for each in triples for part in (each[0], each[2]) if isinstance(part, str)}
            pairs = [
                each for each in record.get("entities") or () if isinstance(each, (list, tuple)) and len(each) == 2
            ]
            named = [(node, NAME, name) for name, node in pairs if node in nodes and name not in nodes and name != node]
            return [*triples, *named]
    return None
