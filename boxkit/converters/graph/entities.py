"""From labels in an answer back to the ids and IRIs behind them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from boxkit.box import BoxSet
from boxkit.converters.graph.reader import GraphReader

__all__ = ["entities_of", "id_of", "iri_of"]


def entities_of(
    rows: Iterable[tuple[Any, ...]], boxes: BoxSet, used: Iterable[str] = ()
) -> Mapping[str, tuple[str, ...]]:
    """The ids behind the labels in ``rows``, by label; a cell that is itself an id stands for itself.

    Args:
        rows: An answer's rows.
        boxes: The boxes that it came from; those of other kinds than graphs are passed over.
        used: The names of boxes whose entities come first (and alone, where they have the label); all where empty.
    """
    cells = {cell: None for row in rows for cell in row if isinstance(cell, str)}
    first = [name for name in used if name in boxes]
    found = _look_up(cells, boxes, first) if first else {}
    rest = {cell: None for cell in cells if cell not in found}
    found.update(_look_up(rest, boxes, [name for name in boxes if name not in first]))
    return {cell: found[cell] for cell in cells if cell in found}


def _look_up(cells: Mapping[str, None], boxes: BoxSet, names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for name in names:
        box = boxes[name]
        if not cells or not isinstance(box.reader, GraphReader):
            continue
        frame = box.reader.frame
        for id_label, text_label in _pairs(box.labels):
            for column in (id_label, text_label):
                at = frame[column].isin(list(cells)).to_numpy().nonzero()[0]
                for entity, cell in zip(frame[id_label].iloc[at], frame[column].iloc[at], strict=True):
                    if isinstance(entity, str):
                        found.setdefault(cell, {})[entity] = None
    return {cell: tuple(sorted(ids)) for cell, ids in found.items()}


def _pairs(labels: tuple[str, ...]) -> Iterable[tuple[str, str]]:
    """Columns of ids with the columns of their labels."""
    for label in labels:
        if label.endswith("_label"):
            stem = label.removesuffix("_label")
            for candidate in (f"{stem}_id", stem):
                if candidate in labels:
                    yield candidate, label
                    break


def iri_of(entity: str, boxes: BoxSet) -> str:
    """The IRI of an entity's id; the id itself where no box of a graph knows it (or the graph has no IRIs)."""
    for box in boxes.values():
        if isinstance(box.reader, GraphReader) and entity in box.reader.iris:
            return box.reader.iris[entity]
    return entity


def id_of(iri: str, boxes: BoxSet) -> str:
    """The id by which boxes show an IRI; the IRI itself where no box of a graph knows it."""
    for box in boxes.values():
        if isinstance(box.reader, GraphReader) and (found := box.reader.ids.get(iri)) is not None:
            return found
    return iri
