"""SPARQL endpoints: the neighbourhood of topics, fetched over HTTP."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from boxkit.box import BoxSet

if TYPE_CHECKING:
    from boxkit.converters.graph.relations import Relations, Similarity
    from boxkit.converters.graph.vocabulary import Vocabulary

__all__ = ["accepts", "convert", "name"]

name = "sparql"


def accepts(source: Any) -> float:
    """An ``http`` or ``https`` address, surer where its path names a query service."""
    if not isinstance(source, str) or not source.lower().startswith(("http://", "https://")):
        return 0.0
    parts = urlsplit(source)
    words = parts.path.lower()
    if (
        "sparql" in words
        or "sparql" in (parts.hostname or "")
        or words.rstrip("/").endswith("/query")
        or "/repositories/" in words
    ):
        return 0.9
    return 0.1 if "." not in words.rsplit("/", 1)[-1] else 0.0


def convert(
    source: str,
    *,
    question: str | None = None,
    topics: Sequence[str] | None = None,
    hops: int = 2,
    relations: Relations = None,
    vocabulary: str | Vocabulary = "auto",
    similarity: Similarity | None = None,
    hub: int = 1000,
    timeout_s: float = 60.0,
    attempts: int = 3,
    graph: str | None = None,
) -> BoxSet:
    """The boxes around topics of a graph that a SPARQL endpoint serves; of all of it where it is small.

    Args:
        source: The address of the query service; user and password may stand in it.
        question: What will be asked.
        topics: IRIs, ids or labels of the entities it is about; found in the question where None.
        hops: How many steps from the topics the graph is followed, both ways.
        relations: All (None), the k most similar to the question at each step (a whole number), those over a threshold
            (a float), or a list of IRIs or names.
        vocabulary: The profile of its words: a name, a `Vocabulary`, or ``"auto"``.
        similarity: How alike a question and relations are; by shared words where None.
        hub: How many triples of one node, relation and direction are fetched at the most.
        timeout_s: How long one answer may take.
        attempts: How often a query is sent at the most.
        graph: The IRI of the graph to ask; the service's default where None.

    Raises:
        SourceNotFound: Nothing answers there, or no topic is known.
        UnreadableSource: The service refused a query, or gave no results in spite of retries.
        SourceError: There is no topic and the graph is too large to fetch whole.
    """
    from boxkit.converters.graph.convert import graph_boxes
    from boxkit.converters.graph.endpoint import Endpoint
    from boxkit.converters.graph.remote import Remote

    if isinstance(topics, str):
        raise TypeError(f"topics must be a list of texts, not the text {topics!r}")
    remote = Remote.at(Endpoint(source, timeout_s, attempts, default_graph=graph), vocabulary)
    remote.hub = hub
    found = remote.topics(topics) if topics else remote.in_question(question) if question else []
    if not found:
        return graph_boxes(remote.whole(), question=question, relations=relations, similarity=similarity)
    around = remote.around(found, hops, relations, question, similarity)
    return graph_boxes(around, topics=found, hops=hops, hub=hub)
