"""A run that stopped goes on where it stopped: nothing is lost, and nothing is asked or counted twice."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

import boxkit
from boxkit.errors import BoxkitError, LLMError, UnreadableSource
from boxkit.evaluation.identity import described
from boxkit.evaluation.runner import evaluate
from boxkit.evaluation.summary import open_run
from boxkit.profile import PROFILES
from boxkit.testing import ScriptedLLM

from .answering import PROFILE, knowing, lines, model, rows_above


def test_a_run_goes_on_where_it_stopped_and_may_be_extended(shop, tmp_path):
    evaluate(knowing(model()), shop, tmp_path / "run", limit=15)
    llm = model()
    report = evaluate(knowing(llm), shop, tmp_path / "run", limit=25)
    assert (len(llm.requests), report.done, report.total) == (10, 25, 25)
    assert len({line["record"]["key"] for line in lines(tmp_path / "run")}) == 25 == len(lines(tmp_path / "run"))


def test_half_a_line_is_done_again_and_a_damaged_one_is_said(shop, tmp_path):
    evaluate(knowing(model()), shop, tmp_path / "run", limit=5)
    path = tmp_path / "run" / "records.jsonl"
    path.write_bytes(path.read_bytes()[:-9])
    llm = model()
    assert evaluate(knowing(llm), shop, tmp_path / "run", limit=5).done == 5 and len(llm.requests) == 1
    path.write_bytes(b"{}\n" + path.read_bytes())
    with pytest.raises(UnreadableSource, match="line 1 is no record"):
        evaluate(knowing(model()), shop, tmp_path / "run", limit=5)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda strategy, shop: (replace(strategy, attempts=1), shop), "strategy.attempts: was 3, is 1"),
        (lambda strategy, shop: (knowing(ScriptedLLM([], name="other")), shop), "'other'"),
        (lambda strategy, shop: (strategy, shop.sample(7)), "questions: was"),
        (lambda strategy, shop: (replace(strategy, profile=PROFILES["bird"]), shop), "'bird'"),
    ],
)
def test_changed_settings_do_not_mix(shop, tmp_path, change, said):
    evaluate(knowing(model()), shop, tmp_path / "run", limit=3)
    strategy, dataset = change(knowing(model()), shop)
    with pytest.raises(BoxkitError, match=said):
        evaluate(strategy, dataset, tmp_path / "run")
    assert len(lines(tmp_path / "run")) == 3


def test_gold_that_was_mended_ends_no_run_not_even_one_of_an_earlier_version(shop, tmp_path):
    evaluate(knowing(model()), shop, tmp_path / "run", limit=3)
    mended = replace(shop, tasks=(replace(shop[0], program="SELECT 1", context={"sql": "SELECT 1"}), *shop[1:]))
    assert evaluate(knowing(model()), mended, tmp_path / "run", limit=4).done == 4, "what was paid for would be locked"
    path = tmp_path / "run" / "run.json"
    settings = json.loads(path.read_text())
    now = settings["settings"]["questions"]
    settings["settings"]["questions"] = shop.digest  # gold programs were counted too
    path.write_text(json.dumps(settings))
    assert evaluate(knowing(model()), shop, tmp_path / "run", limit=5).done == 5
    assert json.loads(path.read_text())["settings"]["questions"] == now
    with pytest.raises(BoxkitError, match="--rescore judges those"):
        evaluate(knowing(model()), shop.sample(7), tmp_path / "run")


@dataclass(frozen=True)
class Tuned(boxkit.Knowledge):
    """A strategy of one's own with a setting of one's own."""

    setting: object = None


@pytest.mark.parametrize(
    ("was", "now"),
    [(np.int64(1), np.int64(2)), (Path("a"), Path("b")), (Decimal(1), Decimal(2)), ({"a", "b"}, {"a", "c"})],
)
def test_a_setting_of_any_kind_is_told_from_another(shop, tmp_path, was, now):
    evaluate(Tuned(model(), profile=PROFILE, seed=np.int64(3), setting=was), shop, tmp_path / "run", limit=1)
    with pytest.raises(BoxkitError, match="runs do not mix"):
        evaluate(Tuned(model(), profile=PROFILE, seed=np.int64(3), setting=now), shop, tmp_path / "run")
    assert evaluate(Tuned(model(), profile=PROFILE, seed=3, setting=was), shop, tmp_path / "run", limit=2).done == 2


def test_a_set_among_the_settings_is_the_same_in_the_next_process():
    assert described({"b", "c", "a"}) == ["a", "b", "c"], "the same command would be refused as another run's"


KILLED = """
import json, random, re, sys, time
import boxkit
from boxkit.evaluation.datasets import open_dataset
from boxkit.profile import PROFILES
from boxkit.testing import ScriptedLLM

log = open(sys.argv[3], "a")

def reply(messages):
    price = int(re.findall(r"more than (\\d+) crowns", messages[-1].content)[-1])
    time.sleep(random.random() / 100)
    return json.dumps([[f"n{at}"] for at in range(price + 1, 40)])

strategy = boxkit.Knowledge(ScriptedLLM(reply, latency_s=0.03), profile=PROFILES["spider"])
print("ready", flush=True)
report = boxkit.evaluate(strategy, open_dataset("spider", sys.argv[1]), sys.argv[2], concurrency=4)
print(report.done, report.summary().right)
"""


def test_kill_9_at_any_moment_loses_nothing_and_repeats_nothing(shop, tmp_path):
    command = [sys.executable, "-c", KILLED, str(tmp_path / "spider"), str(tmp_path / "run"), str(tmp_path / "log")]
    chance = random.Random(5)
    kept = 0
    for _ in range(2):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout.readline() == "ready\n"
        time.sleep(chance.uniform(0.02, 0.2))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        path = tmp_path / "run" / "records.jsonl"
        whole = path.read_bytes().count(b"\n") if path.exists() else 0
        assert whole >= kept
        kept = whole
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "40 40"
    keys = Counter(line["record"]["key"] for line in lines(tmp_path / "run"))
    assert len(keys) == 40 and set(keys.values()) == {1}


def test_a_full_disk_ends_the_run_and_the_same_command_goes_on(shop, tmp_path, monkeypatch):
    real, left = os.fsync, [5]

    def full(handle):
        left[0] -= 1
        if left[0] < 0:
            raise OSError(28, "No space left on device")
        real(handle)

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(BoxkitError, match=r"(?s)cannot be kept: .*No space left.*the same command then goes on"):
            evaluate(knowing(model()), shop, tmp_path / "run", concurrency=4)
    assert evaluate(knowing(model()), shop, tmp_path / "run", concurrency=4).summary().right == 40
    keys = Counter(line["record"]["key"] for line in lines(tmp_path / "run"))
    assert len(keys) == 40 and set(keys.values()) == {1}


def test_two_processes_do_not_write_one_run(shop, tmp_path):
    import fcntl

    evaluate(knowing(model()), shop, tmp_path / "run", limit=1)
    with (tmp_path / "run" / "records.jsonl").open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(BoxkitError, match="another process"):
            evaluate(knowing(model()), shop, tmp_path / "run")


@pytest.mark.parametrize(
    "disturb",
    [
        lambda run: run.rename(run.with_name("elsewhere")),
        shutil.rmtree,
        lambda run: (run / "records.jsonl").write_text(""),
        lambda run: (run / "records.jsonl").replace(run / "other.jsonl"),
    ],
    ids=["moved", "deleted", "emptied", "renamed"],
)
def test_a_folder_that_something_else_disturbs_ends_the_run_before_more_is_paid_for(shop, tmp_path, disturb):
    def told(report):
        if report.done == 5:
            disturb(tmp_path / "run")

    llm = model()
    with pytest.raises(BoxkitError, match=r"cannot be kept: records.jsonl was (moved or deleted|changed)"):
        evaluate(knowing(llm), shop, tmp_path / "run", concurrency=1, on_progress=told)
    assert len(llm.requests) == 6, "the answers of a run that nobody will find were asked and paid for"
    assert evaluate(knowing(model()), shop, tmp_path / "run").summary().right == 40


def test_a_strategy_that_goes_to_another_folder_takes_no_run_with_it(shop, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").mkdir()
    llm = model(lambda price: os.chdir(tmp_path / "there") or rows_above(price))
    assert evaluate(knowing(llm), shop, "run", limit=5).done == 5
    assert len(lines(tmp_path / "run")) == 5


def test_a_kill_ends_no_row_of_failures(shop, tmp_path):
    def refusing(price):
        return rows_above(price) if price < 4 else LLMError("HTTP 400: a page of the gateway's")

    def killed(report):
        if report.done == 9:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate(knowing(model(refusing)), shop, tmp_path / "run", concurrency=1, on_progress=killed)
    assert len([each for each in open_run(tmp_path / "run").records if each.unasked]) == 5
    report = evaluate(knowing(model(refusing)), shop, tmp_path / "run", concurrency=1)
    assert report.stopped.startswith("the model failed 8 questions in a row: LLMError: HTTP 400") and report.done == 4
    kept = open_run(tmp_path / "run")
    assert (kept.done, kept.summary().right, len(kept.lost)) == (4, 4, 8), "what the gateway refused counts as wrong"


INTERRUPTED = """
import asyncio, json, os, re, signal, sys
import boxkit
from boxkit.evaluation.datasets import open_dataset
from boxkit.testing import ScriptedLLM

def reply(messages):
    price = int(re.findall(r"more than (\\d+) crowns", messages[-1].content)[-1])
    if price == 3:
        os.kill(os.getpid(), signal.SIGINT)
    return "[]"

llm = ScriptedLLM(reply, latency_s=0.02)

async def cell():
    signal.signal(signal.SIGINT, signal.default_int_handler)  # as a notebook has it
    try:
        boxkit.evaluate(boxkit.Knowledge(llm), open_dataset("spider", sys.argv[1]), concurrency=1)
    except KeyboardInterrupt:
        print("stopped")

asyncio.run(cell())
"""


def test_ctrl_c_in_a_notebooks_cell_asks_nothing_more(shop, tmp_path):
    count = "import atexit; atexit.register(lambda: print(len(llm.requests)))"
    command = [sys.executable, "-c", INTERRUPTED + count, str(tmp_path / "spider")]
    stopped, asked = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert stopped == "stopped" and int(asked) < 20, "the run went on in the background, at the user's cost"


@pytest.mark.skipif(not hasattr(os, "fsync"), reason="no fsync here")
def test_a_question_is_on_disk_before_it_counts(shop, tmp_path, monkeypatch):
    synced = []
    real = os.fsync
    monkeypatch.setattr(os, "fsync", lambda handle: (real(handle), synced.append(os.fstat(handle).st_size)))
    counted = []

    def told(report):
        counted.append((report.done, (tmp_path / "run" / "records.jsonl").read_bytes().count(b"\n")))
        assert (tmp_path / "run" / "records.jsonl").stat().st_size in synced

    evaluate(knowing(model()), shop, tmp_path / "run", limit=6, concurrency=1, on_progress=told)
    assert counted == [(at, at) for at in range(1, 7)]
