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
    # Pages in 16 bits a character are known by the same beginnings.
    head = source.head.replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n").lower()
    if head.startswith((b"<!doctype html", b"<html", b"<table")):
        return 0.95
    is_page = head.startswith(b"<") and source.suffix in (".html", ".htm", ".xhtml")
    return 0.8 if is_page or (b"<table" in head and (source.suffix in _SUFFIXES or head.startswith(b"<"))) else 0.0


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
        if element.xpath(".//table"):
            notes += _beside_inner_tables(element)
            continue
        rows, head, spanned = _cells(element)
        if not any(any(row) for row in rows):
            continue
        source_name = table if table and not boxes else _caption(element) or source.stem
        label = box_name(source_name, [box.name for box in boxes])
        if spanned:
            message = f"columns that nothing but cells over several columns reaches are left out: {spanned}"
            notes.append(Note("dropped", message, label))
        if 1 < head < len(rows):
            notes.append(Note("renamed", f"the header takes {head} rows; they are joined", label))
            rows, head = [_joined(rows[:head]), *rows[head:]], 1
        grid = find_table(rows, label, notes, header=0 if head == 1 else None, keep_lines=False)
        boxes.append(box_of_grid(grid, label, source_name, notes, state=source.fingerprint))
    if not boxes:
        raise UnreadableSource("this page has no table", where=source.label)
    return BoxSet(boxes, (), notes, [source.label])


def _beside_inner_tables(element: Any) -> list[Note]:
    """A note on what a table that lays out other tables says itself."""
    cells = element.xpath("./tr/td | ./tr/th | ./*/tr/td | ./*/tr/th")
    said = " / ".join(text for cell in cells if (text := _text(cell)))
    return [Note("dropped", f"around tables inside another stands: {said[:300]}")] if said else []


def _joined(heads: list[list[str | None]]) -> list[str | None]:
    """One name a column of several rows of headings, each said once."""
    return [" ".join(dict.fromkeys(text for text in column if text)) or None for column in zip(*heads, strict=True)]


def _text(element: Any) -> str | None:
    """What a cell shows: line breaks part words, scripts and tables inside are no text."""
    parts = [element.text or ""]
    for child in element:
        if child.tag in ("br", "p", "div", "li"):
            parts.append(" ")
        if isinstance(child.tag, str) and child.tag not in ("script", "style", "table", "template"):
            parts.append(_text(child) or "")
        parts.append(child.tail or "")
    text = "".join(parts)
    return text if element.tag not in ("td", "th") else " ".join(text.split()) or None


def _caption(element: Any) -> str:
    caption = element.find("caption")
    return " ".join(caption.text_content().split()) if caption is not None else ""


def _cells(table: Any) -> tuple[list[list[str | None]], int, int]:
    """The table's cells, row by row; how many rows from the first are heads; how many columns no cell begins in.

    Those columns are left out: a reader does not see them, and all they hold stands in the column before.
    """
    begun: set[int] = set()
    rows: list[list[str | None]] = []
    #: Cells from above that reach into later rows: column to text and rows left.
    reaching: dict[int, tuple[str | None, int]] = {}
    heads = 0
    for number, element in enumerate(table.iter("tr")):
        row: list[str | None] = []
        cells = [cell for cell in element if cell.tag in ("td", "th")]
        is_head = all(cell.tag == "th" for cell in cells) or element.getparent().tag == "thead"
        if cells and is_head and heads == number:
            heads += 1
        for cell in cells:
            _fill(row, reaching)
            begun.add(len(row))
            text = _text(cell)
            down = _span(cell.get("rowspan"), _MOST_ROWS)
            for _ in range(_span(cell.get("colspan"), _MOST_COLUMNS)):
                if down > 1:
                    reaching[len(row)] = text, down - 1
                row.append(text)
        _fill(row, reaching)
        rows.append(row)
    width = max(map(len, rows), default=0)
    kept = [at for at in range(width) if at in begun]
    square = [[*row, *[None] * (width - len(row))] for row in rows]
    return [[row[at] for at in kept] for row in square], heads, width - len(kept)


def _fill(row: list[str | None], reaching: dict[int, tuple[str | None, int]]) -> None:
    while len(row) in reaching:
        text, left = reaching.pop(len(row))
        if left > 1:
            reaching[len(row)] = text, left - 1
        row.append(text)


def _span(text: str | None, most: int) -> int:
    digits = (text or "").strip()
    return min(max(int(digits), 1), most) if digits.isdigit() else 1
