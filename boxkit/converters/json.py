"""JSON and JSON Lines: records become rows; nested objects become fields, nested lists boxes with keys between them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from boxkit.box import BoxSet, Note
from boxkit.converters.cells import is_exact
from boxkit.converters.encoding import decode
from boxkit.converters.nested import Digits, boxes_of
from boxkit.converters.source import SourceFile
from boxkit.errors import UnreadableSource
from boxkit.naming import box_name

__all__ = ["accepts", "convert", "name"]

name = "json"

_BEGINNING = re.compile(rb"\{\s*[\"}]|\[\s*[\[{\"\]0-9tfn-]")
#: Longer integers are not read as numbers: Python itself reads at most 4,300 digits.
_INTEGER_CHARS = 4_000
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
    """The boxes of a JSON or JSON Lines file; the latter is read line by line.

    Args:
        source: The file.
        table: The name of the box of the outermost records; the file's where None.

    Raises:
        UnreadableSource: It is no JSON; the message names the line.
    """
    label = box_name(table or source.stem)
    notes: list[Note] = []
    decoder = _Decoder(label)
    lines = _lines(source, decoder)
    if lines is not None:
        roots: Iterable[tuple[str, Iterable[Any]]] = [(table or source.stem, lines)]
    else:
        text = decode(source.path.read_bytes(), None, label, notes)
        roots = _roots(_whole(text, source, decoder), table or source.stem)
    boxes = boxes_of(roots, notes, source.label, source.fingerprint)
    return BoxSet(boxes.values(), boxes.foreign_keys, (*boxes.loading_notes, *decoder.notes), boxes.sources)


class _Decoder:
    """Parses JSON, keeping what Python's own reading would lose, with a note on each first time."""

    def __init__(self, box: str) -> None:
        self.box = box
        self.notes: list[Note] = []
        self._said: set[str] = set()
        self._decoder = json.JSONDecoder(
            object_pairs_hook=self._object,
            parse_float=self._float,
            parse_int=self._int,
            parse_constant=self._constant,
            strict=False,
        )

    def decode(self, text: str) -> Any:
        """The value of a JSON text."""
        return self._decoder.decode(text)

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) == len(pairs):
            return made
        made = {}
        for key, value in pairs:
            number, free = 2, key
            while free in made:
                free, number = f"{key}_{number}", number + 1
            if free != key:
                self._say(f"key {key}", f"an object has the key {key!r} twice; the second is {free!r}", "renamed")
            made[free] = value
        return made

    def _float(self, text: str) -> float | str:
        number = float(text)
        if number in (float("inf"), float("-inf")):
            self._say("large", f"the number {text} is too large for a float and stays text", "cast")
            return Digits(text)
        if not is_exact(text):
            self._say("long", f"the number {text} has more digits than a float holds and stays text", "cast")
            return Digits(text)
        return number

    def _int(self, text: str) -> int | str:
        if len(text) > _INTEGER_CHARS:
            message = f"the integer {text[:20]}… of {len(text)} digits is too long to calculate with and stays text"
            self._say("digits", message, "cast")
            return Digits(text)
        return int(text)

    def _constant(self, text: str) -> float | str | None:
        self._say(text, f"{text} is no JSON; it is " + ("missing" if text == "NaN" else "kept as text"), "cast")
        return None if text == "NaN" else text

    def _say(self, what: str, message: str, kind: Any) -> None:
        if what not in self._said:
            self._said.add(what)
            self.notes.append(Note(kind, message, self.box))


def _lines(source: SourceFile, decoder: _Decoder) -> Iterator[Any] | None:
    """The records of JSON Lines, read as they are needed; None where the file is one JSON text."""
    if source.head.startswith(_MARKS[1:]):
        return None
    first = source.head.decode("utf-8", "replace").lstrip("\ufeff \t\r\n").split("\n")
    try:
        begun = decoder.decode(first[0])
    except (json.JSONDecodeError, RecursionError):
        return None
    whole_file = len(first) == 1 or (len(source.head) == source.size and not any(line.strip() for line in first[1:]))
    if (whole_file and not isinstance(begun, Mapping)) or (whole_file and source.suffix not in (".jsonl", ".ndjson")):
        return None
    return _records(source, decoder)


def _records(source: SourceFile, decoder: _Decoder) -> Iterator[Any]:
    bad = False
    with source.path.open("rb") as file:
        for number, raw in enumerate(file, start=1):
            try:
                line = raw.decode("utf-8-sig")
            except UnicodeDecodeError:
                line = raw.decode("utf-8", "replace")
                if not bad:
                    decoder.notes.append(
                        Note(
                            "undecodable",
                            f"bytes that are not UTF-8 (first in line {number}) became \ufffd",
                            decoder.box,
                        )
                    )
                bad = True
            if line.strip():
                try:
                    yield decoder.decode(line)
                except json.JSONDecodeError as error:
                    raise UnreadableSource(
                        f"line {number} is no JSON: {error.msg} (column {error.colno})", where=source.label
                    ) from error


def _whole(text: str, source: SourceFile, decoder: _Decoder) -> Any:
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
