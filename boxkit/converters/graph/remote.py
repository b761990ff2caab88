"""The neighbourhood of topics, fetched from a SPARQL endpoint: counts first, so that no hub is fetched whole."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from boxkit.box import Note
from boxkit.converters.graph.convert import MAX_WHOLE, Graph
from boxkit.converters.graph.endpoint import Endpoint, Row
from boxkit.converters.graph.names import snake, split_iri
from boxkit.converters.graph.relations import Relations, Similarity, lexical_similarity
from boxkit.converters.graph.store import Literal, StoreBuilder, Term
from boxkit.converters.graph.subgraph import HUB, MAX_TRIPLES
from boxkit.converters.graph.topics import function_words, normal
from boxkit.converters.graph.vocabulary import RDF, RDFS, VOCABULARIES, Vocabulary, detect
from boxkit.errors import SourceError, SourceNotFound, UnreadableSource

__all__ = ["Remote"]

BATCH = 100
MAX_NODES = 5_000
_PHRASE_WORDS = 7


@dataclass
class Remote:
    """What is being fetched.

    Attributes:
        endpoint: Where from.
        vocabulary: The profile of its words.
        hub: How many triples of one node, relation and direction are fetched at the most.
        notes: What was left out.
    """

    endpoint: Endpoint
    vocabulary: Vocabulary
    hub: int = HUB
    notes: list[Note] = field(default_factory=list)
    builder: StoreBuilder = field(default_factory=StoreBuilder)
    _answers: int = 0

    @classmethod
    def at(cls, endpoint: Endpoint, vocabulary: str | Vocabulary = "auto") -> Remote:
        """A remote graph with the vocabulary that its relations speak for."""
        if isinstance(vocabulary, Vocabulary):
            return cls(endpoint, vocabulary)
        if vocabulary != "auto":
            if vocabulary not in VOCABULARIES:
                raise ValueError(f"no vocabulary is named {vocabulary!r}; there are auto, {', '.join(VOCABULARIES)}")
            return cls(endpoint, VOCABULARIES[vocabulary])
        rows = endpoint.select("SELECT ?p WHERE { ?s ?p ?o } LIMIT 1000")
        return cls(endpoint, detect(str(row["p"]) for row in rows))

    # Topics --------------------------------------------------------------------------------------------------------

    def topics(self, names: Sequence[str]) -> list[str]:
        """The IRIs of topics given by IRI, id or label.

        Raises:
            SourceNotFound: The endpoint knows none of them.
        """
        found: dict[str, None] = {}
        missing: list[str] = []
        for name in names:
            hits = self._named(name.strip())
            found.update(dict.fromkeys(hits))
            if not hits:
                missing.append(name)
        if not found:
            raise SourceNotFound(
                f"the endpoint has no entity {', '.join(map(repr, missing))}",
                where=self.endpoint.label,
                hint="give the label exactly as the graph writes it, or the IRI",
            )
        self.notes.extend(Note("skipped", f"the endpoint has no topic {name!r}") for name in missing)
        return list(found)

    def _named(self, name: str) -> list[str]:
        iri = name[1:-1] if name.startswith("<") and name.endswith(">") else name
        candidates = [iri] if "://" in iri or iri.startswith("urn:") else []
        if not candidates and re.fullmatch(r"[\w.-]+", iri):
            candidates = [space + iri for space in self.vocabulary.namespaces]
        for candidate in candidates:
            if _is_iri(candidate) and self.endpoint.ask(
                f"ASK {{ {{ <{candidate}> ?p ?o }} UNION {{ ?s ?q <{candidate}> }} }}"
            ):
                return [candidate]
        return [] if candidates and "://" in iri else sorted(self._labelled([name]))

    def _labelled(self, names: Iterable[str]) -> dict[str, str]:
        """Entities whose label or alias is one of ``names``, as written or capitalised, each with its name."""
        forms: dict[str, str] = {}
        for name in names:
            for form in (name, name[:1].upper() + name[1:], name.title()):
                forms.setdefault(form, name)
        tags = [f"@{language}" if language else "" for language in self.vocabulary.languages]
        values = " ".join(f"{_quoted(form)}{tag}" for form in forms for tag in tags)
        relations = " ".join(f"<{relation}>" for relation in (*self.vocabulary.labels, *self.vocabulary.aliases))
        if not relations:
            return {}
        pattern = f"VALUES ?label {{ {values} }} VALUES ?r {{ {relations} }} ?s ?r ?label FILTER(isIRI(?s))"
        rows = self.endpoint.select(f"SELECT DISTINCT ?s ?label WHERE {{ {pattern} }} LIMIT 500")
        return {str(row["s"]): forms[_text(row["label"])] for row in rows if _text(row["label"]) in forms}

    def in_question(self, question: str) -> list[str]:
        """The entities whose labels stand in ``question``, the longest names first, none inside another."""
        words = re.findall(r"[\w'’.&-]*\w", question)
        phrases: dict[str, tuple[int, int]] = {}
        for length in range(min(_PHRASE_WORDS, len(words)), 0, -1):
            for start in range(len(words) - length + 1):
                phrase = " ".join(words[start : start + length])
                if not set(normal(phrase).split()) <= function_words():
                    phrases.setdefault(phrase, (start, start + length))
        by_phrase: dict[str, list[str]] = {}
        for batch in _batches(list(phrases), 40):
            for iri, phrase in self._labelled(batch).items():
                by_phrase.setdefault(phrase, []).append(iri)
        taken: set[int] = set()
        found: list[str] = []
        for phrase in sorted(by_phrase, key=lambda each: (-len(each), each)):
            span = set(range(*phrases[phrase]))
            if taken.isdisjoint(span):
                taken |= span
                found.extend(sorted(by_phrase[phrase]))
        return found[:12]

    # Triples -------------------------------------------------------------------------------------------------------

    def whole(self) -> Graph:
        """All triples of a small graph.

        Raises:
            SourceError: It is too large.
        """
        (row,) = self.endpoint.select("SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }")
        count = int(_text(row["n"]))
        if count > MAX_WHOLE:
            raise SourceError(
                f"the graph has {count:,} triples, too many to fetch whole",
                where=self.endpoint.label,
                hint='name what the question is about: topics=["…"] with labels, ids or IRIs',
            )
        for rows in self.endpoint.pages("?s ?p ?o", "?s ?p ?o"):
            self._keep(rows)
        return self._graph()

    def around(
        self,
        topics: Sequence[str],
        hops: int,
        relations: Relations = None,
        question: str | None = None,
        similarity: Similarity | None = None,
    ) -> Graph:
        """The triples of ``hops`` steps around ``topics``, with the labels and types of their ends."""
        known = set(topics)
        frontier = list(topics)
        total = 0
        for _ in range(hops):
            links = [link for batch in _batches(frontier, BATCH) for link in self._links(batch)]
            wanted = self._wanted(links, relations, question, similarity)
            ends: dict[str, None] = {}
            for link in links:
                if link.relation in wanted and total < MAX_TRIPLES:
                    rows = self._fetch(link)
                    total += len(rows)
                    ends.update(dict.fromkeys(_far_ends(rows, link)))
            frontier = [node for node in ends if node not in known][:MAX_NODES]
            known.update(frontier)
        if total >= MAX_TRIPLES:
            self.notes.append(Note("truncated", f"the subgraph is cut at {MAX_TRIPLES:,} triples"))
        self._describe(sorted(known))
        return self._graph()

    def _links(self, nodes: Sequence[str]) -> Iterator[_Link]:
        """The relations that leave and enter ``nodes``, with their nodes and numbers of triples."""
        hidden = " ".join(f"<{relation}>" for relation in (*self.vocabulary.types, *sorted(self.vocabulary.hidden)))
        values = " ".join(f"<{node}>" for node in nodes)
        counted: dict[tuple[str, bool], dict[str, int]] = {}
        for leaves, triple in ((True, "?n ?p ?x"), (False, "?x ?p ?n")):
            group = f"SELECT ?n ?p (COUNT(*) AS ?c) WHERE {{ VALUES ?n {{ {values} }} {triple} }} GROUP BY ?n ?p"
            for rows in self.endpoint.pages(f"{{ {group} }}", "?n ?p ?c"):
                for row in rows:
                    # rdflib counts no triples as one row of nothing.
                    if "p" in row and f"<{row['p']}>" not in hidden.split():
                        counted.setdefault((str(row["p"]), leaves), {})[str(row["n"])] = int(_text(row["c"]))
        for (relation, leaves), counts in sorted(counted.items()):
            small = [node for node, count in sorted(counts.items()) if count <= self.hub]
            if small:
                yield _Link(relation, leaves, tuple(small))
            for node, count in sorted(counts.items()):
                if count > self.hub:
                    yield _Link(relation, leaves, (node,), self.hub)
                    self.notes.append(self._hub_note(node, relation, leaves, count))

    def _hub_note(self, node: str, relation: str, leaves: bool, count: int) -> Note:
        way = "leave" if leaves else "enter"
        return Note(
            "truncated", f"of {count:,} triples {relation!r} that {way} {node!r}, the first {self.hub:,} are followed"
        )

    def _wanted(
        self, links: Sequence[_Link], relations: Relations, question: str | None, similarity: Similarity | None
    ) -> frozenset[str]:
        names = sorted({link.relation for link in links})
        if relations is None or isinstance(relations, bool):
            return frozenset(names)
        if isinstance(relations, (int, float)):
            if not question or (isinstance(relations, int) and not 0 < relations < len(names)):
                return frozenset(names)
            texts = [snake(split_iri(name)[1].replace(".", " ")).replace("_", " ") for name in names]
            scores = (similarity or lexical_similarity)(question, texts)
            ranked = sorted(zip(scores, names, strict=True), key=lambda each: (-float(each[0]), each[1]))
            if isinstance(relations, float):
                return frozenset(name for score, name in ranked if score >= relations)
            return frozenset(name for _, name in ranked[:relations])
        return frozenset(
            name for name in names if {name, split_iri(name)[1], snake(split_iri(name)[1])} & set(relations)
        )

    def _fetch(self, link: _Link) -> list[Row]:
        """The triples of one relation at some nodes; those that lead to blank nodes with what these say."""
        kept: list[Row] = []
        for batch in _batches(link.nodes, BATCH):
            values = " ".join(f"<{node}>" for node in batch)
            near, far = ("?s", "?o") if link.leaves else ("?o", "?s")
            languages = self._language_filter(far) if link.leaves else ""
            pattern = f"VALUES {near} {{ {values} }} ?s <{link.relation}> ?o {languages} FILTER(!isBlank({far}))"
            for rows in self.endpoint.pages(pattern, "?s ?o", link.limit):
                kept.extend({**row, "p": link.relation} for row in rows)
            if link.leaves:
                self._fetch_blank(values, link.relation)
        self._keep(kept)
        return kept

    def _fetch_blank(self, values: str, relation: str) -> None:
        """Blank nodes cannot be asked about later: what they say comes in the same answer."""
        pattern = f"VALUES ?s {{ {values} }} ?s <{relation}> ?b . FILTER(isBlank(?b)) ?b ?q ?o"
        rows = self.endpoint.select(f"SELECT ?s ?b ?q ?o WHERE {{ {pattern} }}")
        self._answers += 1
        cells = {row["b"] for row in rows if row["q"] in (RDF + "first", RDF + "rest")}
        if cells:
            self._fetch_lists(values, relation)
            rows = [row for row in rows if row["b"] not in cells]
        self._keep({"s": row["s"], "p": relation, "o": row["b"]} for row in rows)
        self._keep({"s": row["b"], "p": row["q"], "o": row["o"]} for row in rows)

    def _fetch_lists(self, values: str, relation: str) -> None:
        """The members of lists, of those inside them too, as values; what blank nodes among them say is not fetched."""
        path = f"(<{RDF}rest>*/<{RDF}first>)+"
        pattern = f"VALUES ?s {{ {values} }} ?s <{relation}> ?l . FILTER(isBlank(?l)) ?l {path} ?o FILTER(!isBlank(?o))"
        word = snake(split_iri(relation)[1])
        try:
            rows = self.endpoint.select(f"SELECT DISTINCT ?s ?o WHERE {{ {pattern} }}")
        except UnreadableSource:
            self.notes.append(Note("skipped", f"the endpoint does not give the members of lists under {word!r}"))
            return
        self._keep({"s": row["s"], "p": relation, "o": row["o"]} for row in rows)
        what = f"the members of lists under {word!r} are values of their own, without their order; blank nodes are not"
        self.notes.append(Note("cast", what))

    def _describe(self, nodes: Sequence[str]) -> None:
        """The labels, aliases and types of ``nodes``, and of their types; the schema of the relations."""
        vocabulary = self.vocabulary
        words = (*vocabulary.labels, *vocabulary.aliases, *vocabulary.types)
        self._say(nodes, words)
        terms = [term for term in self.builder.numbers if isinstance(term, str) and _is_iri(term)]
        others = [term for term in terms if term not in set(nodes)]
        self._say(others, (*vocabulary.labels, *vocabulary.types))
        relations = {term for term in terms if self.builder.numbers[term] in set(self.builder.predicates)}
        schema = (RDFS + "domain", RDFS + "range", RDFS + "comment", "http://www.w3.org/2002/07/owl#inverseOf")
        self._say(sorted(relations), schema)

    def _say(self, subjects: Sequence[str], relations: Sequence[str]) -> None:
        listed = " ".join(f"<{relation}>" for relation in relations)
        for batch in _batches(subjects, BATCH):
            values = " ".join(f"<{subject}>" for subject in batch)
            pattern = f"VALUES ?s {{ {values} }} VALUES ?p {{ {listed} }} ?s ?p ?o {self._language_filter('?o')}"
            for rows in self.endpoint.pages(f"{pattern} FILTER(!isBlank(?o))", "?s ?p ?o"):
                self._keep(rows)

    def _language_filter(self, variable: str) -> str:
        tags = [f'langMatches(lang({variable}), "{language}")' for language in self.vocabulary.languages if language]
        return f"FILTER(!isLiteral({variable}) || lang({variable}) = '' || {' || '.join(tags)})" if tags else ""

    def _keep(self, rows: Iterable[Row]) -> None:
        for row in rows:
            self.builder.add(self._scoped(row["s"]), row["p"], self._scoped(row["o"]))

    def _scoped(self, term: Term) -> Term:
        """A blank node's name holds within one answer."""
        return f"{term}.{self._answers}" if isinstance(term, str) and term.startswith("_:") else term

    def _graph(self) -> Graph:
        endpoint = self.endpoint
        if endpoint.row_cap is not None:
            cap, pages = f"{endpoint.row_cap:,}", endpoint.pages_read
            text = f"the endpoint gives at most {cap} rows at a time: all were read, in {pages} pages"
            self.notes.append(Note("truncated", text))
        return Graph(self.builder.build(), endpoint.label, tuple(self.notes), vocabulary=replace(self.vocabulary))


@dataclass(frozen=True, slots=True)
class _Link:
    """A relation at some nodes, in one direction."""

    relation: str
    leaves: bool
    nodes: tuple[str, ...]
    limit: int | None = None


def _far_ends(rows: Iterable[Row], link: _Link) -> Iterator[str]:
    far = "o" if link.leaves else "s"
    for row in rows:
        term = row[far]
        if isinstance(term, str) and _is_iri(term) and not term.startswith(RDF):
            yield term


def _is_iri(text: str) -> bool:
    return re.fullmatch(r"[A-Za-z][\w+.-]*:[^\s<>\"{}|\\^`]+", text) is not None


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    return f'"{escaped}"'


def _text(term: Term) -> str:
    return term.text if isinstance(term, Literal) else term


def _batches(items: Sequence[str], size: int) -> Iterator[tuple[str, ...]]:
    iterator = iter(items)
    while batch := tuple(islice(iterator, size)):
        yield batch
