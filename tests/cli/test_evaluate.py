"""`boxkit eval` from the shell: a dry run, a run, going on, judging anew."""

from __future__ import annotations

import itertools
import json
import re
import sqlite3
from contextlib import closing

import pytest
from click.testing import CliRunner

from boxkit.cli.app import app
from boxkit.llm import limits
from boxkit.testing import Fault, FaultyServer, faults


@pytest.fixture
def spider(tmp_path):
    home = tmp_path / "spider" / "database" / "shop"
    home.mkdir(parents=True)
    with closing(sqlite3.connect(home / "shop.sqlite")) as connection:
        connection.executescript("CREATE TABLE item (name TEXT, price REAL); INSERT INTO item VALUES ('pen', 2);")
    row = {"db_id": "shop", "question": "How many items are there?", "query": "SELECT count(*) FROM item"}
    (tmp_path / "spider" / "dev.json").write_text(json.dumps([row, row, {"db_id": "lost", **row, "query": "x"}]))
    return f"spider={tmp_path / 'spider'}"


def run(*arguments):
    return CliRunner().invoke(app, ["eval", *map(str, arguments)], catch_exceptions=False)


def test_bad_rows_end_the_command_with_their_lines(spider):
    done = run(spider, "--strategy", "planner")
    assert done.exit_code == 3 and "1 of 3 rows do not fit" in done.output and "--skip-bad" in done.output


def test_a_run_scores_goes_on_and_is_judged_anew(spider, tmp_path):
    common = (spider, "--skip-bad", "--strategy", "planner", "--out", tmp_path / "run")
    done = run(*common, "--limit", 1)
    assert done.exit_code == 0 and "spider" in done.stdout and "100.0" in done.stdout
    assert "rows left out: 1" in done.output and "SQLite refuses" in "".join(done.output.split("\n"))
    told = json.loads(run(*common, "--json").stdout)
    assert (told["done"], told["scores"]["spider"]["right"], told["usage"]["calls"]) == (2, 2, 0)
    anew = run(spider, "--skip-bad", "--out", tmp_path / "run", "--rescore", "--scorer", "bird")
    assert anew.exit_code == 0 and "bird" in anew.stdout and "pandora_release" not in anew.stdout
    changed = run(*common, "--profile", "bird")
    assert changed.exit_code == 6 and "runs do not mix" in changed.output


def test_wrong_answers_are_listed_with_what_they_should_be(spider, tmp_path):
    def reply(request):
        return "```python\nanswer = len(item) + 6\n```"

    with FaultyServer(reply) as server:
        common = (spider, "--skip-bad", "--model", "faulty-1", "--base-url", server.base_url, "--k", 0)
        done = run(*common, "--out", tmp_path / "run", "--wrong", 1)
        shown = " ".join(done.output.split())
        assert "How many items are there?" in shown and "7" in shown and "1 more is wrong (--wrong 2" in shown
        assert "records.jsonl" in "".join(done.output.split())
        told = json.loads(run(*common, "--json").stdout)
        assert [(each["id"], each["rows"], each["gold"]) for each in told["wrong"]] == [
            ("0", [[7]], [[1]]),
            ("1", [[7]], [[1]]),
        ]
        assert told["records"] is None and "--out FOLDER keeps" in run(*common).output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nosuch=.",), "no dataset 'nosuch'"),
        (("spidre",), "there is no 'spidre'"),
        (("--scorer", "spidr"), "no scorer 'spidr'"),
        (("--scorer", "spidr", "--dry-run"), "no scorer 'spidr'"),
        (("--rescore",), "--rescore needs --out"),
        (("--dollars", "nan"), "'nan' is no number"),
        (("--price", "-1", "2"), "-1.0 is not in the range"),
        (("--temperature", "nan"), "'nan' is no number"),
        (("--seed", "1"), "asks no model, so that there is nothing to sample"),
        (("--seed", "-1"), "-1 is not in the range"),
        (("--seconds", "inf"), "inf is not in the range"),
        (("--again", "bxokit"), "nearest: boxkit"),
    ],
)
def test_a_slip_names_what_there_is(spider, arguments, said):
    named = arguments if arguments[0][0] != "-" else (spider, "--skip-bad", "--strategy", "planner", *arguments)
    done = run(*named)
    assert done.exit_code == 2 and said in done.output


def test_a_dry_run_costs_nothing_and_a_real_one_what_it_said(spider, tmp_path):
    with FaultyServer(lambda request: "```python\nanswer = len(item)\n```") as server:
        common = (spider, "--skip-bad", "--model", "faulty-1", "--base-url", server.base_url, "--price", 1, 2, "--k", 0)
        dry = run(*common, "--dry-run")
        assert dry.exit_code == 0 and not server.requests
        assert "1.0 calls a question" in dry.stdout and "3.0 calls a question" in dry.stdout and "$0.00" in dry.stdout
        told = json.loads(run(*common, "--json", "--concurrency", 1, "--cache", tmp_path / "cache").stdout)
        assert (told["scores"]["spider"]["right"], len(server.requests)) == (2, 1)
        assert told["usage"]["dollars"] == pytest.approx(140e-6) and told["usage"]["virtual_dollars"] > 200e-6


def test_a_dry_run_counts_neither_what_the_run_has_nor_what_the_cache_answers(spider, tmp_path):
    crowd(tmp_path, 6)
    with FaultyServer("```python\nanswer = len(item)\n```") as server:
        common = (spider, "--model", "faulty-1", "--base-url", server.base_url, "--k", 0, "--price", 1, 2)
        kept = (*common, "--out", tmp_path / "run", "--cache", tmp_path / "cache")
        run(*kept, "--limit", 3)
        told = json.loads(run(*kept, "--dry-run", "--json").stdout)
        assert (told["questions"], told["likely"]["cached_calls"]) == (3, 0) and told["dollars"] > 0
        assert "3 of 6 questions left to ask" in run(*kept, "--dry-run").stdout
        new = (*common, "--out", tmp_path / "new", "--cache", tmp_path / "cache", "--dry-run")
        likely, most = run(*new, "--limit", 3).stdout.splitlines()[1:3]
        assert "1.0 calls a question (1.0 of them cached)" in likely and "$0.0000" in likely
        assert "3.0 calls a question (1.0 of them cached)" in most and "$0.0000" not in most
        run(*kept)
        nothing = json.loads(run(*kept, "--dry-run", "--json").stdout)
        assert (nothing["questions"], nothing["dollars"], nothing["dollars_at_most"]) == (0, 0, 0)
        assert run(*kept, "--dry-run", "--profile", "bird").exit_code == 6, "the run would be refused"


def test_answers_are_judged_anew_by_gold_that_was_corrected_and_never_by_another_benchmark(spider, tmp_path):
    common = ("--strategy", "planner", "--out", tmp_path / "run")
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3,4\n")
    own = tmp_path / "own.jsonl"

    def rows(*answers, question="How many rows are there?"):
        own.write_text(
            "".join(json.dumps({"question": question, "source": "t.csv", "answer": a}) + "\n" for a in answers)
        )

    rows(7, 2)
    assert json.loads(run(own, *common, "--json").stdout)["scores"]["starqa"]["right"] == 1
    rows(2, 2)
    told = json.loads(run(own, "--out", tmp_path / "run", "--rescore", "--json").stdout)
    assert told["scores"]["starqa"]["right"] == 2, "the mistake in gold that was mended would still count"
    other = run(spider, "--skip-bad", "--out", tmp_path / "run", "--rescore")
    assert other.exit_code == 6 and "this run is of own/" in other.output
    rows(2)
    fewer = run(own, "--out", tmp_path / "run", "--rescore")
    assert fewer.exit_code == 6 and "is not in this dataset" in fewer.output
    rows(2, 2, question="How many columns are there?")
    assert "is another one in this dataset" in run(own, "--out", tmp_path / "run", "--rescore").output


def test_a_dry_run_over_a_server_on_this_machine_says_what_the_run_then_costs(spider):
    with FaultyServer(lambda request: "```python\nanswer = len(item)\n```") as server:
        common = (spider, "--skip-bad", "--model", "gpt-4o-mini", "--base-url", server.base_url, "--k", 0)
        assert run(*common, "--dry-run").stdout.count("$0.0000") == 2
        assert json.loads(run(*common, "--json").stdout)["usage"]["dollars"] == 0


def test_a_limit_in_dollars_that_cannot_hold_is_refused_before_anything_is_asked(spider, monkeypatch):
    with FaultyServer(lambda request: "```python\nanswer = len(item)\n```") as server:
        common = (spider, "--skip-bad", "--model", "faulty-1", "--base-url", server.base_url, "--k", 0, "--dollars", 1)
        refused = run(*common)
        assert refused.exit_code == 2 and "--dollars needs --price" in refused.output and not server.requests
        assert run(*common, "--price", 1, 2).exit_code == 0
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        found = (spider, "--skip-bad", "--k", 0, "--dollars", 1)
        assert "--dollars needs --price" in run(*found, "--model", "faulty-1").output
        monkeypatch.delenv("OPENAI_BASE_URL")
        monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
        elsewhere = run(*found, "--model", "new-one", "--dry-run")
        assert "what 'new-one' costs is unknown" in " ".join(elsewhere.output.split())


def test_a_paced_run_asks_each_question_once_and_no_faster_than_the_server_allows(spider, tmp_path, monkeypatch):
    home = tmp_path / "spider"
    rows = [
        {"db_id": "shop", "question": f"How many items are there, {at}?", "query": "SELECT count(*) FROM item"}
        for at in range(5)
    ]
    (home / "dev.json").write_text(json.dumps(rows))
    turns, wait_for = [], limits._Pace.wait_for

    def noted(pace, amount):
        wait = wait_for(pace, amount)
        turns.extend([pace._free_at] if pace._seconds_each else [])
        return wait

    monkeypatch.setattr(limits._Pace, "wait_for", noted)
    with FaultyServer("```python\nanswer = len(item)\n```") as server:
        common = (spider, "--model", "faulty-1", "--base-url", server.base_url, "--k", 0, "--concurrency", 5, "--json")
        kept = ("--cache", tmp_path / "cache", "--price", 1, 2)
        told = json.loads(run(*common, *kept, "--requests-per-minute", 1200, "--out", tmp_path / "run").stdout)
        assert (told["done"], told["scores"]["spider"]["right"], len(server.requests)) == (5, 5, 5)
        gaps = [later - earlier for earlier, later in itertools.pairwise(turns)]
        assert len(gaps) == 4 and min(gaps) > 0.0499, "the server would refuse what comes faster than it allows"
        lines = (tmp_path / "run" / "records.jsonl").read_text().splitlines()
        assert sorted(json.loads(line)["record"]["id"] for line in lines) == list("01234")
        # What the cache holds asks nothing of the server: at this pace, five questions would take years.
        told = json.loads(run(*common, *kept, "--requests-per-minute", 1e-6, "--tokens-per-minute", 1e-6).stdout)
        assert (told["done"], told["usage"]["cached_calls"], told["usage"]["dollars"]) == (5, 5, 0)
        assert told["usage"]["virtual_dollars"] > 0 and len(server.requests) == 5


@pytest.fixture
def own(tmp_path):
    """Writes questions of one's own, each with its answer; a row of None does not fit."""
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3,4\n")

    def write(*answers, name="own.jsonl"):
        row = {"question": "How many rows are there?", "source": "t.csv"}
        rows = [{**row, "answer": answer} if answer is not None else {"question": 1} for answer in answers]
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
        return tmp_path / name

    return write


def test_verdicts_by_gold_that_was_corrected_since_say_so_until_they_are_judged_anew(own, tmp_path):
    common = (own(7, 2), "--strategy", "planner", "--out", tmp_path / "run")
    assert "another gold" not in run(*common).output
    own(2, 2)
    said = " ".join(run(*common).stderr.split())
    assert "1 verdict is of another gold" in said and "--rescore` judges anew" in said
    run(common[0], "--out", tmp_path / "run", "--rescore")
    assert "another gold" not in run(*common).output


def test_data_that_change_in_the_middle_of_a_run_are_told(own, tmp_path):
    common = (own(2, 2), "--strategy", "planner", "--out", tmp_path / "run")
    said = run(*common, "--limit", 1).stderr + run(*common, "--limit", 1).stderr
    assert "since the run began" not in said
    before = (tmp_path / "t.csv").read_text()
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3,4\n5,6\n")
    told = "t.csv has changed since the run began"
    assert told in " ".join(run(*common).stderr.split()), "answers of two tables"
    (tmp_path / "t.csv").write_text(before)
    for judged in ((), ("--rescore",)):  # it stays so, though the table be put back
        assert told in " ".join(run(*common, *judged).stderr.split())
    runs, out = (str(tmp_path / name) for name in ("run", "report"))
    CliRunner().invoke(app, ["report", runs, "--out", out, "--no-figures"], catch_exceptions=False)
    assert "t.csv changed after" in (tmp_path / "report" / "report.md").read_text()


def test_a_gold_query_that_was_mended_locks_no_run(spider, tmp_path):
    crowd(tmp_path, 3)
    file = tmp_path / "spider" / "dev.json"
    common = (spider, "--strategy", "planner", "--out", tmp_path / "run")
    assert run(*common, "--limit", 2).exit_code == 0
    file.write_text(file.read_text().replace("count(*)", "count(*) + 1", 1))
    done = run(*common)
    assert done.exit_code == 0 and "3 of 3 done" in done.output
    assert "1 verdict is of another gold" in " ".join(done.stderr.split())


def test_rows_behind_what_is_asked_or_judged_need_not_fit(own, tmp_path):
    file, out = own(2, 2, None), ("--strategy", "planner", "--out", tmp_path / "run")
    first = run(file, *out, "--limit", 2)
    assert first.exit_code == 0 and "own.jsonl:3" in "".join(first.output.split()) and "2 of 2 done" in first.output
    refused = run(file, *out)
    assert refused.exit_code == 3 and refused.output.count("--skip-bad") == 1
    assert run(file, "--out", tmp_path / "run", "--rescore").exit_code == 0
    assert run(own(2, None, 2), "--strategy", "planner", "--limit", 2).exit_code == 3, "it is the second"
    lost = run(own(2, None, 2), "--out", tmp_path / "run", "--rescore")
    assert lost.exit_code == 6 and "of which 1 row does not fit" in " ".join(lost.output.split())


@pytest.mark.parametrize("benchmark", ["spider", "bird", "starqa", "wikitq", "webqsp"])
def test_data_of_ones_own_under_a_benchmarks_name_are_told_how_they_are_asked(own, benchmark):
    file = own(2, name="mine.jsonl")
    done = run(f"{benchmark}={file}", "--strategy", "planner")
    said = "".join(done.output.split())
    assert done.exit_code == 3 and f"own={file}" in said and "publishedlayout" in said


def test_an_empty_benchmark_is_a_source_that_cannot_be_read_whichever_it_is(own, tmp_path):
    (tmp_path / "spider").mkdir()
    (tmp_path / "spider" / "dev.json").write_text("[]")
    (tmp_path / "spider" / "database").mkdir()
    for named in (own(), f"spider={tmp_path / 'spider'}"):
        done = run(named, "--strategy", "planner")
        assert done.exit_code == 3 and "no question that can be asked" in " ".join(done.output.split())


def test_a_folder_that_holds_something_else_is_named_and_left_as_it_is(own, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / ".gitkeep").touch()
    common = (own(2), "--strategy", "planner", "--out", out)
    assert "something else" not in run(*common, "--dry-run").output
    (out / "thesis.tex").write_text("x")
    done = run(*common)
    assert done.exit_code == 0 and "something else already (thesis.tex)" in " ".join(done.stderr.split())
    assert (out / "thesis.tex").read_text() == "x" and "something else" not in run(*common).output


def test_a_scorer_without_verdicts_has_no_score_and_says_why_once(own):
    common = (own(2, 2), "--strategy", "planner", "--scorer", "spider_exec")
    done = run(*common)
    said = " ".join(done.output.split())
    assert "spider_exec none 0 0 2" in said and said.count("the strategy writes none") == 1
    assert json.loads(run(*common, "--json").stdout)["scores"]["spider_exec"]["score"] is None


def test_one_of_a_thing_is_not_told_as_several(own):
    said = run(own(3), "--strategy", "planner").output + run(own(3), "--strategy", "planner", "--dry-run").output
    assert "1 question of own/test" in said and "1 questions" not in said and "1 calls" not in said


def crowd(tmp_path, count):
    rows = [
        {"db_id": "shop", "question": f"How many items are there, {at}?", "query": "SELECT count(*) FROM item"}
        for at in range(count)
    ]
    (tmp_path / "spider" / "dev.json").write_text(json.dumps(rows))


def numbered(request):
    return int(re.findall(r"there, (\d+)\?", request.body["messages"][-1]["content"])[-1])


def test_a_script_can_tell_a_run_that_its_budget_or_its_server_has_ended(spider, tmp_path):
    crowd(tmp_path, 5)
    right = "```python\nanswer = len(item)\n```"
    with FaultyServer(lambda each: right) as server:
        common = (spider, "--model", "faulty-1", "--base-url", server.base_url, "--k", 0, "--concurrency", 1)
        kept = (*common, "--out", tmp_path / "run", "--price", 1, 2)
        spent = run(*kept, "--dollars", 0.0003)
        assert spent.exit_code == 1 and "stopped: the budget is spent" in spent.output
        assert "with more --dollars goes on" in " ".join(spent.output.split())
        told = run(*kept, "--dollars", 0.0003, "--json")
        assert told.exit_code == 1 and json.loads(told.stdout)["stopped"].startswith("the budget is spent")
        done = run(*kept, "--dollars", 1, "--json")
        assert done.exit_code == 0 and (json.loads(done.stdout)["done"], json.loads(done.stdout)["stopped"]) == (5, "")


def test_a_server_that_gives_up_on_a_question_is_told_and_not_taken_for_a_spent_budget(spider, tmp_path):
    crowd(tmp_path, 5)
    with FaultyServer(
        lambda each: faults.rate_limited(3600) if numbered(each) == 2 else "```python\nanswer = len(item)\n```"
    ) as server:
        done = run(spider, "--model", "faulty-1", "--base-url", server.base_url, "--k", 0, "--out", tmp_path / "run")
    said = " ".join(done.output.split())
    assert done.exit_code == 1 and "4 of 5 done" in said
    assert "stopped: 1 question could not be asked" in said and "--dollars" not in said


@pytest.mark.parametrize(
    ("count", "trouble", "code"),
    [
        (4, faults.rate_limited(3600), 1),
        (13, faults.rate_limited(3600), 1),
        (13, faults.html_page(400), 1),
        (13, faults.wrong_key(), 4),
    ],
)
def test_what_was_paid_for_before_a_server_gave_up_is_printed(spider, tmp_path, count, trouble, code):
    crowd(tmp_path, count)
    with FaultyServer(lambda each: "```python\nanswer = len(item)\n```" if numbered(each) < 2 else trouble) as server:
        common = (spider, "--model", "faulty-1", "--base-url", server.base_url, "--k", 0, "--concurrency", 1)
        done = run(*common, "--price", 1, 2, "--json")
    told = json.loads(done.stdout)
    assert (done.exit_code, told["done"], told["scores"]["spider"]["right"]) == (code, 2, 2)
    assert told["stopped"] and told["usage"]["dollars"] > 0 and told["usage"]["calls"] >= 2


def test_judging_anew_takes_no_option_of_asking_and_changes_nothing_then(own, tmp_path):
    common = (own(2), "--out", tmp_path / "run")
    run(*common, "--strategy", "planner")
    before = (tmp_path / "run" / "run.json").read_bytes()
    for option in (("--dry-run",), ("--again", "model")):
        done = run(*common, "--rescore", "--scorer", "bird", *option)
        assert done.exit_code == 2 and f"leave out {option[0]}" in done.output
    assert (tmp_path / "run" / "run.json").read_bytes() == before


def test_what_a_gateway_may_be_to_blame_for_is_told_and_asked_anew(spider, tmp_path):
    crowd(tmp_path, 5)
    broken = [1, 3]
    with FaultyServer(
        lambda each: faults.html_page(400) if numbered(each) in broken else "```python\nanswer = len(item)\n```"
    ) as server:
        common = (spider, "--model", "faulty-1", "--base-url", server.base_url, "--k", 0, "--out", tmp_path / "run")
        done = run(*common)
        assert done.exit_code == 0
        assert "did not take 2 questions that count as wrong" in " ".join(done.output.split())
        assert json.loads(run(*common, "--json").stdout)["unasked"] == 2 and len(server.requests) == 5
        broken.clear()
        told = json.loads(run(*common, "--again", "model", "--json").stdout)
    assert (told["unasked"], told["scores"]["spider"]["right"], told["usage"]["calls"]) == (0, 5, 7)


def test_a_server_that_lets_another_model_reply_is_told_and_a_dated_name_is_not(spider, tmp_path):
    crowd(tmp_path, 3)
    names = ["Faulty-1-2026-01-31", "tiny-llama", "tiny-llama"]

    def answer(each):
        body = faults.ok("```python\nanswer = len(item)\n```").body
        return Fault(body=body | {"model": names[numbered(each)]})

    with FaultyServer(answer) as server:
        common = (spider, "--model", "faulty-1", "--base-url", server.base_url, "--k", 0, "--out", tmp_path / "run")
        said = " ".join(run(*common).output.split())
    assert "2 replies are of tiny-llama, says the server, where faulty-1 was asked" in said and "2026" not in said
    told = json.loads(run(*common, "--json").stdout)
    assert told["replied"] == {"Faulty-1-2026-01-31": 1, "tiny-llama": 2}
