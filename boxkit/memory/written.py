"""Demonstrations that people write, in Markdown: a heading that asks, a rationale, code, and the gold answer.

    ### How many lamps cost more than 20?
    Keep the lamps above 20 and count them.
    ```python
    answer = int((lamp["price"] > 20).sum())
    ```
    ```json
    [[7]]
    ```

The gold block is optional; it holds rows as JSON, or a query (``sql``, ``sparql``) that the caller runs.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from boxkit.canonical import canonical_rows
from boxkit.errors import MemoryStoreError
from boxkit.memory.demonstration import Demonstration, Verification
from boxkit.syntax import parse

if TYPE_CHECKING:
    from boxkit.box import BoxSet

__all__ = ["Written", "boxes_used", "demonstrated", "read_written"]

_SECTION = re.compile(r"^### +(.+?)\s*$", re.MULTILINE)
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```\s*$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Written:
    """One demonstration as written.

    Attributes:
        question: The heading.
        rationale: The text between the heading and the code, on one line.
        code: The first ``python`` block.
        gold: The text of the block after it; empty where there is none.
        language: That block's language (``"json"``, ``"sql"``, ``"sparql"``); empty where there is none.
    """

    question: str
    rationale: str
    code: str
    gold: str = ""
    language: str = ""


def read_written(text: str) -> list[Written]:
    """The demonstrations in a Markdown text, in order; what stands before the first ``###`` is passed over.

    Raises:
        MemoryStoreError: A section has no code.

    >>> text = "### How many?" + chr(10) + "Count." + chr(10) + "```python" + chr(10) + "answer = 1" + chr(10) + "```"
    >>> read_written(text)
    [Written(question='How many?', rationale='Count.', code='answer = 1', gold='', language='')]
    """
    parts = _SECTION.split(text)
    return [_section(question, body) for question, body in zip(parts[1::2], parts[2::2], strict=True)]


def _section(question: str, body: str) -> Written:
    blocks = _BLOCK.findall(body)
    if not blocks or blocks[0][0] != "python":
        raise MemoryStoreError("no ```python block follows", where=f"### {question}")
    rationale = " ".join(body[: body.index("```")].split())
    language, gold = blocks[1] if len(blocks) > 1 else ("", "")
    return Written(question, rationale, blocks[0][1].rstrip(), gold.strip(), language)


def boxes_used(code: str, names: Collection[str]) -> list[str]:
    """Those of ``names`` that code reads, as a variable or as ``boxes["name"]``, in the order given."""
    seen: set[object] = set()
    for node in ast.walk(parse(code)):
        if isinstance(node, ast.Name):
            seen.add(node.id)
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            seen.add(node.slice.value)
    return [name for name in names if name in seen]


def demonstrated(
    written: Written, boxes: BoxSet, gold: Iterable[Sequence[Any]] | None = None, **about: Any
) -> Demonstration:
    """The demonstration, once its code has run and given the gold rows.

    Args:
        written: What was written.
        boxes: What the code runs over.
        gold: The right rows; None to take whatever the code gives.
        about: More attributes of the demonstration: ``dataset``, ``kind``, ``source``, ``split``, ``provenance``.

    Raises:
        MemoryStoreError: The code fails, or gives other rows.
        ExecutorError: The sandbox broke.
    """
    from boxkit.executor import execute
    from boxkit.memory.rows import same_rows

    run = execute(written.code, boxes)
    if run.error is not None:
        raise MemoryStoreError(
            f"its code fails: {run.error}", where=f"### {written.question}", hint=run.error.hint or None
        )
    rows, _ = canonical_rows(run.answer)
    if gold is not None and not same_rows(rows, expected := list(gold)):
        raise MemoryStoreError(f"its code gives {rows[:5]}, not {expected[:5]}", where=f"### {written.question}")
    schema = boxes.only(boxes_used(written.code, list(boxes))).to_prompt(samples=0)
    verification = Verification("rows" if gold is not None else "", 0, "person")
    return Demonstration(
        "", written.question, schema, written.rationale, written.code, tuple(rows), verification=verification, **about
    )
