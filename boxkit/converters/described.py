"""Descriptions that come beside a database: BIRD's ``database_description`` folder, a CSV a table."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from boxkit.box import Box, BoxSet, Note
from boxkit.converters.encoding import decode

__all__ = ["FOLDER", "with_descriptions_of"]

FOLDER = "database_description"


def with_descriptions_of(boxes: BoxSet, folder: Path) -> BoxSet:
    """The set with what the CSV files in ``folder`` say of its tables' columns.

    Each file is named after a table and has the columns ``original_column_name``, ``column_name``,
    ``column_description``, ``data_format`` and ``value_description``. Where there is no such folder, the set as it is.
    """
    if not folder.is_dir():
        return boxes
    files = {path.stem.casefold(): path for path in sorted(folder.glob("*.csv"))}
    notes: list[Note] = []

    def described(box: Box) -> Box:
        path = files.get(box.source_name.casefold())
        return box if path is None else _described(box, path, notes)

    made = boxes.map_boxes(described)
    return BoxSet(made.values(), made.foreign_keys, (*boxes.loading_notes, *notes), made.sources)


def _described(box: Box, path: Path, notes: list[Note]) -> Box:
    text = decode(path.read_bytes(), None, box.name, notes)
    rows = {
        (row.get("original_column_name") or "").strip().casefold(): row
        for row in csv.DictReader(io.StringIO(text, newline=""))
    }
    fields = tuple(
        replace(
            each, description=_words(rows[each.source_name.strip().casefold()], each.source_name) or each.description
        )
        if each.source_name.strip().casefold() in rows
        else each
        for each in box.fields
    )
    return replace(box, fields=fields)


def _words(row: Mapping[str, str | None], column: str) -> str:
    """``readable name: description (format); values: …``, without what repeats."""

    def cell(name: str) -> str:
        return " ".join((row.get(name) or "").split())

    readable, description, values = cell("column_name"), cell("column_description"), cell("value_description")
    parts = [part for part in dict.fromkeys((readable, description)) if part and part.casefold() != column.casefold()]
    text = ": ".join(parts)
    return "; ".join(part for part in (text, f"values: {values}" if values else "") if part)
