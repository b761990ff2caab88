"""Cells of a workbook's sheets that show no value of their own: errors, and formulas that were never calculated."""

from __future__ import annotations

import html
import re
import zipfile
from collections.abc import Iterator

from boxkit.box import Note
from boxkit.converters.source import SourceFile

__all__ = ["notes_on_lost_cells"]

#: Sheets whose XML is longer are not looked at.
_MAX_BYTES = 100_000_000
_SHEET = re.compile(r"<(?:\w+:)?sheet\s[^>]*>")
_RELATION = re.compile(r"<(?:\w+:)?Relationship\s[^>]*>")
_ATTRIBUTE = re.compile(r"([\w:]+)\s*=\s*[\"']([^\"']*)[\"']")
_CELL = re.compile(r"<(?:\w+:)?c\s([^>]*[^/>])>(.*?)</(?:\w+:)?c>", re.DOTALL)
_VALUE = re.compile(r"<(?:\w+:)?v(?:\s[^>]*)?>([^<]+)<")
_OPEN_CELL = re.compile(r"<table:table-cell\s[^>]*>")
_FORMULA = re.compile(r"<(?:\w+:)?f[\s/>]")


def notes_on_lost_cells(source: SourceFile, sheet: str) -> Iterator[Note]:
    """Notes on cells of an .xlsx or .ods sheet that are missing although they are not empty.

    Other kinds of workbooks give none: .xls keeps a value for each formula.
    """
    try:
        if _is_open_document(source):
            yield from _uncalculated(_open_sheet(source, sheet), sheet)
            return
        xml = _sheet_xml(source, sheet)
    except (zipfile.BadZipFile, OSError, KeyError, UnicodeDecodeError):
        return
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
