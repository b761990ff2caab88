"""What a run is told as: its line, its verdicts by other scorers, and two runs side by side."""

from __future__ import annotations

import json

import pytest

import boxkit
from boxkit.evaluation.runner import evaluate
from boxkit.evaluation.statistics import paired_bootstrap
from boxkit.evaluation.summary import compare, open_run, outdated, rescore

from .answering import knowing, model, rows_above


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


def test_gold_that_another_reading_of_the_file_gives_in_another_order_is_no_correction(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3,4\n")

    def dataset(answer, **more):
        row = {"question": "Which a are there?", "source": "t.csv", "answer": answer, **more}
        (tmp_path / "own.jsonl").write_text(json.dumps(row) + "\n")
        return boxkit.open_dataset("own", tmp_path / "own.jsonl")

    run = boxkit.evaluate(boxkit.Planner(), dataset([1, 3]))
    assert outdated(run, dataset([3, 1])) == []
    assert len(outdated(run, dataset([3, 1], ordered=True))) == len(outdated(run, dataset([3]))) == 1


def test_two_runs_compare_question_by_question(shop, tmp_path):
    good = evaluate(knowing(model()), shop, tmp_path / "good")
    bad = evaluate(knowing(model(lambda price: rows_above(price) if price > 9 else "[]")), shop)
    found = compare(bad, good)
    assert (found.questions, found.difference, found.only_second, found.only_first) == (40, 0.25, 10, 0)
    assert 0.1 < found.low < 0.25 < found.high < 0.5 and found.p < 0.01
    assert compare(good, good).p == compare(good, tmp_path / "good").p == 1.0, "a run's folder stands for it"
    for asked in (lambda: compare(good, bad, "nosuch"), lambda: good.summary("nosuch"), lambda: good.wrong("nosuch")):
        with pytest.raises(ValueError, match=r"not judged by 'nosuch', but by spider,"):
            asked()
    with pytest.raises(ValueError, match=r"no group 'nonsense'; the questions have .*hardness"):
        good.by("nonsense")


def test_a_report_tells_itself_in_a_line(shop, tmp_path):
    report = evaluate(knowing(model()), shop, tmp_path / "run")
    assert repr(report).startswith("<RunReport spider/dev: 40 of 40 done, 100.0 [") and len(repr(report)) < 90


def test_scores_that_differ_by_nothing_a_reader_sees_are_no_difference():
    found = paired_bootstrap([1e-40, 0.5, 1.0, 0.1 + 0.2], [0.0, 0.5, 1.0, 0.3])
    assert (found.difference, found.low, found.high, found.p) == (0.0, 0.0, 0.0, 1.0)
    assert "+0.0 [+0.0, +0.0] points" in str(found)
