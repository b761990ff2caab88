"""A run asks, judges and keeps each question once, and says which of its settings is wrong."""

from __future__ import annotations

import pytest

import boxkit
from boxkit.errors import BoxkitError
from boxkit.evaluation.runner import evaluate
from boxkit.evaluation.summary import open_run
from boxkit.memory import Demonstration, Memory
from boxkit.testing import ScriptedLLM

from .answering import PROFILE, knowing, model, rows_above


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


def test_progress_is_told_after_each_question(shop):
    seen = []
    evaluate(
        knowing(model()), shop, limit=5, on_progress=lambda report: seen.append((report.done, str(report.summary())))
    )
    assert [done for done, _ in seen] == [1, 2, 3, 4, 5] and seen[-1][1].startswith("100.0 [56.6, 100.0]")
