"""The neighbourhood of topics, fetched from a SPARQL endpoint: counts first, so that no hub is fetched whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from boxkit.box import Note
from boxkit.converters.graph.convert import MAX_WHOLE, Graph, vocabulary_of
from boxkit.converters.graph.endpoint import Endpoint
from boxkit.converters.graph.names import snake, split_iri
from boxkit.converters.graph.options import Options
from boxkit.converters.graph.relations import ranking
from boxkit.converters.graph.remote_topics import RemoteTopics
from boxkit.converters.graph.remote_triples import BATCH, FIRST, REST, Link, RemoteTriples, batches, is_iri, text_of
from boxkit.converters.graph.subgraph import MAX_TRIPLES
from boxkit.converters.graph.vocabulary import MARKS, OWL, RDFS, Vocabulary
from boxkit.errors import SourceError

__all__ = ["HUB", "Remote"]

MAX_NODES = 5_000
#: Of one node's triples of one relation in one direction, at most so many are fetched.
HUB = 1_000

_SCHEMA = (RDFS + "domain", RDFS + "range", RDFS + "comment", OWL + "inverseOf")


@dataclass
class Remote:
    """What is being fetched.

    Attributes:
        endpoint: Where from.
        vocabulary: The profile of its words.
        asked: What is wanted.
        notes: What was left out.
    """

    endpoint: Endpoint
    vocabulary: Vocabulary
    asked: Options = field(default_factory=Options)
    notes: list[Note] = field(default_factory=list)
    triples: RemoteTriples = field(init=False)

    def __post_init__(self) -> None:
        self.triples = RemoteTriples(self.endpoint, self.vocabulary.languages, self.notes)

    @classmethod
    def at(cls, endpoint: Endpoint, vocabulary: str | Vocabulary = "auto", asked: Options | None = None) -> Remote:
        """A remote graph with the vocabulary that its relations speak for."""

        def relations() -> Iterator[str]:
            rows = endpoint.select("SELECT ?p WHERE { ?s ?p ?o } LIMIT 1000")
            yield from (str(row["p"]) for row in rows)
            # The first triples of a server may be its own; Virtuoso's are.
            yield from (mark for mark in MARKS if endpoint.ask(f"ASK {{ ?s <{mark}> ?o }}"))

        return cls(endpoint, vocabulary_of(vocabulary, relations), asked or Options())

    def topics(self) -> list[str]:
        """The IRIs of the topics that are given, or else found in the question.

        Raises:
            SourceNotFound: The endpoint knows none of those given.
        """
        finder = RemoteTopics(self.endpoint, self.vocabulary, self.notes)
        if self.asked.topics:
            return finder.given(self.asked.topics)
        return finder.in_question(self.asked.question) if self.asked.question else []

    def whole(self) -> Graph:
        """All triples of a small graph.

        Raises:
            SourceError: It is too large.
        """
        (row,) = self.endpoint.select("SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }")
        count = int(text_of(row["n"]))
        if count > MAX_WHOLE:
            raise SourceError(
                f"the graph has {count:,} triples, too many to fetch whole",
                where=self.endpoint.label,
                hint='name what the question is about: topics=["…"] with labels, ids or IRIs',
            )
        self.triples.all()
        return self._graph()

    def around(self, topics: Sequence[str]) -> Graph:
        """The triples of some steps around ``topics``, with the labels and types of their ends."""
        known = set(topics)
        frontier = list(topics)
        for _ in range(self.asked.hops):
            links = [link for batch in batches(frontier, BATCH) for link in self._links(batch)]
            wanted = self._wanted(links)
            ends: dict[str, None] = {}
            for link in links:
                if link.relation in wanted and self._fetched < MAX_TRIPLES:
                    ends.update(dict.fromkeys(self.triples.along(link)))
            frontier = [node for node in ends if node not in known][:MAX_NODES]
            known.update(frontier)
        if self._fetched >= MAX_TRIPLES:
            self.notes.append(Note("truncated", f"the subgraph is cut at {MAX_TRIPLES:,} triples"))
        self._describe(sorted(known))
        return self._graph()

    @property
    def _fetched(self) -> int:
        return len(self.triples.builder.subjects)

    def _links(self, nodes: Sequence[str]) -> Iterator[Link]:
        """The relations that leave and enter ``nodes``, with their nodes and numbers of triples."""
        words = self.vocabulary
        # Types and names come for every node at the end, and lists with what leads to them.
        passed = {*words.types, *words.hidden, *words.labels, *words.aliases, FIRST, REST}
        values = " ".join(f"<{node}>" for node in nodes)
        counted: dict[tuple[str, bool], dict[str, int]] = {}
        for leaves, triple in ((True, "?n ?p ?x"), (False, "?x ?p ?n")):
            group = f"SELECT ?n ?p (COUNT(*) AS ?c) WHERE {{ VALUES ?n {{ {values} }} {triple} }} GROUP BY ?n ?p"
            for rows in self.endpoint.pages(f"{{ {group} }}", "?n ?p ?c"):
                for row in rows:
                    # rdflib counts no triples as one row of nothing.
                    if not leaves and row.get("p") == FIRST:
                        self.triples.say_once("lists are not followed back from their members to what they belong to")
                    if "p" in row and str(row["p"]) not in passed:
                        counted.setdefault((str(row["p"]), leaves), {})[str(row["n"])] = int(text_of(row["c"]))
        hub = self.asked.hub or HUB
        for (relation, leaves), counts in sorted(counted.items()):
            small = {node: count for node, count in sorted(counts.items()) if count <= hub}
            if small:
                yield Link(relation, leaves, tuple(small), sum(small.values()))
            for node, count in sorted(counts.items()):
                if count > hub:
                    yield Link(relation, leaves, (node,), count, hub)
                    self.notes.append(_hub_note(node, relation, leaves, count, hub))

    def _wanted(self, links: Sequence[Link]) -> frozenset[str]:
        """The relations to fetch of those that one step meets."""
        wanted = self.asked.relations
        names = sorted({link.relation for link in links})
        if wanted is None:
            return frozenset(names)
        if isinstance(wanted, (int, float)):
            # A question that names no topic of this graph has its relations chosen once all are here.
            if isinstance(wanted, int) and not 0 < wanted < len(names):
                return frozenset(names)
            texts = [snake(split_iri(name)[1].replace(".", " ")).replace("_", " ") for name in names]
            scores, _ = ranking(self.asked, texts)
            ranked = sorted(zip(scores, names, strict=True), key=lambda each: (-each[0], each[1]))
            if isinstance(wanted, float):
                return frozenset(name for score, name in ranked if score >= wanted)
            return frozenset(name for _, name in ranked[:wanted])
        return frozenset(name for name in names if {name, split_iri(name)[1], snake(split_iri(name)[1])} & set(wanted))

    def _describe(self, nodes: Sequence[str]) -> None:
        """The labels, aliases and types of ``nodes``, and of their types; the schema of the relations."""
        words, numbers = self.vocabulary, self.triples.builder.numbers
        self.triples.about(nodes, (*words.labels, *words.aliases, *words.types))
        terms = [term for term in numbers if isinstance(term, str) and is_iri(term)]
        beside = set(nodes)
        self.triples.about([term for term in terms if term not in beside], (*words.labels, *words.types))
        used = set(self.triples.builder.predicates)
        self.triples.about(sorted(term for term in terms if numbers[term] in used), _SCHEMA)

    def _graph(self) -> Graph:
        endpoint = self.endpoint
        self.triples.finish()
        if endpoint.row_cap is not None:
            cap, pages = f"{endpoint.row_cap:,}", endpoint.pages_read
            text = f"the endpoint gives at most {cap} rows at a time: all were read, in {pages} pages"
            self.notes.append(Note("truncated", text))
        return Graph(
            self.triples.builder.build(),
            endpoint.label,
            tuple(self.notes),
            vocabulary=replace(self.vocabulary),
            source=endpoint,
        )


def _hub_note(node: str, relation: str, leaves: bool, count: int, hub: int) -> Note:
    way = "leave" if leaves else "enter"
    return Note("truncated", f"of {count:,} triples {relation!r} that {way} {node!r}, the first {hub:,} are followed")
