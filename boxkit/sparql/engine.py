"""What runs SPARQL for a strategy: one query at a time, on the graph itself, held to reading, to a time and to rows."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from boxkit.box import BoxSet
from boxkit.converters.columns import column, frame_of
from boxkit.converters.graph.endpoint import Endpoint
from boxkit.converters.graph.literals import decode
from boxkit.converters.graph.names import split_iri
from boxkit.converters.graph.origin import Origin
from boxkit.converters.graph.reader import GraphReader
from boxkit.converters.graph.store import Literal, Term
from boxkit.errors import SourceError, UnsafeSPARQL
from boxkit.failure import Failure
from boxkit.naming import field_labels
from boxkit.sparqlguard import CheckedQuery, check
from boxkit.sql.engine import Fetched, SqlLimits

__all__ = ["Found", "GraphEngine", "GraphService", "graph_engine"]


_TOKENS = re.compile(
    r"""<[^<>"{}|^`\\\s]*> | \"{3}.*?\"{3} | '{3}.*?'{3} | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*' | \#[^\n]*
    | (?P<prefix>(?<![\w.?$-])[A-Za-z][\w-]*|(?<![\w.?$:-])(?=:)):(?P<local>[\w-]+(?:\.+[\w-]+)*)""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Found:
    """What a query found.

    Attributes:
        variables: What it selects, in order.
        rows: What each variable is bound to; None for nothing.
        more: Whether rows were left out.
    """

    variables: Sequence[str]
    rows: Sequence[Sequence[Term | None]]
    more: bool = False


class GraphService(Protocol):
    """Whatever has the graph: a process of ours, or a server."""

    def find(self, query: str, checked: CheckedQuery, limits: SqlLimits) -> Found | bool | Failure:
        """Run a query that has been checked; what fails or takes too long is a `Failure`."""
        ...


@dataclass(frozen=True, slots=True)
class GraphEngine:
    """Queries over the graph of some boxes.

    Attributes:
        boxes: The boxes.
        origin: Their graph.
        service: What runs the queries.
        prefixes: Namespaces by prefix; a query may use these without declaring them.
    """

    boxes: BoxSet
    origin: Origin
    service: GraphService
    prefixes: Mapping[str, str]

    def query(self, sparql: str, limits: SqlLimits = SqlLimits()) -> Fetched | Failure:
        """Run one query. What is refused, fails or takes too long is a `Failure`, not an exception.

        Entities come by the ids that the boxes give them, numbers and truth values as such, dates as ISO text; the
        answer of an ASK is one truth value.
        """
        text = self._declared(sparql)
        try:
            checked = check(text)
        except UnsafeSPARQL as error:
            return Failure("refused", error.what, type="UnsafeSPARQL", source=sparql, hint=error.hint or "")
        started = time.monotonic()
        found = self.service.find(text, checked, limits)
        if isinstance(found, Failure):
            return found
        if isinstance(found, bool):
            found = Found(("answer",), [[Literal(str(found).lower(), "http://www.w3.org/2001/XMLSchema#boolean")]])
        names = field_labels(found.variables)
        values = _Values(self)
        columns = [column([values.of(row[at]) for row in found.rows]) for at in range(len(names))]
        return Fetched(frame_of(columns, names, len(found.rows)), found.more, time.monotonic() - started)

    def _declared(self, sparql: str) -> str:
        """The query with the known prefixes declared that it uses without declaring them."""
        own = dict(re.findall(r"\bPREFIX\s+([\w.-]*)\s*:\s*<([^<>\s]*)>", sparql, re.IGNORECASE))
        known = {**self.prefixes, **own}
        text = _TOKENS.sub(lambda token: _dotted(token, known), sparql)
        used = set(re.findall(r"(?<![\w.-])([\w.-]*):", text))
        # On the query's own first line, so that errors name its lines.
        return (
            "".join(f"PREFIX {name}: <{self.prefixes[name]}> " for name in sorted(used & {*self.prefixes} - {*own}))
            + text
        )


def _dotted(token: re.Match[str], prefixes: Mapping[str, str]) -> str:
    """A token; a prefixed name with dots as a whole IRI, since pyoxigraph reads no name with two dots."""
    prefix, local = token["prefix"], token["local"]
    if local is None or "." not in local or prefix not in prefixes:
        return token[0]
    return f"<{prefixes[prefix]}{local}>"


class _Values:
    """Terms as the boxes show them."""

    def __init__(self, engine: GraphEngine) -> None:
        self.origin = engine.origin
        readers = {
            id(box.reader.ids): box.reader for box in engine.boxes.values() if isinstance(box.reader, GraphReader)
        }
        self.readers = list(readers.values())
        self._spaces: frozenset[str] | None = None

    def of(self, term: Term | None) -> object:
        """A literal's value, an entity's id; None for nothing."""
        if term is None:
            return None
        if isinstance(term, Literal):
            return decode(term).value
        own = self.origin.term(term)
        for reader in self.readers:
            if (found := reader.ids.get(own)) is not None:
                return found
        space, local = split_iri(own)
        taken = any(local in reader.iris for reader in self.readers)
        return local if space in self.spaces and not taken else own

    @property
    def spaces(self) -> frozenset[str]:
        """The namespaces that ids leave out: an entity that no box shows is called like those that boxes show."""
        if self._spaces is None:
            self._spaces = frozenset(
                iri.removesuffix(short)
                for reader in self.readers
                for short, iri in reader.iris.items()
                if short != iri and iri.endswith(short)
            )
        return self._spaces


def graph_engine(boxes: BoxSet) -> GraphEngine:
    """The engine over the graph that ``boxes`` came from.

    Raises:
        SourceError: They come from no graph, or from several, or from one that SPARQL cannot ask.
    """
    from boxkit.sparql.local import local_service
    from boxkit.sparql.remote import RemoteService
    from boxkit.sparql.schema import prefixes_of

    origin = _origin(boxes)
    source = origin.source
    service: GraphService = RemoteService(source) if isinstance(source, Endpoint) else local_service(origin)
    return GraphEngine(boxes, origin, service, prefixes_of(boxes, origin))


def _origin(boxes: BoxSet) -> Origin:
    readers = [box.reader for box in boxes.values() if isinstance(box.reader, GraphReader)]
    origins = {id(each.origin): each.origin for each in readers if each.origin is not None}
    where = ", ".join(boxes.sources) or None
    if len(origins) > 1:
        labels = ", ".join(str(each.label) for each in origins.values() if each is not None)
        raise SourceError(
            f"SPARQL asks one graph, and these boxes come from {len(origins)}: {labels}",
            where=where,
            hint="load one of them alone, or use Pandora or Text2SQL, which ask all boxes at once",
        )
    for origin in origins.values():
        if origin is not None:
            return origin
    what = (
        "this graph has no IRIs that SPARQL could ask for"
        if readers
        else "SPARQL asks graphs, and these boxes come from none"
    )
    if any(box.kind == "graph" for box in boxes.values()) and not readers:
        what = "these boxes were saved, and the graph that they came from is not with them"
    raise SourceError(
        what,
        where=where,
        hint="load an RDF file, an rdflib graph or a SPARQL endpoint; Pandora and Text2SQL work on any boxes",
    )
