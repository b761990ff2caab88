"""How commands end where boxkit itself is at fault."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

import boxkit
from boxkit.cli.app import app


@pytest.fixture
def faulty(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault in what every command calls."""

    def load(*_: object, **__: object) -> None:
        raise KeyError("rows")

    monkeypatch.setattr(boxkit, "load", load, raising=False)


@pytest.mark.usefixtures("faulty")
@pytest.mark.parametrize("command", [("show",), ("run", "-c", "1"), ("chat",)])
def test_a_fault_of_boxkit_is_a_message_and_ends_with_6(boxkit_command, sales: Path, command: tuple[str, ...]) -> None:
    name, *options = command
    result = boxkit_command(name, sales, *options)
    assert result.exit_code == 6
    assert "KeyError: 'rows'" in result.stderr
    assert "BOXKIT_DEBUG=1" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.usefixtures("faulty")
def test_a_fault_shows_where_it_is_on_request(boxkit_command, sales: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOXKIT_DEBUG", "1")
    with pytest.raises(KeyError):
        boxkit_command("show", sales)


@pytest.mark.parametrize("form", ["--csv", "--json", "--rows=0"])
def test_a_number_of_thousands_of_digits_is_written_out(boxkit_command, sales: Path, form: str) -> None:
    result = boxkit_command("run", sales, "-c", "10**6000", form)
    assert result.exit_code == 0, result.stderr
    assert "0" * 6000 in result.stdout.replace("\n", "")


def test_what_is_missing_of_source_and_question_is_named(boxkit_command, sales: Path) -> None:
    assert "the QUESTION is missing" in boxkit_command("ask", sales).stderr
    assert "the SOURCE is missing" in boxkit_command("ask", "How many?").stderr


def test_a_file_that_is_not_there_is_all_that_is_said(boxkit_command) -> None:
    result = boxkit_command("ask", "none.csv", "How many?", "--model", "planner")
    assert result.exit_code == 3
    assert "answering with" not in result.stderr


def test_only_the_code_is_only_the_code(boxkit_command, sales: Path) -> None:
    result = boxkit_command("ask", sales, "How many sales are there?", "--model", "planner", "--code-only")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.endswith("\n")
    assert not result.stdout.endswith("\n\n")


def commands(command: click.Command, path: str = "boxkit") -> list[tuple[str, click.Command]]:
    """A command and those below it, by name."""
    if not isinstance(command, click.Group):
        return [(path, command)]
    context = click.Context(command)
    below = {name: command.get_command(context, name) for name in command.list_commands(context)}
    return [found for name, each in below.items() if each for found in commands(each, f"{path} {name}")]


@pytest.mark.parametrize("given", ["nan", "inf", "-inf", "1e999", "-1", "many", ""])
def test_no_option_takes_a_number_that_bounds_nothing(given: str) -> None:
    """``--dollars nan`` or ``--seconds inf`` would be a limit that never holds."""
    looked_at = 0
    for path, command in commands(app):
        for option in command.params:
            kind = option.type.types[0] if isinstance(option.type, click.Tuple) else option.type
            if isinstance(kind, (click.types.IntParamType, click.types.FloatParamType)):
                looked_at += 1
                with pytest.raises(click.UsageError) as refused:
                    print(path, option.opts[0], kind.convert(given, option, click.Context(command)))
                assert refused.value.exit_code == 2
    assert looked_at > 40
