"""JSON text as Python values, nothing of it lost: of large files one record after the other."""

from __future__ import annotations

import codecs
import json
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

from boxkit.box import Note
from boxkit.converters.cells import is_exact
from boxkit.converters.nested import Digits
from boxkit.converters.source import SourceFile
from boxkit.errors import UnreadableSource

__all__ = ["JsonDecoder", "array_records", "line_records"]

#: Python itself reads no longer integers, unless it is told to; what a file holds must not hang on that.
_INTEGER_DIGITS = 4_300
_READ_CHARS = 262_144
_SPACE = re.compile(r"[ \t\r\n]*")


class JsonDecoder:
    """Parses JSON, keeping what Python's own reading would lose, with a note on each first time.

    Attributes:
        box: For the notes.
        notes: On what was kept otherwise than it is written.
    """

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
        quick: Any = json.JSONDecoder(
            object_pairs_hook=_plain_object,
            parse_float=_plain_float,
            # Python refuses a longer one by itself, and faster, unless the program lets it read more.
            parse_int=int if 0 < sys.get_int_max_str_digits() <= _INTEGER_DIGITS else _plain_int,
            parse_constant=_refused,
            strict=False,
        )
        self._quick: Callable[[str, int], tuple[Any, int]] = quick.scan_once

    def decode(self, text: str) -> Any:
        """The value of a JSON text.

        Raises:
            JSONDecodeError: It is none.
            RecursionError: It is nested too deep.
        """
        return self._decoder.decode(text)

    def decode_at(self, text: str, start: int) -> tuple[Any, int]:
        """The value that begins at ``start``, and where it ends. Raises as `decode` does."""
        try:
            return self._quick(text, start)
        except (ValueError, StopIteration, RecursionError):
            return self._decoder.raw_decode(text, start)

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
        if len(text.lstrip("-")) > _INTEGER_DIGITS:
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


def _plain_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError
    return made


def _plain_int(text: str) -> int:
    if len(text.lstrip("-")) > _INTEGER_DIGITS:
        raise ValueError
    return int(text)


def _plain_float(text: str) -> float:
    number = float(text)
    if repr(number) != text and not is_exact(text):
        raise ValueError
    return number


def _refused(_: str) -> Any:
    raise ValueError


def line_records(source: SourceFile, decoder: JsonDecoder) -> Iterator[Any]:
    """The records of JSON Lines, read as they are needed.

    Raises:
        UnreadableSource: A line is no JSON; the message names it.
    """
    bad = False
    with source.path.open("rb") as file:
        for number, raw in enumerate(file, start=1):
            try:
                line = raw.decode()
            except UnicodeDecodeError:
                line = raw.decode("utf-8", "replace")
                if not bad:
                    message = f"bytes that are not UTF-8 (first in line {number}) became \ufffd"
                    decoder.notes.append(Note("undecodable", message, decoder.box))
                bad = True
            line = line.lstrip("\ufeff").strip()
            if line:
                yield _line(line, number, source, decoder)


def _line(line: str, number: int, source: SourceFile, decoder: JsonDecoder) -> Any:
    try:
        record, end = decoder.decode_at(line, 0)
        if end == len(line):
            return record
        return decoder.decode(line)
    except json.JSONDecodeError as error:
        message = f"line {number} is no JSON: {error.msg} (column {error.colno})"
        raise UnreadableSource(message, where=source.label) from error
    except RecursionError as error:
        raise UnreadableSource(f"line {number} is nested too deep", where=source.label) from error


def array_records(source: SourceFile, decoder: JsonDecoder) -> Iterator[Any] | None:
    """The items of the one JSON array in a file, read as they are needed; None where it is none, or not in UTF-8.

    The iterator raises `JSONDecodeError` and `RecursionError` where the file is no JSON, with places of its own.
    """
    if not source.head.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"[") or not _is_utf8(source):
        return None
    return _items(source, decoder)


def _is_utf8(source: SourceFile) -> bool:
    try:
        with source.path.open(encoding="utf-8") as file:
            while file.read(_READ_CHARS):
                pass
    except UnicodeDecodeError:
        return False
    return True


def _items(source: SourceFile, decoder: JsonDecoder) -> Iterator[Any]:
    with source.path.open(encoding="utf-8-sig", newline="") as file:
        window = _Window(file)
        window.expect("[")
        if window.sees("]"):
            window.expect("]")
        else:
            while True:
                yield window.value(decoder)
                if not window.sees(","):
                    break
                window.expect(",")
            window.expect("]")
        window.expect("")


class _Window:
    """The part of a text file that is being parsed."""

    def __init__(self, file: Any) -> None:
        self.file = file
        self.text = ""
        self.at = 0
        self.is_whole = False

    def _more(self) -> None:
        # As much again as one value takes already, so that a long one is not parsed too often.
        rest = self.text[self.at :]
        read = self.file.read(max(_READ_CHARS, len(rest)))
        self.text, self.at, self.is_whole = rest + read, 0, not read

    def sees(self, sign: str) -> bool:
        """Whether this sign is next, after spaces; no sign is the end."""
        while True:
            found = _SPACE.match(self.text, self.at)
            self.at = found.end() if found else self.at
            if self.at < len(self.text):
                return bool(sign) and self.text[self.at] == sign
            if self.is_whole:
                return not sign
            self._more()

    def expect(self, sign: str) -> None:
        """Step over this sign."""
        if not self.sees(sign):
            raise json.JSONDecodeError("Extra data" if not sign else f"Expecting {sign!r}", self.text, self.at)
        self.at += len(sign)

    def value(self, decoder: JsonDecoder) -> Any:
        """Step over a value."""
        self.sees("")
        while True:
            try:
                made, end = decoder.decode_at(self.text, self.at)
            except json.JSONDecodeError:
                if self.is_whole:
                    raise
            else:
                # A number may go on.
                if end < len(self.text) or self.is_whole:
                    self.at = end
                    return made
            self._more()
