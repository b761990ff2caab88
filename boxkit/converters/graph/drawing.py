"""Drawings of a graph's boxes: boxes with keys, entities with links; as Mermaid text or as a picture."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from boxkit.box import Box, BoxSet
from boxkit.errors import MissingExtra

__all__ = ["draw", "mermaid_boxes", "mermaid_entities"]

MAX_FIELDS = 12
MAX_LINKS = 80


def mermaid_boxes(boxes: BoxSet) -> str:
    """An entity-relationship diagram: each box with its fields, each foreign key as a line."""
    lines = ["erDiagram"]
    for name, box in boxes.items():
        lines.append(f"    {_word(name)} {{")
        lines.extend(
            f"        {_word(each.type.split(',')[0] or 'any')} {_word(each.label)}" for each in box.fields[:MAX_FIELDS]
        )
        lines.append("    }")
    for key in boxes.foreign_keys:
        if key.parent in boxes:
            lines.append(f'    {_word(key.box)} }}o--|| {_word(key.parent)} : "{_text(", ".join(key.fields))}"')
    return "\n".join(lines) + "\n"


def mermaid_entities(boxes: BoxSet, max_links: int = MAX_LINKS) -> str:
    """The entities and the links between them, the first ``max_links``; how many more there are is said in it."""
    nodes: dict[str, str] = {}
    lines = ["graph LR"]
    count = 0
    for one, relation, other in _links(boxes):
        count += 1
        if count > max_links:
            continue
        for label in (one, other):
            if label not in nodes:
                nodes[label] = f"n{len(nodes)}"
                lines.append(f'    {nodes[label]}["{_text(label)}"]')
        lines.append(f'    {nodes[one]} -->|"{_text(relation)}"| {nodes[other]}')
    if count > max_links:
        lines.append(f'    more["and {count - max_links} more links"]')
    return "\n".join(lines) + "\n"


def _links(boxes: BoxSet) -> Iterator[tuple[str, str, str]]:
    """Subject, relation and value of every link along a relation, by labels where there are any."""
    names = {
        str(entity): label
        for box in boxes.values()
        if len(box.fields) > 1 and box.labels[1] == _label_of(box)
        for entity, label in box.frame.iloc[:, :2].dropna().itertuples(index=False, name=None)
    }
    for key in boxes.foreign_keys:
        box = boxes[key.box]
        (relation,) = key.fields
        subject = box.labels[0]
        if relation == subject or boxes[key.parent].labels[0] == relation:
            continue
        parents = set(boxes[key.parent].frame[key.parent_fields[0]])
        for one, other in box.frame[[subject, relation]].dropna().itertuples(index=False, name=None):
            if other in parents:
                yield names.get(str(one), str(one)), relation, names.get(str(other), str(other))


def _label_of(box: Box) -> str:
    return f"{box.name}_label"


def _word(text: str) -> str:
    return re.sub(r"\W", "_", text) or "_"


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
        parts = [mermaid_boxes(boxes)]
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
    graph: nx.DiGraph[str] = nx.DiGraph()
    for one, relation, other in islice(_links(boxes), max_links):
        graph.add_edge(_text(one), _text(other), relation=_text(relation))
    figure = Figure(figsize=(12, 9))
    axes = figure.add_subplot()
    axes.axis("off")
    places = nx.spring_layout(graph, seed=1)
    nx.draw_networkx(graph, places, ax=axes, node_color="#cfe2f3", node_size=900, font_size=8, edge_color="#888888")
    relations = nx.get_edge_attributes(graph, "relation")
    nx.draw_networkx_edge_labels(graph, places, edge_labels=relations, ax=axes, font_size=6)
    figure.savefig(path, bbox_inches="tight")
