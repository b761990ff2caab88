"""WikiSQL: sketches of queries over one table each, executed as the official script executes them."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from boxkit.evaluation.datasets.protocol import Dataset, Task, collect
from boxkit.evaluation.datasets.rows import BadField, Row, existing, first_existing, json_lines, sound
from boxkit.evaluation.datasets.tables import grid_boxes, inline_tables
from boxkit.profile import PROFILES

__all__ = ["wikisql"]

_SCORERS = ("wikisql", "structgpt", "unifiedskg", "readi", "trustuqa", "pandora_release")
_AGGREGATES = ("", "MAX", "MIN", "COUNT", "SUM", "AVG")
_OPERATORS = ("=", ">", "<")
_NUMBER = re.compile(r"[-+]?\d*\.\d+|\d+")


def wikisql(path: str | Path, *, split: str | None = None, skip_bad: bool = False, as_text: bool = False) -> Dataset:
    """WikiSQL: ``<split>.jsonl`` and ``<split>.tables.jsonl``, in the folder or its ``data``; or one JSON file.

    Args:
        path: The folder, or a JSON file of questions that hold their tables (UnifiedSKG's and Pandora's layout).
        split: ``test`` (the default), ``dev`` or ``train``.
        skip_bad: Whether rows that do not fit are left out.
        as_text: Whether every cell stays text.

    Raises:
        SourceError: A file is not there or cannot be read, or a row does not fit.
    """
    folder, split = existing(path), split or "test"
    if folder.is_file():
        return inline_tables("wikisql", folder, split, _SCORERS, skip_bad=skip_bad, as_text=as_text)
    folder = folder / "data" if (folder / "data").is_dir() else folder
    file = first_existing(folder, (f"{split}.jsonl",))
    listed = json_lines(first_existing(folder, (f"{split}.tables.jsonl",)))
    tables = {row.text("id"): row.values for row in sound(listed, skip_bad=skip_bad)}
    tasks, bad = collect(json_lines(file), partial(_task, tables, split, as_text), skip_bad=skip_bad)
    return Dataset("wikisql", split, tasks, _SCORERS, PROFILES["wikitq"], bad, str(file))


def _task(tables: Mapping[str, Mapping[str, Any]], split: str, as_text: bool, at: int, row: Row) -> Task:
    table = tables.get(row.text("table_id"))
    if table is None:
        raise BadField(f"there is no table {row.values['table_id']!r}")
    sketch = row.values.get("sql")
    if not isinstance(sketch, dict):
        raise BadField("there is no 'sql'")
    header, rows, types = table["header"], table["rows"], table["types"]
    try:
        sql = _sql(sketch, [f'"{name}"' for name in map(_quotable, header)], types)
    except (LookupError, TypeError, ValueError) as error:
        raise BadField(f"'sql' does not fit the table: {error}") from None
    title = " ".join(str(table.get(name) or "") for name in ("page_title", "section_title", "caption")).strip()
    return Task(
        str(at),
        row.text("question"),
        partial(grid_boxes, header, rows, as_text=as_text, title=title),
        partial(_executed, sketch, rows, types),
        sql,
        "sql",
        dataset="wikisql",
        kind="table",
        source=row.text("table_id"),
        split=split,
        line=row.line,
        context={"kind": "table"},
        groups={"aggregate": (_AGGREGATES[sketch["agg"]] or "none",)},
    )


def _quotable(name: Any) -> str:
    return str(name).replace('"', '""')


def _sql(sketch: Mapping[str, Any], columns: Sequence[str], types: Sequence[str]) -> str:
    """The sketch as SQL over the box ``table``; texts compare without regard to case, as the official tables do."""
    chosen = columns[sketch["sel"]]
    aggregate = _AGGREGATES[sketch["agg"]]
    target = f"{aggregate}({chosen})" if aggregate else chosen
    parts = []
    for at, operator, value in sketch["conds"]:
        if types[at] == "real":
            parts.append(f"{columns[at]} {_OPERATORS[operator]} {_number(value)!r}")
        else:
            text = str(value).lower().replace("'", "''")
            parts.append(f"LOWER({columns[at]}) {_OPERATORS[operator]} '{text}'")
    where = f" WHERE {' AND '.join(parts)}" if parts else ""
    return f'SELECT {target} FROM "table"{where}'  # noqa: S608 - names and texts are quoted


def _number(value: Any) -> float:
    """A condition's value over a column of numbers, as the official script reads it."""
    if isinstance(value, (int, float)):
        return float(value)
    try:
        return float(str(value).replace(",", ""))
    except ValueError:
        return float(_NUMBER.findall(str(value))[0])


def _executed(sketch: Mapping[str, Any], rows: Sequence[Sequence[Any]], types: Sequence[str]) -> list[tuple[Any, ...]]:
    """The rows of the sketch over SQLite, texts in lower case, as in the published databases."""
    names = [f"col{at}" for at in range(len(types))]
    with closing(sqlite3.connect(":memory:")) as connection:
        declared = ", ".join(
            f"{name} {'REAL' if kind == 'real' else 'TEXT'}" for name, kind in zip(names, types, strict=True)
        )
        connection.execute(f'CREATE TABLE "table" ({declared})')
        marks = ", ".join("?" * len(names))
        lowered = [[cell.lower() if isinstance(cell, str) else cell for cell in row] for row in rows]
        connection.executemany(f'INSERT INTO "table" VALUES ({marks})', lowered)  # noqa: S608 - made of our own names
        return connection.execute(_sql(sketch, names, types)).fetchall()
