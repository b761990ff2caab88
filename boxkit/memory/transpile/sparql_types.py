"""Types that are variables: "of a class under this one" becomes a union of the boxes of these classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from boxkit.errors import UnsupportedQuery
from boxkit.memory.transpile.sparql_group import Part
from boxkit.memory.transpile.sparql_relation import Bound, Relation, named
from boxkit.plan import Column, Constant, Expression, Output, Plan, Project, SetOperation

if TYPE_CHECKING:
    from boxkit.memory.transpile.sparql_query import QueryReader

__all__ = ["under_classes"]

_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_UNDER = "http://www.w3.org/2000/01/rdf-schema#subClassOf"

RawTriple = tuple[Any, Any, Any]


def under_classes(triples: Sequence[RawTriple], reader: QueryReader) -> tuple[list[RawTriple], list[Part]]:
    """The triples that say anything else, and a part for each variable that is typed by a class under another.

    Args:
        triples: A basic graph pattern, as rdflib has it.
        reader: What reads the query.
    """
    rest, parts = list(triples), list[Part]()
    for above in triples:
        steps = _steps(above[1])
        if steps is None or not _is_variable(above[0]) or not _is_iri(above[2]):
            continue
        typing = [each for each in triples if each is not above and above[0] in (each[0], each[2])]
        if not typing or any(str(each[1]) != _TYPE or not _is_variable(each[0]) for each in typing):
            raise UnsupportedQuery("a class that is a variable, in more than types")
        types = reader.graph.subtypes(str(above[2]), steps)
        parts.extend(_part(str(each[0]), str(above[0]), types, reader) for each in typing)
        rest = [each for each in rest if each is not above and each not in typing]
    return rest, parts


def _steps(path: Any) -> str | None:
    """How often ``rdfs:subClassOf`` is followed: ``*``, ``+``, ``?`` or once (empty); None for another path."""
    if str(path) == _UNDER:
        return ""
    if type(path).__name__ == "MulPath" and str(path.path) == _UNDER:
        return str(path.mod)
    return None


def _is_variable(term: Any) -> bool:
    return type(term).__name__ == "Variable"


def _is_iri(term: Any) -> bool:
    return type(term).__name__ == "URIRef"


def _part(subject: str, kind: str, types: Sequence[str], reader: QueryReader) -> Part:
    """The entities of some types, a row for each type that one has."""
    graph = reader.graph
    there = [each for each in types if each in graph.types]

    def build(needed: frozenset[str], as_set: bool) -> Relation:
        names = [name for name in (subject, kind) if name in needed] or [subject]
        plans = list(_scans(there, names, subject, reader))
        together = plans[0]
        for plan in plans[1:]:
            together = SetOperation(together, plan, "union", keep_doubles=not as_set)
        members = frozenset[Any]().union(*(graph.members(graph.type_box(each)) for each in there))
        bound = {
            subject: Bound(Constant(None), "entity", known=members),
            kind: Bound(Constant(None), "entity", known=frozenset(map(graph.id, there))),
        }
        return named(
            together,
            bound,
            reader.patterns.alias("typed"),
            once=as_set or kind in names or len(plans) == 1,
            names=names,
        )

    if not there:
        raise UnsupportedQuery("classes that no box holds")
    return Part(frozenset({subject, kind}), build)


def _scans(types: Sequence[str], names: Sequence[str], subject: str, reader: QueryReader) -> Iterator[Plan]:
    for each in types:
        box = reader.graph.type_box(each)
        scan = reader.patterns.scan(box)
        key = Column(reader.graph.boxes[box].fields[0].label, scan.alias)
        values: list[Expression] = [key if name == subject else Constant(reader.graph.id(each)) for name in names]
        yield Project(scan, tuple(Output(value, name) for value, name in zip(values, names, strict=True)))
