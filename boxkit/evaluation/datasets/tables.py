"""Questions over one table each: WikiTableQuestions, and any benchmark whose rows hold their tables."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boxkit.errors import SourceNotFound, UnreadableSource
from boxkit.evaluation.datasets.protocol import Dataset, Task, collect
from boxkit.evaluation.datasets.rows import (
    BadField,
    Row,
    decoded,
    existing,
    first_existing,
    json_rows_or_lines,
    tsv_rows,
)
from boxkit.profile import PROFILES
from boxkit.wording import counted

if TYPE_CHECKING:
    from boxkit.box import BoxSet

__all__ = ["grid_boxes", "inline_tables", "wikitq"]

_SPLITS = {"test": "pristine-unseen-tables", "train": "training", "dev": "random-split-1-dev"}
_SCORERS = ("wikitq", "structgpt", "unifiedskg", "readi", "trustuqa", "pandora_release")


def unescaped(text: str) -> str:
    r"""WikiTableQuestions' escapes undone, within one item.

    >>> unescaped(r"a\pb\\p")
    'a|b\\p'
    """
    return re.sub(r"\\(.)", lambda found: {"n": "\n", "p": "|"}.get(found[1], found[1]), text)


def _items(text: str) -> list[str]:
    return [unescaped(item) for item in text.split("|")]


def wikitq(path: str | Path, *, split: str | None = None, skip_bad: bool = False, as_text: bool = False) -> Dataset:
    """WikiTableQuestions 1.0.2: ``data/<split>.tsv``, ``tagged/data/<split>.tagged``, ``csv/``; or one JSON file.

    Args:
        path: The folder, or a JSON file of questions that hold their tables (UnifiedSKG's and Pandora's layout).
        split: ``test`` (the pristine one; the default), ``train``, ``dev``, or a file's name in ``data/``.
        skip_bad: Whether rows that do not fit are left out.
        as_text: Whether every cell stays text, as in Pandora's release.

    Raises:
        SourceError: A file is not there or cannot be read, or a row does not fit.
    """
    folder, split = existing(path), split or "test"
    if folder.is_file():
        return inline_tables("wikitq", folder, split, _SCORERS, skip_bad=skip_bad, as_text=as_text)
    file = first_existing(folder / "data", (f"{_SPLITS.get(split, split)}.tsv",))
    canons = _canons(folder / "tagged" / "data", file.stem)
    tasks, bad = collect(tsv_rows(file), partial(_task, folder, split, canons, as_text), skip_bad=skip_bad)
    missing = sum(task.context["canon"] is None for task in tasks)
    told = counted(missing, "question has", "questions have")
    notes = (f"{told} no tagged gold: the target's own text is read instead",) if missing else ()
    return Dataset("wikitq", split, tasks, _SCORERS, PROFILES["wikitq"], bad, str(file), notes)


def _task(folder: Path, split: str, canons: dict[str, list[str]], as_text: bool, _: int, row: Row) -> Task:
    table = folder / row.text("context")
    if not table.is_file():
        raise BadField(f"there is no table {row.values['context']!r}")
    name, targets = row.text("id"), _items(row.text("targetValue"))
    canon = canons.get(name)
    if canon is not None and len(canon) != len(targets):
        raise BadField(f"{len(targets)} target values stand against {len(canon)} canonical ones")
    return Task(
        name,
        unescaped(row.text("utterance")),
        partial(_csv_boxes, str(table), as_text),
        partial(_one_a_row, targets),
        dataset="wikitq",
        kind="table",
        source=row.text("context"),
        split=split,
        line=row.line,
        context={"kind": "table", "canon": canon},
    )


def _canons(folder: Path, stem: str) -> dict[str, list[str]]:
    """``targetCanon`` by id, from the split's own file or, for splits of the training part, from that one's."""
    for name in (stem, "training"):
        file = folder / f"{name}.tagged"
        if file.is_file():
            return {
                row.text("id"): _items(str(row.values["targetCanon"]))
                for row in tsv_rows(file)
                if row.values.get("targetCanon")
            }
    return {}


def _csv_boxes(path: str, as_text: bool) -> BoxSet:
    """A table of the release, where a quote within a cell stands behind a backslash."""
    found = list(csv.reader(io.StringIO(decoded(Path(path)), newline=""), doublequote=False, escapechar="\\"))
    if not found:
        raise UnreadableSource("this table is empty", where=path, hint="take the file from the benchmark's release")
    header, *rows = found
    width = len(header)
    padded = [[*row, *[""] * (width - len(row))][:width] for row in rows]
    return grid_boxes([name.replace("\n", " ") for name in header], padded, as_text=as_text, title=Path(path).name)


def _one_a_row(items: Sequence[Any]) -> list[tuple[Any, ...]]:
    return [(item,) for item in items]


def inline_tables(
    name: str, file: Path, split: str, scorers: tuple[str, ...], *, skip_bad: bool, as_text: bool
) -> Dataset:
    """A JSON file of ``{question, table: {header, rows}, answer_text}``, one table a question."""

    def made(at: int, row: Row) -> Task:
        table = row.values.get("table")
        if not isinstance(table, dict) or not isinstance(table.get("header"), list):
            raise BadField("there is no 'table' with a 'header' and 'rows'")
        header, rows = [str(each).replace("\n", " ") for each in table["header"]], table.get("rows")
        if not isinstance(rows, list) or any(len(each) != len(header) for each in rows):
            raise BadField(f"the table's rows are not all {len(header)} cells long")
        answers = row.list_of("answer_text", "answer")
        return Task(
            row.optional("id", "qid") or str(at),
            row.text("question", "statement", "utterance"),
            partial(grid_boxes, header, rows, as_text=as_text),
            partial(_one_a_row, answers),
            dataset=name,
            kind="table",
            source=str(table.get("id") or row.values.get("table_id") or at),
            split=split,
            line=row.line,
            context={"kind": "table"},
        )

    tasks, bad = collect(json_rows_or_lines(file), made, skip_bad=skip_bad)
    if not tasks and not bad:
        raise SourceNotFound("this file holds no question", where=str(file))
    return Dataset(name, split, tasks, scorers, PROFILES["wikitq"], bad, str(file))


def grid_boxes(
    header: Sequence[str], rows: Sequence[Sequence[Any]], *, as_text: bool = False, title: str = ""
) -> BoxSet:
    """A table given as its cells, as the box ``table``."""
    from boxkit.box import BoxSet, Note
    from boxkit.converters.grid import Grid, box_of_grid

    notes: list[Note] = []
    digest = hashlib.sha256(json.dumps([header, rows, as_text]).encode()).hexdigest()[:32]
    cells = [[None if cell is None else str(cell) for cell in row] for row in rows]
    box = box_of_grid(Grid(tuple(header), cells), "table", title, notes, state=lambda: digest, as_text=as_text)
    return BoxSet([box], (), notes, [title or "table"])
