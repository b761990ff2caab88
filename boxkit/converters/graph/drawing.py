"""Drawings of a graph's boxes: entities with links, beside the boxes' own diagram; as Mermaid text or as a picture."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from boxkit.box import Box, BoxSet
from boxkit.errors import MissingExtra

__all__ = ["draw", "mermaid_entities"]

MAX_LINKS = 80


def mermaid_entities(boxes: BoxSet, max_links: int = MAX_LINKS) -> str:
    """The entities and the links between them, the first ``max_links``; how many more there are is said in it."""
    names = _names(boxes)
    nodes: dict[str, str] = {}
    lines = ["graph LR"]
    count = 0
    for one, relation, other in _links(boxes):
        count += 1
        if count > max_links:
            continue
        for entity in (one, other):
            if entity not in nodes:
                nodes[entity] = f"n{len(nodes)}"
                lines.append(f'    {nodes[entity]}["{_text(names.get(entity, entity))}"]')
        lines.append(f'    {nodes[one]} -->|"{_text(relation)}"| {nodes[other]}')
    if count > max_links:
        lines.append(f'    more["and {count - max_links} more links"]')
    return "\n".join(lines) + "\n"


def _names(boxes: BoxSet) -> dict[str, str]:
    """The labels of entities by their ids: several may share one."""
    return {
        str(entity): label
        for box in boxes.values()
        if len(box.fields) > 1 and box.labels[1] == _label_of(box)
        for entity, label in box.frame.iloc[:, :2].dropna().itertuples(index=False, name=None)
    }


def _links(boxes: BoxSet) -> Iterator[tuple[str, str, str]]:
    """Subject, relation and value of every link along a relation, by their ids."""
    for key in boxes.foreign_keys:
        box = boxes[key.box]
        if len(key.fields) > 1 or key.parent not in boxes:
            continue
        (relation,) = key.fields
        subject = box.labels[0]
        if relation == subject or boxes[key.parent].labels[0] == relation:
            continue
        parents = set(boxes[key.parent].frame[key.parent_fields[0]])
        for one, other in box.frame[[subject, relation]].dropna().itertuples(index=False, name=None):
            if other in parents:
                yield str(one), relation, str(other)


def _label_of(box: Box) -> str:
    return f"{box.name}_label"


def _text(text: str) -> str:
    return text.replace('"', "'").replace("\n", " ")[:60]


def draw(boxes: BoxSet, path: Path, max_links: int = MAX_LINKS) -> None:
    """Write a drawing: Mermaid (``.mmd``: entities; ``.md``: boxes and entities) or a picture of the entities.

    Args:
        boxes: Of a graph, or with no links between entities, where only the boxes are drawn.
        path: The file; its ending says which kind (``.mmd``, ``.md``, ``.png``, ``.svg``, ``.pdf``).
        max_links: Links drawn at the most.

    Raises:
        ValueError: An ending of another kind.
        MissingExtra: A picture needs matplotlib.
    """
    if path.suffix in (".mmd", ".md"):
        parts = [boxes.diagram() + "\n"]
        if any(box.kind == "graph" for box in boxes.values()):
            parts.append(mermaid_entities(boxes, max_links))
        fenced = ["```mermaid\n" + part + "```\n" for part in parts]
        path.write_text("\n".join(fenced if path.suffix == ".md" else parts[-1:]), encoding="utf-8")
    elif path.suffix in (".png", ".svg", ".pdf"):
        _picture(boxes, path, max_links)
    else:
        raise ValueError(f"a drawing ends in .mmd, .md, .png, .svg or .pdf, not in {path.suffix!r}")


def _picture(boxes: BoxSet, path: Path, max_links: int) -> None:
    import networkx as nx

    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingExtra("matplotlib", "eval") from error
    names, count = _names(boxes), 0
    graph: nx.DiGraph[str] = nx.DiGraph()
    for one, relation, other in _links(boxes):
        count += 1
        if count <= max_links:
            graph.add_edge(one, other, relation=_text(relation))
    figure = Figure(figsize=(12, 9))
    axes = figure.add_subplot()
    axes.axis("off")
    if count > max_links:
        axes.set_title(f"the first {max_links} of {count} links")
    places = nx.spring_layout(graph, seed=1)
    labels = {entity: _text(names.get(entity, entity)) for entity in graph}
    grey, blue = "#888888", "#cfe2f3"
    nx.draw_networkx(
        graph, places, ax=axes, labels=labels, node_size=900, font_size=8, node_color=blue, edge_color=grey
    )
    relations = nx.get_edge_attributes(graph, "relation")
    nx.draw_networkx_edge_labels(graph, places, edge_labels=relations, ax=axes, font_size=6)
    figure.savefig(path, bbox_inches="tight")
