"""`load`: any source, or several, as one BoxSet."""

from __future__ import annotations

import inspect
import os
from collections.abc import Sequence
from typing import Any

from boxkit.box import BoxSet
from boxkit.converters.combine import combine
from boxkit.converters.locate import locate
from boxkit.converters.registry import Converter, converter, converter_for
from boxkit.errors import UnknownFormat

__all__ = ["from_database", "from_graph", "from_table", "load"]

_DATABASES = ("sqlite", "duckdb", "sqlalchemy")
_GRAPHS = ("rdf", "networkx", "sparql", "triples")


def load(
    *sources: Any,
    question: str | None = None,
    topics: Sequence[str] | None = None,
    hops: int = 2,
    format: str | None = None,  # noqa: A002 - the word that users look for
    **options: Any,
) -> BoxSet:
    """Load one source or several as one BoxSet.

    Args:
        sources: Paths, globs, folders, URLs, DataFrames, dicts of DataFrames, lists of dicts, connections, graphs.
        question: What will be asked; for sources too large to take whole (graphs).
        topics: The entities that the question is about; for graphs.
        hops: How far from the topics a graph is followed.
        format: The converter to use (``"csv"``); found by content where None.
        options: Options of the converters. Each goes to those that know it.

    Returns:
        The boxes of all sources, with the keys within and the links across them.

    Raises:
        SourceError: A source cannot be read.
        TypeError: An option that no converter of these sources knows.
    """
    if not sources:
        raise TypeError("load needs at least one source: a path, a URL, a DataFrame, a connection or a graph")
    given = {"question": question, "topics": topics, "hops": hops}
    found = [each for source in sources for each in locate(source)]
    chosen = [(each, converter(format) if format else converter_for(each)) for each in found]
    return _convert(chosen, given, options)


def _convert(chosen: Sequence[tuple[Any, Converter]], given: dict[str, Any], options: dict[str, Any]) -> BoxSet:
    parameters = [inspect.signature(each.convert).parameters for _, each in chosen]
    open_ended = any(p.kind is p.VAR_KEYWORD for known in parameters for p in known.values())
    known = {key for each in parameters for key in each}
    unknown = sorted(set(options) - known)
    if unknown and not open_ended:
        offered = sorted(key for key in known - {"source", *given})
        raise TypeError(f"no converter here has an option {unknown[0]!r}; there are: {', '.join(offered) or 'none'}")
    sets = []
    for (source, each), names in zip(chosen, parameters, strict=True):
        takes_all = any(p.kind is p.VAR_KEYWORD for p in names.values())
        chosen_options = {key: value for key, value in options.items() if key in names or takes_all}
        chosen_options |= {key: value for key, value in given.items() if key in names}
        sets.append(each.convert(source, **chosen_options))
    return sets[0] if len(sets) == 1 else combine(sets)


def from_table(source: Any, **options: Any) -> BoxSet:
    """Load one table: a file (CSV, Excel, Parquet, JSON, HTML…) or a frame.

    Args:
        source: The path, URL or object.
        options: That kind's options.

    Raises:
        UnknownFormat: It is a database or a graph.
    """
    return _one_kind(source, "table", (*_DATABASES, *_GRAPHS), options)


def from_database(source: Any, **options: Any) -> BoxSet:
    """Load a database: a SQLite or DuckDB file, a connection, a SQLAlchemy URL or Engine.

    Args:
        source: The path, URL or object.
        options: That kind's options.

    Raises:
        UnknownFormat: It is none.
    """
    return _of_kinds(source, "database", _DATABASES, options)


def from_graph(
    source: Any, *, question: str | None = None, topics: Sequence[str] | None = None, hops: int = 2, **options: Any
) -> BoxSet:
    """Load a graph: an RDF file, an rdflib or networkx graph, triples, a SPARQL endpoint.

    Args:
        source: The path, URL or object.
        question: What will be asked.
        topics: The entities that it is about.
        hops: How far from these the graph is followed.
        options: That kind's options.

    Raises:
        UnknownFormat: It is none.
    """
    given = {"question": question, "topics": topics, "hops": hops}
    return _of_kinds(source, "graph", _GRAPHS, options, given)


def _of_kinds(
    source: Any, kind: str, names: Sequence[str], options: dict[str, Any], given: dict[str, Any] | None = None
) -> BoxSet:
    chosen = []
    for each in locate(source):
        scored = [(converter(name).accepts(each), -at, name) for at, name in enumerate(names)]
        score, _, name = max(scored)
        if not score:
            other = converter_for(each)
            raise UnknownFormat(f"this is no {kind} but {other.name}", where=_label(each), hint="use boxkit.load")
        chosen.append((each, converter(name)))
    return _convert(chosen, given or {}, options)


def _one_kind(source: Any, kind: str, excluded: Sequence[str], options: dict[str, Any]) -> BoxSet:
    chosen = [(each, converter_for(each)) for each in locate(source)]
    for each, found in chosen:
        if found.name in excluded:
            raise UnknownFormat(f"this is no {kind} but {found.name}", where=_label(each), hint="use boxkit.load")
    return _convert(chosen, {}, options)


def _label(source: Any) -> str:
    return str(getattr(source, "label", "")) or (
        os.fspath(source) if isinstance(source, str) else type(source).__name__
    )
