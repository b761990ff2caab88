"""docs/cli.md says what the commands say; ``--rewrite-golden`` rewrites its tables of options."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from boxkit.cli.app import app
from boxkit.cli.exits import Exit
from boxkit.examples import sources

PAGE = Path(__file__).resolve().parents[2] / "docs" / "cli.md"
BLOCK = re.compile(r"(<!-- options: ([\w ]+) -->\n)(.*?)(<!-- end -->)", re.DOTALL)


def command_named(words: str) -> click.Command:
    command: click.Command = app
    for word in words.split():
        assert isinstance(command, click.Group)
        command = command.commands[word]
    return command


def options_table(words: str) -> str:
    """A row an option: its names, what it means, its default."""
    rows = ["| option | | default |", "|---|---|---|"]
    for parameter in command_named(words).params:
        if isinstance(parameter, click.Option) and not parameter.hidden:
            names = ", ".join(f"`{name}`" for name in parameter.opts)
            value = "" if parameter.is_flag else f" {parameter.metavar or parameter.type.name.split()[0].upper()}"
            default = f"`{parameter.default}`" if parameter.show_default else ""
            rows.append(f"| {names}{value} | {parameter.help} | {default} |")
    return "\n".join(rows) + "\n" if len(rows) > 2 else "No options.\n"


def test_the_page_lists_every_option_of_every_command(request: pytest.FixtureRequest) -> None:
    page = PAGE.read_text(encoding="utf-8")
    described = BLOCK.sub(lambda found: found[1] + options_table(found[2]) + found[4], page)
    if request.config.getoption("--rewrite-golden"):
        PAGE.write_text(described, encoding="utf-8")
    assert page == described, "run pytest tests/cli/test_docs.py --rewrite-golden"


def test_the_page_has_a_section_for_every_command() -> None:
    described = {found[1] for found in BLOCK.findall(PAGE.read_text(encoding="utf-8"))}
    for name, command in app.commands.items():
        inner = set(command.commands) if isinstance(command, click.Group) else set()
        assert {name, *(f"{name} {each}" for each in inner)} <= described


def test_the_list_on_top_of_the_page_has_every_command() -> None:
    listed = re.findall(r"^boxkit (\w+)", PAGE.read_text(encoding="utf-8").split("```")[1], re.MULTILINE)
    assert sorted(listed) == sorted(app.commands)


def test_the_page_and_the_help_list_every_exit_code() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for code in Exit:
        assert f"| {code.value} |" in page
        assert re.search(rf"\b{code.value} ", app.help or "")


def examples_of_the_page() -> list[list[str]]:
    """The arguments of each command on the page that asks only about the example world, with no model."""
    blocks = re.findall(r"```bash\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    lines = [shlex.split(line)[1:] for block in blocks for line in block.splitlines() if line.startswith("boxkit ")]
    files = {path.name for path in sources()}
    return [line for line in lines if line[1] in files and "--model" not in line]


@pytest.mark.parametrize("arguments", examples_of_the_page(), ids=" ".join)
def test_the_examples_on_the_page_run(boxkit_command, arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(sources()[0].parent)
    model = ["--model", "planner"] if arguments[0] == "ask" else []
    result = boxkit_command(*arguments, *model)
    assert result.exit_code == 0, result.stderr
    assert result.stdout


def test_every_option_and_command_says_what_it_is_for() -> None:
    def check(command: click.Command, words: str) -> None:
        assert command.help, words
        assert all(each.help for each in command.params if isinstance(each, click.Option)), words
        for name, inner in getattr(command, "commands", {}).items():
            check(inner, f"{words} {name}")

    check(app, "boxkit")
