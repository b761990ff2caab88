"""The papers' tables and figures from records: every cell by hand, with its n, interval and published figure."""

from __future__ import annotations

import json

import pytest

from boxkit.answer import Usage
from boxkit.errors import SourceNotFound
from boxkit.evaluation.published import published_score
from boxkit.evaluation.records import Record
from boxkit.evaluation.report import runs_below, tables_of, write_report
from boxkit.evaluation.scorers import Score
from boxkit.evaluation.statistics import interval
from boxkit.evaluation.summary import RunReport

YES, NO = Score.of(True, ""), Score.of(False, "other rows")


def run(variant, right, *, dataset="starqa", model="o3-mini", group="strategies", fell_back=None, calls=1):
    """A run of a question for each letter of ``right``: y, n, or - for one without gold."""
    records = []
    for at, letter in enumerate(right):
        details = {} if fell_back is None else {"fell_back": fell_back[at] == "p"}
        score = {"y": YES, "n": NO, "-": Score.none("no gold")}[letter]
        records.append(
            Record(
                *(
                    f"{dataset}/test/{at}",
                    str(at),
                    at + 1,
                    "?",
                    "",
                    "imdb",
                    {"category": ("math",) if at else ("text",)},
                ),
                answer={"details": details},
                usage=Usage(calls=calls, prompt_tokens=100),
                scores={dataset: score},
            )
        )
    labels = {"model": model, "variant": variant, "group": group}
    settings = {"dataset": dataset, "split": "test"}
    return RunReport(settings, {"scorers": [dataset], "labels": labels}, records, [], len(records))


def table(name, *runs):
    (found,) = [each for each in tables_of(runs) if each.name == name]
    return [dict(zip(found.columns, row, strict=True)) for row in found.rows]


def test_starqas_table_2_is_models_by_strategies_with_published_figures():
    rows = table(
        "models_starqa/test", run("Text2SQL", "ynnn"), run("single", "yyn-"), run("single", "yy", model="mine")
    )
    assert rows[0] == {
        "model": "o3-mini",
        "Text2SQL": "25.0 [4.6, 69.9] (n = 4) (43.8)",
        "single": "66.7 [20.8, 93.9] (n = 3) (45.9)",
    }
    assert rows[1] == {"model": "mine", "Text2SQL": "", "single": "100.0 [34.2, 100.0] (n = 2)"}


def test_the_oracle_chooses_the_best_of_the_papers_pairs_and_of_all():
    rows = table("oracle", run("Text2SQL", "ynnny"), run("single", "nynny"), run("multi", "nnyn-"))
    assert [(row["of"], row["score"], row["n"], row["published"]) for row in rows] == [
        ("Text2SQL, single", "60.0", "5", "55.9"),
        ("Text2SQL, multi", "50.0", "4", "52.8"),
        ("Text2SQL, single, multi", "75.0", "4", ""),
    ]
    assert rows[0]["95 %"] == "23.1 to 88.2"
    assert not [each for each in tables_of([run("Text2SQL", "yn")]) if each.name == "oracle"]


def test_routing_is_counted_apart_on_what_is_right_and_wrong():
    (row,) = table("routing", run("Hybrid_single", "yyynn-", fell_back="pssppp"), run("Text2SQL", "yyynn-"))
    assert row["% to Python, right"] == "33.3 [6.1, 79.2] (n = 3)"
    assert row["% to Python, wrong"] == "100.0 [34.2, 100.0] (n = 2)"
    (row,) = table("routing", run("Hybrid_single", "n", fell_back="s"))
    assert (row["% to Python, right"], row["% to Python, wrong"]) == ("none", "0.0 [0.0, 79.3] (n = 1)")


def test_calls_and_categories_and_benchmarks_stand_side_by_side():
    runs = [run("multi", "yn", calls=3), run("multi", "yyy", dataset="archer", calls=2)]
    costs = table("costs", *runs)
    assert [(row["calls"], row["published"], row["n"]) for row in costs] == [
        ("3.00", "2.6 to 3", "2"),
        ("2.00", "", "3"),
    ]
    assert [(row["category"], row["score"], row["n"]) for row in table("by_category", runs[0])] == [
        ("math", "0.0", "1"),
        ("text", "100.0", "1"),
    ]
    assert table("overview", *runs) == [
        {
            "model": "o3-mini",
            "strategy": "multi",
            "starqa/test": "50.0 [9.5, 90.5] (n = 2)",
            "archer/test": "100.0 [43.9, 100.0] (n = 3)",
        }
    ]
    assert not [each for each in tables_of(runs[:1]) if each.name == "overview"]


def test_a_benchmark_without_a_group_is_left_out_of_its_table_only():
    bare = run("Text2SQL", "yn", dataset="own")
    for record in bare.records:
        object.__setattr__(record, "groups", {})
    assert {row["benchmark"] for row in table("by_category", run("Text2SQL", "yn"), bare)} == {"starqa/test"}
    assert {row["benchmark"] for row in table("scores", run("Text2SQL", "yn"), bare)} == {"starqa/test", "own/test"}


def test_pandoras_drops_are_paired_differences():
    full, other = run("full", "yyyn", group="components"), run("-EG", "ynnn", group="components")
    rows = table("ablations", full, other)
    assert (rows[0]["difference"], rows[1]["difference"][:6], rows[1]["n"]) == ("", "-50.0 ", "4")
    assert rows[1]["published"] == "-5.5 on the average"


@pytest.mark.parametrize(
    ("model", "figure"),
    [
        ("gpt-4.1", "40.4"),
        ("gpt-4.1-2025-04-14", "40.4"),
        ("openai/gpt-4.1", "40.4"),
        ("gpt-4.1-mini", ""),
        ("qwen2.5-coder-0.5b-instruct", ""),
    ],
)
def test_a_published_figure_stands_beside_its_own_model_only(model, figure):
    assert published_score("starqa", model, "single") == figure
    assert published_score("spider", model, "single") == ""


def test_every_figure_of_the_paper_is_drawn_where_there_is_something_to_draw(tmp_path):
    runs = [run(f"K={k}", "yn", group="k") for k in (0, 4)]
    report = write_report(runs, tmp_path)
    assert {path.name for path in tmp_path.glob("*.png")} == {"scores.png", "demonstrations.png", "errors.png"}
    assert all(f"]({name}.png)" in report.read_text() for name in ("scores", "demonstrations", "errors"))
    only_right = write_report([run("full", "yy", group="components")], tmp_path / "right")
    assert "demonstrations.png" not in only_right.read_text() and "errors.png" not in only_right.read_text()


def test_what_is_true_of_all_runs_is_noted_once(tmp_path):
    runs = [run("full", "yn"), run("-EG", "yn")]
    for each in runs:
        each.about["notes"] = ["the gold is not official"]
    runs[1].total = 9
    text = write_report(runs, tmp_path, figures=False).read_text()
    assert text.count("the gold is not official") == 1 and "- starqa/test: the gold" in text
    assert "- starqa/test (o3-mini -EG): 2 of 9 questions are done" in text


def test_variants_stand_in_the_order_of_their_file(tmp_path):
    for name in ("K=10", "-EG", "K=2", "mine", "full"):
        made = run(name, "y")
        (tmp_path / name).mkdir()
        (tmp_path / name / "run.json").write_text(json.dumps({"settings": made.settings, "about": made.about}))
    names = [each.about["labels"]["variant"] for each in runs_below([tmp_path])]
    assert names == ["full", "-EG", "K=2", "K=10", "mine"]


def test_a_few_answers_that_are_hardly_right_leave_a_wide_interval():
    assert interval([4 / 3] * 100) == interval([1.0] * 100), "RoG's F1 may pass 1"
    low, high = interval([0.001, 0.0, 0.0, 0.0, 0.0])
    assert low < 0.001 and 0.43 < high < 0.44


def test_a_folder_without_runs_says_so(tmp_path):
    (tmp_path / "records.jsonl").write_text(json.dumps({}))
    with pytest.raises(SourceNotFound, match="no run below"):
        runs_below([tmp_path])
