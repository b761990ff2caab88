"""Questions over a knowledge graph, whatever file they are published in; the graph may come from elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from boxkit.errors import SourceNotFound
from boxkit.evaluation.datasets.graph_sources import (
    Around,
    GraphSource,
    ImpliedGraph,
    Records,
    graph_source,
    parquet_rows,
    triples_of,
)
from boxkit.evaluation.datasets.implied import IMPLIED, implied_triples
from boxkit.evaluation.datasets.protocol import Dataset, Task, collect
from boxkit.evaluation.datasets.rows import BadField, Row, existing, first_existing, json_rows_or_lines
from boxkit.profile import PROFILES

if TYPE_CHECKING:
    from boxkit.box import BoxSet

__all__ = ["Asked", "GraphLayout", "graph_dataset"]

#: For ``graph``: what the questions' own annotation implies.
OF_THE_QUESTIONS = "questions"
_WHERE_IT_IS = (
    "say where the graph is: graph=… (--graph) takes an endpoint's address, an RDF file, TrustUQA's or Pandora's "
    "folder, RoG's or UnifiedSKG's file, or 'questions': the little that GrailQA's and WebQSP's own annotation implies"
)
_GIVEN_AWAY = "the topic entities are the benchmark's own, so linking them is not part of the score"


@dataclass(frozen=True, slots=True)
class Asked:
    """What a row asks.

    Attributes:
        id: Its id.
        question: In words.
        answers: The gold ids or literals.
        names: The same as people say them.
        topics: The entities that it is about, by id (by name where a file has no ids).
        program: The gold query.
        context: What else scorers take.
        groups: What reports break it down by.
    """

    id: str
    question: str
    answers: Sequence[str]
    names: Sequence[str]
    topics: Sequence[str]
    program: str = ""
    language: Literal["", "sparql", "sexpr"] = "sparql"
    context: Mapping[str, Any] | None = None
    groups: Mapping[str, tuple[str, ...]] | None = None


@dataclass(frozen=True, slots=True)
class GraphLayout:
    """How a benchmark over a graph is published.

    Attributes:
        name: The benchmark's.
        files: For each split, the names that its file may have; the first split is the one that papers report.
        asked: Reads a row, given its number from 0; raises `BadField` where it does not fit.
        scorers: The official scorer first.
        profile: The profile's name.
        hops: How far from the topics the graph is followed by default.
        relations: The k relations most similar to the question, by default; None for all.
        key: Where the list of questions stands in a JSON object.
        vocabulary: The graph's, by default.
    """

    name: str
    files: Mapping[str, tuple[str, ...]]
    asked: Callable[[int, Row], Asked]
    scorers: tuple[str, ...]
    profile: str = "webqsp"
    hops: int = 2
    relations: int | None = None
    key: str | None = None
    vocabulary: str = "auto"


def graph_dataset(
    layout: GraphLayout,
    path: str | Path,
    *,
    split: str | None = None,
    skip_bad: bool = False,
    graph: str | Path | None = None,
    hops: int | None = None,
    relations: int | None = None,
    vocabulary: str | None = None,
) -> Dataset:
    """A benchmark over a graph.

    Args:
        layout: How it is published.
        path: The folder or file.
        split: Which part; the layout's first where None.
        skip_bad: Whether rows that do not fit are left out.
        graph: Where the graph is; see `graph_source`. Not needed where the file holds triples. ``"questions"`` for what
            the questions' own annotation implies (GrailQA's graph queries, WebQSP's chains).
        hops: How far from the topics the graph is followed; 0 for the whole graph; the layout's where None.
        relations: The k relations most similar to the question; the layout's where None.
        vocabulary: A profile's name, or a folder with Freebase's ontology; the layout's where None.

    Raises:
        SourceError: A file is not there or cannot be read, a row does not fit, or there is no graph.
        ValueError: There is no such split.
    """
    where, split = existing(path), split or next(iter(layout.files))
    if where.is_dir() and split not in layout.files:
        raise ValueError(f"{layout.name} has the splits {', '.join(layout.files)}, not {split!r}")
    file = first_existing(where, layout.files[split]) if where.is_dir() else where
    rows = parquet_rows(file) if file.suffix == ".parquet" else list(json_rows_or_lines(file, layout.key))
    around = Around(
        layout.hops if hops is None else hops,
        layout.relations if relations is None else relations,
        vocabulary or layout.vocabulary,
    )
    source = _source(layout, rows, around, file, graph)

    def made(at: int, row: Row) -> Task:
        return _task(layout.name, split, source, layout.asked(at, row), row.line)

    tasks, bad = collect(rows, made, skip_bad=skip_bad)
    notes = [_GIVEN_AWAY] if any(task.source for task in tasks) else []
    notes += [IMPLIED] if isinstance(source, ImpliedGraph) else []
    return Dataset(layout.name, split, tasks, layout.scorers, PROFILES[layout.profile], bad, str(file), tuple(notes))


def _source(
    layout: GraphLayout, rows: Sequence[Row], around: Around, file: Path, graph: str | Path | None
) -> GraphSource:
    if graph is None:
        return _own_graphs(layout, rows, around, file)
    if graph != OF_THE_QUESTIONS:
        return graph_source(graph, around)
    triples = implied_triples(rows)
    if not triples:
        raise SourceNotFound(f"{layout.name}'s questions imply no graph", where=str(file), hint=_WHERE_IT_IS)
    return ImpliedGraph(file, around, triples=triples)


def _own_graphs(layout: GraphLayout, rows: Iterable[Row], around: Around, file: Path) -> GraphSource:
    """The triples that the questions' own file holds."""
    found: dict[str, list[list[str]]] = {}
    for at, row in enumerate(rows):
        triples = triples_of(row.values)
        if triples:
            try:
                found[layout.asked(at, row).id] = triples
            except BadField:
                continue  # the row is reported when it is read
    if not found:
        raise SourceNotFound(
            f"{layout.name} publishes questions without a graph, and this file holds no triples",
            where=str(file),
            hint=_WHERE_IT_IS,
        )
    return Records(found, around, str(file))


def _task(name: str, split: str, source: GraphSource, asked: Asked, line: int) -> Task:
    return Task(
        asked.id,
        asked.question,
        partial(_boxes, source, asked),
        partial(_one_a_row, asked.answers),
        asked.program,
        asked.language if asked.program else "",
        dataset=name,
        kind="graph",
        source=", ".join(asked.topics[:3]),
        split=split,
        line=line,
        context={"kind": "graph", "names": list(asked.names), **(asked.context or {})},
        groups=asked.groups or {},
    )


def _boxes(source: GraphSource, asked: Asked) -> BoxSet:
    return source.boxes(asked.id, asked.question, asked.topics)


def _one_a_row(items: Sequence[Any]) -> list[tuple[Any, ...]]:
    return [(item,) for item in items]
