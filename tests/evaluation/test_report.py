"""The papers' tables and figures from records: every cell by hand, with its n, interval and published figure."""

from __future__ import annotations

import json

import pytest

from boxkit.answer import Usage
from boxkit.errors import BoxkitError, SourceNotFound
from boxkit.evaluation.published import published_score
from boxkit.evaluation.records import Record
from boxkit.evaluation.report import runs_below, tables_of, write_report
from boxkit.evaluation.scorers import Score
from boxkit.evaluation.statistics import interval
from boxkit.evaluation.summary import RunReport

YES, NO = Score.of(True, ""), Score.of(False, "other rows")


def run(
    variant,
    right,
    *,
    dataset="starqa",
    model="o3-mini",
    group="strategies",
    fell_back=None,
    calls=1,
    folder=None,
    **own,
):
    """A run of a question for each letter of ``right``: y, n, or - for one without gold; ``own`` are its settings."""
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
    settings = {"dataset": dataset, "split": "test", "strategy": {"kind": "Pandora", **own}}
    return RunReport(settings, {"scorers": [dataset], "labels": labels}, records, [], len(records), folder=folder)


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
    assert [(row["calls a question"], row["published calls"], row["n"]) for row in costs] == [
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


def strategies(name, *runs):
    return list(dict.fromkeys(row["strategy"] for row in table(name, *runs)))


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        ({"k": 4}, {"k": 10}, ["k=4", "k=10"]),
        ({"k": 4, "attempts": 1}, {"k": 10, "attempts": 3}, ["k=4, attempts=1", "k=10, attempts=3"]),
        ({"seed": None}, {"seed": 3}, ["seed=none", "seed=3"]),
        ({"samples": 3}, {"samples": 5}, ["samples=3", "samples=5"]),
        (
            {"memory": {"demonstrations": 9, "digest": "a"}},
            {"memory": None},
            ["demonstrations=9", "demonstrations=none"],
        ),
        ({"first": {"limit": 1}, "second": {"limit": 1}}, {"first": {"limit": 2}, "second": {"limit": 3}}, None),
        ({"kind": "Text2SQL", "k": 4}, {"kind": "Planner"}, ["strategy=Text2SQL", "strategy=Planner"]),
        (
            {"profile": {"name": "a", "ties": "all"}},
            {"profile": {"name": "b", "ties": "1"}},
            ["profile=a", "profile=b"],
        ),
        ({"url": "x" * 99}, {"url": "x" * 98}, None),
        ({"folder": "a/x"}, {"folder": "a/y"}, ["folder=x", "folder=y"]),
        ({}, {}, ["run=1", "run=2"]),
    ],
)
def test_runs_of_one_name_are_told_apart_by_their_settings_so_that_a_row_can_be_attributed(one, other, told, tmp_path):
    runs = []
    for given in (one, other):
        folder = tmp_path / given["folder"] if "folder" in given else None
        own = {name: value for name, value in given.items() if name != "folder"}
        runs.append(run("Pandora", "yn", fell_back="ps", folder=folder, **own))
    found = strategies("scores", *runs)
    assert len(found) == 2, "nobody could tell the rows apart"
    assert told is None or found == [f"Pandora ({each})" for each in told]
    for name in ("by_category", "costs", "errors", "routing"):
        assert strategies(name, *runs) == found
    (row,) = table("models_starqa/test", *runs)
    assert list(row)[1:] == found, "one of two runs would be missing from StarQA's table"
    assert table("oracle", *runs)[0]["of"] == ", ".join(found)


def test_names_that_are_distinct_stay_as_they_are():
    runs = [run("Pandora", "yn", k=4), run("-EG", "yn", k=4, attempts=1), run("Pandora", "yn", model="mine", k=10)]
    assert strategies("scores", *runs) == ["Pandora", "-EG"]


def test_an_overview_keeps_runs_of_the_same_settings_in_one_row():
    runs = [run("Pandora", "yn", k=4), run("Pandora", "yy", k=10), run("Pandora", "yyy", dataset="archer", k=10)]
    rows = table("overview", *runs)
    assert [(row["strategy"], bool(row["starqa/test"]), bool(row["archer/test"])) for row in rows] == [
        ("Pandora (k=4)", True, False),
        ("Pandora (k=10)", True, True),
    ]


def test_an_ablation_is_compared_with_the_full_run_that_is_like_it():
    fulls = [run("full", right, group="components", k=k, attempts=3) for right, k in (("yyyn", 10), ("ynnn", 4))]
    rows = table("ablations", *fulls, run("-EG", "nnnn", group="components", k=4, attempts=1))
    told = [(row["variant"], row["against"], row["difference"][:6]) for row in rows]
    assert told == [("full (k=10)", "", ""), ("full (k=4)", "", ""), ("-EG", "full (k=4)", "-25.0 ")]


def test_a_group_without_a_full_run_is_compared_with_the_only_one_of_its_benchmark_and_model():
    full, other = run("full", "yyyn", group="components"), run("K=2", "ynnn", group="k")
    rows = table("ablations", full, other, run("Pandora", "ynnn", group=""), run("K=2", "ynnn", group="k", model="x"))
    assert [(row["variant"], row["difference"][:6]) for row in rows] == [("full", ""), ("K=2", "-50.0 ")]
    again = run("full", "ynyn", group="components", k=4)
    assert [row["variant"][:4] for row in table("ablations", full, other, again)] == ["full", "full"], "which of two?"


def test_files_and_legends_tell_the_same_runs_apart_as_the_page(tmp_path):
    from matplotlib.figure import Figure

    from boxkit.evaluation.figures import _demonstrations

    runs = [run(f"K={k}", "yn", group="k", k=k, attempts=attempts) for attempts in (1, 3) for k in (0, 4)]
    report = write_report(runs, tmp_path)
    told = [f"K={k} (attempts={attempts})" for attempts in (1, 3) for k in (0, 4)]
    assert all(each in report.read_text() and each in (tmp_path / "scores.csv").read_text() for each in told)
    axes = Figure().subplots()
    assert _demonstrations(axes, [*runs, run("mine", "y", group="k")])
    assert [(line.get_label(), list(line.get_xdata())) for line in axes.get_lines()] == [
        ("starqa/test, o3-mini (attempts=1)", [0, 4]),
        ("starqa/test, o3-mini (attempts=3)", [0, 4]),
    ]


def test_no_two_columns_of_a_file_have_one_name(tmp_path):
    broken = run("model", "nnn", model="mine")
    for record, failure in zip(broken.records, ("model", "source", "abstained"), strict=True):
        object.__setattr__(record, "failure", failure)
        object.__setattr__(record, "groups", {"score": ("a",), "model": ("b",), "Model": ("c",)})
    (row,) = table("errors", broken)
    assert (row["model"], row["no reply of the model"], row["source not read"]) == ("mine", "1", "1")
    tables = tables_of([broken, run("single", "y", model="mine")])
    for each in tables:
        assert len(set(each.columns)) == len(each.columns), "a data frame of the file would lose a column"
    write_report([broken], tmp_path, figures=False)
    assert {"by_model.csv", "by_Model_2.csv", "by_score.csv"} <= {path.name for path in tmp_path.iterdir()}


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


def test_another_report_takes_the_place_of_boxkits_own_files_only(tmp_path):
    (tmp_path / "scores_of_mine.csv").write_text("mine")
    write_report([run("full", "yy", group="components"), run("-EG", "yn", group="components")], tmp_path)
    first = {path.name for path in tmp_path.iterdir()}
    assert {"ablations.csv", "errors.png"} <= first
    write_report([run("other", "yy")], tmp_path, figures=False)
    left = {path.name for path in tmp_path.iterdir()}
    assert not {"ablations.csv", "errors.png", "scores.png"} & left, "the tables of runs that are no longer reported"
    assert (tmp_path / "scores_of_mine.csv").read_text() == "mine" and {"report.md", "scores.csv"} <= left


def test_a_report_that_someone_has_changed_is_not_lost(tmp_path):
    runs = [run("full", "yy")]
    write_report(runs, tmp_path, figures=False)
    write_report(runs, tmp_path, figures=False)
    with (tmp_path / "report.md").open("a") as file:
        file.write("NOTE")
    with pytest.raises(BoxkitError, match=r"changed report\.md since"):
        write_report(runs, tmp_path, figures=False)
    (tmp_path / "report.md").rename(tmp_path / "mine.md")
    write_report(runs, tmp_path, figures=False)
    assert "NOTE" in (tmp_path / "mine.md").read_text() and "NOTE" not in (tmp_path / "report.md").read_text()


def test_a_report_that_was_cut_short_is_written_anew(tmp_path, monkeypatch):
    runs = [run("full", "yy"), run("other", "yn")]
    write_report(runs[:1], tmp_path, figures=False)
    with monkeypatch.context() as cut:
        cut.setattr("boxkit.evaluation.report._notes", lambda _: "notes")
        cut.setattr("boxkit.evaluation.report.REPORT", "nowhere/report.md")
        with pytest.raises(OSError, match="nowhere"):
            write_report(runs, tmp_path, figures=False)
    write_report(runs, tmp_path, figures=False)
    assert "other" in (tmp_path / "scores.csv").read_text()


def test_a_report_overwrites_nothing_that_no_report_has_written(tmp_path):
    (tmp_path / "scores.csv").write_text("mine")
    with pytest.raises(BoxkitError, match=r"holds scores\.csv"):
        write_report([run("full", "yy")], tmp_path, figures=False)
    assert (tmp_path / "scores.csv").read_text() == "mine" and len(list(tmp_path.iterdir())) == 1
    (tmp_path / "report.md").write_text("# Evaluation\n\nof an earlier version, which kept no list")
    write_report([run("full", "yy")], tmp_path, figures=False)
    assert "scorer" in (tmp_path / "scores.csv").read_text()


def test_a_scorer_that_judged_nothing_is_said_so_and_has_no_score(tmp_path):
    none = run("full", "---", group="components")
    text = write_report([none, run("-EG", "yn", group="components")], tmp_path).read_text()
    assert text.count("starqa has no verdict: no gold") == 1 and "| full | text | none |" in text
    assert str(none.summary()) == "none (n = 0)", "a score of 0 would be wrong answers"
