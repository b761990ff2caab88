"""How a text file is split into cells: delimiter, quote, escape, found by trying them on its first lines."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Any

__all__ = ["Dialect", "parse", "sniff", "unclosed_quote"]

_DELIMITERS = (",", ";", "\t", "|", " ", ":", "^", "~")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[nN][aA][nN]|NA|[+-]?[iI]nf|\.")
_SAMPLE_CHARS = 100_000
#: A line that stands after the last one: where it is no row of its own, a quote is open.
_END = "\x1e\x1e"


@dataclass(frozen=True, slots=True)
class Dialect:
    """How cells are told apart.

    Attributes:
        delimiter: Between cells.
        backslash: Whether a quote within quotes is written backslash-quote rather than doubled.
        spaced: Whether quoted cells may stand behind a space; with a space as the delimiter, whether several are one.
    """

    delimiter: str = ","
    backslash: bool = False
    spaced: bool = False


def sniff(text: str) -> Dialect:
    """The dialect in which the first lines make the most regular table."""
    sample = text[:_SAMPLE_CHARS]
    if len(text) > len(sample):
        sample = sample[: sample.rfind("\n") + 1] or sample
    # A quote in a quoted cell that is neither doubled nor the cell's last sign must have been escaped.
    backslashes = (True, False) if re.search(r'\\"[^",;|\t\r\n]', text) else (False,)
    dialects = [
        Dialect(each, backslash, each == " " or f'{each} "' in sample)
        for backslash in backslashes
        for each in _DELIMITERS
    ]
    scored = [(_score(sample, dialect), -at, dialect) for at, dialect in enumerate(dialects)]
    best, _, dialect = max(scored, key=lambda each: each[:2])
    return dialect if best > 0 else dialects[-len(_DELIMITERS)]


def _score(sample: str, dialect: Dialect) -> float:
    """How table-like: rows of the commonest width, weighted by that width, less what looks accidental."""
    rows = parse(sample, dialect)
    if dialect.delimiter == " " and not _are_numbers(rows):
        return 0.0
    widths = [len(row) for row in rows if any(cell.strip() for cell in row)]
    if not widths:
        return 0.0
    counted = Counter(width for width in widths if width > 1)
    if not counted:
        return 0.0
    width, count = max(counted.items(), key=lambda item: (item[1] * min(item[0], 8), item[0]))
    share = count / len(widths)
    common = {",": 1.0, ";": 1.0, "\t": 1.1, "|": 1.0}.get(dialect.delimiter, 0.3)
    return share * (1 - 1 / width) * common


def _are_numbers(rows: list[list[str]]) -> bool:
    """Whether all rows below the first, of which there are several, are numbers or stand for a missing one."""
    return len(rows) > 2 and all(_NUMBER.fullmatch(cell) for row in rows[1:] for cell in row if cell)


def parse(text: str, dialect: Dialect) -> list[list[str]]:
    """Every row of ``text``, blank ones included, as they stand; a space that delimits ends no row."""
    rows = list(_reader(io.StringIO(text, newline=""), dialect))
    if dialect.delimiter == " ":
        rows = [row[:-1] if len(row) > 1 and not row[-1] else row for row in rows]
    return rows


def unclosed_quote(text: str, dialect: Dialect) -> int | None:
    """The line, from 1, where a quote opens that nothing closes; None where there is none."""
    if '"' not in text:
        return None
    reader = _reader(chain(io.StringIO(text, newline=""), [_END]), dialect)
    begun, last = 0, 0
    row: list[str] = []
    for row in reader:  # noqa: B007 - the last one is wanted
        begun, last = last, reader.line_num
    if not row or row == [_END] or not row[-1].endswith(_END):
        return None
    return begun + 1 + sum(cell.count("\n") or cell.count("\r") for cell in row[:-1])


def _reader(lines: Iterable[str], dialect: Dialect) -> Any:
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    return csv.reader(
        lines,
        delimiter=dialect.delimiter,
        doublequote=not dialect.backslash,
        escapechar="\\" if dialect.backslash else None,
        skipinitialspace=dialect.spaced,
    )
