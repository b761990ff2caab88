"""RDF text in any syntax → a store. pyoxigraph reads the common syntaxes, rdflib the rest and what is not valid."""

from __future__ import annotations

import hashlib
import logging
import warnings
from pathlib import Path
from typing import Any

from boxkit.box import Note
from boxkit.converters.graph.ntriples import read_ntriples
from boxkit.converters.graph.store import Literal, StoreBuilder, Term, TripleStore
from boxkit.errors import SourceNotFound, UnreadableSource

__all__ = ["parse_file", "read_again", "store_of_rdflib"]

_OXIGRAPH = {
    "turtle": "TURTLE",
    "nt": "N_TRIPLES",
    "nquads": "N_QUADS",
    "trig": "TRIG",
    "n3": "N3",
    "xml": "RDF_XML",
    "json-ld": "JSON_LD",
}


def parse_file(path: Path, syntax: str, label: str) -> tuple[TripleStore, list[Note]]:
    """The triples of a file; named graphs are read as one.

    Args:
        path: The file, uncompressed.
        syntax: As rdflib calls it.
        label: What the user calls the file.

    Raises:
        UnreadableSource: It isn't valid in its syntax; the message says where.
    """
    data = path.read_bytes()
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        data = data.decode("utf-16").encode()
    data = data.removeprefix(b"\xef\xbb\xbf")
    content = hashlib.blake2b(data, digest_size=16).hexdigest()
    data, notes = _as_utf8(data, syntax)
    store, found = _parsed(data, syntax, f"file:///{path.name}", content, label)
    return store, [*notes, *found]


def read_again(path: Path, syntax: str, label: str) -> TripleStore:
    """The triples of a file that has been read before.

    Raises:
        SourceNotFound: It is there no more.
        UnreadableSource: It has been changed, and is no longer valid.
    """
    try:
        return parse_file(path, syntax, label)[0]
    except FileNotFoundError:
        raise SourceNotFound("the graph's file is no longer there", where=label, hint="load it again") from None


def _as_utf8(data: bytes, syntax: str) -> tuple[bytes, list[Note]]:
    """The bytes of an RDF text in UTF-8, which all but RDF/XML must be in."""
    try:
        data.decode()
    except UnicodeDecodeError:
        if syntax not in ("xml", "trix"):
            return data.decode("latin-1").encode(), [Note("undecodable", "the file is not in UTF-8; read as Latin-1")]
    return data, []


def _parsed(data: bytes, syntax: str, base: str, content: str, label: str) -> tuple[TripleStore, list[Note]]:
    if syntax == "nt" and (plain := read_ntriples(data)) is not None:
        return plain.build({}, content), []
    if syntax in _OXIGRAPH:
        try:
            return _with_oxigraph(data, syntax, base, content)
        except (SyntaxError, ValueError, OSError) as error:
            first = error
        if syntax in ("json-ld", "nt", "nquads"):
            return _leniently(data, syntax, base, content, label, first)
    else:
        first = None
    return _with_rdflib(data, syntax, base, content, label, first)


def _with_oxigraph(
    data: bytes, syntax: str, base: str, content: str, *, lenient: bool = False
) -> tuple[TripleStore, list[Note]]:
    import pyoxigraph

    parser = pyoxigraph.parse(
        data, format=getattr(pyoxigraph.RdfFormat, _OXIGRAPH[syntax]), base_iri=base, lenient=lenient
    )
    numbers: dict[Any, int] = {}
    builder = StoreBuilder()
    graphs: set[Any] = set()
    for quad in parser:
        for term, into in (
            (quad.subject, builder.subjects),
            (quad.predicate, builder.predicates),
            (quad.object, builder.objects),
        ):
            number = numbers.get(term)
            if number is None:
                number = numbers[term] = len(numbers)
            into.append(number)
        graphs.add(quad.graph_name)
    builder.numbers = {}
    moved = [builder.term(_of_oxigraph(term)) for term in numbers]
    if len(builder.numbers) < len(numbers):
        # Two spellings of one term ("a" and "a"^^xsd:string) have become one.
        for part in (builder.subjects, builder.predicates, builder.objects):
            part[:] = [moved[number] for number in part]
    notes = _graph_notes(len(graphs - {pyoxigraph.DefaultGraph()}))
    return builder.build(getattr(parser, "prefixes", {}), content), notes


_STRING = "http://www.w3.org/2001/XMLSchema#string"


def _of_oxigraph(term: Any) -> Term:
    kind = type(term).__name__
    if kind == "NamedNode":
        return str(term.value)
    if kind == "BlankNode":
        return f"_:{term.value}"
    if kind == "Literal":
        datatype = term.datatype.value
        language = (term.language or "").lower()
        return Literal(term.value, "" if language or datatype == _STRING else datatype, language)
    return str(term)


def _graph_notes(named: int) -> list[Note]:
    return (
        [Note("skipped", f"the names of {named} graphs are left out: their triples are read as one graph")]
        if named
        else []
    )


def _leniently(
    data: bytes, syntax: str, base: str, content: str, label: str, error: Exception
) -> tuple[TripleStore, list[Note]]:
    """Once more without checks of IRIs and language tags."""
    try:
        store, notes = _with_oxigraph(data, syntax, base, content, lenient=True)
    except (SyntaxError, ValueError, OSError):
        raise _unreadable(label, syntax, error) from None
    return store, [*notes, _lenient_note(error)]


def _lenient_note(error: Exception) -> Note:
    return Note("cast", f"not strictly valid, read all the same ({_first_line(error)})")


def _first_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200]


def _unreadable(label: str, syntax: str, error: Exception) -> UnreadableSource:
    hint = "mend the line named, or name the syntax: boxkit.from_graph(path, syntax=…)"
    if syntax == "json-ld" and "context" in str(error).lower():
        hint = "put the context into the file: remote contexts are not fetched"
    return UnreadableSource(f"this is no valid {syntax}: {_first_line(error)}", where=label, hint=hint)


def _with_rdflib(
    data: bytes, syntax: str, base: str, content: str, label: str, first: Exception | None
) -> tuple[TripleStore, list[Note]]:
    """rdflib reads TriX and HexTuples, and Turtle or RDF/XML that is not strictly valid."""
    import rdflib

    graph = rdflib.Dataset(default_union=True)
    loggers = [logging.getLogger(name) for name in ("rdflib.term", "rdflib")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            # rdflib 7.6 warns of names that it uses itself.
            warnings.simplefilter("ignore", DeprecationWarning)
            graph.parse(data=data, format=syntax, publicID=base)
    except Exception as error:  # rdflib's parsers raise whatever their tokenisers do
        raise _unreadable(label, syntax, first or error) from None
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
    store, notes = store_of_rdflib(graph, content)
    return store, [*notes, _lenient_note(first)] if first else notes


def store_of_rdflib(graph: Any, content: str = "") -> tuple[TripleStore, list[Note]]:
    """The triples of an ``rdflib.Graph`` or ``Dataset`` (all its graphs as one)."""
    builder = StoreBuilder()
    named = 0
    if hasattr(graph, "quads"):
        names = set()
        for subject, predicate, value, context in graph.quads((None, None, None, None)):
            builder.add(_of_rdflib(subject), _of_rdflib(predicate), _of_rdflib(value))
            names.add(str(getattr(context, "identifier", context)))
        named = len(names - {"None", "urn:x-rdflib:default"})
    else:
        builder.extend((_of_rdflib(s), _of_rdflib(p), _of_rdflib(o)) for s, p, o in graph)
    prefixes = {str(prefix): str(space) for prefix, space in graph.namespaces()}
    return builder.build(prefixes, content), _graph_notes(named)


def _of_rdflib(term: Any) -> Term:
    kind = type(term).__name__
    if kind == "BNode":
        return f"_:{term}"
    if kind == "Literal":
        language = (term.language or "").lower()
        datatype = "" if language or term.datatype is None or str(term.datatype) == _STRING else str(term.datatype)
        return Literal(str(term), datatype, language)
    return str(term)
