# ruff: noqa: E501 - scripts and cells as they stand
"""Tables of HTML pages."""

from __future__ import annotations

from pathlib import Path

import pytest

import boxkit
from boxkit.errors import UnreadableSource


def test_spans_are_repeated_in_each_cell_that_they_cover(data: Path) -> None:
    frame = boxkit.load(data / "messy" / "messytables_horror" / "rowcolspan.html")["rowcolspan"].frame
    assert frame.iloc[0].tolist() == ["05", "06", "06", "08", "09"]
    assert frame.iloc[2].tolist() == ["25", "26", "27", "27", "29"] and frame.iloc[3].tolist() == [
        "25",
        "36",
        "27",
        "27",
        "39",
    ]
    assert frame.iloc[7].tolist() == ["65", "76", "77", "77", "79"] and frame.iloc[8].tolist() == [
        "85",
        "86",
        "77",
        "77",
        "89",
    ]


def test_spans_that_are_no_number_are_one(data: Path) -> None:
    assert boxkit.load(data / "messy" / "messytables_horror" / "badcolspan.html")["badcolspan"].frame.shape == (4, 4)


def test_captions_name_boxes_and_heads_name_fields(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(
        "<!DOCTYPE html><p>text</p><table><caption>Big cities</caption><tr><th>city<th>people</tr><tr><td>Oslo<td>7</tr></table>"
        "<table><tr><th>1</th><th>2</th></tr><tr><td>a &amp; b</td><td>3</td></tr></table>"
    )
    boxes = boxkit.load(page)
    assert boxes["Big_cities"].frame.values.tolist() == [["Oslo", 7]]
    assert boxes["page"].labels == ("1", "2") and boxes["page"].frame.values.tolist() == [["a & b", 3]]


def test_a_page_without_a_table_says_so(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<!DOCTYPE html><p>nothing</p>")
    with pytest.raises(UnreadableSource, match="no table"):
        boxkit.load(page)
