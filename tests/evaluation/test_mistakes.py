"""Errors by the paper's kinds: told by what failed, proposed by a model, labelled by a person."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys

import pytest
from click.testing import CliRunner

import boxkit
from boxkit.cli.app import app
from boxkit.errors import UnreadableSource
from boxkit.evaluation.mistakes import KINDS, kind_of, labels_of, write_label
from boxkit.evaluation.proposals import Proposal, proposals_of, propose, told_of
from boxkit.evaluation.report import tables_of
from boxkit.evaluation.runner import evaluate
from boxkit.evaluation.summary import open_run
from boxkit.profile import PROFILES
from boxkit.testing import FaultyServer, ScriptedLLM

REPLIES = {
    "```python\nanswer = items['name']\n```": "box",
    "```python\nanswer = item['nme']\n```": "field",
    "```python\nanswer = 1 / 0\n```": "execution",
    "nothing": "format",
    "```python\nanswer = item['price']\n```": "logic or intent",
    "```python\nanswer = item['name'].str.upper().tail(39)\n```": "format",
}


def test_errors_are_sorted_into_the_papers_kinds(shop):
    first = shop.only([shop[0].id])
    for reply, kind in REPLIES.items():
        (record,) = evaluate(
            boxkit.Pandora(ScriptedLLM([reply]), attempts=1, profile=PROFILES["spider"]), first
        ).records
        assert kind_of(record, "spider") == kind, record.message
        assert kind_of(record, "spider", {record.key: "intent"}) == "intent"


@pytest.fixture
def run(shop, tmp_path):
    """Four questions, of which two are answered wrongly."""
    right = {task.question: [list(row) for row in task.gold()] for task in shop.head(4)}
    replies = {
        question: json.dumps(rows if at % 2 else [["wrong", at]]) for at, (question, rows) in enumerate(right.items())
    }
    llm = ScriptedLLM(lambda messages: next(text for asked, text in replies.items() if asked in messages[-1].content))
    return evaluate(boxkit.Knowledge(llm, profile=PROFILES["spider"]), shop.head(4), tmp_path / "run").folder


def counted(run):
    (errors,) = [table for table in tables_of([open_run(run)]) if table.name == "errors"]
    return errors, {name: cell for name, cell in zip(errors.columns, errors.rows[0], strict=True) if cell.isdigit()}


def label(run, given, *options):
    return CliRunner().invoke(app, ["label", str(run), *options], input=given, catch_exceptions=False)


def test_a_person_tells_logic_from_intent_and_goes_on_later(run):
    first = label(run, "nonsense\nl\nq\n")
    assert first.exit_code == 0 and "1 of 2" in first.output and "'nonsense' is none of these" in first.output
    assert "1 of 1" in label(run, "int\n").output
    assert list(labels_of(run).values()) == ["logic", "intent"]
    done = label(run, "")
    assert (
        done.exit_code == 0 and "0 of " in done.output and "wrong answers need a person; 2 have a label" in done.output
    )
    unknown = label(run, "", "--scorer", "nosuch")
    assert unknown.exit_code == 2 and "not judged by 'nosuch', but by spider" in " ".join(unknown.output.split())
    assert {"logic": "1", "intent": "1"}.items() <= counted(run)[1].items()


def test_a_model_proposes_and_a_person_confirms(run):
    llm = ScriptedLLM(
        ['```json\n{"why": "It names\\nno item.", "kind": "Intent"}\n```', "no idea", '{"why": "", "kind": "logic"}']
    )
    usage = propose(open_run(run), llm, concurrency=1)
    assert usage.calls == 2 and "SELECT name FROM item" in llm.requests[0].messages[0].content
    (found,) = proposals_of(run).values()
    assert (found.kind, found.why, found.model, labels_of(run)) == ("intent", "It names no item.", llm.name, {})
    errors, counts = counted(run)
    assert counts["intent (proposed)"] == "1" and counts["logic or intent"] == "1"
    assert "proposed: by a model, and not yet confirmed" in errors.title
    assert propose(open_run(run), llm).calls == 1  # only what has no proposal yet
    done = label(run, "y\nbox\n")
    assert "proposes intent: It names no item." in done.output and done.exit_code == 0
    assert list(labels_of(run).values()) == ["intent", "box"]
    assert {"intent": "1", "box": "1"}.items() <= counted(run)[1].items() and "proposed" not in counted(run)[0].title


def test_the_command_proposes_and_says_what_came_of_it(run):
    with FaultyServer(lambda request: '{"why": "so", "kind": "logic"}') as server:
        done = label(run, "", "--propose", "--base-url", server.base_url, "--model", "m")
    assert done.exit_code == 0 and "m: logic 2" in done.output and "confirm them: boxkit label" in done.output
    assert {each.kind for each in proposals_of(run).values()} == {"logic"}
    again = label(run, "", "--propose", "--base-url", server.base_url, "--model", "m")
    assert "nothing was left to ask about" in again.output and "confirm" not in again.output
    assert label(run, "", "--model", "m").exit_code == 2
    none = label(run, "", "--propose", "--model", "planner")
    assert none.exit_code == 2 and "needs a language model" in none.output


def test_proposals_that_a_kill_interrupts_go_on_and_are_those_of_an_undisturbed_run(run, tmp_path):
    undisturbed = tmp_path / "undisturbed"
    shutil.copytree(run, undisturbed)
    begun: list[subprocess.Popen[bytes]] = []

    def reply(request):
        if len(server.requests) == 2 and begun:
            begun[0].kill()
        kind = "intent" if "more than 0 crowns" in str(request.body) else "logic"
        return json.dumps({"why": "so", "kind": kind})

    with FaultyServer(reply) as server:
        options = ["--propose", "--base-url", server.base_url, "--model", "m"]
        command = [sys.executable, "-m", "boxkit", "label", str(run), *options]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            begun.append(process)
            assert process.wait() == -signal.SIGKILL
        begun.clear()
        assert label(run, "", *options).exit_code == 0
        assert label(undisturbed, "", *options).exit_code == 0
    lines = [json.loads(line) for line in (run / "proposals.jsonl").read_text().splitlines()]
    assert len(lines) == len({each["key"] for each in lines}) == 2, "a proposal would be lost, or paid for twice"
    assert proposals_of(run) == proposals_of(undisturbed) and counted(run)[0] == counted(undisturbed)[0]


def test_half_a_line_that_a_kill_left_is_no_label(run):
    write_label(run, "a", "logic")
    with (run / "labels.jsonl").open("a") as file:
        file.write('{"key": "b", "ki')
    assert labels_of(run) == {"a": "logic"}
    write_label(run, "c", "intent")
    assert labels_of(run) == {"a": "logic", "c": "intent"}
    with pytest.raises(ValueError, match="one of execution"):
        write_label(run, "a", "lgic")
    (run / "labels.jsonl").write_text("{\n")
    with pytest.raises(UnreadableSource, match="no file of labels"):
        labels_of(run)


def test_a_proposal_is_one_of_the_papers_kinds():
    assert {"logic", "intent"} <= set(KINDS) and Proposal("a", "logic", "", "m").kind in KINDS


@pytest.mark.parametrize("line", ["5", "[]", "{}", '{"key": "a"}', '{"key": [], "kind": "logic"}'])
@pytest.mark.parametrize("name", ["labels.jsonl", "proposals.jsonl"])
def test_a_line_that_is_no_label_is_named(tmp_path, name, line):
    (tmp_path / name).write_text(f'{{"key": "a", "kind": "logic"}}\n{line}\n')
    with pytest.raises(UnreadableSource, match="line 2 is no label"):
        told_of(tmp_path)
