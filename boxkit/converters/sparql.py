"""SPARQL endpoints: the neighbourhood of topics, fetched over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from boxkit.box import BoxSet
from boxkit.converters.graph.options import takes_graph_options

if TYPE_CHECKING:
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


@takes_graph_options
def convert(
    source: str,
    *,
    vocabulary: str | Vocabulary = "auto",
    timeout_s: float = 60.0,
    attempts: int = 3,
    graph: str | None = None,
    **options: Any,
) -> BoxSet:
    """The boxes around topics of a graph that a SPARQL endpoint serves; of all of it where it is small.

    Args:
        source: The address of the query service; user and password may stand in it.
        vocabulary: The profile of its words: a name, a folder with Freebase's ontology, a `Vocabulary`, or ``"auto"``.
        timeout_s: How long one answer may take.
        attempts: How often a query is sent at the most.
        graph: The IRI of the graph to ask; the service's default where None.
        options: As `boxkit.converters.graph.options.Options`; relations are chosen step by step, and ``hub`` is 1,000
            where None.

    Raises:
        SourceNotFound: Nothing answers there, or no topic is known.
        UnreadableSource: The service refused a query, or gave no results in spite of retries.
        SourceError: There is no topic and the graph is too large to fetch whole.
    """
    from boxkit.converters.graph.convert import graph_boxes
    from boxkit.converters.graph.endpoint import Endpoint
    from boxkit.converters.graph.options import Options
    from boxkit.converters.graph.remote import HUB, Remote

    asked = Options(**options)
    remote = Remote.at(Endpoint(source, timeout_s, attempts, default_graph=graph), vocabulary, asked)
    found = remote.topics()
    if not found:
        return graph_boxes(remote.whole(), **options)
    around = remote.around(found)
    # Relations are chosen already: what was fetched is what is wanted.
    taken = {"topics": found, "relations": None, "hub": asked.hub or HUB}
    return graph_boxes(around, **{**options, **taken})
