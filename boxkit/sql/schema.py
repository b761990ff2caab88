"""A BoxSet as SQL sees it: tables with types, keys, descriptions, true values and categories."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from boxkit.box import Box, BoxSet, Field, ForeignKey
from boxkit.boxcode import estimate_tokens, literal
from boxkit.canonical import plain

__all__ = ["schema_text"]

#: A field of so few distinct values among a box's first rows is shown with all of them.
MAX_CATEGORIES = 8

_SQL_TYPES = {
    "integer": "INTEGER",
    "number": "REAL",
    "text": "TEXT",
    "boolean": "BOOLEAN",
    "bytes": "BLOB",
    "datetime": "TIMESTAMP",
}


def schema_text(
    boxes: BoxSet,
    *,
    native: bool,
    samples: int = 3,
    budget: int | None = None,
    as_text: Mapping[str, Collection[str]] | None = None,
) -> str:
    """``CREATE TABLE`` statements with comments.

    Args:
        boxes: To be described.
        native: Whether to use the source's names, or the boxes' and fields'.
        samples: Example values a column.
        budget: At most this many tokens (estimated); example values go first, and what is left out is said.
        as_text: By box, the fields that the engine holds as text although they are of other types.
    """
    if as_text:
        boxes = boxes.map_boxes(lambda box: _with_text(box, as_text.get(box.name, ())))
    text = _all(boxes, native, samples)
    if budget is None or estimate_tokens(text) <= budget:
        return text
    for fewer in range(samples - 1, -1, -1):
        text = _all(boxes, native, fewer)
        if estimate_tokens(text) <= budget:
            break
    return f"{text}\n-- example values left out to save space"


def _all(boxes: BoxSet, native: bool, samples: int) -> str:
    return "\n\n".join(_table(box, boxes, native, samples) for box in boxes.values())


def _with_text(box: Box, labels: Collection[str]) -> Box:
    said = "text, cells of several types"
    return replace(box, fields=tuple(replace(each, type=said) if each.label in labels else each for each in box.fields))


def _quoted(name: str) -> str:
    return name if name.isidentifier() and name.isascii() else '"' + name.replace('"', '""') + '"'


def _table(box: Box, boxes: BoxSet, native: bool, samples: int) -> str:
    lines = [_column(each, box, native, samples) for each in box.fields]
    lines += [(text, "") for text in _keys(box, boxes, native)]
    # A comment stands behind its comma, so that each line is SQL.
    body = "\n".join(
        f"  {text}{',' if at < len(lines) - 1 else ''}" + (f"  -- {comment}" if comment else "")
        for at, (text, comment) in enumerate(lines)
    )
    head = f"-- {' '.join(box.description.split())}\n" if box.description else ""
    return f"{head}CREATE TABLE {_quoted(_table_name(box, native))} (\n{body}\n);"


def _table_name(box: Box, native: bool) -> str:
    return box.source_name if native else box.name


def _column_name(each: Field, native: bool) -> str:
    return each.source_name if native else each.label


def _column(each: Field, box: Box, native: bool, samples: int) -> tuple[str, str]:
    kind = _SQL_TYPES.get(each.type.split(",")[0], "")
    facts = [part for part in (each.type.partition(", ")[2], " ".join(each.description.split())) if part]
    if samples and each.label in box.head.columns:
        present = [value for value in map(plain, box.head[each.label]) if value not in (None, "")]
        values = list({repr(value): value for value in present}.values())
        is_category = kind == "TEXT" and len(values) <= MAX_CATEGORIES and len(present) > 2 * len(values)
        shown = values if is_category else values[:samples]
        if shown:
            facts.append(("one of " if is_category else "e.g. ") + ", ".join(map(literal, shown)))
    return f"{_quoted(_column_name(each, native))} {kind}".strip(), "; ".join(facts)


def _keys(box: Box, boxes: BoxSet, native: bool) -> Iterator[str]:
    if box.primary_key:
        yield f"PRIMARY KEY ({_names(box, box.primary_key, native)})"
    for key in boxes.foreign_keys:
        if key.box == box.name and key.parent in boxes:
            yield _reference(key, boxes, native)


def _reference(key: ForeignKey, boxes: BoxSet, native: bool) -> str:
    parent = boxes[key.parent]
    own, theirs = _names(boxes[key.box], key.fields, native), _names(parent, key.parent_fields, native)
    return f"FOREIGN KEY ({own}) REFERENCES {_quoted(_table_name(parent, native))} ({theirs})"


def _names(box: Box, labels: Sequence[str], native: bool) -> str:
    return ", ".join(_quoted(_column_name(box.field(label), native)) for label in labels)
