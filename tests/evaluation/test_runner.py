"""A run loses nothing and repeats nothing, whatever happens to it or to the model's server."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, replace

import pytest

import boxkit
from boxkit.answer import Usage
from boxkit.errors import (
    BadReply,
    BoxkitError,
    BudgetSpent,
    LLMError,
    LLMTimeout,
    MissingKey,
    PromptTooLong,
    Refused,
    SourceNotFound,
    UnreadableSource,
)
from boxkit.evaluation.runner import evaluate
from boxkit.evaluation.summary import compare, open_run, rescore
from boxkit.llm import Completion, Price
from boxkit.memory import Demonstration, Memory
from boxkit.profile import PROFILES
from boxkit.testing import FaultyServer, ScriptedLLM, faults

PROFILE = PROFILES["spider"]


def asked(messages):
    return int(re.findall(r"more than (\d+) crowns", messages[-1].content)[-1])


def asked_of(request):
    return int(re.findall(r"more than (\d+) crowns", request.body["messages"][-1]["content"])[-1])


def rows_above(price):
    return json.dumps([[f"n{at}"] for at in range(price + 1, 40)])


def model(reply=lambda price: rows_above(price), dollars=0.0):
    def completed(messages):
        said = reply(asked(messages))
        usage = Usage(1, prompt_tokens=100, completion_tokens=10, dollars=dollars, virtual_dollars=dollars)
        return Completion(said, usage) if isinstance(said, str) else said

    return ScriptedLLM(completed)


def knowing(llm):
    return boxkit.Knowledge(llm, profile=PROFILE)


def lines(folder):
    return [json.loads(line) for line in (folder / "records.jsonl").read_text().splitlines()]


def test_every_question_is_judged_and_kept_with_all_that_led_to_its_answer(shop, tmp_path):
    llm = model(lambda price: rows_above(price) if price % 4 else rows_above(price - 1))
    report = evaluate(knowing(llm), shop, tmp_path / "run", concurrency=7)
    assert (report.done, report.total, report.stopped, report.summary().right) == (40, 40, "", 30)
    assert report.by("hardness")["easy"].score == 1.0 and report.by("hardness")["hard"].right == 10
    kept = open_run(tmp_path / "run")
    record = next(each for each in kept.records if each.id == "5")
    assert record.gold == tuple((f"n{at}",) for at in range(6, 40)) == record.rows
    assert record.answer["attempts"][0]["prompt_hash"] and record.prompt_version and record.packages["pandas"]
    assert (record.usage.prompt_tokens, kept.usage.calls) == (100, 40)
    assert kept.summary() == report.summary() and set(record.scores) == set(shop.scorers)
    assert kept.summary("spider_exec").unjudged == 40, "that script compares SQL, of which there is none here"


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


def test_gold_that_cannot_be_computed_at_all_costs_its_question_its_verdict_only(shop):
    broken = replace(shop, tasks=(replace(shop[0], gold=lambda: 1 / 0), *shop[1:3]))
    report = evaluate(knowing(model()), broken)
    assert (report.done, report.summary().unjudged, report.summary().right) == (3, 1, 2)
    assert "ZeroDivisionError" in next(each.gold_problem for each in report.records if each.gold_problem)


def test_two_processes_do_not_write_one_run(shop, tmp_path):
    import fcntl

    evaluate(knowing(model()), shop, tmp_path / "run", limit=1)
    with (tmp_path / "run" / "records.jsonl").open("ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(BoxkitError, match="another process"):
            evaluate(knowing(model()), shop, tmp_path / "run")


def test_a_flaky_server_loses_no_question_and_scores_none_twice(shop, tmp_path):
    chance = random.Random(3)

    def answer(request):
        price = asked_of(request)
        trouble = [faults.server_error(), faults.rate_limited(0.01), faults.broken_json(), faults.dropped()]
        return chance.choice(trouble) if chance.random() < 0.3 else faults.ok(rows_above(price))

    with FaultyServer(answer) as server:
        llm = boxkit.OpenAI("faulty-1", base_url=server.base_url, price=Price(1, 1), max_retries=1, backoff_s=0.01)
        report = evaluate(knowing(llm), shop, tmp_path / "run", concurrency=5)
        while report.done < 40:
            report = evaluate(knowing(llm), shop, tmp_path / "run", concurrency=5)
    keys = Counter(line["record"]["key"] for line in lines(tmp_path / "run") if "record" in line)
    assert len(keys) == 40 and set(keys.values()) == {1}
    assert report.summary().right + report.failures["model"] == 40
    assert all("not answered" in each.scores["spider"].detail for each in report.records if each.failure)


def test_a_lost_question_is_asked_again_and_its_cost_counts(shop, tmp_path):
    given = Counter()

    def reply(price):
        given[price] += 1
        if price == 7 and given[price] < 3:
            return LLMTimeout("slow", usage=Usage(1, dollars=0.5))
        return rows_above(price)

    report = evaluate(knowing(model(reply)), shop, tmp_path / "run")
    assert (report.done, len(report.lost), report.usage.dollars, given[7]) == (40, 2, 1.0, 3)


def test_a_server_that_is_gone_ends_the_run_with_its_error_and_what_is_done_stays(shop, tmp_path):
    def reply(price):
        return rows_above(price) if price < 6 else LLMTimeout("gone")

    with pytest.raises(LLMTimeout, match="gone"):
        evaluate(knowing(model(reply)), shop, tmp_path / "run", concurrency=2)
    assert evaluate(knowing(model()), shop, tmp_path / "run").done == 40


def test_a_missing_key_ends_the_run_at_once(shop):
    llm = model(lambda price: MissingKey("no key"))
    with pytest.raises(MissingKey):
        evaluate(knowing(llm), shop, concurrency=2)
    assert len(llm.requests) <= 2


def test_a_refused_question_is_wrong_and_the_run_goes_on(shop):
    report = evaluate(knowing(model(lambda price: Refused("no") if price == 3 else rows_above(price))), shop)
    assert (report.done, report.failures, report.summary().right) == (40, {"model": 1}, 39)


@pytest.mark.parametrize(
    ("changed", "error", "said"),
    [
        ({"strategy": boxkit.Planner}, TypeError, r"not its class: Planner\(…\)"),
        ({"strategy": ScriptedLLM([])}, TypeError, r"such as boxkit.Pandora\(llm\).*not a model"),
        ({"strategy": None}, TypeError, "a strategy is wanted.*not None"),
        ({"dataset": [1, 2]}, TypeError, "boxkit.open_dataset.*not a list"),
        ({"limit": -1}, ValueError, "limit .* a whole number from 1, not -1"),
        ({"limit": "3"}, ValueError, "limit .* not '3'"),
        ({"concurrency": 0}, ValueError, "concurrency .* not 0"),
        ({"dollars": float("nan")}, ValueError, "dollars .* above 0, not nan"),
        ({"dollars": -1}, ValueError, "dollars .* above 0, not -1"),
        ({"again": "boxkit"}, TypeError, r"again=\['boxkit'\]"),
        ({"again": ["nonsense"]}, ValueError, "no kind of failure 'nonsense'; there are"),
        ({"scorers": "spider"}, TypeError, r"scorers=\['spider'\]"),
    ],
)
def test_a_slip_in_what_is_given_says_what_is_wanted(shop, tmp_path, changed, error, said):
    given = {"strategy": knowing(model()), "dataset": shop, "out": tmp_path / "run", **changed}
    with pytest.raises(error, match=said):
        evaluate(given.pop("strategy"), given.pop("dataset"), **given)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("trouble", "error", "limit"),
    [
        (faults.html_page(), BadReply, 12),
        (faults.broken_json(), BadReply, 12),
        (faults.dropped(), BadReply, 12),
        (faults.html_page(400), LLMError, 12),
        (faults.html_page(400), LLMError, 3),
    ],
)
def test_a_broken_gateway_scores_nothing_and_its_questions_are_asked_again(shop, tmp_path, trouble, error, limit):
    def answer(request):
        return trouble if broken else faults.ok(rows_above(asked_of(request)))

    broken = [True]
    with FaultyServer(answer) as server:
        llm = boxkit.OpenAI("faulty-1", base_url=server.base_url, max_retries=0)
        with pytest.raises(error):
            evaluate(knowing(llm), shop, tmp_path / "run", limit=limit, concurrency=2)
        kept = open_run(tmp_path / "run")
        assert kept.done == 0 and kept.lost, "a whole run would be scored 0 for a fault of the gateway's"
        calls = kept.usage.calls
        broken.clear()
        report = evaluate(knowing(llm), shop, tmp_path / "run", limit=limit)
    assert (report.done, report.summary().right, report.usage.calls) == (limit, limit, calls + limit)
    assert open_run(tmp_path / "run").usage == report.usage


def test_what_a_model_refuses_counts_however_many_are_in_a_row(shop):
    too_long = model(lambda price: PromptTooLong("long") if price < 20 else rows_above(price))
    report = evaluate(knowing(too_long), shop, concurrency=1)
    assert (report.done, report.failures, report.summary().right) == (40, {"model": 20}, 20)


def test_a_source_that_cannot_be_read_or_gold_that_fails_is_on_record(shop):
    def missing():
        raise SourceNotFound("gone")

    broken = replace(shop, tasks=(replace(shop[0], boxes=missing), replace(shop[1], gold=missing), *shop[2:5]))
    report = evaluate(knowing(model()), broken)
    summary = report.summary()
    assert (report.failures, summary.questions, summary.unjudged, summary.right) == ({"source": 1}, 4, 1, 3)


@dataclass(frozen=True)
class Broken(boxkit.Knowledge):
    """A strategy with a bug, until it is mended."""

    def steps(self, question, boxes):
        if not (MENDED or "more than 3 " in question):
            raise KeyError("a slip in the strategy")
        return super().steps(question, boxes)


MENDED = []


def test_a_fault_on_every_question_ends_the_run_and_is_asked_anew_once_mended(shop, tmp_path):
    llm = model(dollars=0.5)
    strategy = Broken(llm, profile=PROFILE)
    with pytest.raises(BoxkitError, match=r"(?s)ended 8 questions in a row: KeyError: 'a slip.*--again boxkit"):
        evaluate(strategy, shop, tmp_path / "run", concurrency=1)
    assert (len(lines(tmp_path / "run")), len(llm.requests)) == (12, 1)  # three, one that is well, eight
    MENDED.append(True)
    try:
        report = evaluate(strategy, shop, tmp_path / "run", again=["boxkit"])
    finally:
        MENDED.clear()
    assert (report.done, report.summary().right, len(llm.requests)) == (40, 40, 40)
    kept = open_run(tmp_path / "run")
    assert (kept.done, kept.summary().right, kept.usage.dollars, len(kept.lost)) == (40, 40, 20.0, 11)
    assert evaluate(strategy, shop, tmp_path / "run", again=["boxkit"]).done == 40 and len(llm.requests) == 40


def test_a_budget_stops_before_it_is_passed(shop, tmp_path):
    report = evaluate(knowing(model(dollars=0.1)), shop, tmp_path / "run", concurrency=1, dollars=1.05)
    assert report.done == 10 and report.usage.dollars == pytest.approx(1.0) and "budget" in report.stopped
    assert report.dollars_to_come == pytest.approx(3.0)
    assert evaluate(knowing(model(dollars=0.1)), shop, tmp_path / "run", concurrency=1, dollars=2.05).done == 20
    with pytest.raises(BudgetSpent, match="price is unknown"):
        evaluate(knowing(model(dollars=None)), shop, concurrency=1, dollars=1)


def test_a_budget_holds_from_the_first_question_on_however_many_are_asked_at_once(shop, tmp_path):
    report = evaluate(knowing(model(dollars=0.1)), shop, tmp_path / "run", concurrency=30, dollars=0.55)
    assert report.done == 5 and report.usage.dollars == pytest.approx(0.5) and "budget" in report.stopped
    llm = model(dollars=None)
    with pytest.raises(BudgetSpent, match="price is unknown"):
        evaluate(knowing(llm), shop, concurrency=30, dollars=1)
    assert len(llm.requests) == 1


def test_answers_are_judged_anew_without_asking(shop, tmp_path):
    evaluate(knowing(model()), shop, tmp_path / "run", limit=6)
    report = rescore(tmp_path / "run", ["bird", "starqa"])
    assert report.summary().right == 6 and set(open_run(tmp_path / "run").records[0].scores) == {"bird", "starqa"}
    kept = open_run(tmp_path / "run")
    assert (kept.scorers, kept.summary().right, kept.summary().questions) == (("bird", "starqa"), 6, 6)
    with pytest.raises(ValueError, match="no scorer 'brid'"):
        rescore(tmp_path / "run", ["brid"])
    llm = model()
    assert evaluate(knowing(llm), shop, tmp_path / "run", limit=6).summary("spider").right == 6 and not llm.requests
    assert str(open_run(tmp_path / "run").summary()).endswith("(n = 6)"), "the verdicts of the run's own scorers"


def test_two_runs_compare_question_by_question(shop, tmp_path):
    good = evaluate(knowing(model()), shop)
    bad = evaluate(knowing(model(lambda price: rows_above(price) if price > 9 else "[]")), shop)
    found = compare(bad, good)
    assert (found.questions, found.difference, found.only_second, found.only_first) == (40, 0.25, 10, 0)
    assert 0.1 < found.low < 0.25 < found.high < 0.5 and found.p < 0.01
    assert compare(good, good).p == 1.0
    for asked in (lambda: compare(good, bad, "nosuch"), lambda: good.summary("nosuch"), lambda: good.wrong("nosuch")):
        with pytest.raises(ValueError, match=r"not judged by 'nosuch', but by spider,"):
            asked()
    with pytest.raises(ValueError, match=r"no group 'nonsense'; the questions have .*hardness"):
        good.by("nonsense")


def test_a_file_is_no_folder_for_a_run(shop, tmp_path):
    (tmp_path / "own.jsonl").write_text("")
    for out in (tmp_path / "own.jsonl", tmp_path / "own.jsonl" / "below"):
        with pytest.raises(BoxkitError, match="name a folder"):
            evaluate(knowing(model()), shop, out)


def test_the_part_under_evaluation_is_never_shown(shop):
    memory = Memory()
    for split in ("dev", "train"):
        memory.add(
            Demonstration(f"spider/{split}/x", f"Which {split}?", "", "", "answer = 1", dataset="spider", split=split)
        )
    llm = model(lambda price: "```python\nanswer = item['name']\n```")
    evaluate(boxkit.Pandora(llm, memory, profile=PROFILE), shop, limit=1)
    assert "Which train?" in llm.requests[0].text and "Which dev?" not in llm.requests[0].text


async def test_it_runs_inside_a_running_loop(shop):
    assert evaluate(knowing(model()), shop, limit=2).done == 2
    assert (await boxkit.aevaluate(knowing(model()), shop, limit=2)).done == 2


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


def test_a_report_tells_itself_in_a_line(shop, tmp_path):
    report = evaluate(knowing(model()), shop, tmp_path / "run")
    assert repr(report).startswith("<RunReport spider/dev: 40 of 40 done, 100.0 [") and len(repr(report)) < 90


def test_progress_is_told_after_each_question(shop):
    seen = []
    evaluate(
        knowing(model()), shop, limit=5, on_progress=lambda report: seen.append((report.done, str(report.summary())))
    )
    assert [done for done, _ in seen] == [1, 2, 3, 4, 5] and seen[-1][1].startswith("100.0 [56.6, 100.0]")


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
