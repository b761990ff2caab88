"""`load`: any source, or several, as one BoxSet."""

from __future__ import annotations

import inspect
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from boxkit.bounds import check_count
from boxkit.box import BoxSet, Note
from boxkit.converters.combine import combine, with_key_notes, with_notes
from boxkit.converters.discover import with_discovered_keys
from boxkit.converters.links import link
from boxkit.converters.locate import Located, locate
from boxkit.converters.registry import BUILTIN, Converter, converter, converter_for
from boxkit.converters.source import SourceFile
from boxkit.errors import SourceError, UnknownFormat, UnreadableSource

__all__ = ["from_database", "from_graph", "from_table", "load", "misnamed"]

_DATABASES = ("sqlite", "duckdb", "sqlalchemy")
_GRAPHS = ("rdf", "networkx", "sparql", "triples")


def load(
    *sources: Any,
    question: str | None = None,
    topics: Sequence[str] | None = None,
    hops: int = 2,
    discover: bool | None = None,
    format: str | None = None,  # noqa: A002 - the word that users look for
    **options: Any,
) -> BoxSet:
    """Load one source or several as one BoxSet.

    Args:
        sources: Paths, globs, folders, URLs, DataFrames, dicts of DataFrames, lists of dicts, connections, graphs.
        question: What will be asked; where a graph is too large, or of too many relations, to be taken whole.
        topics: The entities that the question is about; for graphs.
        hops: How far from the topics a graph is followed.
        discover: Whether to look for foreign keys that nobody declared, and for links across sources, by names and
            values. Where None, this is done for sources that declare none and are not too large to look at at once.
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
    given = {"question": question, "topics": topics, "hops": hops, "discover": discover, "whole_if_small": True}
    return _convert([_choose(locate(source, format), format) for source in sources], given, options)


@dataclass(frozen=True)
class _Group:
    """What one argument stands for, each part with its converter."""

    parts: list[tuple[Any, Converter]]
    #: A folder, glob or archive: one unreadable part does not hide the others.
    many: bool = False
    notes: list[Note] = field(default_factory=list)


def _choose(found: Located, format: str | None) -> _Group:  # noqa: A002 - as in load
    group = _Group([], found.many, list(found.notes))
    for each in found:
        try:
            reader = converter(format) if format else converter_for(each)
            group.notes.extend(() if format else _misnamed(each, reader))
            group.parts.append((each, reader))
        except UnknownFormat as error:
            if not found.many:
                raise
            group.notes.append(Note("skipped", str(error).splitlines()[0]))
    if not group.parts:
        raise UnreadableSource(f"nothing in it can be read: {group.notes[0].message}", where=_label(found[0]))
    return group


#: Endings that promise a kind, and the converters that keep the promise.
_PROMISED = {
    (".csv", ".tsv"): ("csv",),
    (".parquet", ".pq"): ("parquet",),
    (".feather", ".arrow"): ("arrow",),
    (".xlsx", ".xlsm", ".xlsb", ".ods"): ("excel",),
    (".json", ".jsonl", ".ndjson"): ("json", "saved", "rdf"),
    (".sqlite", ".sqlite3", ".db3", ".s3db"): ("sqlite",),
    (".duckdb",): ("duckdb",),
    (".db",): ("sqlite", "duckdb"),
    (".ttl", ".nt"): ("rdf",),
}


def _misnamed(source: object, reader: Converter) -> tuple[Note, ...]:
    """A note where a file's name promises another kind than its content is."""
    if not isinstance(source, SourceFile):
        return ()
    for endings, kinds in _PROMISED.items():
        if source.suffix in endings and reader.name in BUILTIN and reader.name not in kinds:
            return (Note("lint", f"{source.name!r} holds {reader.name}, whatever its name says, and is read as that"),)
    return ()


def misnamed(path: str | os.PathLike[str]) -> str:
    """What a file holds, where that is not what its name says; empty where it is, or where nobody can tell.

    Raises:
        OSError: It cannot be read.
    """
    source = SourceFile.of(path)
    try:
        notes = _misnamed(source, converter_for(source))
    except UnknownFormat:
        return ""
    return notes[0].message if notes else ""


def _convert(chosen: Sequence[_Group], given: dict[str, Any], options: dict[str, Any]) -> BoxSet:
    check_count("hops", given.get("hops", 0), least=0)
    _check_options([each for group in chosen for _, each in group.parts], given, options)
    discover = given.get("discover")
    groups = []
    for group in chosen:
        sets = []
        for source, each in group.parts:
            try:
                sets.append(_converted(source, each, given, options))
            except SourceError as error:
                if not group.many:
                    raise
                group.notes.append(Note("unreadable", str(error).splitlines()[0]))
        if not sets:
            raise UnreadableSource(
                f"nothing in it can be read: {group.notes[-1].message}", where=_label(group.parts[0][0])
            )
        groups += _sources(sets, discover, group.notes)
    if len(groups) == 1:
        return with_key_notes(groups[0])
    boxes, names_by_source = combine(groups)
    return with_key_notes(boxes if discover is False else link(boxes, names_by_source))


def _converted(source: Any, each: Converter, given: dict[str, Any], options: dict[str, Any]) -> BoxSet:
    names = inspect.signature(each.convert).parameters
    open_ended = any(parameter.kind is parameter.VAR_KEYWORD for parameter in names.values())
    taken = {key: value for key, value in options.items() if key in names or open_ended}
    taken |= {key: value for key, value in given.items() if key in names}
    return each.convert(source, **taken)


def _sources(sets: Sequence[BoxSet], discover: bool | None, notes: Sequence[Note]) -> list[BoxSet]:
    """What one argument stands for: a folder's tables are one source, each database and graph in it is another."""
    tables = [each for each in sets if _is_tables(each)]
    found = [each for each in sets if not _is_tables(each)]
    if tables:
        together = tables[0] if len(tables) == 1 else combine(tables)[0]
        found.insert(0, together if discover is False else with_discovered_keys(together))
    return [with_notes(found[0], notes), *found[1:]]


def _is_tables(boxes: BoxSet) -> bool:
    """Whether these are tables that declare no keys."""
    return not boxes.foreign_keys and all(box.kind == "table" for box in boxes.values())


def _check_options(converters: Sequence[Converter], given: dict[str, Any], options: dict[str, Any]) -> None:
    parameters = [inspect.signature(each.convert).parameters for each in converters]
    if any(parameter.kind is parameter.VAR_KEYWORD for known in parameters for parameter in known.values()):
        return
    known = {key for each in parameters for key in each} - {"source", *given}
    unknown = sorted(set(options) - known)
    if unknown:
        there = ", ".join(sorted(known)) or "none"
        raise TypeError(f"no converter of these sources has an option {unknown[0]!r}; there are: {there}")


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
    source: Any,
    *,
    question: str | None = None,
    topics: Sequence[str] | None = None,
    hops: int = 2,
    format: str | None = None,  # noqa: A002 - as in load
    **options: Any,
) -> BoxSet:
    """Load a graph: an RDF file, an rdflib or networkx graph, triples, a SPARQL endpoint.

    Args:
        source: The path, URL or object.
        question: What will be asked.
        topics: The entities that it is about.
        hops: How far from these the graph is followed.
        format: The converter to use: ``"sparql"`` for an endpoint whose address does not say that it is one; found by
            address or content where None.
        options: That kind's options.

    Raises:
        UnknownFormat: It is none.
    """
    given = {"question": question, "topics": topics, "hops": hops}
    if format is not None:
        if format not in _GRAPHS:
            raise ValueError(f"from_graph reads the formats {', '.join(_GRAPHS)}, not {format!r}: use boxkit.load")
        return _convert([_choose(locate(source, format), format)], given, options)
    return _of_kinds(source, "graph", _GRAPHS, options, given)


def _of_kinds(
    source: Any, kind: str, names: Sequence[str], options: dict[str, Any], given: dict[str, Any] | None = None
) -> BoxSet:
    group = _Group([])
    for each in locate(source):
        scored = [(converter(name).accepts(each), -at, name) for at, name in enumerate(names)]
        score, _, name = max(scored)
        if not score:
            other = converter_for(each)
            raise UnknownFormat(f"this is no {kind} but {other.name}", where=_label(each), hint="use boxkit.load")
        group.parts.append((each, converter(name)))
    return _convert([group], given or {}, options)


def _one_kind(source: Any, kind: str, excluded: Sequence[str], options: dict[str, Any]) -> BoxSet:
    group = _choose(locate(source), None)
    for each, found in group.parts:
        if found.name in excluded:
            raise UnknownFormat(f"this is no {kind} but {found.name}", where=_label(each), hint="use boxkit.load")
    return _convert([group], {}, options)


def _label(source: Any) -> str:
    return str(getattr(source, "label", "")) or (
        os.fspath(source) if isinstance(source, str) else type(source).__name__
    )
