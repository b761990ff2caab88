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


def page(folder: Path, text: str, encoding: str = "utf-8") -> Path:
    path = folder / "page.html"
    path.write_bytes(text.encode(encoding))
    return path


def test_headings_of_two_rows_are_joined(tmp_path: Path) -> None:
    text = (
        "<table><thead><tr><td rowspan=2>k<td colspan=2>v</tr><tr><td>a<td>b</tr></thead>"
        "<tr><th>1<td>2<td>3</tr><tr><td rowspan=2>4<td>5<td>6</tr><tr><td>7<td>8</tr></table>"
    )
    boxes = boxkit.load(page(tmp_path, text))
    frame = boxes["page"].frame
    assert list(frame) == ["k", "v a", "v b"] and frame.values.tolist() == [[1, 2, 3], [4, 5, 6], [4, 7, 8]]
    assert any("takes 2 rows" in note.message for note in boxes.notes)


def test_cells_say_what_a_reader_sees(tmp_path: Path) -> None:
    text = "<table><tr><th>a<br>b<th>c</tr><tr><td><script>x()</script>1&nbsp;000<td><p>one</p><p>two</p></tr></table>"
    frame = boxkit.load(page(tmp_path, text, "utf-16"))["page"].frame
    assert list(frame) == ["a b", "c"] and frame.values.tolist() == [["1 000", "one two"]]


def test_tables_inside_a_table_are_boxes_and_what_is_around_them_a_note(tmp_path: Path) -> None:
    text = "<table><tr><td>menu<td><table><tr><th>a</tr><tr><td>1</tr></table></tr></table>"
    boxes = boxkit.load(page(tmp_path, text))
    assert boxes["page"].frame.values.tolist() == [[1]] and any("menu" in note.message for note in boxes.notes)


def test_a_page_of_prose_is_no_table_of_one_line(tmp_path: Path) -> None:
    with pytest.raises(UnreadableSource, match="no table"):
        boxkit.load(page(tmp_path, "<p>Good morning</p>"))


def test_a_cell_that_spans_more_columns_than_there_are_makes_none(tmp_path: Path) -> None:
    text = "<table><tr><th>k<th colspan=100000>v</tr><tr><td>1<td>2<td>3</tr><tr><td colspan=900>4</tr></table>"
    boxes = boxkit.load(page(tmp_path, text))
    assert boxes["page"].frame.values.tolist() == [[1, 2, 3], [4, 4, 4]] and boxes["page"].labels == ("k", "v", "v_2")
    assert len(boxes.notes) == 2 and any(note.kind == "dropped" for note in boxes.notes)
