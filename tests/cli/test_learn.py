"""``boxkit learn``: from a benchmark's folder, or questions of one's own, to a memory."""

from __future__ import annotations

import json
import signal
import sqlite3
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

import boxkit
from boxkit.memory.lock import only_learner
from boxkit.testing import FaultyServer

COUNT = "SELECT count(*) FROM item"
RECURSIVE = "WITH RECURSIVE n AS (SELECT 1 AS x UNION SELECT x + 1 FROM n WHERE x < 2) SELECT max(x) FROM n"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A file of one's own questions: the first can be learned, the second is refused, the third has a wrong answer."""
    with closing(sqlite3.connect(tmp_path / "shop.sqlite")) as database:
        database.executescript(
            "CREATE TABLE item(name TEXT, price REAL); INSERT INTO item VALUES ('pen', 2), ('ink', 5);"
        )
    return questions(
        tmp_path / "shop.jsonl", [("How many items?", 2, COUNT), ("Two?", 2, RECURSIVE), ("Six?", 6, COUNT)]
    )


def questions(file: Path, rows: list[tuple[str, object, str]]) -> Path:
    lines = [
        json.dumps({"question": question, "source": "shop.sqlite", "answer": answer, "program": program})
        for question, answer, program in rows
    ]
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


def journal(folder: Path) -> list[str]:
    """The examples that are done, in order."""
    lines = (folder / "learning.jsonl").read_text(encoding="utf-8").splitlines()[1:]
    return [json.loads(line)["finished"]["key"] for line in lines]


def test_the_report_counts_each_outcome_and_says_why(boxkit_command, shop: Path, tmp_path: Path) -> None:
    result = boxkit_command("learn", shop, "--out", tmp_path / "memory", "--report")
    assert result.exit_code == 0, result.stderr
    assert [cell for cell in result.stdout.splitlines()[2].split() if cell] == "shop 1 1 1 0 0 33.33% 0.0".split()
    assert "a RECURSIVE CTE" in result.stdout
    assert "3 of 3 done, 1 kept (33%)" in result.stderr
    assert [each.question for each in boxkit.Memory.open(tmp_path / "memory")] == ["How many items?"]


def test_the_report_as_json_is_the_same(boxkit_command, shop: Path, tmp_path: Path) -> None:
    told = json.loads(boxkit_command("learn", shop, "--out", tmp_path / "memory", "--json").stdout)
    assert [(row["right"], row["refused"], row["wrong"]) for row in told["datasets"]] == [(1, 1, 1)]
    assert told["reasons"]["refused"] == {"a RECURSIVE CTE": 1}


def test_without_its_extra_nothing_is_made_and_an_empty_memory_is_said_to_be_so(
    boxkit_command, shop: Path, tmp_path: Path, monkeypatch
) -> None:
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "sqlglot", None)
        refused = boxkit_command("learn", shop, "--out", tmp_path / "memory")
    assert refused.exit_code == 6 and "boxkit[sql]" in refused.stderr and not (tmp_path / "memory").exists()
    (tmp_path / "memory").mkdir()
    with FaultyServer("```python\nanswer = 2\n```") as server:
        model = ("--model", "faulty-1", "--base-url", server.base_url, "--memory", tmp_path / "memory")
        asked = boxkit_command("ask", tmp_path / "shop.sqlite", "How many items?", *model)
        ablated = boxkit_command(
            *("ablate", f"own={shop}", "--only", "-EG", "--limit", 1, "--out", tmp_path / "runs", *model)
        )
    for result in (asked, ablated):
        assert result.exit_code == 0 and "is empty: no demonstrations are shown" in " ".join(result.stderr.split())


def test_a_kill_loses_nothing_and_repeats_nothing(boxkit_process, boxkit_command, shop: Path, tmp_path: Path) -> None:
    many = questions(shop, [(f"How many items, asked time {at}?", 2, COUNT) for at in range(20)])
    arguments = ("learn", many, "--out", tmp_path / "memory", "--concurrency", "2")
    process = boxkit_process(*arguments)
    done = tmp_path / "memory" / "learning.jsonl"
    deadline = time.monotonic() + 60
    while not done.exists() or done.read_bytes().count(b"\n") < 5:
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    before = journal(tmp_path / "memory")
    assert boxkit_command(*arguments).exit_code == 0
    after = journal(tmp_path / "memory")
    assert after[: len(before)] == before
    assert sorted(after) == sorted(f"shop/train/{at}" for at in range(20))
    assert len(boxkit.Memory.open(tmp_path / "memory")) == 20


def test_a_model_writes_what_cannot_be_turned_and_its_cost_is_told(boxkit_command, shop: Path, tmp_path: Path) -> None:
    with FaultyServer(["```python\nanswer = 2\n```"]) as server:
        model = ("--annotator", "transpile,llm", "--model", "gpt-4o-mini", "--base-url", server.base_url)
        result = boxkit_command("learn", shop, "--out", tmp_path / "memory", *model)
    assert result.exit_code == 0, result.stderr
    assert "2 kept (67%), $0.0000 spent, $0.0000 to come" in result.stderr
    assert {each.verification.annotator for each in boxkit.Memory.open(tmp_path / "memory")} == {
        "transpile",
        "gpt-4o-mini",
    }


def test_a_budget_that_would_never_hold_is_refused_and_holds_at_a_price(boxkit_command, shop: Path, tmp_path) -> None:
    with FaultyServer("```python\nanswer = 7\n```") as server:
        model = ("--annotator", "llm", "--model", "faulty-1", "--base-url", server.base_url, "--concurrency", 1)
        common = ("learn", shop, "--out", tmp_path / "memory", *model, "--attempts", 1)
        refused = boxkit_command(*common, "--dollars", 0.0001)
        assert refused.exit_code == 2 and "--dollars needs --price" in refused.stderr and not server.requests
        stopped = boxkit_command(*common, "--dollars", 0.0001, "--price", 1000, 1000)
        assert "stopped: models have cost" in stopped.stderr and len(server.requests) == 1
        assert stopped.exit_code == 1, "a script would take what is half learnt for all"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["spider=nowhere"], 3, "nowhere"),
        (["nowhere"], 2, "NAME=PATH"),
        (["."], 2, "which benchmark"),
        (["spiider=."], 2, "nearest: spider"),
        (["shop.jsonl", "--model", "gpt-4o-mini"], 2, "asks no model"),
    ],
)
def test_a_slip_is_told_before_anything_is_made(
    boxkit_command, shop: Path, monkeypatch, arguments: list[str], code: int, message: str
) -> None:
    monkeypatch.chdir(shop.parent)
    result = boxkit_command("learn", *arguments, "--out", "memory")
    assert (result.exit_code, message in result.stderr) == (code, True), result.stderr
    assert not Path("memory").exists()


def test_two_runs_do_not_learn_into_one_folder(boxkit_command, shop: Path, tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    folder.mkdir()
    with only_learner(folder):
        result = boxkit_command("learn", shop, "--out", folder)
    assert result.exit_code == 6
    assert "another run is learning" in result.stderr
    assert not (folder / "learning.jsonl").exists()


@pytest.mark.parametrize(
    ("dataset", "least"),
    [
        ("spider={}/spider", 1.0),
        ("kaggledbqa/all={}/kaggledbqa", 1.0),
        ("archer={}/archer", 0.9),
        ("machinespider-de/dev={}/machinespider_de", 0.9),
        ("ck25={}/rdf/ck25", 0.8),
    ],
)
def test_the_benchmarks_are_learned_as_published(
    boxkit_command, data: Path, tmp_path: Path, dataset: str, least: float
) -> None:
    given = dataset.format(data)
    if not Path(given.partition("=")[2]).is_dir():
        pytest.skip("not among the benchmark data")
    result = boxkit_command("learn", given, "--out", tmp_path / "memory", "--limit", 8, "--skip-bad", "--json")
    assert json.loads(result.stdout)["datasets"][0]["share"] >= least, result.stdout
