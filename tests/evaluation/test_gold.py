"""Gold programs as predictions score 100 % on every benchmark that has them: as SQL, and as pandas over BOXes."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

import pytest

import boxkit
from boxkit.answer import Attempt
from boxkit.errors import UnsupportedQuery
from boxkit.evaluation.runner import evaluate
from boxkit.memory.learning.annotators import _transpiled
from boxkit.profile import PROFILES
from boxkit.strategies.loop import answer_of
from boxkit.strategies.steps import Execute, StrategyBase
from boxkit.testing import ScriptedLLM


@dataclass(frozen=True, slots=True)
class Programs(StrategyBase):
    """Answers each question with the pandas of its gold program."""

    code: dict

    def steps(self, question, boxes):
        code = self.code[question]
        run = yield Execute(code, boxes)
        return answer_of(question, run.answer, [Attempt(1, code=code, failure=run.error)], "gold", boxes=run.boxes)


def some(dataset, count, keep=lambda task: True):
    """So many questions, spread over the dataset, whose gold program can be written as pandas, and how it is."""
    chosen, code = [], {}
    step = max(1, len(dataset) // (2 * count))
    for task in dataset.tasks[::step]:
        if len(chosen) < count and keep(task) and task.asked not in code:
            boxes = task.boxes()
            try:
                code[task.asked], _ = _transpiled(task, boxes)
            except UnsupportedQuery:
                continue
            chosen.append(replace(task, boxes=lambda boxes=boxes: boxes))
    return replace(dataset, tasks=tuple(chosen)), Programs(code)


def opened(data, name):
    folder = data / "kg" / name
    folders = {
        "machinespider-de": "machinespider_de",
        "ck25": "rdf/ck25",
        "webqsp": "kg/webqsp",
        "grailqa": "kg/grailqa",
    }
    graph = {"graph": folder / "freebase_slice.nt"} if name in ("webqsp", "grailqa") else {}
    return boxkit.open_dataset(name, data / folders.get(name, name), skip_bad=True, **graph)


@pytest.mark.parametrize("name", ["spider", "archer", "kaggledbqa", "machinespider-de", "webqsp", "grailqa", "ck25"])
def test_gold_programs_as_pandas_score_100_percent(data, name):
    dataset = opened(data, name)
    verified = None
    if name in ("webqsp", "grailqa"):
        verified = set(map(str, json.loads((data / "kg" / name / "slice_verified_ids.json").read_text())))

    def keep(task):
        # Which of equal rows LIMIT keeps is not said.
        return (verified is None or task.id in verified) and not (name == "ck25" and "LIMIT" in task.program)

    chosen, programs = some(dataset, 4, keep)
    report = evaluate(programs, chosen, concurrency=2)
    wrong = [
        (each.question, each.rows[:3], each.gold[:3], each.message)
        for each in report.records
        if not each.scores[dataset.scorer].correct
    ]
    assert wrong == [] and report.summary().questions == len(chosen) == 4


@pytest.mark.parametrize("name", ["spider", "archer", "kaggledbqa", "machinespider-de"])
def test_gold_sql_scores_100_percent_under_every_scorer(data, name):
    dataset = opened(data, name)
    chosen = replace(dataset, tasks=dataset.tasks[:: len(dataset) // 7])
    llm = ScriptedLLM({f"{task.asked}": f"```sql\n{task.program}\n```" for task in chosen})
    report = evaluate(boxkit.Text2SQL(llm, profile=PROFILES["spider"]), chosen, concurrency=2)
    for scorer in dataset.scorers:
        wrong = [(each.question, each.scores[scorer]) for each in report.records if not each.scores[scorer].correct]
        assert wrong == [], scorer


def test_wikisqls_gold_sketches_score_100_percent(tmp_path):
    table = {"id": "1", "header": ["City", "Size"], "types": ["text", "real"], "rows": [["Oslo", 3], ["Bern", 5]]}
    (tmp_path / "test.tables.jsonl").write_text(json.dumps(table))
    sketches = [{"sel": 0, "agg": 0, "conds": [[1, 1, 2]]}, {"sel": 1, "agg": 5, "conds": [[0, 0, "OSLO"]]}]
    rows = [{"table_id": "1", "question": f"q{at}?", "sql": each} for at, each in enumerate(sketches)]
    (tmp_path / "test.jsonl").write_text("\n".join(map(json.dumps, rows)))
    dataset = boxkit.open_dataset("wikisql", tmp_path)
    chosen, programs = some(dataset, 2)
    report = evaluate(programs, chosen)
    assert report.summary().right == 2, [(each.rows, each.gold, each.message) for each in report.records]
