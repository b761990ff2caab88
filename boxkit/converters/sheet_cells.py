"""What a sheet's XML says besides its values: errors, formulas never calculated, hidden rows and columns, durations.

It is read with expressions rather than a parser: a sheet is looked at once more, and must not take as long again.
"""

from __future__ import annotations

import html
import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from boxkit.box import Note
from boxkit.converters.source import SourceFile

__all__ = ["Sheet", "look_at"]

#: Sheets whose XML is longer are not looked at.
_MAX_BYTES = 100_000_000
_SHEET = re.compile(r"<(?:\w+:)?sheet\s[^>]*>")
_RELATION = re.compile(r"<(?:\w+:)?Relationship\s[^>]*>")
_ATTRIBUTE = re.compile(r"([\w:]+)\s*=\s*[\"']([^\"']*)[\"']")
_CELL = re.compile(r"<(?:\w+:)?c\s([^>]*[^/>])>(.*?)</(?:\w+:)?c>", re.DOTALL)
_VALUE = re.compile(r"<(?:\w+:)?v(?:\s[^>]*)?>([^<]+)<")
_OPEN_CELL = re.compile(r"<table:table-cell\s[^>]*>")
_FORMULA = re.compile(r"<(?:\w+:)?f[\s/>]")
_ROW = re.compile(r"<(?:\w+:)?row\s[^>]*>")
_COLUMNS = re.compile(r"<(?:\w+:)?col\s[^>]*>")
_OPEN_ROW = re.compile(r"<table:table-row[\s/>][^>]*")
_OPEN_COLUMN = re.compile(r"<table:table-column[\s/>][^>]*")
_DURATION = re.compile(r'office:time-value="([^"]+)"')
_TRUE = ("1", "true")
_ROW_NUMBER = re.compile(r"<(?:\w+:)?row\s[^>]*?\br=\"(\d+)\"")
_CELL_COLUMN = re.compile(r"<(?:\w+:)?c\s[^>]*?\br=\"([A-Z]+)")
#: The reader holds every cell of the area that a sheet spans: so many, of which but one in so many holds something,
#: are more than a machine may have room for.
_MOST_AREA, _AREA_PER_CELL = 50_000_000, 100
_MOST_COLUMNS = 16_384


@dataclass(frozen=True, slots=True)
class Sheet:
    """What is to be said of a sheet.

    Attributes:
        notes: On cells that are missing although they are not empty.
        hidden_rows: The rows that the workbook hides, as spans from 0, their ends included.
        hidden_columns: Likewise.
        durations: The times of an OpenDocument sheet, as it writes them (``PT30H05M00S``).
        far: The corner of an area that is nearly all empty and too large for memory; empty where there is none.
    """

    notes: tuple[Note, ...] = ()
    hidden_rows: tuple[tuple[int, int], ...] = ()
    hidden_columns: tuple[tuple[int, int], ...] = ()
    durations: frozenset[str] = field(default=frozenset())
    far: str = ""

    def notes_on_hidden(self, sheet: str, rows: int, columns: int) -> Iterator[Note]:
        """Notes on what is hidden among the first ``rows`` and ``columns``, counted as the workbook does."""
        for spans, used, name, kind in (
            (self.hidden_rows, rows, str, "row"),
            (self.hidden_columns, columns, _letters, "column"),
        ):
            there = _joined([(first, min(last, used - 1)) for first, last in spans if first < used])
            if there:
                shown = ", ".join(
                    name(first + 1) if first == last else f"{name(first + 1)} to {name(last + 1)}"
                    for first, last in there[:10]
                ) + (" and more" if len(there) > 10 else "")
                many = len(there) > 1 or there[0][0] < there[0][1]
                said = f"{kind}{'s' if many else ''} {shown} of the sheet {sheet!r} {'are' if many else 'is'} hidden"
                yield Note("lint", f"{said} in the workbook, and read as the others are")


def look_at(source: SourceFile, sheet: str) -> Sheet:
    """What the XML of an .xlsx or .ods sheet says; nothing for other kinds of workbooks."""
    try:
        if _is_open_document(source):
            return _open_document(_open_sheet(source, sheet), sheet)
        return _office_document(_sheet_xml(source, sheet), sheet)
    except (zipfile.BadZipFile, OSError, KeyError, ValueError):
        return Sheet()


def _office_document(xml: str, sheet: str) -> Sheet:
    # Most sheets hide nothing, and this is known sooner than which row it is.
    is_hiding = "hidden=" in xml
    rows = [each for each in _attributes(_ROW, xml) if each.get("hidden") in _TRUE] if is_hiding else []
    columns = [each for each in _attributes(_COLUMNS, xml) if each.get("hidden") in _TRUE] if is_hiding else []
    return Sheet(
        tuple(_lost_cells(xml, sheet)),
        tuple((int(each["r"]) - 1, int(each["r"]) - 1) for each in rows if "r" in each),
        tuple((int(each["min"]) - 1, int(each["max"]) - 1) for each in columns),
        far=_far_corner(xml),
    )


def _far_corner(xml: str) -> str:
    """The corner of the area that a sheet's cells span, where it is too large for the few cells in it."""
    numbers = _ROW_NUMBER.findall(xml)
    rows = max(map(int, numbers), default=0)
    if rows * _MOST_COLUMNS <= _MOST_AREA:
        return ""
    letters = max({each[1] for each in _CELL_COLUMN.finditer(xml)}, key=lambda each: (len(each), each), default="")
    columns = 0
    for letter in letters:
        columns = columns * 26 + ord(letter) - ord("A") + 1
    is_sparse = rows * columns > _MOST_AREA and rows * columns > _AREA_PER_CELL * len(_CELL_COLUMN.findall(xml))
    return f"{letters}{rows}" if is_sparse else ""


def _open_document(xml: str, sheet: str) -> Sheet:
    return Sheet(
        tuple(_uncalculated(xml, sheet)),
        tuple(_collapsed(_OPEN_ROW, "table:number-rows-repeated", xml)),
        tuple(_collapsed(_OPEN_COLUMN, "table:number-columns-repeated", xml)),
        frozenset(_DURATION.findall(xml)),
    )


def _collapsed(tag: re.Pattern[str], repeated: str, xml: str) -> Iterator[tuple[int, int]]:
    if "table:visibility=" not in xml:
        return
    at = 0
    for each in _attributes(tag, xml):
        count = int(each.get(repeated, 1))
        if each.get("table:visibility", "visible") != "visible":
            yield at, at + count - 1
        at += count


def _joined(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans, those that touch made one."""
    edges = [at for at, (before, after) in enumerate(pairwise(spans), start=1) if before[1] + 1 < after[0]]
    return [
        (spans[first][0], spans[last - 1][1])
        for first, last in zip([0, *edges], [*edges, len(spans)], strict=True)
        if spans
    ]


def _letters(number: int) -> str:
    """A column's name in a spreadsheet: A is 1, AA is 27."""
    text = ""
    while number:
        number, rest = divmod(number - 1, 26)
        text = chr(ord("A") + rest) + text
    return text


def _lost_cells(xml: str, sheet: str) -> Iterator[Note]:
    errors: list[str] = []
    uncalculated: list[str] = []
    for cell in _CELL.finditer(xml):
        attributes = dict(_ATTRIBUTE.findall(cell[1]))
        value = _VALUE.search(cell[2])
        if attributes.get("t") == "e" and value:
            errors.append(f"{attributes.get('r', '?')} ({html.unescape(value[1])})")
        elif not value and attributes.get("t") != "str" and _FORMULA.search(cell[2]):
            uncalculated.append(attributes.get("r", "?"))
    if errors:
        message = f"cells of the sheet {sheet!r} that hold an error are missing: {len(errors)}, first {errors[0]}"
        yield Note("cast", message)
    if uncalculated:
        yield _never_calculated(sheet, f"{len(uncalculated)}, first {uncalculated[0]}")


def _never_calculated(sheet: str, which: str) -> Note:
    message = f"formulas of the sheet {sheet!r} without a calculated value are missing: {which}"
    return Note("cast", f"{message}; open the workbook in a spreadsheet and save it")


def _is_open_document(source: SourceFile) -> bool:
    if not source.head.startswith(b"PK"):
        return False
    with zipfile.ZipFile(source.path) as archive:
        return "content.xml" in archive.namelist()


def _open_sheet(source: SourceFile, sheet: str) -> str:
    with zipfile.ZipFile(source.path) as archive:
        if archive.getinfo("content.xml").file_size > _MAX_BYTES:
            return ""
        xml = archive.read("content.xml").decode()
    for part in xml.split("<table:table ")[1:]:
        named = _ATTRIBUTE.findall(part.partition(">")[0])
        if html.unescape(dict(named).get("table:name", "")) == sheet:
            return part
    return ""


def _uncalculated(xml: str, sheet: str) -> Iterator[Note]:
    cells = [dict(_ATTRIBUTE.findall(each)) for each in _OPEN_CELL.findall(xml)]
    lost = [each for each in cells if "table:formula" in each and "office:value-type" not in each]
    if lost:
        count = sum(int(each.get("table:number-columns-repeated", 1)) for each in lost)
        yield _never_calculated(sheet, f"{count}, first {lost[0]['table:formula'].removeprefix('of:')}")


def _sheet_xml(source: SourceFile, sheet: str) -> str:
    with zipfile.ZipFile(source.path) as archive:
        sheets = _attributes(_SHEET, archive.read("xl/workbook.xml").decode())
        place = next((each["r:id"] for each in sheets if html.unescape(each.get("name", "")) == sheet), "")
        relations = _attributes(_RELATION, archive.read("xl/_rels/workbook.xml.rels").decode())
        target = next((each["Target"] for each in relations if each.get("Id") == place), "")
        path = target.lstrip("/") if target.startswith("/") else f"xl/{target}"
        return archive.read(path).decode() if archive.getinfo(path).file_size <= _MAX_BYTES else ""


def _attributes(tag: re.Pattern[str], xml: str) -> list[dict[str, str]]:
    return [dict(_ATTRIBUTE.findall(each)) for each in tag.findall(xml)]
