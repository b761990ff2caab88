"""Where the graphs of knowledge graph questions come from: a file, an endpoint, or a graph a question."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from boxkit.bounds import check_count
from boxkit.errors import MissingExtra, SourceNotFound, UnreadableSource
from boxkit.evaluation.datasets.rows import Row, content, existing, json_rows_or_lines, sound
from boxkit.syntax import ONE_PARSER

if TYPE_CHECKING:
    from boxkit.box import BoxSet
    from boxkit.converters.graph import Graph

__all__ = ["Around", "GraphSource", "ImpliedGraph", "graph_source", "triples_of"]

#: The fields under which published files keep a question's triples: RoG, UnifiedSKG and StructGPT, AoG, GraSP.
_FIELDS = ("graph", "kg_tuples", "triples", "crucial_triples")
_IDS = ("id", "ID", "QuestionId", "qid")


@dataclass(frozen=True, slots=True)
class Around:
    """How a question's boxes are cut out of a graph.

    Attributes:
        hops: How many steps from the topics; 0 for the whole graph.
        relations: As `boxkit.load` takes it: the k most similar to the question, or all where None.
        vocabulary: A profile's name, or a folder with Freebase's ontology.
    """

    hops: int = 2
    relations: int | None = None
    vocabulary: str = "auto"

    def __post_init__(self) -> None:
        check_count("hops", self.hops, least=0)
        if self.relations is not None:
            check_count("relations", self.relations)

    def options(self, question: str, topics: Sequence[str]) -> dict[str, Any]:
        """As a converter takes them."""
        shared: dict[str, Any] = {"relations": self.relations}
        if not self.hops:
            return shared
        return shared | {"question": question, "topics": list(topics) or None, "hops": self.hops}


class GraphSource(Protocol):
    """Gives a question's boxes."""

    def boxes(self, name: str, question: str, topics: Sequence[str]) -> BoxSet:
        """The boxes of the question with that id.

        Raises:
            SourceError: There is no graph for it, or none of its topics is in the graph.
        """
        ...


@dataclass(frozen=True)
class WholeGraph:
    """One graph in a file, parsed once."""

    path: Path
    around: Around
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    @cached_property
    def graph(self) -> Graph:
        """The graph, read."""
        from boxkit.converters.graph import Graph
        from boxkit.converters.graph.looks import SYNTAXES
        from boxkit.converters.graph.parse import parse_file
        from boxkit.converters.graph.plain import read_text, store_of_triples

        label = str(self.path)
        if self.path.suffix in (".tsv", ".txt", ".jsonl", ".csv"):
            store, notes = store_of_triples(read_text(content(self.path), label), label)
        else:
            store, notes = parse_file(self.path, SYNTAXES.get(self.path.suffix, "turtle"), label)
        return Graph(store, label, tuple(notes), vocabulary=self.around.vocabulary)

    @cached_property
    def whole(self) -> BoxSet:
        """All of it, as boxes."""
        from boxkit.converters.graph import graph_boxes

        return graph_boxes(self.graph)

    def boxes(self, name: str, question: str, topics: Sequence[str]) -> BoxSet:  # noqa: ARG002 - the protocol
        """See `GraphSource`."""
        from boxkit.converters.graph import graph_boxes

        with self._lock, ONE_PARSER:
            if not self.around.hops and self.around.relations is None:
                return self.whole
            return graph_boxes(self.graph, **self.around.options(question, topics))


@dataclass(frozen=True)
class ImpliedGraph(WholeGraph):
    """The graph that the questions' own annotation implies."""

    triples: Sequence[Sequence[str]] = ()

    @cached_property
    def graph(self) -> Graph:
        """The graph, from its triples."""
        from boxkit.converters.graph import Graph
        from boxkit.converters.graph.plain import store_of_triples

        store, notes = store_of_triples(self.triples, str(self.path), self.around.vocabulary)
        return Graph(store, str(self.path), tuple(notes), vocabulary=self.around.vocabulary)


@dataclass(frozen=True)
class Endpoint:
    """A SPARQL endpoint, Freebase's say."""

    url: str
    around: Around

    def boxes(self, name: str, question: str, topics: Sequence[str]) -> BoxSet:  # noqa: ARG002 - the protocol
        """See `GraphSource`."""
        import boxkit

        options = {key: value for key, value in self.around.options(question, topics).items() if value is not None}
        return boxkit.from_graph(self.url, format="sparql", vocabulary=self.around.vocabulary, **options)


@dataclass(frozen=True)
class Folder:
    """A folder with a file (TrustUQA's ``<id>.txt``) or a folder of CSV files (Pandora's ``<id>/*.csv``) a question."""

    path: Path
    around: Around

    def boxes(self, name: str, question: str, topics: Sequence[str]) -> BoxSet:
        """See `GraphSource`."""
        import boxkit
        from boxkit.converters.graph import released_boxes

        options = self.around.options(question, topics)
        for folder in self._folders():
            if (folder / name).is_dir():
                return released_boxes(folder / name, **options)
            for suffix in (".txt", ".tsv"):
                if (file := folder / f"{name}{suffix}").is_file():
                    return boxkit.load(file, format="triples", vocabulary=self.around.vocabulary, **options)
        raise SourceNotFound(f"there is no graph for question {name!r}", where=str(self.path))

    def _folders(self) -> list[Path]:
        """The folder, and those for splits below it."""
        below = ("test", "dev", "train", "box/test", "box/dev", "box/train", "box")
        return [self.path, *(each for name in below if (each := self.path / name).is_dir())]


@dataclass(frozen=True)
class Records:
    """Triples by question, as published beside the questions or within them."""

    triples: Mapping[str, Sequence[Sequence[str]]]
    around: Around
    where: str = ""

    def boxes(self, name: str, question: str, topics: Sequence[str]) -> BoxSet:
        """See `GraphSource`. A topic that is not among its triples is passed over: they are about the question."""
        import boxkit

        triples = self.triples.get(name)
        if not triples:
            raise SourceNotFound(f"there are no triples for question {name!r}", where=self.where)
        ends = {str(end) for head, _, tail in triples for end in (head, tail)}
        options = self.around.options(question, [topic for topic in topics if topic in ends])
        if not options.get("topics"):
            options = {"relations": self.around.relations}
        return boxkit.load(list(triples), format="triples", vocabulary=self.around.vocabulary, **options)


def triples_of(values: Mapping[str, Any]) -> list[list[str]] | None:
    """The triples that a question's record holds; None where it holds none."""
    for name in _FIELDS:
        triples = values.get(name)
        if triples is not None and len(triples) and all(len(each) == 3 for each in triples):
            return [[str(part).removeprefix("ns:") for part in each] for each in triples]
    return None


def graph_source(graph: str | Path, around: Around) -> GraphSource:
    """What gives the boxes.

    Args:
        graph: The address of a SPARQL endpoint, an RDF or TSV file, a folder with a file or a folder a question, or a
            JSON, JSONL or Parquet file of records with triples (RoG, UnifiedSKG).
        around: How boxes are cut out of it.

    Raises:
        SourceError: It is not there, or cannot be read.
    """
    if str(graph).startswith(("http://", "https://")):
        return Endpoint(str(graph), around)
    path = existing(graph)
    parquets = sorted(path.glob("*.parquet")) if path.is_dir() else [path] * (path.suffix == ".parquet")
    if parquets:
        return Records(_by_id(row for file in parquets for row in parquet_rows(file)), around, str(path))
    if path.is_dir():
        return Folder(path, around)
    if path.suffix == ".json" or (path.suffix == ".jsonl" and _holds_questions(path)):
        return Records(_by_id(sound(json_rows_or_lines(path))), around, str(path))
    return WholeGraph(path, around)


def _holds_questions(path: Path) -> bool:
    with path.open(encoding="utf-8-sig", errors="replace") as file:  # what is no UTF-8 is told where it is read
        first = file.readline()
    return any(f'"{name}"' in first for name in _FIELDS)


def _by_id(rows: Any) -> dict[str, list[list[str]]]:
    found: dict[str, list[list[str]]] = {}
    for row in rows:
        triples = triples_of(row.values)
        if triples:
            found[row.text(*_IDS)] = triples
    return found


def parquet_rows(path: Path) -> list[Row]:
    """The rows of a Parquet file, numbered from 1.

    Raises:
        MissingExtra: pyarrow is not installed.
        UnreadableSource: It is none, or damaged.
    """
    try:
        import pyarrow.parquet as parquet
    except ImportError as error:
        raise MissingExtra("pyarrow", "all") from error
    try:
        table = parquet.read_table(path)
    except (OSError, ValueError) as error:
        hint = "take the file from where it was published again"
        raise UnreadableSource(f"this is no whole Parquet file: {error}", where=str(path), hint=hint) from error
    return [Row(str(path), at, values) for at, values in enumerate(table.to_pylist(), start=1)]
