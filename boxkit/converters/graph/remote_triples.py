"""Triples from a SPARQL endpoint: of a relation at some nodes, with blank nodes, lists and texts in any language."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from boxkit.box import Note
from boxkit.converters.graph.endpoint import Endpoint, Row
from boxkit.converters.graph.names import snake, split_iri
from boxkit.converters.graph.store import Literal, StoreBuilder, Term
from boxkit.converters.graph.vocabulary import RDF
from boxkit.description import NoteKind
from boxkit.errors import UnreadableSource

__all__ = ["BATCH", "FIRST", "REST", "Link", "RemoteTriples", "batches", "is_iri", "text_of", "word_of"]

BATCH = 100
#: Lists inside lists are followed so deep.
MOST_INSIDE = 6

FIRST, REST = f"{RDF}first", f"{RDF}rest"


@dataclass(frozen=True, slots=True)
class Link:
    """A relation at some nodes, in one direction.

    Attributes:
        relation: Its IRI.
        leaves: Whether the nodes are its subjects.
        nodes: Their IRIs.
        triples: How many triples that makes.
        limit: How many of them are wanted; all where None.
    """

    relation: str
    leaves: bool
    nodes: tuple[str, ...]
    triples: int
    limit: int | None = None


@dataclass
class RemoteTriples:
    """Fetches triples into a store's builder.

    Attributes:
        endpoint: Where from.
        languages: Preferred languages, best first; ``""`` for none.
        notes: What was left out.
        builder: Collects the triples.
    """

    endpoint: Endpoint
    languages: Sequence[str] = ()
    notes: list[Note] = field(default_factory=list)
    builder: StoreBuilder = field(default_factory=StoreBuilder)
    _answers: int = 0
    _left_out: dict[str, Counter[str]] = field(default_factory=dict)
    _said: set[str] = field(default_factory=set)

    def all(self) -> None:
        """Every triple of the graph."""
        for rows in self.endpoint.pages("?s ?p ?o", "?s ?p ?o"):
            self._keep(rows)

    def along(self, link: Link) -> list[str]:
        """Fetch the triples of ``link``; the IRIs at their far ends."""
        ends: dict[str, None] = {}
        found = 0
        near, far = ("?s", "?o") if link.leaves else ("?o", "?s")
        for batch in batches(link.nodes, BATCH):
            values = f"VALUES {near} {{ {_listed(batch)} }}"
            pattern = f"{values} ?s <{link.relation}> ?o FILTER(!isBlank({far}))"
            wanted = self._preferred() if link.leaves and link.limit is None else ""
            for rows in self.endpoint.pages(f"{pattern} {wanted}", "?s ?o", link.limit):
                self._keep({**row, "p": link.relation} for row in rows)
                ends.update(dict.fromkeys(_iris(row[far[1:]] for row in rows)))
                found += len(rows)
        # Counts told how many there are: what is missing are blank nodes, and texts in other languages.
        if found < (link.limit or link.triples):
            for batch in batches(link.nodes, BATCH):
                values = f"VALUES {near} {{ {_listed(batch)} }}"
                ends.update(dict.fromkeys(self._blank(values, link)))
                if link.leaves and link.limit is None:
                    self._other_languages(f"{values} VALUES ?p {{ <{link.relation}> }} ?s ?p ?o")
        return list(ends)

    def about(self, subjects: Sequence[str], relations: Sequence[str]) -> None:
        """Fetch what some relations say of ``subjects``: labels, types, the schema."""
        # Vocabularies know plain names too, for graphs without IRIs.
        listed = _listed(filter(is_iri, relations))
        for batch in batches(subjects, BATCH) if listed else ():
            pattern = f"VALUES ?s {{ {_listed(batch)} }} VALUES ?p {{ {listed} }} ?s ?p ?o"
            for rows in self.endpoint.pages(f"{pattern} FILTER(!isBlank(?o)) {self._preferred()}", "?s ?p ?o"):
                self._keep(rows)
            self._other_languages(pattern)

    def finish(self) -> list[Note]:
        """What was left out, at the end."""
        for word, languages in sorted(self._left_out.items()):
            listed = ", ".join(f"{language} {count}" for language, count in sorted(languages.items()))
            what = f"of {word!r}, texts in other languages than the preferred are left out ({listed})"
            self.notes.append(Note("dropped", what))
        self._left_out.clear()
        return self.notes

    # Languages -----------------------------------------------------------------------------------------------------

    def _is_preferred(self, variable: str) -> str:
        tags = [f'langMatches(lang({variable}), "{tag}")' for tag in self.languages if tag]
        return " || ".join((f"lang({variable}) = ''", *tags))

    def _preferred(self) -> str:
        """Keeps what is no text, and texts in a preferred language."""
        return f"FILTER(!isLiteral(?o) || {self._is_preferred('?o')})" if any(self.languages) else ""

    def _other_languages(self, pattern: str) -> None:
        """Texts in other languages come where there is none in a preferred one; the others are counted."""
        if not any(self.languages):
            return
        others = f"{pattern} FILTER(isLiteral(?o) && !({self._is_preferred('?o')}))"
        counted = self.endpoint.select(
            f"SELECT ?p ?l (COUNT(*) AS ?c) WHERE {{ {others} BIND(lang(?o) AS ?l) }} GROUP BY ?p ?l"
        )
        totals = {(str(row["p"]), text_of(row["l"]).lower()): int(text_of(row["c"])) for row in counted if "p" in row}
        if not totals:
            return
        beside = f"?s ?p ?x FILTER(isLiteral(?x) && ({self._is_preferred('?x')}))"
        for rows in self.endpoint.pages(f"{others} FILTER NOT EXISTS {{ {beside} }}", "?s ?p ?o"):
            self._keep(rows)
            for row in rows:
                if isinstance(row["o"], Literal):
                    totals[str(row["p"]), row["o"].language] -= 1
        for (relation, language), count in totals.items():
            if count > 0:
                self._left_out.setdefault(word_of(relation), Counter())[language] += count

    # Blank nodes and lists -------------------------------------------------------------------------------------------

    def _blank(self, values: str, link: Link) -> list[str]:
        """Fetch the blank nodes at a link's far ends; the IRIs that these lead to."""
        if not link.leaves:
            return self._nested(f"{values} ?b <{link.relation}> ?o", "?o", link.relation)
        if self.endpoint.ask(f"ASK {{ {values} ?s <{link.relation}> ?b . FILTER(isBlank(?b)) ?b <{FIRST}> ?x }}"):
            ends = self._lists(values, link.relation)
            only = f"FILTER NOT EXISTS {{ ?b <{FIRST}> ?x }}"
            return [*ends, *self._nested(f"{values} ?s <{link.relation}> ?b {only}", "?s", link.relation)]
        return self._nested(f"{values} ?s <{link.relation}> ?b", "?s", link.relation)

    def _nested(self, pattern: str, near: str, relation: str) -> list[str]:
        """What blank nodes say comes in one answer with them, for they have no names to ask for: three of them deep."""
        second = "OPTIONAL { ?c ?q3 ?d . FILTER(isBlank(?c)) }"
        first = f"OPTIONAL {{ ?y ?q2 ?c . FILTER(isBlank(?y)) {second} }}"
        whole = f"{pattern} FILTER(isBlank(?b)) OPTIONAL {{ ?b ?q ?y {first} }}"
        rows = self._uncut(whole, f"{near} ?b ?q ?y ?q2 ?c ?q3 ?d", word_of(relation))
        self._answers += 1
        ends: dict[str, None] = {}
        for row in rows:
            ends.update(dict.fromkeys(self._keep_nested(row, near[1:], relation)))
        return list(ends)

    def _keep_nested(self, row: Row, near: str, relation: str) -> Iterator[str]:
        ends = (row[near], row["b"]) if near == "s" else (row["b"], row[near])
        self._keep([{"s": ends[0], "p": relation, "o": ends[1]}])
        for subject, predicate, value in (("b", "q", "y"), ("y", "q2", "c"), ("c", "q3", "d")):
            if value in row and predicate in row:
                if row[predicate] in (FIRST, REST):
                    self.say_once(f"lists inside the blank nodes under {word_of(relation)!r} are not fetched")
                    return
                self._keep([{"s": row[subject], "p": row[predicate], "o": row[value]}])
                yield from _iris([row[value]])
        if isinstance(row.get("d"), str) and str(row["d"]).startswith("_:"):
            self.say_once(f"blank nodes more than three deep under {word_of(relation)!r} are not fetched")

    def _uncut(self, pattern: str, variables: str, word: str) -> list[Row]:
        """The rows of one answer; page by page, in the hope that blank nodes keep their names, where that is cut."""
        rows = self.endpoint.select(f"SELECT DISTINCT {variables} WHERE {{ {pattern} }}")
        if not rows:
            return rows
        inner = f"SELECT DISTINCT {variables} WHERE {{ {pattern} }}"
        (count,) = self.endpoint.select(f"SELECT (COUNT(*) AS ?n) WHERE {{ {{ {inner} }} }}")
        if len(rows) >= int(text_of(count["n"])):
            return rows
        self.say_once(
            f"what blank nodes under {word!r} say came in several answers: if the endpoint names them anew in each,"
            " rows are torn apart"
        )
        return [row for page in self.endpoint.pages(pattern, variables) for row in page]

    def _lists(self, values: str, relation: str) -> list[str]:
        """The members of lists, of those inside them too, as values."""
        word, ends = word_of(relation), dict[str, None]()
        path = f"<{relation}>/<{REST}>*/<{FIRST}>"
        self.say_once(f"the members of lists under {word!r} are values of their own, without their order", "cast")
        for _ in range(MOST_INSIDE):
            pattern = f"{values} ?s {path} ?o"
            try:
                for rows in self.endpoint.pages(f"{pattern} FILTER(!isBlank(?o))", "?s ?o"):
                    self._keep({**row, "p": relation} for row in rows)
                    ends.update(dict.fromkeys(_iris(row["o"] for row in rows)))
                blank = f"{values} ?s {path} ?b FILTER(isBlank(?b))"
                if not self.endpoint.ask(f"ASK {{ {blank} }}"):
                    return list(ends)
                ends.update(dict.fromkeys(self._members(blank, relation)))
            except UnreadableSource:
                self.say_once(f"the endpoint does not give all members of lists under {word!r}")
                return list(ends)
            path = f"{path}/<{REST}>*/<{FIRST}>"
        return list(ends)

    def _members(self, blank: str, relation: str) -> list[str]:
        """Members of lists that are blank nodes and no lists."""
        return self._nested(f"{blank} FILTER NOT EXISTS {{ ?b <{FIRST}> ?x }}", "?s", relation)

    # Keeping -------------------------------------------------------------------------------------------------------

    def say_once(self, what: str, kind: NoteKind = "skipped") -> None:
        """Note ``what``, unless it has been."""
        if what not in self._said:
            self._said.add(what)
            self.notes.append(Note(kind, what))

    def _keep(self, rows: Iterable[Row]) -> None:
        for row in rows:
            self.builder.add(self._scoped(row["s"]), row["p"], self._scoped(row["o"]))

    def _scoped(self, term: Term) -> Term:
        """A blank node's name holds within one answer."""
        return f"{term}.{self._answers}" if isinstance(term, str) and term.startswith("_:") else term


def word_of(relation: str) -> str:
    """A relation's name in notes, before its graph is read."""
    return snake(split_iri(relation)[1])


def _listed(iris: Iterable[str]) -> str:
    return " ".join(f"<{iri}>" for iri in iris)


def _iris(terms: Iterable[Term]) -> Iterator[str]:
    return (term for term in terms if isinstance(term, str) and is_iri(term) and not term.startswith(RDF))


def is_iri(text: str) -> bool:
    """Whether ``text`` may stand between angle brackets."""
    return re.fullmatch(r"[A-Za-z][\w+.-]*:[^\s<>\"{}|\\^`]+", text) is not None


def text_of(term: Term) -> str:
    """A term's text."""
    return term.text if isinstance(term, Literal) else term


def batches(items: Sequence[str], size: int) -> Iterator[tuple[str, ...]]:
    """Some items at a time."""
    iterator = iter(items)
    while batch := tuple(islice(iterator, size)):
        yield batch
