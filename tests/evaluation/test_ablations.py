"""Ablations are values in a file; reports say n, interval and the published figure."""

from __future__ import annotations

import csv
import json
import re

import pytest
from click.testing import CliRunner

import boxkit
from boxkit.cli.app import app
from boxkit.errors import LLMTimeout, UnreadableSource
from boxkit.evaluation.ablations import Variant, ablate, ablations, asks_no_more, build
from boxkit.evaluation.report import runs_below, tables_of, write_report
from boxkit.evaluation.summary import open_run
from boxkit.memory import Demonstration, Memory
from boxkit.profile import PROFILES
from boxkit.testing import FaultyServer, ScriptedLLM


def memory():
    made = Memory()
    for name in ("spider", "other"):
        made.add(Demonstration(f"{name}/1", f"How many {name}?", "", "", "answer = 1", dataset=name, split="train"))
    return made


def test_each_ablation_is_the_strategy_that_the_design_names(shop):
    llm = ScriptedLLM([])
    made = {each.name: build(each, llm, memory(), shop) for each in ablations(names=["components", "k"])}
    full = made["full"]
    assert (full.k, full.attempts, full.select, len(full.memory)) == (10, 3, "similar", 2)
    assert made["-EG"].attempts == 1 and made["-SR"].select == "random" and made["-ICR"].memory is None
    assert [each.dataset for each in made["-SD"].memory] == ["spider"]
    assert isinstance(made["-CS"], boxkit.Text2SQL) and full.profile == PROFILES["spider"]
    assert [made[name].k for name in made if name.startswith("K=")] == [0, 1, 2, 4, 6, 8, 10]
    every = [build(each, llm, memory(), shop) for each in ablations()]
    assert {"SelfConsistency", "Hybrid"} <= {type(each).__name__ for each in every}


@pytest.mark.parametrize("name", ["-CS", "Text2SQL"])
def test_an_ablation_that_writes_sql_has_its_queries_run(shop, name):
    variant = next(each for each in ablations() if each.name == name)
    llm = ScriptedLLM(["```sql\nSELECT name FROM item WHERE price > 38\n```"])
    strategy = build(variant, llm, memory(), shop, boxkit.Limits(seconds=9))
    answer = strategy.ask("Which items cost more than 38 crowns?", shop.tasks[0].boxes())
    assert answer.rows == [("n39",)], answer.failure


GOOD = '[[variant]]\nname="a"\ngroup="b"\nstrategy={kind="Pandora"}\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (GOOD + GOOD.replace('"a"', '"c"').replace("Pandora", "Pandorra"), r"variant 2 \('c'\): .*nearest: Pandora"),
        (GOOD.replace("Pandora", "zzz"), "no strategy 'zzz'; there are: .*Pandora.*Text2SQL"),
        (GOOD.replace('"}', '", tries=1}'), "no setting 'tries'; there are: attempts"),
        (GOOD.replace('"}', '", attempts="three"}'), "'attempts' of Pandora is a whole number, not 'three'"),
        (GOOD.replace('"}', '", k=[1, 2]}'), "group 'b' has 'a' twice"),
        (GOOD.replace('"a"', '"K={n}"').replace('"}', '", k=[1, 2]}'), "braces without a listed setting"),
        (GOOD + GOOD, "variant 2 .*group 'b' has 'a' twice"),
        (GOOD + "foo=1", "variant 1 .*no key 'foo'; there are: name, group, strategy"),
        (GOOD + "memory={datset='x'}", "'memory' has no key 'datset'; there are: dataset, kind, source, split"),
        (GOOD.replace('"}', '", profile="spidr"}'), "'profile' of Pandora is one of default, spider, .*not 'spidr'"),
        (GOOD.replace('"}', '", profile=3}'), "'profile' of Pandora is one of"),
        (GOOD.replace('"}', '", select="nosuch"}'), "'select' of Pandora is one of similar, .*not 'nosuch'"),
        (GOOD.replace('"}', '", layout="wide"}'), "'layout' of Pandora is one of full, compact, not 'wide'"),
        (GOOD.replace('"}', '", limits=5}'), "'limits' of Pandora is a table such as .*not 5"),
        (GOOD.replace('"}', '", limits={second=5}}'), "'limits' of Pandora has no field 'second'; nearest: seconds"),
        (GOOD.replace('"}', '", limits={seconds="5"}}'), "'seconds' in 'limits' of Pandora is a number, not '5'"),
        (GOOD.replace('"}', '", limits={seconds=0}}'), "seconds of Limits is a number above 0"),
        (GOOD.replace('"}', '", limits={allow_weak=true}}'), "'allow_weak' in 'limits' .*--allow-weak"),
        (GOOD.replace('"}', '", llm="gpt"}'), "'llm' of Pandora is no value of a file: .*--model"),
        (GOOD.replace('"}', '", memory="x"}'), "'memory' of Pandora is no value of a file: .*--memory"),
        (GOOD.replace('Pandora"', 'Planner", embedding="x"'), "'embedding' of Planner cannot be given in a file"),
        (GOOD.replace('"}', '", temperature=nan}'), "'temperature' of Pandora is a number from 0, not nan"),
        (GOOD.replace('"}', '", seed=-1}'), "'seed' of Pandora is a whole number from 0, not -1"),
        (GOOD.replace("Pandora", "Strategy"), "no strategy 'Strategy'"),
        (GOOD.replace('Pandora"', 'Text2SQLCode", calls="both"'), "'calls' of Text2SQLCode is one of single, multi"),
        (GOOD.replace("Pandora", "SelfConsistency"), "the setting 'strategy' of SelfConsistency is missing: a table"),
        (GOOD.replace('Pandora"', 'SelfConsistency", strategy="Pandora"'), "'strategy' of Self.* a table .*'Pandora'"),
        (GOOD.replace('Pandora"', 'Hybrid", first={kind="Text2SQL"}'), "the setting 'fallback' of Hybrid is missing"),
        (GOOD.replace('Pandora"', 'SelfConsistency", strategy={kind="Pandora", k="x"}'), "'strategy' .*'k' of Pandora"),
        (GOOD.replace('Pandora"', 'Select", strategies=[{kind="Pandora"}]'), "variant 1 .*at least two strategies"),
        (GOOD.replace('"a"', '".."'), "'name' is '..', which can be no folder's"),
        (GOOD + GOOD.replace('"b"', '"c"'), "variant 2 .*folder 'a' of 'a' in group 'b' .variant 1.: give one"),
        (GOOD.replace('"a"', '"a b"') + GOOD.replace('"a"', '"a_b"'), "'a_b' would have the folder 'a_b' of 'a b'"),
        ('[[variant]]\nname="a"', r"variant 1 \('a'\): the key 'group' is missing"),
        ('[[varaint]]\nname="a"', r"no \[\[variant\]\] tables; there are: varaint"),
        ("[[", "no file of ablations"),
    ],
)
def test_a_file_of_ablations_that_does_not_fit_says_where(tmp_path, text, said):
    (tmp_path / "mine.toml").write_text(text)
    with pytest.raises(UnreadableSource, match=rf"mine\.toml: .*{said}"):
        ablations(tmp_path / "mine.toml")


def test_settings_of_a_file_are_what_a_strategy_takes_them_for(shop, tmp_path):
    pandora = '{ kind = "Pandora", profile = "wikitq", limits = { memory_mb = 512 } }'
    code = '{ kind = "Text2SQLCode", sql_limits = { seconds = 2 } }'
    (tmp_path / "mine.toml").write_text(GOOD.replace('Pandora"', f'Select", strategies=[{pandora}, {code}]'))
    made = build(*ablations(tmp_path / "mine.toml"), ScriptedLLM([]), memory(), shop, boxkit.Limits(seconds=9))
    first, second = made.strategies
    assert (first.profile, second.profile) == (PROFILES["wikitq"], PROFILES["spider"])
    assert first.limits == boxkit.Limits(seconds=9, memory_mb=512), "what the file leaves out is the command's"
    assert second.sql_limits.seconds == 2


def test_what_asks_no_model_is_run_once_and_under_no_model(shop, tmp_path):
    models = [ScriptedLLM([], name="tiny"), ScriptedLLM([], name="small")]
    done = ablate(shop.head(1), models, memory(), tmp_path, ablations(names=["Planner"]))
    assert [*done] == [("", "Planner")], "three rows would say the same thrice"
    assert ablate(shop.head(1), [None], None, tmp_path, ablations(names=["Planner"])).keys() == done.keys()


def test_runs_that_would_share_a_folder_are_refused_before_anything_is_asked(shop, tmp_path):
    models = [ScriptedLLM(["x"], name=name) for name in ("a b", "a_b")]
    with pytest.raises(ValueError, match=r"'-EG' with a_b would have the folder a_b/-EG of '-EG' with a b"):
        ablate(shop.head(1), models, memory(), tmp_path, ablations(names=["-EG"]))
    assert not models[0].requests


def test_a_name_that_is_no_ablations_is_met_with_the_nearest():
    with pytest.raises(ValueError, match="nearest: -EG"):
        ablations(names=["-EGG"])


def test_an_ablation_never_runs_without_the_demonstrations_that_it_says(shop):
    filtered = Variant("mine", "b", {"kind": "Pandora"}, memory={"dataset": "nonesuch"})
    with pytest.raises(
        ValueError, match=r"mine: the memory has no demonstrations of dataset 'nonesuch'; .*other, spider"
    ):
        build(filtered, ScriptedLLM([]), memory(), shop)
    assert build(filtered, ScriptedLLM([]), None, shop).memory is None


def test_demonstrations_of_ones_own_data_are_found_by_the_files_name(tmp_path):
    (tmp_path / "t.csv").write_text("a\n1\n")
    row = {"question": "q?", "source": "t.csv", "answer": 1}
    (tmp_path / "other.jsonl").write_text(json.dumps(row) + "\n")
    (tmp_path / "asked.jsonl").write_text(json.dumps(row) + "\n")
    (short,) = ablations(names=["-SD"])
    with pytest.raises(
        ValueError, match=r"of dataset 'asked'; there are dataset: other, spider.*called asked\.jsonl too"
    ):
        build(short, ScriptedLLM([]), memory(), boxkit.open_dataset("own", tmp_path / "asked.jsonl"))
    shown = build(short, ScriptedLLM([]), memory(), boxkit.open_dataset("own", tmp_path / "other.jsonl")).memory
    assert [each.dataset for each in shown] == ["other"]


def answering(good):
    """A model right about questions whose number ``good`` accepts, wrong about the others."""

    def reply(messages):
        price = int(re.findall(r"more than (\d+) crowns", messages[1].content)[-1])
        return f"```python\nanswer = item.loc[item['price'] > {price if good(price) else price + 1}, ['name']]\n```"

    return ScriptedLLM(reply, name="gpt-4.1")


@pytest.fixture
def runs(shop, tmp_path):
    variants = ablations(names=["full", "-EG"])
    llm = answering(lambda price: price % 3)
    return ablate(shop.head(3), [llm], memory(), tmp_path / "runs", variants), tmp_path / "runs", llm


def test_a_grid_goes_on_where_it_stopped_and_its_report_has_every_cell(shop, runs, tmp_path):
    done, folder, llm = runs
    assert {name: run.summary().right for (_, name), run in done.items()} == {"full": 2, "-EG": 2}
    asked = len(llm.requests)
    ablate(shop.head(3), [llm], memory(), folder, ablations(names=["full", "-EG"]))
    assert len(llm.requests) == asked
    tables = {table.name: table for table in tables_of(runs_below([folder]))}
    row = next(row for row in tables["ablations"].rows if row[2] == "-EG")
    assert row[3:6] == ("66.7", "20.8 to 93.9", "3") and row[6].startswith("+0.0 [") and "5.5" in row[8]
    assert tables["by_hardness"].rows and tables["costs"].rows[0][3] == "1.00"
    report = write_report(runs_below([folder]), tmp_path / "report")
    text = report.read_text()
    assert "66.7" in text and "scores.png" in text and (tmp_path / "report" / "scores.png").stat().st_size > 1000
    with (tmp_path / "report" / "scores.csv").open() as file:
        assert next(csv.reader(file))[-1] == "published"


def test_the_commands_make_a_grid_and_its_report(shop, tmp_path):
    spider = f"spider={tmp_path / 'spider'}"
    common = ("--sample", "4", "--only", "Planner", "--out", str(tmp_path / "grid"))
    done = CliRunner().invoke(app, ["ablate", spider, *common, "--model", "planner"], catch_exceptions=False)
    assert done.exit_code == 0 and "Planner" in done.stdout
    written = CliRunner().invoke(
        app, ["report", str(tmp_path / "grid"), "--out", str(tmp_path / "out"), "--no-figures"], catch_exceptions=False
    )
    assert written.exit_code == 0 and "Scores by model" in (tmp_path / "out" / "report.md").read_text()
    assert "abstained" in done.stdout, "a score of nothing says why"
    slip = CliRunner().invoke(app, ["ablate", spider, "--only", "-EGG", "--out", "x"], catch_exceptions=False)
    assert slip.exit_code == 2 and "no ablation" in slip.output


def test_a_grid_says_what_it_will_cost_before_the_first_call(shop, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    names = ("--only", "-EG", "--only", "-CS", "--model", "gpt-4o-mini", "--out", str(tmp_path / "grid"))
    done = CliRunner().invoke(
        app, ["ablate", f"spider={tmp_path / 'spider'}", *names, "--limit", "3", "--dry-run"], catch_exceptions=False
    )
    assert done.exit_code == 0 and "nothing was asked" in done.output and not (tmp_path / "grid").exists()
    costs = [[float(each) for each in re.findall(r"\$([\d.]+)", line)] for line in done.stdout.splitlines()]
    first, second, total = (each for each in costs if each)
    assert 0 < first[0] <= first[1], "-EG: no corrections, so that it costs no more at most"
    assert total == pytest.approx([one + other for one, other in zip(first, second, strict=True)], abs=2e-4)


def grid(tmp_path, *arguments):
    named = ["ablate", f"spider={tmp_path / 'spider'}", "--limit", "2", "--out", str(tmp_path / "grid")]
    return CliRunner().invoke(app, [*named, *map(str, arguments)], catch_exceptions=False)


@pytest.mark.parametrize(
    ("names", "free"),
    [
        (("full", "-EG"), "-EG costs nothing after full"),
        (("full", "k"), "K=10 costs nothing after full"),
        (("-ICR", "K=0"), "K=0 costs nothing after -ICR"),
        (("-EG", "-CS"), None),
        (("-EG",), None),
    ],
)
def test_only_what_an_earlier_variant_asks_too_is_said_to_be_free(shop, tmp_path, monkeypatch, names, free):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    only = [part for name in names for part in ("--only", name)]
    common = ("--limit", 1, "--model", "gpt-4o-mini", "--dry-run", *only)
    said = " ".join(grid(tmp_path, *common, "--cache", tmp_path / "cache").output.split())
    assert said.count("costs nothing") == bool(free) and (free or "") in said
    rows = [line for line in said.split("gpt-4o-mini ")[1:] if not free or not line.startswith(free.split()[0])]
    likely = [float(row.split("$")[1].split()[0]) for row in rows]
    total = float(said.split(" all ")[1].split("$")[1].split()[0])
    assert total == pytest.approx(sum(likely), abs=len(rows) * 1e-4), "what is free is not in the sum"
    assert "costs nothing" not in grid(tmp_path, *common).output


def test_more_demonstrations_than_there_are_change_no_prompt(shop):
    held, llm = memory(), ScriptedLLM([])
    made = {each.name: build(each, llm, held, shop) for each in ablations(names=["components", "k"])}
    same = [name for name in made if name != "full" and asks_no_more(made[name], made["full"])]
    assert same == ["-EG", "K=2", "K=4", "K=6", "K=8", "K=10"]
    assert asks_no_more(made["K=0"], made["-ICR"]) and not asks_no_more(made["K=1"], made["-ICR"])


def test_a_script_can_tell_a_grid_in_which_a_budget_ended_a_run(shop, tmp_path):
    with FaultyServer("```python\nanswer = item[['name']]\n```") as server:
        common = ("--only", "-ICR", "--model", "faulty-1", "--base-url", server.base_url, "--price", 1000, 1000)
        stopped = grid(tmp_path, *common, "--dollars", 0.0001)
        assert stopped.exit_code == 1 and "the budget is spent" in " ".join(stopped.stdout.split())
        assert grid(tmp_path, *common, "--dollars", 10).exit_code == 0 and len(server.requests) == 2


def test_a_grid_whose_server_gives_up_says_what_is_done(shop, tmp_path):
    left = [9]

    def reply(messages):
        left[0] -= 1
        return "```python\nanswer = []\n```" if left[0] >= 0 else LLMTimeout("gone")

    grid = ablations(names=["K=0", "K=1", "K=2"])
    made = ablate(shop, [ScriptedLLM(reply)], memory(), tmp_path, grid, limit=3, concurrency=1)
    assert made and all(run.stopped == "" for run in made.values())
    left[0] = 4
    made = ablate(shop, [ScriptedLLM(reply)], memory(), tmp_path, grid, limit=6, concurrency=1)
    assert [(run.done, bool(run.stopped)) for run in made.values()] == [(6, False), (4, True), (3, True)]
    left[0] = 3
    made = ablate(shop, [ScriptedLLM(reply)], memory(), tmp_path / "new", grid, limit=3, concurrency=1)
    assert [(run.done, run.total, run.stopped) for run in made.values()][1:] == [(0, 3, "gone")] * 2
    with pytest.raises(LLMTimeout):  # which never answered
        ablate(shop, [ScriptedLLM(reply)], memory(), tmp_path / "none", grid, limit=3, concurrency=1)


def test_a_grid_takes_what_a_run_takes(shop, tmp_path):
    with FaultyServer("```python\nanswer = item[['name']]\n```") as server:
        only = ("--only", "-ICR", "--only", "Planner", "--model", "faulty-1", "--base-url", server.base_url)
        shaped = ("--scorer", "bird", "--seed", 7, "--price", 1, 2, "--profile", "bird", "--dollars", 1)
        refused = grid(tmp_path, *only, "--dollars", 1)
        assert refused.exit_code == 2 and "--dollars needs --price" in refused.output and not server.requests
        assert grid(tmp_path, *only, *shaped).exit_code == 0
        assert [request.body["seed"] for request in server.requests] == [7, 7]
    asked, planned = (open_run(tmp_path / "grid" / "spider" / name) for name in ("faulty-1/-ICR", "no_model/Planner"))
    assert asked.usage.dollars > 0 and asked.scorers == ("bird",) and planned.done == 2
    assert asked.settings["strategy"]["profile"]["name"] == "bird"
    slip = grid(tmp_path, *only[:2], "--scorer", "spidr", "--model", "planner")
    assert slip.exit_code == 2


def test_a_grid_goes_on_with_a_higher_limit(shop, tmp_path):
    for limit in (2, 3):
        done = grid(tmp_path, "--only", "planner", "--model", "planner", "--limit", limit)
        assert done.exit_code == 0, done.output
        assert open_run(tmp_path / "grid" / "spider" / "no_model" / "Planner").done == limit


def test_a_grid_says_which_of_its_runs_were_judged_by_gold_that_was_corrected_since(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3,4\n")
    common = ["ablate", str(tmp_path / "own.jsonl"), "--model", "planner", "--only", "planner"]
    for answer, said in ((7, 0), (2, 1)):
        row = {"question": "How many rows are there?", "source": "t.csv", "answer": answer}
        (tmp_path / "own.jsonl").write_text(json.dumps(row) + "\n")
        done = CliRunner().invoke(app, [*common, "--out", str(tmp_path / "grid")], catch_exceptions=False)
        assert " ".join(done.output.split()).count("1 verdict is of another gold") == said


def test_a_seed_leaves_a_vote_its_temperature(shop):
    (vote,) = ablations(names=["3SC"])
    assert build(vote, ScriptedLLM([]), memory(), shop, seed=2).temperature == 0.7
