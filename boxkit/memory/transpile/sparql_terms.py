"""rdflib's terms and property paths as constants, variables and triple patterns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from boxkit.converters.graph.literals import decode
from boxkit.converters.graph.store import Literal
from boxkit.converters.graph.vocabulary import VOCABULARIES
from boxkit.errors import UnsupportedQuery
from boxkit.memory.transpile.sparql_boxes import GraphBoxes, Kind
from boxkit.memory.transpile.sparql_patterns import Alternative, Closure, Inverse, Path, Term, Triple, Value, Variable

__all__ = ["KINDS", "TermReader"]

#: The kinds of literals by their sorts.
KINDS: dict[str, Kind] = {
    "integer": "number",
    "number": "number",
    "year": "year",
    "boolean": "boolean",
    "date": "date",
    "datetime": "date",
    "year and month": "date",
}

_TYPE_RELATIONS = frozenset(iri for vocabulary in VOCABULARIES.values() for iri in vocabulary.types)


class TermReader:
    """Reads terms.

    Args:
        graph: The boxes.
    """

    def __init__(self, graph: GraphBoxes) -> None:
        self.graph = graph
        self._count = 0

    def fresh(self) -> Variable:
        """A variable that the query does not have."""
        self._count += 1
        return Variable(f" {self._count}")

    def term(self, term: Any) -> Term:
        """A term of a pattern."""
        from rdflib import term as rdf

        if isinstance(term, rdf.Variable):
            return Variable(str(term))
        if isinstance(term, rdf.BNode):
            return Variable(f" _{term}")
        return self.value(term)

    def value(self, term: Any) -> Value:
        """A constant."""
        from rdflib import term as rdf

        if isinstance(term, rdf.URIRef):
            return Value(self.graph.id(str(term)), "entity")
        if isinstance(term, rdf.Literal):
            found = decode(Literal(str(term), str(term.datatype or ""), term.language or ""))
            return Value(found.value, KINDS.get(found.sort, "text"))
        raise UnsupportedQuery(f"a term of the kind {type(term).__name__}")

    def triples(self, subject: Any, relation: Any, value: Any) -> Iterator[Triple]:
        """A triple pattern, its path taken apart."""
        yield from self._steps(self.term(subject), relation, self.term(value), value)

    def _steps(self, subject: Term, relation: Any, value: Term, raw: Any = None) -> Iterator[Triple]:
        from rdflib import paths
        from rdflib import term as rdf

        if isinstance(relation, paths.SequencePath):
            ends = [subject, *(self.fresh() for _ in relation.args[1:]), value]
            for at, part in enumerate(relation.args):
                yield from self._steps(ends[at], part, ends[at + 1], raw if at + 1 == len(relation.args) else None)
        elif isinstance(relation, paths.InvPath):
            yield from self._steps(value, relation.arg, subject)
        elif isinstance(relation, rdf.URIRef) and str(relation) in _TYPE_RELATIONS:
            if not isinstance(raw, rdf.URIRef):
                raise UnsupportedQuery("a type that is a variable")
            yield Triple(subject, "", Value(str(raw), "entity"))
        else:
            yield Triple(subject, self._path(relation), value)

    def _path(self, relation: Any) -> Path:
        from rdflib import paths
        from rdflib import term as rdf

        if isinstance(relation, rdf.Variable):
            raise UnsupportedQuery("a relation that is a variable")
        if isinstance(relation, rdf.URIRef):
            if str(relation) in _TYPE_RELATIONS:
                raise UnsupportedQuery("a property path over types")
            return str(relation)
        if isinstance(relation, paths.InvPath):
            return Inverse(self._path(relation.arg))
        if isinstance(relation, paths.AlternativePath):
            return Alternative(tuple(self._path(each) for each in relation.args))
        if isinstance(relation, paths.MulPath):
            return Closure(self._path(relation.path), str(relation.mod))
        raise UnsupportedQuery(f"a property path of the kind {type(relation).__name__}")
