"""The memory guide's examples run as they are written."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pytest

from boxkit.memory import Memory

GUIDE = Path(__file__).parent.parent.parent / "docs" / "memory.md"


def block(beginning: str) -> str:
    blocks = re.findall(r"^```python\n(.*?)^```$", GUIDE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    return next(each for each in blocks if beginning in each)


def run(code: str) -> None:
    exec(compile(code, "guide", "exec"), {"__name__": "guide"})


def test_the_first_example_shows_code(capsys: pytest.CaptureFixture[str]) -> None:
    run(block("Memory.starter()"))
    assert "answer = " in capsys.readouterr().out


def test_written_demonstrations_become_a_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    connection = sqlite3.connect("shop.sqlite")
    connection.execute("CREATE TABLE lamp (name TEXT, price REAL)")
    connection.executemany("INSERT INTO lamp VALUES (?, ?)", [(f"l{at}", 18.5 + at) for at in range(9)])
    connection.commit()
    connection.close()
    Path("lamps.md").write_text(re.search(r"````markdown\n(.*?)````", GUIDE.read_text("utf-8"), re.DOTALL)[1], "utf-8")
    run(block("read_written"))
    kept = next(iter(Memory.open("memory")))
    assert (kept.answer, kept.verification.annotator) == (((7,),), "person")


def test_a_spider_folder_becomes_a_memory(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SPIDER", str(data / "spider"))
    run(block("train_spider.json"))
    printed = capsys.readouterr().out
    assert re.match(r"(19|20) of 20 kept", printed) and "answer = " in printed
