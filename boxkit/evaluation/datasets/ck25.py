"""CK25, questions over a company's graph from the Text2SPARQL challenge: gold SPARQL is run over the graph itself."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boxkit.errors import MissingExtra, UnreadableSource
from boxkit.evaluation.datasets.graph_sources import Around, WholeGraph
from boxkit.evaluation.datasets.protocol import Dataset, Task, collect
from boxkit.evaluation.datasets.rows import BadField, Row, content, existing, first_existing, row_of
from boxkit.evaluation.datasets.sparql import SparqlGold
from boxkit.profile import PROFILES

if TYPE_CHECKING:
    from boxkit.box import BoxSet

__all__ = ["ck25"]


def ck25(
    path: str | Path,
    *,
    split: str | None = None,
    skip_bad: bool = False,
    graph: str | Path | None = None,
    language: str = "en",
) -> Dataset:
    """CK25: ``questions.yml`` and ``graphs/prod-inst.ttl``; the whole graph is asked.

    Args:
        path: The folder.
        split: There is one, ``all``.
        skip_bad: Whether rows that do not fit are left out.
        graph: The graph's file, where it lies elsewhere.
        language: Of the questions.

    Raises:
        SourceError: A file is not there or cannot be read, or a row does not fit.
        MissingExtra: PyYAML is not installed.
    """
    folder = existing(path)
    file = first_existing(folder, ("questions.yml", "questions.yaml")) if folder.is_dir() else folder
    turtle = existing(graph) if graph is not None else first_existing(file.parent, ("graphs/prod-inst.ttl",))
    source, gold = WholeGraph(turtle, Around(hops=0)), SparqlGold(turtle)

    def made(_: int, row: Row) -> Task:
        texts, query = row.values.get("question"), row.values.get("query")
        question = texts.get(language) if isinstance(texts, dict) else texts
        program = query.get("sparql") if isinstance(query, dict) else None
        if not question or not program:
            raise BadField(f"there is no question in {language!r}, or no query")
        return Task(
            row.text("id"),
            str(question),
            partial(_boxes, source),
            partial(_gold, gold, source, str(program)),
            str(program),
            "sparql",
            dataset="ck25",
            kind="graph",
            source=turtle.name,
            split=split or "all",
            line=row.line,
            context={"kind": "graph", "ordered": "order by" in str(program).lower()},
            groups={"feature": tuple(map(str, row.values.get("features") or ()))},
        )

    tasks, bad = collect(_rows(file), made, skip_bad=skip_bad)
    return Dataset("ck25", split or "all", tasks, ("qald", "pandora_release"), PROFILES["webqsp"], bad, str(file))


def _boxes(source: WholeGraph) -> BoxSet:
    return source.boxes("", "", ())


def _gold(gold: SparqlGold, source: WholeGraph, program: str) -> list[tuple[Any, ...]]:
    return gold.rows(program, _boxes(source))


def _rows(file: Path) -> list[Row]:
    """The questions, each with the line where its id stands."""
    try:
        import yaml
    except ImportError as error:
        raise MissingExtra("yaml", "eval") from error
    text = content(file)
    try:
        document = yaml.safe_load(text)
        nodes = {key.value: value for key, value in yaml.compose(text).value}["questions"].value
    except (yaml.YAMLError, AttributeError, KeyError, TypeError) as error:
        raise UnreadableSource(f"it holds no 'questions': {error}", where=str(file)) from error
    pairs = zip(nodes, document["questions"], strict=True)
    return [row_of(file, node.start_mark.line + 1, values) for node, values in pairs]
