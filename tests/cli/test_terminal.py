"""Data reach the screen as data."""

from __future__ import annotations

import contextlib
import datetime
import io
from decimal import Decimal
from typing import Any

import pytest

from boxkit.cli.answers import rows_table
from boxkit.cli.tables import cell, print_csv, table
from boxkit.cli.terminal import harmless, show, text


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        ("São Tomé, 東京, 👩‍👩‍👧", "São Tomé, 東京, 👩‍👩‍👧"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("\x1b]8;;http://bad\x07click", "\\x1b]8;;http://bad\\x07click"),
        ("two\nlines\ttab\r", "two\\nlines\\ttab\\r"),
        ("\x9b2Jgone", "\\x9b2Jgone"),
        ("safe\u202etxt.exe", "safe\\u202etxt.exe"),
        ("half \ud800", "half \\ud800"),
        ("line\u2028separator", "line\\u2028separator"),
        ("עברית العربية", "עברית العربية"),
    ],
)
def test_a_control_character_cannot_reach_the_terminal(content: str, shown: str) -> None:
    assert harmless(content) == shown


def test_code_keeps_its_lines() -> None:
    assert harmless("if x:\n\ty = '\x1b'", lines=True) == "if x:\n\ty = '\\x1b'"


@pytest.mark.parametrize("content", ["[bold red]x[/]", "[/nothing]", ":smile:", "[link=http://x]y[/link]", "\\[x]"])
def test_markup_in_a_cell_is_printed_as_it_stands(content: str, capsys: pytest.CaptureFixture[str]) -> None:
    show(table([content], [(content,)]))
    show(text(content))
    assert capsys.readouterr().out.count(content) == 3


def test_a_cell_of_any_length_is_printed_whole_into_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    show(table(["a", "b"], [("x" * 5000, "y y " * 700 + "end")]))
    printed = capsys.readouterr().out
    assert "x" * 5000 in printed
    assert "y y " * 700 + "end" in printed


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "NULL"),
        ("None", "None"),
        (0.1 + 0.2, "0.30000000000000004"),
        (2**53 + 1, "9007199254740993"),
        (True, "True"),
        (Decimal("1.10"), "1.10"),
        (b"\x00\xff", "0x00ff"),
        (datetime.datetime(2024, 5, 1, 8, 30), "2024-05-01 08:30:00"),
        (["a", None], "a, NULL"),
    ],
)
def test_a_value_is_shown_exactly(value: Any, shown: str) -> None:
    assert cell(value) == shown


@pytest.mark.parametrize(
    ("value", "drawn"),
    [
        (0.1 + 0.2, "0.3"),
        (156.48000000000002, "156.48"),
        (54.0, "54.0"),
        (1e300, "1e+300"),
        (1 / 3, "0.333333333333333"),
    ],
)
def test_a_table_leaves_out_what_binary_arithmetic_adds(
    value: float, drawn: str, capsys: pytest.CaptureFixture[str]
) -> None:
    show(table(["x"], [(value,)]))
    assert capsys.readouterr().out.split()[-1] == drawn
    print_csv(["x"], [(value,)])
    assert float(capsys.readouterr().out.split()[-1]) == value


def test_csv_holds_every_row_and_tells_missing_from_text(capsys: pytest.CaptureFixture[str]) -> None:
    print_csv(["name", "said"], [("a, b", 'x "y"'), (None, "NULL"), ("two\nlines", "\x1b[2J")])
    assert capsys.readouterr().out == 'name,said\n"a, b","x ""y"""\n,NULL\n"two\nlines",\\x1b[2J\n'


def test_rows_of_unequal_length_are_all_shown(capsys: pytest.CaptureFixture[str]) -> None:
    show(table(["a"], [(1,), (22, 33)]))
    assert [line.split() for line in capsys.readouterr().out.splitlines()[2:]] == [["1"], ["22", "33"]]


class Terminal(io.StringIO):
    """A stdout that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    screen = Terminal()
    for name, value in {"COLUMNS": "60", "LINES": "20", "TERM": "dumb"}.items():
        monkeypatch.setenv(name, value)
    return screen


WIDE = [f"column_{at:02}" for at in range(12)]


def test_a_table_too_wide_for_the_terminal_says_which_columns_it_leaves_out(
    terminal: Terminal, capsys: pytest.CaptureFixture[str]
) -> None:
    with contextlib.redirect_stdout(terminal):
        rows_table(WIDE, [tuple(range(row, row + 12)) for row in range(9)], None)
    shown, told = terminal.getvalue(), capsys.readouterr().err
    left_out = [name for name in WIDE if name not in shown]
    assert left_out
    assert all(name in told for name in left_out)
    assert max(map(len, shown.splitlines())) <= 60


def test_a_few_rows_too_wide_for_the_terminal_are_shown_one_below_the_other(terminal: Terminal) -> None:
    with contextlib.redirect_stdout(terminal):
        rows_table(WIDE, [tuple(range(12))], None)
    assert [line.split() for line in terminal.getvalue().splitlines()][3] == ["column_03", "3"]
    assert "column_11" in terminal.getvalue()


def test_a_terminal_says_how_many_rows_it_does_not_show(terminal: Terminal, capsys: pytest.CaptureFixture[str]) -> None:
    with contextlib.redirect_stdout(terminal):
        rows_table(["n"], [(at,) for at in range(70)], None)
    assert "20 more of 70 rows" in capsys.readouterr().err
    with contextlib.redirect_stdout(terminal):
        rows_table(["n"], [(at,) for at in range(70)], 0)
    assert capsys.readouterr().err == ""
    assert terminal.getvalue().split()[-1] == "69"
