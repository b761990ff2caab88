# ruff: noqa: E501 - rows as they stand
"""CSV and its kin: every cell of a file of any make, typed only where nothing is lost."""

from __future__ import annotations

import csv
import gzip
import io
import zipfile
from pathlib import Path

import pandas as pd
import pytest

import boxkit
from boxkit.box import Box, BoxSet
from boxkit.errors import SourceError, SourceNotFound, UnknownFormat, UnreadableSource


def the_box(boxes: BoxSet) -> Box:
    (box,) = boxes.values()
    return box


def cells(box: Box) -> list[list[object]]:
    return [[None if pd.isna(cell) else cell for cell in box.frame[label].tolist()] for label in box.labels]


def kinds(boxes: BoxSet) -> list[str]:
    return [note.kind for note in boxes.notes]


def test_a_doubled_name_gives_two_fields(write) -> None:
    boxes = boxkit.load(write("id,name,id\n1,a,2\n"))
    assert the_box(boxes).labels == ("id", "name", "id_2")
    assert cells(the_box(boxes)) == [[1], ["a"], [2]]
    assert "renamed" in kinds(boxes)


def test_identifiers_codes_and_separators_stay_text_and_integers_stay_integers(write) -> None:
    boxes = boxkit.load(write('zip,country,amount,n\n00501,NA,"1,234",1\n10001,FR,"2,000",\n90210,DE,3,3\n'))
    box = the_box(boxes)
    assert cells(box) == [["00501", "10001", "90210"], ["NA", "FR", "DE"], ["1,234", "2,000", "3"], [1, None, 3]]
    assert str(box.frame["n"].dtype) == "Int64"
    (note,) = (note for note in boxes.notes if note.field == "amount")
    fixed = eval(note.fix, {"pd": pd, box.name: box.frame})
    assert fixed.tolist() == [1234, 2000, 3]


def test_a_file_of_every_oddity_is_read_right_and_each_is_noted(write) -> None:
    text = "Report 2024;;\nmade by José;;\n;;\nplace;value;unit\nMünchen;1;kg\nZürich;2\nKöln;3;kg;extra\n"
    boxes = boxkit.load(write(text.encode("latin-1")))
    box = the_box(boxes)
    assert box.labels[:3] == ("place", "value", "unit") and len(box.labels) == 4
    assert cells(box) == [["München", "Zürich", "Köln"], [1, 2, 3], ["kg", None, "kg"], [None, None, "extra"]]
    said = " ".join(note.message for note in boxes.notes)
    assert "not UTF-8" in said and "Report 2024" in said and "fewer cells" in said and "more cells" in said


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252", "utf-32"])
def test_encodings_are_found(write, encoding: str) -> None:
    text = "name;price\nCafé;3\nSmörgås;4\nÅngström;5\n"
    mark = b"\xff\xfe" if encoding == "utf-16-le" else b""
    box = the_box(boxkit.load(write(mark + text.encode(encoding))))
    assert cells(box) == [["Café", "Smörgås", "Ångström"], [3, 4, 5]] and box.labels == ("name", "price")


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", "^", "~"])
def test_delimiters_are_found(write, delimiter: str) -> None:
    rows = [["name", "note", "n"], ["a", "x, y; z", "1"], ["b", 'say "hi"', "2"]]
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\r\n").writerows(rows)
    assert cells(the_box(boxkit.load(write(out.getvalue())))) == [["a", "b"], ["x, y; z", 'say "hi"'], [1, 2]]


def test_backslash_quotes_and_newlines_in_cells(write) -> None:
    box = the_box(boxkit.load(write('"a","b"\n"say \\"hi\\", you","two\nlines"\n')))
    assert cells(box) == [['say "hi", you'], ["two\nlines"]]


def test_a_windows_path_is_no_escape(write) -> None:
    box = the_box(boxkit.load(write('path,n\n"C:\\temp\\",1\n"D:\\",2\n')))
    assert cells(box) == [["C:\\temp\\", "D:\\"], [1, 2]]


def test_header_only_is_an_empty_box(write) -> None:
    box = the_box(boxkit.load(write("a,b\n")))
    assert box.labels == ("a", "b") and len(box.frame) == 0


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"", "empty"), (b"\n\n", "empty"), (b"\xef\xbb\xbf", "empty"), (b"\x89PNG\r\n\x1a\n" + bytes(50), "PNG")],
)
def test_what_is_no_table_is_refused_by_name(write, content: bytes, message: str) -> None:
    with pytest.raises(SourceError, match=message) as caught:
        boxkit.load(write(content, "odd.csv"))
    assert "odd.csv" in str(caught.value)


def test_an_empty_folder_and_a_missing_file(tmp_path: Path, write) -> None:
    (tmp_path / "none").mkdir()
    with pytest.raises(UnreadableSource, match="no file"):
        boxkit.load(tmp_path / "none")
    write("a\n1\n", "sales.csv")
    with pytest.raises(SourceNotFound, match=r"sales\.csv"):
        boxkit.load(tmp_path / "sale.csv")


def test_any_header_is_a_label_and_keeps_its_source_name(write) -> None:
    names = ["3pointplay", "location.latitude", "na me", "日付", 'a"b', "", "x" * 200, "class"]
    out = io.StringIO()
    csv.writer(out).writerows([names, list("abcdefgh")])
    box = the_box(boxkit.load(write(out.getvalue())))
    assert box.labels == ("3pointplay", "location.latitude", "na me", "日付", 'a"b', "column_6", "x" * 200, "class")
    assert [box.frame[label][0] for label in box.labels] == list("abcdefgh")


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["1", "2"], [1, 2]),
        (["9007199254740993", "", "-1"], [9007199254740993, None, -1]),
        (["99999999999999999999", "1"], ["99999999999999999999", "1"]),
        (["1.5", "2"], [1.5, 2.0]),
        (["1e400", "1"], ["1e400", "1"]),
        (["0.12345678901234567890", "1.5"], ["0.12345678901234567890", "1.5"]),
        (["007", "1"], ["007", "1"]),
        (["-0", "1"], [0, 1]),
        (["true", "false"], [True, False]),
        (["1", "NA", "3"], [1, None, 3]),
        (["x", "NA", "null"], ["x", "NA", "null"]),
        (["2024-02-30", "0000-00-00"], ["2024-02-30", "0000-00-00"]),
        (["١٢", "1"], ["١٢", "1"]),
        ([" 5", "6 "], [5, 6]),
        (["inf", "nan"], ["inf", "nan"]),
        (["1_000", "2"], ["1_000", "2"]),
        (["+1", "+2"], ["+1", "+2"]),
    ],
)
def test_columns_are_typed_only_where_nothing_is_lost(write, texts: list[str], expected: list[object]) -> None:
    path = write("k,v\n" + "".join(f"r{at},{text}\n" for at, text in enumerate(texts)))
    found = cells(the_box(boxkit.load(path)))[1]
    assert found == expected and [type(cell) for cell in found] == [type(cell) for cell in expected]


def test_words_for_nothing_among_numbers_are_noted(write) -> None:
    boxes = boxkit.load(write("a,b\nx,1\ny,N/A\n"))
    (note,) = (note for note in boxes.notes if note.kind == "cast")
    assert note.field == "b" and note.row == 1 and "'N/A'" in note.message


def test_a_file_without_a_header_keeps_its_first_row(write) -> None:
    boxes = boxkit.load(write("1,2.5,x\n2,3.5,y\n3,1.0,z\n"))
    assert the_box(boxes).count() == 3


@pytest.mark.parametrize("name", ["data.csv", "data.xlsx", "data", "data.parquet"])
def test_a_table_is_known_by_its_content(write, name: str) -> None:
    assert cells(the_box(boxkit.load(write("a,b\n1,x\n", name)))) == [[1], ["x"]]


def test_parquet_called_csv(tmp_path: Path) -> None:
    path = tmp_path / "league.csv"
    pd.DataFrame({"id": [1, 2], "name": ["a", "b"]}).to_parquet(path)
    assert cells(the_box(boxkit.load(path))) == [[1, 2], ["a", "b"]]


def test_compressed_files_and_archives(write, tmp_path: Path) -> None:
    path = write(gzip.compress(b"a,b\n1,x\n"), "sales.csv.gz")
    boxes = boxkit.load(path)
    assert list(boxes) == ["sales"] and cells(boxes["sales"]) == [[1], ["x"]] and boxes.sources == (str(path),)
    archive = tmp_path / "all.zip"
    with zipfile.ZipFile(archive, "w") as out:
        for name in ("one", "two", "three"):
            out.writestr(f"in/{name}.csv", f"id,{name}\n1,2\n")
        out.writestr("__MACOSX/._one.csv", b"\x00")
    assert set(boxkit.load(archive)) == {"one", "two", "three"}


def test_a_damaged_gzip_is_named(write) -> None:
    with pytest.raises(UnreadableSource, match="damaged"):
        boxkit.load(write(gzip.compress(b"a,b\n1,x\n" * 100)[:-12], "x.csv.gz"))


def test_a_folder_and_a_glob_are_each_file_and_hide_none(write, tmp_path: Path) -> None:
    write("id,a\n1,2\n", "one.csv")
    write("id,b\n1,2\n", "two.csv")
    write(b"\x89PNG\r\n\x1a\n" + bytes(50), "three.png")
    write(b"", "four.csv")
    for source in (tmp_path, str(tmp_path / "*")):
        boxes = boxkit.load(source)
        assert set(boxes) == {"one", "two"}
        assert {"skipped", "unreadable"} <= set(kinds(boxes))
    with pytest.raises(SourceNotFound, match="pattern"):
        boxkit.load(str(tmp_path / "*.tsv"))


def test_any_path_opens(write) -> None:
    for name in ("with space.csv", "a#b.csv", "what?.csv", "ünï.csv", "[x].csv"):
        path = write("a\n1\n2\n", name)
        for source in (path, str(path), path.as_uri()):
            assert cells(the_box(boxkit.load(source))) == [[1, 2]]


def test_two_files_of_one_name_differ_in_their_fingerprint(tmp_path: Path) -> None:
    found = []
    for folder, row in (("one", "1,2"), ("two", "3,4")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "data.csv").write_text(f"a,b\n{row}\n")
        found.append(boxkit.load(tmp_path / folder / "data.csv").fingerprint)
    assert found[0] != found[1]


def test_an_open_file_is_read(write) -> None:
    with write("a,b\n1,x\n").open("rb") as file:
        assert cells(the_box(boxkit.load(file))) == [[1], ["x"]]


def test_options_reach_the_converter_and_unknown_ones_are_refused(write) -> None:
    path = write("a:b\n1:007\n")
    assert cells(the_box(boxkit.load(path, as_text=True, delimiter=":", table="mine"))) == [["1"], ["007"]]
    with pytest.raises(TypeError, match="delimiter"):
        boxkit.load(path, delimeter=":")
    with pytest.raises(UnknownFormat, match="csv"):
        boxkit.load(path, format="cvs")


def test_every_wikitq_table_has_its_own_cells(data: Path) -> None:
    paths = sorted(data.glob("wikitq/csv/*/*.csv"))
    assert len(paths) == 375
    for path in paths:
        box = the_box(boxkit.load(path, as_text=True, header=0))
        with path.open(newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file, doublequote=False, escapechar="\\"))
        assert [field.source_name for field in box.fields] == [
            name or label for name, label in zip(rows[0], box.labels, strict=True)
        ], path
        ours = [["" if cell is None else cell for cell in row] for row in zip(*cells(box), strict=True)]
        assert ours == rows[1:], path


def test_every_messy_file_loads_or_says_why_not(data: Path) -> None:
    for path in sorted(data.glob("messy/*/*")):
        boxes = boxkit.load(path)
        for box in boxes.values():
            assert len(box.frame) == box.count(), path


@pytest.mark.parametrize(
    ("name", "shape", "label"),
    [
        ("complex.csv", (3, 4), "another date"),
        ("weird_head_padding.csv", None, "1985"),
        ("excel_pasting.csv", None, "2000"),
        ("mixedGLB.csv", None, "Year"),
        ("simple.psv", (28, 6), "New dwellings"),
        ("utf8bom.csv", (0, 2), "kitten"),
        ("spanish_chars.csv", None, "Descripción"),
        ("characters.csv", None, "景點中文名稱"),
        ("null.csv", (10, 4), "column_1"),
    ],
)
def test_messy_headers_are_found(data: Path, name: str, shape: tuple[int, int] | None, label: str) -> None:
    box = the_box(boxkit.load(data / "messy" / "messytables_horror" / name))
    assert label in box.labels and (shape is None or box.frame.shape == shape)


def test_large_files_are_read_as_small_ones_are(data: Path, write, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = write(
        "id,zip,amount,part,name,flag,big,pad,na,date\n"
        + "".join(
            f'{at},0050{at % 10},"1,23{at % 10}",{at / 7:.6f},"n, {at % 300}\n",{str(at % 2 == 0).lower()},{2**63 + at}, p{at},'
            f"{'NA' if at == 5 else at},2024-01-{at % 28 + 1:02d}\n"
            for at in range(3000)
        )
    )
    paths = [odd, *sorted(data.glob("dabench_nc/**/*.csv")), *sorted(data.glob("eurosoccer/*.csv"))]
    assert len(paths) > 30
    for path in paths:
        monkeypatch.setattr("boxkit.converters.delimited._LARGE_BYTES", 10**12)
        careful = boxkit.load(path)
        monkeypatch.setattr("boxkit.converters.delimited._LARGE_BYTES", 0)
        fast = boxkit.load(path)
        pd.testing.assert_frame_equal(the_box(fast).frame, the_box(careful).frame)
        assert fast.notes == careful.notes and the_box(fast).fields == the_box(careful).fields


@pytest.mark.parametrize(
    ("numbers", "rows"),
    [
        (["9007199254740993", "0.5", "NA"], 3),
        (["9007199254740993", "0.5", "NA"], 350_000),
        (["1.12345678901234567890123", "2"], 2),
        (["0.12345678901234567", "1"], 2),
    ],
)
def test_numbers_that_a_float_would_move_stay_text(write, numbers: list[str], rows: int) -> None:
    column = [*numbers, *["10.125"] * (rows - len(numbers))]
    boxes = boxkit.load(write("a,b\n" + "".join(f"{each},x{at}\n" for at, each in enumerate(column))))
    assert cells(the_box(boxes))[0] == column
    assert any("numbers held as text" in note.message for note in boxes.notes if note.field == "a")


def test_numbers_that_a_float_holds_are_numbers(write) -> None:
    boxes = boxkit.load(write("a,b\n9007199254740992,0.10000000000000001\n0.5,1.000000000000000056e-01\n"))
    assert cells(the_box(boxes)) == [[2.0**53, 0.5], [0.1, 0.1]]


@pytest.mark.parametrize(
    ("text", "labels", "columns"),
    [
        ("id,name,,\n1,2,3,4\n5,6,7,8\n", ("id", "name", "column_3", "column_4"), [[1, 5], [2, 6], [3, 7], [4, 8]]),
        ("a,,\n1,2,3\n", ("a", "column_2", "column_3"), [[1], [2], [3]]),
        (
            "name,value,,\nann,3,x,y\nbob,4,z,w\n",
            ("name", "value", "column_3", "column_4"),
            [["ann", "bob"], [3, 4], ["x", "z"], ["y", "w"]],
        ),
        ("name,value,,\nann,b,x,y\n", ("name", "value", "column_3", "column_4"), [["ann"], ["b"], ["x"], ["y"]]),
        (",,\n1,2,3\n4,5,6\n", ("column_1", "column_2", "column_3"), [[1, 4], [2, 5], [3, 6]]),
    ],
)
def test_a_header_whose_last_names_are_empty_is_the_header(write, text: str, labels, columns) -> None:
    boxes = boxkit.load(write(text))
    assert the_box(boxes).labels == labels and cells(the_box(boxes)) == columns
    assert "renamed" in kinds(boxes)


def test_a_title_padded_with_delimiters_is_no_header(write) -> None:
    box = the_box(boxkit.load(write("Report 2024,,\n,,\nname,unit,value\na,kg,1\nb,kg,2\n")))
    assert box.labels == ("name", "unit", "value") and len(box.frame) == 2


@pytest.mark.parametrize(("text", "column"), [('n\nx\n""\nz\n', ["x", None, "z"]), ('n\n1\n""\n', [1, None])])
def test_an_empty_cell_of_the_only_column_is_a_row(write, text: str, column: list[object]) -> None:
    assert cells(the_box(boxkit.load(write(text)))) == [column]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('id,name\n1,"open\n2,b\n3,c\n', 2),
        ('id,name\n1,"two\nlines"\n2,b\n3,"open', 5),
        ('id,name\n"1\n",b\n"2\n","open\n4,c\n', 5),
    ],
)
def test_a_quote_that_is_never_closed_is_noted_with_its_line(write, text: str, line: int) -> None:
    boxes = boxkit.load(write(text))
    assert any(f"opens in line {line} and is never closed" in note.message for note in boxes.notes)
    closed = boxkit.load(write('id,name\n1,"two\nlines"\n2,5" disk\n', "closed.csv"))
    assert not any("never closed" in note.message for note in closed.notes)


def test_a_quote_that_is_never_closed_is_noted_in_a_large_file_too(write) -> None:
    text = "id,name\n" + "".join(f"{at},name {at}\n" for at in range(300_000)) + '5,"open\n6,b\n'
    assert any("opens in line 300002 and" in note.message for note in boxkit.load(write(text)).notes)
