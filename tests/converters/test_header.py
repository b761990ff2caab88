"""The header of a delimited file: names are no rows, and rows are no names."""

from __future__ import annotations

import pandas as pd

import boxkit
from boxkit.box import Box, BoxSet


def the_box(boxes: BoxSet) -> Box:
    (box,) = boxes.values()
    return box


def cells(box: Box) -> list[list[object]]:
    return [[None if pd.isna(cell) else cell for cell in box.frame[label].tolist()] for label in box.labels]


def test_numbers_without_a_header_lose_no_row(write) -> None:
    box = the_box(boxkit.load(write("7.1e-01,-2.6e+00\n1.1e+00,-2.5e+00\n-1.1e+00,-2.4e+00\n-4.7e-01,-2.3e+00\n")))
    assert cells(box) == [[0.71, 1.1, -1.1, -0.47], [-2.6, -2.5, -2.4, -2.3]]


def test_the_header_of_a_cross_table_is_no_row_of_it(write) -> None:
    box = the_box(boxkit.load(write('"","16.5","16.75","17.25"\n"71",0,0,4\n"70",0,1,5\n')))
    assert box.labels == ("column_1", "16.5", "16.75", "17.25")
    assert cells(box) == [[71, 70], [0, 0], [0, 1], [4, 5]]
    box = the_box(boxkit.load(write('"","Question"\n"V1","Are you happy?"\n"V2","Are you well?"\n')))
    assert box.labels == ("column_1", "Question")
    assert cells(box) == [["V1", "V2"], ["Are you happy?", "Are you well?"]]


def test_row_names_that_the_header_does_not_count_shift_no_column(write) -> None:
    boxes = boxkit.load(write('"weight","feed"\n"1",26.5,2\n"2",27.6,5\n'))
    assert the_box(boxes).labels == ("column_1", "weight", "feed")
    assert cells(the_box(boxes)) == [[1, 2], [26.5, 27.6], [2, 5]]
    assert any("row name" in note.message for note in boxes.notes)
    assert the_box(boxkit.load(write("a,b\n1,2,\n2,3,\n"))).labels == ("a", "b")


def test_comment_lines_above_a_narrow_table_are_no_rows(write) -> None:
    boxes = boxkit.load(
        write("# Codes\n#\n# in the public domain\n#code\tname\nAD\tAndorra\nZW\tZimbabwe\n", "codes.tab")
    )
    assert cells(the_box(boxes)) == [["AD", "ZW"], ["Andorra", "Zimbabwe"]]
    assert any("in the public domain" in note.message for note in boxes.notes)


def test_numbers_between_spaces_are_told_apart_and_prose_is_not(write) -> None:
    box = the_box(boxkit.load(write("   1.5e+00   2\n  -2.0e+00  10 \n   3.0e+00   7\n", "matrix.txt")))
    assert cells(box) == [[1.5, -2.0, 3.0], [2, 10, 7]]
    assert len(the_box(boxkit.load(write("one day it\nrained a lot\nand then stopped\n"))).labels) == 1
