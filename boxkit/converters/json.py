"""JSON and JSON Lines: records become rows; nested objects become fields, nested lists boxes with keys between them."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from boxkit.box import BoxSet, Note
from boxkit.converters.encoding import decode
from boxkit.converters.json_text import JsonDecoder, array_records, line_records
from boxkit.converters.nested import boxes_of
from boxkit.converters.source import SourceFile
from boxkit.errors import UnreadableSource
from boxkit.naming import box_name

__all__ = ["accepts", "convert", "name"]

name = "json"

_BEGINNING = re.compile(rb"\{\s*[\"}]|\[\s*[\[{\"\]0-9tfn-]")
_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


def accepts(source: Any) -> float:
    """Text that begins as JSON does."""
    if not isinstance(source, SourceFile) or source.is_binary:
        return 0.0
    head = source.head.replace(b"\x00", b"") if source.head.startswith(_MARKS[1:]) else source.head
    if not _BEGINNING.match(head.lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n")):
        return 0.0
    return 0.9 if source.suffix in (".json", ".jsonl", ".ndjson", ".geojson") else 0.8


def convert(source: SourceFile, *, table: str | None = None) -> BoxSet:
    """The boxes of a JSON or JSON Lines file; lines, and the items of an array, are read one after the other.

    Args:
        source: The file.
        table: The name of the box of the outermost records; the file's where None.

    Raises:
        UnreadableSource: It is no JSON; the message names the line.
    """
    label = box_name(table or source.stem)
    notes: list[Note] = []
    decoder = JsonDecoder(label)
    boxes = _streamed(source, decoder, table or source.stem)
    if boxes is None:
        text = decode(source.path.read_bytes(), None, label, notes)
        roots = _roots(_whole(text, source, decoder), table or source.stem)
        boxes = boxes_of(roots, notes, source.label, source.fingerprint)
    return BoxSet(boxes.values(), boxes.foreign_keys, (*boxes.loading_notes, *decoder.notes), boxes.sources)


def _streamed(source: SourceFile, decoder: JsonDecoder, name: str) -> BoxSet | None:
    """The boxes of JSON Lines or of one array; None where it is neither, or no JSON, which the whole of it tells."""
    lines = _lines(source, decoder)
    records = array_records(source, decoder) if lines is None else lines
    if records is None:
        return None
    try:
        return boxes_of([(name, records)], [], source.label, source.fingerprint)
    except (json.JSONDecodeError, RecursionError):
        return None


def _lines(source: SourceFile, decoder: JsonDecoder) -> Iterator[Any] | None:
    """The records of JSON Lines, read as they are needed; None where the file is one JSON text."""
    if source.head.startswith(_MARKS[1:]):
        return None
    head = source.head.removeprefix(codecs.BOM_UTF8).lstrip()
    if head.startswith(b"[") and b"\n" not in head:
        return None
    with source.path.open("rb") as file:
        written = (line for line in file if line.strip(codecs.BOM_UTF8 + b" \t\r\n"))
        first = next(written, b"").decode("utf-8-sig", "replace")
        is_whole = next(written, None) is None
    if is_whole and source.suffix not in (".jsonl", ".ndjson"):
        return None
    try:
        begun = decoder.decode(first)
    except (json.JSONDecodeError, RecursionError):
        return None
    if is_whole and not isinstance(begun, Mapping):
        return None
    return line_records(source, decoder)


def _whole(text: str, source: SourceFile, decoder: JsonDecoder) -> Any:
    try:
        return decoder.decode(text)
    except json.JSONDecodeError as error:
        raise UnreadableSource(
            f"this is no JSON: {error.msg} (line {error.lineno}, column {error.colno})", where=source.label
        ) from error
    except RecursionError as error:
        raise UnreadableSource("this JSON is nested too deep", where=source.label) from error


def _roots(value: Any, label: str) -> list[tuple[str, Sequence[Any]]]:
    if isinstance(value, Mapping):
        if value and all(map(_is_records, value.values())):
            return list(value.items())
        return [(label, [value])]
    return [(label, value if isinstance(value, list) else [value])]


def _is_records(item: Any) -> bool:
    return isinstance(item, list) and bool(item) and all(isinstance(each, Mapping) for each in item)
