"""Whether a memory is whole and right: its indexes, its programs, and, over the boxes they are about, their rows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from boxkit.canonical import NoCanonicalRows, canonical_rows
from boxkit.errors import MemoryStoreError
from boxkit.executor import execute
from boxkit.memory.masking import fields_of
from boxkit.memory.rows import same_rows
from boxkit.memory.written import Written, boxes_used
from boxkit.syntax import parse

if TYPE_CHECKING:
    from boxkit.box import BoxSet
    from boxkit.memory.demonstration import Demonstration, Kind
    from boxkit.memory.memory import Memory

__all__ = ["Checked", "check_memory", "gold_of", "kind_of"]


@dataclass(slots=True)
class Checked:
    """What a check found.

    Attributes:
        checked: How many demonstrations.
        run: How many programs were run.
        problems: By a demonstration's id, what is wrong with it.
    """

    checked: int = 0
    run: int = 0
    problems: dict[str, str] = field(default_factory=dict)


def check_memory(memory: Memory, boxes: BoxSet | None = None) -> Checked:
    """Look at every demonstration: that its code parses and, where ``boxes`` has what it is about, gives its rows.

    Args:
        memory: The memory; its indexes are read too, so that a damaged one is made again and named in ``repairs``.
        boxes: What to run programs over; None to run none.
    """
    found = Checked()
    memory.read_indexes()
    for each in memory:
        found.checked += 1
        problem = _problem(each)
        if not problem and boxes is not None and _is_about(each, boxes):
            found.run += 1
            problem = _other_rows(each, boxes)
        if problem:
            found.problems[each.id] = problem
    return found


def _problem(each: Demonstration) -> str:
    try:
        parse(each.code)
    except (SyntaxError, ValueError, RecursionError) as error:
        return f"its code does not parse: {error}"
    return ""


def _is_about(each: Demonstration, boxes: BoxSet) -> bool:
    """Whether the boxes have every box and field that a demonstration describes."""
    wanted = fields_of(each.boxes)
    return bool(wanted) and all(name in boxes and labels <= set(boxes[name].labels) for name, labels in wanted.items())


def _other_rows(each: Demonstration, boxes: BoxSet) -> str:
    run = execute(each.code, boxes.only(boxes_used(each.code, list(boxes))))
    if run.error is not None:
        return f"its code fails: {run.error}"
    try:
        rows, _ = canonical_rows(run.answer)
    except NoCanonicalRows as error:
        return f"its answer has no rows: {error}"
    return "" if same_rows(rows, each.answer) else f"its code gives {rows[:3]}, not {[*each.answer[:3]]}"


def gold_of(written: Written) -> Sequence[Sequence[Any]] | None:
    """The rows that stand below a written demonstration; None where there are none.

    Raises:
        MemoryStoreError: They are no JSON rows, or a query, which only a caller with the source can run.
    """
    where = f"### {written.question}"
    if not written.language:
        return None
    if written.language != "json":
        raise MemoryStoreError(f"its gold is {written.language}, not rows as ```json", where=where)
    try:
        rows = json.loads(written.gold)
    except ValueError as error:
        raise MemoryStoreError(f"its gold is no JSON: {error}", where=where) from None
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise MemoryStoreError("its gold is no list of rows: [[7]] is one row of one value", where=where)
    return rows


def kind_of(boxes: BoxSet) -> Kind:
    """What boxes are made of: a graph or a database where one of them is, else tables."""
    kinds = {box.kind for box in boxes.values()}
    return "graph" if "graph" in kinds else "database" if "database" in kinds else "table"
