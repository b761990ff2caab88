"""``boxkit run``: pandas code over boxes, no model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import Result

from boxkit.examples import COUNTRIES, GEOGRAPHY, ORGANISATIONS


def test_the_answer_is_a_table_on_stdout_and_the_rest_is_on_stderr(boxkit_command, sales: Path) -> None:
    result = boxkit_command("run", sales, "-c", "sales.dropna()")
    assert result.exit_code == 0
    assert [line.split() for line in result.stdout.splitlines() if "─" not in line] == [
        ["month", "amount"],
        ["January", "10"],
        ["February", "30"],
    ]
    assert "isolation" in result.stderr


def test_all_three_kinds_of_source_in_one_run(boxkit_command) -> None:
    code = """
members = organisation_member[organisation_member["organisation_id"] == "V4"]["member"]
inner = countries[countries["iso_code"].isin(members)]
answer = inner.merge(city, on="iso_code", suffixes=("_country", ""))[["name_country", "name"]]
"""
    result = boxkit_command("run", COUNTRIES, GEOGRAPHY, ORGANISATIONS, "-c", code, "--csv")
    assert result.exit_code == 0, result.output
    assert "Slovakia,Bratislava" in result.stdout.splitlines()


@pytest.mark.parametrize("way", ["file", "stdin", "dash"])
def test_code_comes_from_a_file_or_from_stdin(boxkit_command, sales: Path, tmp_path: Path, way: str) -> None:
    script = tmp_path / "sum.py"
    script.write_text("answer = sales['amount'].sum()\n", encoding="utf-8")
    given = {"file": ["-f", script], "stdin": [], "dash": ["-f", "-"]}[way]
    result: Result = boxkit_command("run", sales, *given, "--csv", input=None if way == "file" else script.read_text())
    assert result.stdout.splitlines()[-1] == "40"


def test_json_tells_rows_columns_and_how_it_was_confined(boxkit_command, sales: Path) -> None:
    result = boxkit_command("run", sales, "-c", "print('hello'); answer = sales", "--json")
    told = json.loads(result.stdout)
    assert told["ok"] is True
    assert told["columns"] == ["month", "amount"]
    assert told["rows"] == [["January", 10], ["February", 30], ["March", None]]
    assert told["stdout"] == "hello\n"
    assert told["isolation"] in ("full", "strict", "weak")


def test_code_that_only_prints_is_fine(boxkit_command, sales: Path) -> None:
    result = boxkit_command("run", sales, "-c", "print(len(sales))")
    assert (result.exit_code, result.stdout) == (0, "3\n")


def test_a_mistake_in_the_code_is_named_with_its_line_and_the_real_columns(boxkit_command, sales: Path) -> None:
    result = boxkit_command("run", sales, "-c", "x = 1\nanswer = sales['amuont'].sum()")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert "line 2" in result.stderr
    assert "'amount'" in result.stderr
    assert "Traceback" not in result.stderr


def test_code_over_its_time_is_killed(boxkit_command, sales: Path) -> None:
    result = boxkit_command("run", sales, "-c", "while True: pass", "--seconds", "0.5")
    assert result.exit_code == 1
    assert "timeout" in result.stderr


def test_a_terminal_sequence_in_a_cell_is_shown_not_obeyed(boxkit_command, tmp_path: Path) -> None:
    path = tmp_path / "evil.csv"
    path.write_text("name,[bold]n\n\x1b[2Jgone,1\n[red]x[/red],2\n", encoding="utf-8")
    result = boxkit_command("run", path, "-c", "print(evil['name'][0]); answer = evil")
    assert "\x1b" not in result.output
    assert result.stdout.count("\\x1b[2Jgone") == 2
    assert "[red]x[/red]" in result.stdout
    assert "[bold]n" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-c", "1", "-f", "-"], "choose one"),
        (["-c", "  "], "the code is empty"),
        (["-c", "1", "--json", "--csv"], "choose one"),
        (["-f", "missing.py"], "missing.py"),
        (["-c", "1", "--seconds", "0"], "--seconds"),
    ],
)
def test_wrong_usage_ends_with_2_and_says_why(boxkit_command, sales: Path, arguments: list[str], message: str) -> None:
    result = boxkit_command("run", sales, *arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_code_in_another_encoding_is_wrong_usage(boxkit_command, sales: Path, tmp_path: Path) -> None:
    script = tmp_path / "latin.py"
    script.write_bytes("answer = 'café'".encode("latin-1"))
    result = boxkit_command("run", sales, "-f", script)
    assert result.exit_code == 2
    assert "UTF-8" in result.stderr


def test_an_empty_source_is_not_the_current_folder(boxkit_command) -> None:
    result = boxkit_command("run", "", "-c", "1")
    assert result.exit_code == 2
    assert "a source is empty" in result.stderr


def test_a_missing_source_ends_with_3(boxkit_command) -> None:
    result = boxkit_command("run", "no/such.csv", "-c", "1")
    assert result.exit_code == 3
    assert "no/such.csv" in result.stderr
    assert "Traceback" not in result.stderr


def test_figures_are_kept_where_asked(boxkit_command, sales: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    code = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nanswer = 1"
    result = boxkit_command("run", sales, "-c", code, "--figures", tmp_path / "drawn")
    assert result.exit_code == 0, result.stderr
    assert (tmp_path / "drawn" / "figure-1.png").read_bytes().startswith(b"\x89PNG")
