"""Tables of an HTML page, cells that span rows or columns repeated in each that they span."""

from __future__ import annotations

from typing import Any

from boxkit.box import Box, BoxSet, Note
from boxkit.converters.encoding import decode
from boxkit.converters.grid import box_of_grid, find_table
from boxkit.converters.source import SourceFile
from boxkit.errors import UnreadableSource
from boxkit.naming import box_name

__all__ = ["accepts", "convert", "name"]

name = "html"

#: What a browser caps spans at.
_MOST_COLUMNS, _MOST_ROWS = 1_000, 65_534
_SUFFIXES = (".html", ".htm", ".xhtml", ".xls")


def accepts(source: Any) -> float:
    """A text that begins as HTML does, or that has a table element and is called HTML."""
    if not isinstance(source, SourceFile) or source.is_binary:
        return 0.0
    start = source.head[:2_000].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith((b"<!doctype html", b"<html", b"<table")):
        return 0.95
    return 0.8 if b"<table" in source.head.lower() and (source.suffix in _SUFFIXES or start.startswith(b"<")) else 0.0


def convert(source: SourceFile, *, table: str | None = None) -> BoxSet:
    """A box a table of the page.

    Args:
        source: The page.
        table: The first box's name; the table's caption or the file's name where None.

    Raises:
        UnreadableSource: The page has no table.
    """
    import lxml.html

    notes: list[Note] = []
    text = decode(source.path.read_bytes(), None, box_name(source.stem), notes)
    found = lxml.html.document_fromstring(text.encode(), parser=lxml.html.HTMLParser(encoding="utf-8"))
    boxes: list[Box] = []
    for element in found.iter("table"):
        rows, head = _cells(element)
        if not any(any(row) for row in rows) or element.xpath(".//table"):
            continue
        source_name = table if table and not boxes else _caption(element) or source.stem
        label = box_name(source_name, [box.name for box in boxes])
        grid = find_table(rows, label, notes, header=head - 1 if head == 1 else None, keep_lines=False)
        boxes.append(box_of_grid(grid, label, source_name, notes, state=source.fingerprint))
    if not boxes:
        raise UnreadableSource("this page has no table", where=source.label)
    return BoxSet(boxes, (), notes, [source.label])


def _caption(element: Any) -> str:
    caption = element.find("caption")
    return " ".join(caption.text_content().split()) if caption is not None else ""


def _cells(table: Any) -> tuple[list[list[str | None]], int]:
    """The table's cells, row by row, and how many rows from the first are heads."""
    rows: list[list[str | None]] = []
    #: Cells from above that reach into later rows: column to text and rows left.
    reaching: dict[int, tuple[str | None, int]] = {}
    heads = 0
    for number, element in enumerate(table.iter("tr")):
        row: list[str | None] = []
        cells = [cell for cell in element if cell.tag in ("td", "th")]
        if cells and all(cell.tag == "th" for cell in cells) and heads == number:
            heads += 1
        for cell in cells:
            _fill(row, reaching)
            text = " ".join(cell.text_content().split()) or None
            down = _span(cell.get("rowspan"), _MOST_ROWS)
            for _ in range(_span(cell.get("colspan"), _MOST_COLUMNS)):
                if down > 1:
                    reaching[len(row)] = text, down - 1
                row.append(text)
        _fill(row, reaching)
        rows.append(row)
    width = max(map(len, rows), default=0)
    return [[*row, *[None] * (width - len(row))] for row in rows], heads


def _fill(row: list[str | None], reaching: dict[int, tuple[str | None, int]]) -> None:
    while len(row) in reaching:
        text, left = reaching.pop(len(row))
        if left > 1:
            reaching[len(row)] = text, left - 1
        row.append(text)


def _span(text: str | None, most: int) -> int:
    digits = (text or "").strip()
    return min(max(int(digits), 1), most) if digits.isdigit() else 1
