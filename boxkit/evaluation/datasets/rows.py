"""Rows of benchmark files, each with the line that it stands on."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boxkit.errors import SourceNotFound, UnreadableSource, nearest

__all__ = [
    "BadField",
    "Row",
    "content",
    "decoded",
    "existing",
    "first_existing",
    "json_lines",
    "json_rows",
    "json_rows_or_lines",
    "row_of",
    "shown",
    "sound",
    "tsv_rows",
]

_SPACE = re.compile(r"\s*")
#: How files begin that are packed (gzip, zip, bzip2, xz, zstd), or in UTF-16.
_PACKED = (b"\x1f\x8b", b"PK\x03\x04", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_SAVE = "save it as UTF-8"


class BadField(ValueError):
    """A row lacks something, or has something of another kind; the message says what."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row.

    Attributes:
        file: The file's path.
        line: Where the row begins, from 1.
        values: Its fields.
        problem: Why it is no row at all; empty where it is one.
    """

    file: str
    line: int
    values: Mapping[str, Any]
    problem: str = ""

    def text(self, *names: str) -> str:
        """The first of these fields that is there, a text that is not blank (or a number, as text).

        Raises:
            BadField: None is there, or it is no text.
        """
        for name in names:
            value = self.values.get(name)
            if value is None:
                continue
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                return str(value)
            if not isinstance(value, str) or not value.strip():
                raise BadField(f"{name!r} is {shown(value)}, not a text")
            return value.strip()
        raise BadField(
            f"there is no {' or '.join(map(repr, names))}; there are {', '.join(self.values) or 'no fields'}"
        )

    def optional(self, *names: str) -> str:
        """The same, or empty where there is none."""
        return self.text(*names) if any(str(self.values.get(name) or "").strip() for name in names) else ""

    def list_of(self, *names: str) -> list[Any]:
        """The first of these fields that is there, a list.

        Raises:
            BadField: None is there, or it is no list.
        """
        for name in names:
            if name in self.values:
                value = self.values[name]
                if not isinstance(value, list):
                    raise BadField(f"{name!r} is {shown(value)}, not a list")
                return value
        raise BadField(
            f"there is no {' or '.join(map(repr, names))}; there are {', '.join(self.values) or 'no fields'}"
        )


def shown(value: Any) -> str:
    """A value as an error shows it: its first 60 characters."""
    text = repr(value)
    return text if len(text) <= 60 else text[:60] + "…"


def existing(path: str | Path) -> Path:
    """The path.

    Raises:
        SourceNotFound: Nothing is there; the message names what lies near it.
    """
    path = Path(path)
    if path.exists():
        return path
    beside = [each.name for each in path.parent.iterdir()] if path.parent.is_dir() else []
    close = nearest(path.name, beside)
    raise SourceNotFound(
        "there is no such file or folder", where=str(path), hint=f"nearest: {', '.join(close)}" if close else None
    )


def first_existing(folder: Path, names: tuple[str, ...]) -> Path:
    """The first of these files that the folder has.

    Raises:
        SourceNotFound: It has none of them.
    """
    found = next((folder / name for name in names if (folder / name).exists()), None)
    if found is None:
        raise SourceNotFound(
            f"this folder has no {' or '.join(names)}",
            where=str(existing(folder)),
            hint="give the folder as the benchmark publishes it, or name the split",
        )
    return found


def content(path: Path) -> str:
    """The text of a benchmark's file, whose lines end as they do in a file that is opened as text.

    Raises:
        SourceError: As `decoded`.
    """
    return decoded(path).replace("\r\n", "\n").replace("\r", "\n")


def decoded(path: Path) -> str:
    """The text of a benchmark's file as it stands.

    Raises:
        SourceNotFound: Nothing is there.
        UnreadableSource: It is a folder, packed, or no UTF-8; the hint says what to do.
    """
    try:
        raw = existing(path).read_bytes()
    except OSError as error:
        raise UnreadableSource(f"it cannot be read: {error}", where=str(path)) from error
    if raw.startswith(_PACKED):
        raise UnreadableSource("it is packed", where=str(path), hint="unpack it, and give the file that was in it")
    if raw.startswith(_UTF16) or b"\0" in raw[:4]:
        raise UnreadableSource("it is UTF-16 or UTF-32, not UTF-8", where=str(path), hint=_SAVE)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise UnreadableSource(f"line {line} is no UTF-8: {error.reason}", where=str(path), hint=_SAVE) from error


def row_of(path: Path, line: int, value: Any) -> Row:
    """The row that a value is; one with a problem where it has no fields."""
    if not isinstance(value, dict):
        return Row(str(path), line, {}, f"it is {shown(value)}, not an object")
    return Row(str(path), line, value)


def sound(rows: Iterable[Row], *, skip_bad: bool = False) -> Iterator[Row]:
    """The rows that are some; what others there are ends it, or is passed over.

    Raises:
        UnreadableSource: A row is none, and is not to be skipped.
    """
    for row in rows:
        if not row.problem:
            yield row
        elif not skip_bad:
            raise UnreadableSource(f"line {row.line}: {row.problem}", where=row.file)


def json_rows(path: Path, key: str | None = None) -> Iterator[Row]:
    """The objects of a JSON array, or of that under ``key`` of a JSON object; what else is in it has its `problem`.

    Raises:
        SourceError: It is not there, or no such JSON; the message names the line.
    """
    text = content(path)
    at = _after_space(text, 0)
    if key is not None:
        found = re.search(rf'"{re.escape(key)}"\s*:\s*', text)
        at = found.end() if found else at
    if at >= len(text) or text[at] != "[":
        what = f"a list under {key!r}" if key else "a list"
        raise UnreadableSource(
            f"line {text.count(chr(10), 0, at) + 1}: {what} is expected",
            where=str(path),
            hint="give the benchmark's folder or file as it is published",
        )
    decoder, line, counted = json.JSONDecoder(), 1, 0
    at = _after_space(text, at + 1)
    while text[at : at + 1] != "]":
        line, counted = line + text.count("\n", counted, at), at
        try:
            value, at = decoder.raw_decode(text, at)
        except ValueError as error:
            raise UnreadableSource(f"line {line} begins an object that is no JSON: {error}", where=str(path)) from error
        yield row_of(path, line, value)
        at = _after_space(text, at)
        if text[at : at + 1] == ",":
            at = _after_space(text, at + 1)
        elif text[at : at + 1] != "]":
            raise UnreadableSource(f"the list is not closed after line {line}", where=str(path))


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def json_lines(path: Path) -> Iterator[Row]:
    """The objects of a file with one a line; blank lines are passed over, a line that is no object has its `problem`.

    Raises:
        SourceError: It is not there, or is no text.
    """
    for line, text in enumerate(content(path).split("\n"), start=1):
        if not text.strip():
            continue
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            yield Row(str(path), line, {}, f"it is no JSON: {error}")
        else:
            yield row_of(path, line, value)


def tsv_rows(path: Path, unescaped: Callable[[str], str] = str) -> Iterator[Row]:
    """The rows of a tab-separated file with a header, cells as they stand but for ``unescaped``."""
    lines = content(path).split("\n")
    header = lines[0].rstrip("\r").split("\t")
    for line, text in enumerate(lines[1:], start=2):
        if text.strip():
            cells = [unescaped(cell) for cell in text.rstrip("\r").split("\t")]
            yield Row(str(path), line, dict(zip(header, cells, strict=False)))


def json_rows_or_lines(path: Path, key: str | None = None) -> Iterator[Row]:
    """The objects of a JSON list (perhaps under ``key``), or of a file with one a line; by content.

    Raises:
        SourceError: It is not there, or is neither.
    """
    begin = content(path)[:4096].lstrip()
    is_list = begin.startswith("[") or (key is not None and f'"{key}"' in begin.split("\n{", 1)[0])
    return json_rows(path, key) if is_list else json_lines(path)
