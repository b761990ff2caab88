"""Where a graph's boxes came from, kept beside their rows for whoever asks the graph itself, in SPARQL."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import quote, unquote

from boxkit.converters.graph.store import Literal, Term, TripleStore
from boxkit.converters.graph.vocabulary import FB, INSIDE

if TYPE_CHECKING:
    from boxkit.converters.graph.endpoint import Endpoint

__all__ = ["Origin", "Source", "plain_namespace"]

#: The triples themselves, what reads them anew (files are not held in memory twice), or the service that has them.
Source: TypeAlias = "TripleStore | Callable[[], TripleStore] | Endpoint"

_IRI = re.compile(r"[A-Za-z][\w+.-]*:[^\s<>\"{}|\\^`]+")
_ESCAPED = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


@dataclass(frozen=True, eq=False)
class Origin:
    """A graph as its source has it.

    Attributes:
        label: What the user calls it.
        source: The graph.
        types: The IRIs of relations from an entity to its type.
        labels: The IRIs of relations to an entity's label, best first.
        prefixes: Namespaces by prefix, where the source declared any.
        plain: The namespace of terms that are no IRIs, for a graph that writes plain names.
        superclasses: The declared direct superclasses of each class; None where not all of the graph is here.
    """

    label: str
    source: Source = field(repr=False)
    types: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    prefixes: Mapping[str, str] = field(default_factory=dict)
    plain: str = INSIDE
    superclasses: Mapping[str, Sequence[str]] | None = field(default=None, repr=False)

    def iri(self, term: str) -> str:
        """The IRI by which SPARQL calls a term: itself where it is one, else in the namespace of plain names."""
        return term if _IRI.fullmatch(term) else self.plain + quote(term, safe="._~-")

    def term(self, iri: str) -> str:
        """The graph's own word for an IRI; the other way round than `iri`."""
        return unquote(iri.removeprefix(self.plain)) if iri.startswith(self.plain) else iri

    def ntriples(self, store: TripleStore) -> Iterator[bytes]:
        """The lines of ``store`` as N-Triples, plain names as IRIs."""
        texts = [self._written(term) for term in store.terms]
        for s, p, o in zip(store.subjects.tolist(), store.predicates.tolist(), store.objects.tolist(), strict=True):
            yield f"{texts[s]} {texts[p]} {texts[o]} .\n".encode("utf-8", "replace")

    def _written(self, term: Term) -> str:
        if isinstance(term, Literal):
            text = "".join(_ESCAPED.get(char, char) for char in term.text)
            tag = f"@{term.language}" if term.language else f"^^<{self.iri(term.datatype)}>" if term.datatype else ""
            return f'"{text}"{tag}'
        if term.startswith("_:"):
            return "_:b" + re.sub(r"\W", "", term)
        return f"<{self.iri(term)}>"


def plain_namespace(vocabulary: str) -> str:
    """The namespace that plain names stand for under a vocabulary of that name: Freebase's own, or one of boxkit's."""
    return FB if vocabulary == "freebase" else INSIDE
