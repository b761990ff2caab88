"""JSON and JSON Lines: records become rows; nested objects become fields, nested lists boxes with keys between them."""

from __future__ import annotations

import json
from typing import Any

from boxkit.box import BoxSet, Note
from boxkit.converters.encoding import decode
from boxkit.converters.nested import boxes_of
from boxkit.converters.source import SourceFile
from boxkit.errors import UnreadableSource
from boxkit.naming import box_name

__all__ = ["accepts", "convert", "name"]

name = "json"


def accepts(source: Any) -> float:
    """Text that begins as JSON does."""
    if not isinstance(source, SourceFile) or source.is_binary:
        return 0.0
    start = source.head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if start not in (b"{", b"["):
        return 0.0
    return 0.9 if source.suffix in (".json", ".jsonl", ".ndjson", ".geojson") else 0.5


def convert(source: SourceFile, *, table: str | None = None) -> BoxSet:
    """The boxes of a JSON or JSON Lines file.

    Args:
        source: The file.
        table: The name of the box of the outermost records; the file's where None.

    Raises:
        UnreadableSource: It is no JSON; the message names the line.
    """
    label = box_name(table or source.stem)
    notes: list[Note] = []
    text = decode(source.path.read_bytes(), None, label, notes)
    value = _value(text, source)
    return boxes_of(value, label, notes, source.label, source.fingerprint)


def _value(text: str, source: SourceFile) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as whole:
        lines = [line for line in text.splitlines() if line.strip()]
        try:
            return [json.loads(line) for line in lines]
        except json.JSONDecodeError:
            raise UnreadableSource(
                f"this is no JSON: {whole.msg} (line {whole.lineno}, column {whole.colno})", where=source.label
            ) from whole
