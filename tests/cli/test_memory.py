"""``boxkit memory``: show, search, add and check."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import boxkit

LAMPS = """
### How many lamps cost more than 20?
Keep the lamps above 20 and count them.
```python
answer = int((lamp["price"] > 20).sum())
```
```json
[[1]]
```
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A database of two lamps, and a file of demonstrations beside it."""
    with closing(sqlite3.connect(tmp_path / "shop.sqlite")) as database:
        database.executescript(
            "CREATE TABLE lamp(name TEXT, price REAL); INSERT INTO lamp VALUES ('a', 10), ('b', 30);"
        )
    (tmp_path / "lamps.md").write_text(LAMPS, encoding="utf-8")
    return tmp_path / "shop.sqlite"


@pytest.fixture
def folder(boxkit_command, shop: Path) -> Path:
    """A memory of one demonstration."""
    made = shop.parent / "memory"
    result = boxkit_command("memory", "add", made, shop.parent / "lamps.md", shop, "--new", "--embedding", "lexical")
    assert result.exit_code == 0, result.stderr
    return made


def test_a_memory_tells_what_it_holds(boxkit_command) -> None:
    told = json.loads(boxkit_command("memory", "show", "starter", "--json").stdout)
    assert sum(part["demonstrations"] for part in told["parts"]) == told["demonstrations"] > 150
    assert (
        "Which ingredient is used in the most dishes?" in boxkit_command("memory", "show", "starter", "--list").stdout
    )


def test_one_demonstration_is_shown_whole(boxkit_command, folder: Path) -> None:
    only = next(iter(boxkit.Memory.open(folder)))
    shown = boxkit_command("memory", "show", folder, "--id", only.id).stdout
    assert all(
        part in shown for part in (only.question, only.code, only.rationale, "lamp = pd.DataFrame", "own / database")
    )
    wrong = boxkit_command("memory", "show", folder, "--id", f"{only.id}x")
    assert wrong.exit_code == 2 and only.id in wrong.stderr


def test_search_prints_what_a_model_would_be_shown(boxkit_command) -> None:
    question = "Which author wrote the most books?"
    found = json.loads(boxkit_command("memory", "search", "starter", question, "--k", 3, "--json").stdout)
    expected = boxkit.Memory.starter().select(question, k=3)
    assert [each["id"] for each in found] == [each.demonstration.id for each in expected]
    assert (
        expected[0].demonstration.code.strip()
        in boxkit_command("memory", "search", "starter", question, "--code").stdout
    )


def test_masked_search_takes_boxes_and_a_draft(boxkit_command, folder: Path, shop: Path, tmp_path: Path) -> None:
    draft = tmp_path / "draft.py"
    draft.write_text("answer = int((lamp['price'] > 5).sum())", encoding="utf-8")
    how = ("--mode", "masked", "--source", shop, "--draft", draft, "--json")
    found = json.loads(boxkit_command("memory", "search", folder, "How many lamps cost more than 5?", *how).stdout)
    assert [round(each["similarity"], 6) for each in found] == [1.0]


@pytest.mark.parametrize(
    "arguments",
    [
        ["show", "memori"],
        ["search", "memori", "How many?"],
        ["check", "memori"],
        ["add", "memori", "lamps.md", "shop.sqlite"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_mistyped_memory_is_refused_and_not_made(
    boxkit_command, shop: Path, monkeypatch, arguments: list[str]
) -> None:
    monkeypatch.chdir(shop.parent)
    result = boxkit_command("memory", *arguments)
    assert result.exit_code == 2
    assert "there is no memory 'memori'" in result.stderr
    assert not Path("memori").exists()


def test_what_gives_other_rows_is_not_added(boxkit_command, folder: Path, shop: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.md"
    wrong.write_text(LAMPS.replace("[[1]]", "[[2]]").replace("more than 20", "more than 21"), encoding="utf-8")
    result = boxkit_command("memory", "add", folder, wrong, shop)
    assert result.exit_code == 6
    assert "gives [(1,)], not [[2]]" in result.stderr
    assert len(boxkit.Memory.open(folder)) == 1


def test_another_memory_is_added_once(boxkit_command, folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    assert "1 added" in boxkit_command("memory", "add", other, folder, "--new").stderr
    assert "0 added, 1 was there already" in boxkit_command("memory", "add", other, folder).stderr


def test_code_is_not_kept_unrun(boxkit_command, folder: Path, tmp_path: Path) -> None:
    result = boxkit_command("memory", "add", folder, tmp_path / "lamps.md")
    assert result.exit_code == 2 and "name the SOURCE" in result.stderr


def test_check_runs_the_programs_over_what_they_are_about(boxkit_command, folder: Path, shop: Path) -> None:
    assert "1 demonstration checked, 1 run: no problems" in boxkit_command("memory", "check", folder, shop).stderr
    with closing(sqlite3.connect(shop)) as database:
        database.execute("UPDATE lamp SET price = 99")
        database.commit()
    result = boxkit_command("memory", "check", folder, shop)
    assert result.exit_code == 1
    assert "its code gives [(2,)], not [(1,)]" in result.stdout


def test_a_damaged_line_is_named_and_left_out_on_demand(boxkit_command, folder: Path) -> None:
    lines = next(folder.glob("demonstrations-*.jsonl"))
    lines.write_text(lines.read_text(encoding="utf-8") + "{broken\n", encoding="utf-8")
    result = boxkit_command("memory", "check", folder)
    assert result.exit_code == 6
    assert lines.name in result.stderr and "line 2" in result.stderr
    assert "line 2 left out" in boxkit_command("memory", "check", folder, "--repair").stderr
    assert boxkit_command("memory", "check", folder).exit_code == 0


def test_a_damaged_index_is_made_again(boxkit_command, folder: Path) -> None:
    next(folder.glob("question-*.faiss")).write_bytes(b"nothing")
    assert "was damaged: made again" in boxkit_command("memory", "check", folder, "--repair").stderr
    assert "damaged" not in boxkit_command("memory", "check", folder).stderr
