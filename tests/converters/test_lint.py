"""Lint: what is odd about a column is noted once, with pandas code that works."""

from __future__ import annotations

import datetime
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import boxkit
from boxkit.converters.lint import lint_frame


def notes_on(values: list[Any]) -> list[Any]:
    return [note for note in lint_frame(pd.DataFrame({"v": pd.Series(values)}), "t", kinds=True) if note.field == "v"]


@pytest.mark.parametrize(
    ("values", "said", "fixed"),
    [
        ([1, 2, 3, -9999, 4], "-9999", [1, 2, 3, None, 4]),
        ([1, 2.5, "x", 3], "mixes 3 numbers, 1 texts, such as 'x'", [1, 2.5, None, 3]),
        (["a", 7, "b", datetime.date(2024, 1, 2)], "mixes 2 texts", ["a", "7", "b", "2024-01-02"]),
        (["a", "b", "\\N"], "\\N", ["a", "b", None]),
        (["x", "?", "y"], "'?'", ["x", None, "y"]),
        (["1,234", "2", "3,000,000"], "numbers held as text", [1234, 2, 3000000]),
        (["$1.50", "$2", "$1,000.25"], "numbers held as text", [1.5, 2, 1000.25]),
        (["12%", "3.5%"], "numbers held as text", [12, 3.5]),
        (["1.234,5", "2,25"], "decimal comma", [1234.5, 2.25]),
        (["a ", " b", "c"], "spaces around", ["a", "b", "c"]),
        (["Oslo", "oslo", "OSLO", "Rome"] * 3, "may be one", ["Oslo", "Oslo", "Oslo", "Rome"] * 3),
        (["California"] * 9 + ["Californa"] + ["Nevada"] * 9, "'Californa'", ["California"] * 10 + ["Nevada"] * 9),
    ],
)
def test_what_is_odd_is_noted_and_its_fix_works(values: list[Any], said: str, fixed: list[Any]) -> None:
    frame = pd.DataFrame({"v": values})
    (note,) = (note for note in notes_on(values) if said in note.message)
    found = eval(note.fix, {"pd": pd, "t": frame})
    expected = fixed if "may be one" not in said else [found[0]] * 3 + ["Rome"]
    if "may be one" in said:
        assert found.nunique() == 2
    else:
        assert [None if pd.isna(cell) else cell for cell in found.tolist()] == expected


@pytest.mark.parametrize(
    ("values", "form", "odd"),
    [
        (["2024-02-28", "2024-02-30"], "%Y-%m-%d", "2024-02-30"),
        (["2024-02-28", "0000-00-00", "2024-03-01"], "%Y-%m-%d", "0000-00-00"),
        (["12/31/99", "01/02/03"], "%m/%d/%y", None),
        (["31.12.1999", "01.02.2003"], "%d.%m.%Y", None),
        (["31-Dec-99", "01-Feb-03"], "%d-%b-%y", None),
    ],
)
def test_dates_held_as_text_name_their_form_and_what_is_no_date(values: list[str], form: str, odd: str | None) -> None:
    (note,) = (note for note in notes_on(values) if "dates held as text" in note.message)
    assert f'"{form}"' in note.fix and (odd is None or odd in note.message)
    assert eval(note.fix, {"pd": pd, "t": pd.DataFrame({"v": values})}).notna().sum() == len(values) - (odd is not None)


@pytest.mark.parametrize(
    "values",
    [
        ["A", "A-", "A+", "B"] * 3,
        ["x", "y"],
        [1, 2, 3],
        ["1.5a", "15a"] * 4,
        [2019, 9999, 10500],
        ["route 1", "route 11"] * 5,
    ],
)
def test_what_is_in_order_is_not_noted(values: list[Any]) -> None:
    assert notes_on(values) == []


def test_leading_zeros_are_identifiers_and_not_numbers() -> None:
    (note,) = notes_on(["00501", "10001"])
    assert note.fix is None and "identifiers" in note.message


def test_missing_values_are_one_note_a_box() -> None:
    (note,) = lint_frame(pd.DataFrame({"a": [1.0, None], "b": [None, None], "c": [1, 2]}), "t")
    assert note.message == "missing values, of 2 rows: 'a' 1, 'b' 2" and note.field is None


def test_long_columns_are_looked_at_in_part_and_say_so() -> None:
    notes = lint_frame(pd.DataFrame({"v": [" x", "y "] * 60_000}), "t")
    assert "row was looked at" in notes[0].message


def test_categories_written_in_several_ways_are_noted_in_small_tables_and_frames() -> None:
    values = ["Groceries", "groceries", "Groceries ", *(f"Shop {chr(65 + at)}" for at in range(10)), "Rent", "Rent"]
    (note,) = (note for note in boxkit.load(pd.DataFrame({"v": values})).notes if "may be one" in note.message)
    assert "'groceries'" in note.message and any("may be one" in each.message for each in notes_on(values))
    assert not any("may be one" in each.message for each in notes_on(["aB", "AB", "x1", "X1"]))


def test_every_fix_for_real_files_runs_and_changes_nothing_by_itself(data: Path) -> None:
    paths = [*sorted(data.glob("messy/*/*")), *sorted(data.glob("spider/database/*/*.sqlite"))[::12]]
    kinds: Counter[str] = Counter()
    for path in paths:
        boxes = boxkit.load(path)
        frames = {name: box.frame for name, box in boxes.items()}
        before = {name: frame.copy() for name, frame in frames.items()}
        for note in boxes.notes:
            if note.fix is None:
                continue
            made = eval(note.fix, {"pd": pd, **frames})
            assert isinstance(made, pd.Series | pd.DataFrame) and len(made) <= len(frames[note.box or ""]), note
            if "to_numeric" in note.fix:
                assert pd.api.types.is_numeric_dtype(made) and made.notna().any(), note
            if "to_datetime" in note.fix:
                assert pd.api.types.is_datetime64_any_dtype(made) and made.notna().any(), note
            kinds[note.fix.partition("(")[0]] += 1
        for name, frame in frames.items():
            pd.testing.assert_frame_equal(frame, before[name])
        assert path.suffix != ".csv" or boxkit.load(path).loading_notes == boxes.loading_notes
    assert sum(kinds.values()) > 50
