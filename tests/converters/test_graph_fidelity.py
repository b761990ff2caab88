"""Hand-written pandas over boxes gives what the SPARQL engine gives, on real graphs, for every shape of question."""

from __future__ import annotations

import importlib.util
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
QUESTIONS = tomllib.loads((ROOT / "tests/data/graph_questions.toml").read_text(encoding="utf-8"))["question"]


@pytest.fixture(scope="module")
def benchmark(data: Path) -> ModuleType:
    pytest.importorskip("yaml", reason="the questions of CK25 are YAML: pip install pyyaml")
    script = ROOT / "benchmarks" / "graphs_fidelity.py"
    spec = importlib.util.spec_from_file_location("boxkit_benchmark_fidelity", script)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(script.parent)  # as where it is run
        spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda each: f"{each['graph']} {each['id']}")
def test_pandas_over_boxes_gives_the_engines_answer(benchmark: ModuleType, question: dict[str, Any]) -> None:
    boxes = benchmark.boxes_for(question)
    rows = benchmark.run(question["pandas"], {name: box.frame for name, box in boxes.items()})
    assert rows
    assert benchmark.comparable(rows, boxes) == benchmark.comparable(benchmark.gold(question), boxes)


def test_every_shape_is_asked() -> None:
    shapes = {each["shape"] for each in QUESTIONS}
    assert shapes >= {"chain", "star", "union", "filter", "count", "superlative", "negation", "date"}
    assert len(QUESTIONS) >= 30
