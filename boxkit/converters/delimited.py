"""CSV, TSV and text files with any delimiter: encoding, delimiter, quoting and header found in the content."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from boxkit.box import BoxSet, Note
from boxkit.converters.dialect import Dialect, parse, sniff, unclosed_quote
from boxkit.converters.encoding import decode
from boxkit.converters.grid import Grid, box_of_columns, box_of_grid, find_table
from boxkit.converters.source import SourceFile
from boxkit.errors import UnreadableSource
from boxkit.naming import box_name

__all__ = ["accepts", "convert", "name"]

name = "csv"

#: Files above this are read through Arrow where they are regular.
_LARGE_BYTES = 4_000_000
_SUFFIXES = frozenset({".csv", ".tsv", ".tab", ".psv", ".txt", ".dat", ".data"})


def accepts(source: Any) -> float:
    """Any text file; surer where its name says so."""
    if not isinstance(source, SourceFile) or source.is_binary:
        return 0.0
    if source.suffix in _SUFFIXES:
        return 0.6
    return 0.2 if source.head else 0.0


def convert(
    source: SourceFile,
    *,
    encoding: str | None = None,
    delimiter: str | None = None,
    header: int | None = None,
    table: str | None = None,
    as_text: bool = False,
) -> BoxSet:
    """The one box of a delimited text file.

    Args:
        source: The file.
        encoding: Its encoding; found where None.
        delimiter: Its delimiter; found where None.
        header: The line that holds the header, from 0; found where None.
        table: The box's name; the file's where None.
        as_text: Keep every cell as text (WikiTableQuestions).

    Raises:
        UnreadableSource: It is empty.
    """
    if source.size > _LARGE_BYTES and encoding is None and header is None and not as_text:
        made = _large(source, Dialect(delimiter) if delimiter else None, table or source.stem)
        if made is not None:
            return made
    raw = source.path.read_bytes()
    if not raw.strip(b"\x00\xef\xbb\xbf\xff\xfe \t\r\n"):
        raise UnreadableSource("this file is empty", where=source.label)
    label = box_name(table or source.stem)
    notes: list[Note] = []
    if label != (table or source.stem):
        notes.append(Note("renamed", f"the file is called {source.name!r}", label))
    text = decode(raw, encoding, label, notes)
    dialect = sniff(text) if delimiter is None else Dialect(delimiter)
    rows: Sequence[Sequence[str]] = parse(text, dialect)
    opened = unclosed_quote(text, dialect)
    if opened is not None:
        message = f"a quote opens in line {opened} and is never closed: the rest of the file is in one cell"
        notes.append(Note("lint", message, label))
    grid = find_table(rows, label, notes, header=header) if rows else Grid((), ())
    box = box_of_grid(grid, label, table or source.stem, notes, state=source.fingerprint, as_text=as_text)
    return BoxSet([box], (), notes, [source.label])


def _large(source: SourceFile, dialect: Dialect | None, source_name: str) -> BoxSet | None:
    from boxkit.converters.delimited_fast import read_columns

    label = box_name(source_name)
    notes: list[Note] = []
    if label != source_name:
        notes.append(Note("renamed", f"the file is called {source.name!r}", label))
    read = read_columns(source, dialect, label, notes)
    if read is None:
        return None
    names, columns, length = read
    box = box_of_columns(names, columns, length, label, source_name, notes, state=source.fingerprint)
    return BoxSet([box], (), notes, [source.label])
