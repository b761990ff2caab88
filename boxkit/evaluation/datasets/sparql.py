"""Gold SPARQL, run over its graph by an engine: pyoxigraph, or rdflib for what that refuses."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boxkit.errors import UnreadableSource
from boxkit.syntax import ONE_PARSER

if TYPE_CHECKING:
    from boxkit.box import BoxSet

__all__ = ["SparqlGold"]

#: Freebase's prefixed names, of which the engine takes none with two dots.
_FREEBASE = re.compile(r"(?<![\w<:/])(?:ns)?:([a-z]\w*(?:\.\w+)+)")


@dataclass(frozen=True)
class SparqlGold:
    """A graph's file, loaded once, and the rows of queries over it."""

    path: Path
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    @cached_property
    def store(self) -> Any:
        """pyoxigraph's store."""
        import pyoxigraph

        store = pyoxigraph.Store()
        store.load(path=str(self.path), format=pyoxigraph.RdfFormat.from_extension(self.path.suffix[1:]))
        return store

    @cached_property
    def graph(self) -> Any:
        """rdflib's graph."""
        import rdflib

        return rdflib.Graph().parse(self.path)

    def rows(self, query: str, boxes: BoxSet) -> list[tuple[Any, ...]]:
        """The rows, entities by the ids that ``boxes`` show.

        Raises:
            UnreadableSource: Both engines refuse the query.
        """
        from boxkit.converters.graph import id_of
        from boxkit.memory.transpile.sparql_text import standard

        with self._lock, ONE_PARSER:
            found = self._of_oxigraph(_FREEBASE.sub(r"<http://rdf.freebase.com/ns/\1>", standard(query)))
            if found is None:
                found = self._of_rdflib(standard(query))
        return [tuple(id_of(cell, boxes) if isinstance(cell, str) else cell for cell in row) for row in found]

    def _of_oxigraph(self, query: str) -> list[tuple[Any, ...]] | None:
        import pyoxigraph

        try:
            found = self.store.query(query)
        except (SyntaxError, ValueError, OSError, RuntimeError):
            return None
        if isinstance(found, pyoxigraph.QueryBoolean):
            return [(bool(found),)]
        return [tuple(_plain(solution[variable]) for variable in found.variables) for solution in found]

    def _of_rdflib(self, query: str) -> list[tuple[Any, ...]]:
        try:
            found = self.graph.query(query)
            if found.type == "ASK":
                return [(bool(found.askAnswer),)]
            return [tuple(_plain_of_rdflib(term) for term in row) for row in found]
        except Exception as error:
            # rdflib and pyparsing raise errors of many kinds for queries that they do not take.
            raise UnreadableSource(f"no engine takes the gold query: {error}", where=str(self.path)) from error


def _literal(text: str, datatype: str, language: str) -> Any:
    from boxkit.converters.graph.literals import decode
    from boxkit.converters.graph.store import Literal

    return decode(Literal(text, "" if language else datatype, language)).value


def _plain(term: Any) -> Any:
    import pyoxigraph

    if isinstance(term, pyoxigraph.Literal):
        return _literal(term.value, term.datatype.value, term.language or "")
    return None if term is None else term.value


def _plain_of_rdflib(term: Any) -> Any:
    if hasattr(term, "datatype"):
        return _literal(str(term), str(term.datatype or ""), term.language or "")
    return None if term is None else str(term)
