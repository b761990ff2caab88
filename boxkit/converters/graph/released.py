"""Graph boxes as Pandora's release ships them: a folder of CSV files a question, a sparse row a triple."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from boxkit.box import BoxSet
from boxkit.converters.graph.convert import Graph, graph_boxes
from boxkit.converters.graph.store import StoreBuilder
from boxkit.converters.graph.vocabulary import FREEBASE
from boxkit.errors import SourceNotFound

__all__ = ["released_boxes"]

TYPE = FREEBASE.types[1]


def released_boxes(folder: str | Path, **options: Any) -> BoxSet:
    """The boxes of a folder ``box/<split>/<question id>`` of Pandora's release, one row a subject.

    Args:
        folder: Holds ``<domain>.<type>.csv`` files: the subjects first, then a column a relation. Its
            ``foreign_key.json``, which lists any two columns that share a value, is not needed.
        options: As `graph_boxes`.

    Raises:
        SourceNotFound: There is no such file.
    """
    files = sorted(Path(folder).glob("*.csv"))
    if not files:
        raise SourceNotFound("this folder holds no CSV file", where=str(folder))
    builder = StoreBuilder()
    for file in files:
        with file.open(encoding="utf-8-sig", newline="") as lines:
            header, *rows = [row for row in csv.reader(lines) if row] or [[]]
        for row in rows:
            for relation, value in zip(header[1:], row[1:], strict=False):
                if row[0] and value:
                    builder.add(row[0], TYPE, file.stem)
                    builder.add(row[0], relation, value)
    return graph_boxes(Graph(builder.build(), str(folder), vocabulary="freebase"), **options)
