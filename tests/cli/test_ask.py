"""``boxkit ask`` and ``boxkit chat`` with a scripted model, and with a server."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from boxkit.answer import Usage
from boxkit.cli import strategies
from boxkit.errors import ModelNotFound, RateLimited
from boxkit.examples import COUNTRIES, GEOGRAPHY, ORGANISATIONS
from boxkit.llm.protocol import Completion
from boxkit.testing import FaultyServer, ScriptedLLM


def reply(code: str, why: str = "The table has it.") -> str:
    return f"{why}\n\n```python\n{code}\n```"


TOTAL = reply("answer = sales['amount'].sum()")
WRONG = reply("answer = sales['amuont'].sum()")


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch):
    """Make a scripted model the one that answers."""

    def script(*replies: Any) -> ScriptedLLM:
        llm = replies[0] if isinstance(replies[0], ScriptedLLM) else ScriptedLLM(list(replies))
        monkeypatch.setattr(strategies, "model_for", lambda model, base_url: (llm, "scripted"))
        return llm

    return script


def test_the_answer_is_on_stdout_and_how_it_came_about_on_stderr(boxkit_command, scripted, sales: Path) -> None:
    scripted(TOTAL)
    result = boxkit_command("ask", sales, "What was sold in all?")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.split()[-1] == "40"
    assert "import" not in result.stdout
    for told in ("scripted", "boxes: sales", "answer = sales['amount'].sum()", "1 attempt", "1 call", "tokens", " s "):
        assert told in result.stderr


def test_an_answer_from_a_query_does_not_say_that_no_box_was_used(boxkit_command, scripted, sales: Path) -> None:
    scripted("```sql\nSELECT SUM(amount) FROM sales\n```")
    told = boxkit_command("ask", sales, "What was sold in all?", "--strategy", "text2sql").stderr
    assert "SELECT SUM" in told and "boxes:" not in told


def test_json_holds_rows_code_attempts_and_cost(boxkit_command, scripted, sales: Path) -> None:
    scripted(WRONG, Completion(TOTAL, Usage(calls=1, prompt_tokens=7, completion_tokens=5, dollars=0.25)))
    result = boxkit_command("ask", sales, "What was sold in all?", "--json")
    told = json.loads(result.stdout)
    assert (told["ok"], told["rows"]) == (True, [[40]])
    assert [attempt["failure"] is None for attempt in told["attempts"]] == [False, True]
    assert told["usage"]["calls"] == 2
    assert told["code"] == "answer = sales['amount'].sum()"


def test_csv_and_code_alone_can_be_piped(boxkit_command, scripted, sales: Path) -> None:
    scripted(reply("answer = sales[sales['amount'] > 5]"), TOTAL)
    rows = list(csv.reader(io.StringIO(boxkit_command("ask", sales, "What sold?", "--csv").stdout)))
    assert rows == [["month", "amount"], ["January", "10"], ["February", "30"]]
    assert boxkit_command("ask", sales, "In all?", "--code-only").stdout == "answer = sales['amount'].sum()\n"


def test_explain_shows_each_attempt_and_its_failure(boxkit_command, scripted, sales: Path) -> None:
    scripted(reply("answer = sales['amuont'].sum()", "First try."), reply("answer = 40", "Second try."))
    told = boxkit_command("ask", sales, "In all?", "--explain").stderr
    assert told.index("First try.") < told.index("KeyError") < told.index("Second try.")
    assert "attempt 1 of 2" in told
    assert "demonstrations: " in told


def test_no_answer_after_all_attempts_ends_with_1_and_invents_nothing(boxkit_command, scripted, sales: Path) -> None:
    llm = scripted(WRONG, WRONG, TOTAL)
    result = boxkit_command("ask", sales, "In all?", "--attempts", "2")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert "no answer: " in result.stderr
    assert len(llm.requests) == 2


def test_k_0_shows_no_demonstrations(boxkit_command, scripted, sales: Path) -> None:
    llm = scripted(TOTAL, TOTAL)
    boxkit_command("ask", sales, "In all?", "--k", "0")
    boxkit_command("ask", sales, "In all?", "--k", "3")
    without, with_three = (len(request.text) for request in llm.requests)
    assert without < with_three


def test_a_table_a_database_and_a_graph_in_one_question(boxkit_command, scripted) -> None:
    code = """
seats = organisation.merge(city_2, left_on="headquarters", right_on="city_id")
answer = seats.merge(city, left_on="city_label", right_on="name").nlargest(1, "elevation_m")[["city_label"]]
"""
    scripted(reply(code))
    result = boxkit_command("ask", COUNTRIES, GEOGRAPHY, ORGANISATIONS, "Which seat lies highest?", "--csv")
    assert result.stdout.splitlines()[-1] == "Addis Ababa", result.stderr


def test_a_cell_that_is_markup_or_a_control_sequence_stays_data(boxkit_command, scripted, sales: Path) -> None:
    scripted(reply("answer = '[red]x[/] \\x1b[2J'", "Because [bold]of[/bold] \x1b[31mthis."))
    result = boxkit_command("ask", sales, "In all?", "--explain")
    assert "[red]x[/] \\x1b[2J" in result.stdout
    assert "[bold]of[/bold] \\x1b[31mthis." in result.stderr
    assert "\x1b" not in result.output


@pytest.mark.parametrize(
    ("error", "code"), [(RateLimited("slow down"), 4), (ModelNotFound("no such model", hint="boxkit models"), 4)]
)
def test_a_model_that_cannot_be_asked_ends_with_4(
    boxkit_command, scripted, sales: Path, error: Exception, code: int
) -> None:
    scripted(error)
    result = boxkit_command("ask", sales, "In all?")
    assert result.exit_code == code
    assert str(error) in result.stderr
    assert "Traceback" not in result.output


def test_a_source_that_is_not_there_ends_with_3_before_any_model_is_asked(boxkit_command, scripted) -> None:
    llm = scripted(TOTAL)
    result = boxkit_command("ask", "none.csv", "In all?")
    assert result.exit_code == 3
    assert "none.csv" in result.stderr
    assert not llm.requests


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--strategy", "guess"], "there is no strategy 'guess'"),
        (["--profile", "none"], "there is no profile 'none'"),
        (["--attempts", "0"], "--attempts"),
        (["--code-only", "--json"], "--code-only"),
        (["--memory", "nowhere"], "nowhere"),
        (["--strategy", "planner", "--model", "gpt-4o-mini"], "the planner asks no model"),
    ],
)
def test_wrong_usage_ends_with_2_and_says_why(
    boxkit_command, scripted, sales: Path, arguments: list[str], message: str
) -> None:
    scripted(TOTAL)
    result = boxkit_command("ask", sales, "In all?", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_question_and_source_swapped_is_noticed(boxkit_command, scripted, sales: Path) -> None:
    result = boxkit_command("ask", "What was sold in all?", sales)
    assert result.exit_code == 2
    assert "the question comes last" in result.stderr


def test_an_empty_question_is_wrong_usage(boxkit_command, sales: Path) -> None:
    assert boxkit_command("ask", sales, "  ").exit_code == 2


def test_a_server_is_asked_by_its_address(boxkit_command, sales: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with FaultyServer([TOTAL]) as server:
        result = boxkit_command("ask", sales, "In all?", "--base-url", server.base_url, "--model", "faulty-1", "--csv")
        assert result.exit_code == 0, result.stderr
        assert result.stdout.splitlines()[-1] == "40"
        assert server.requests[0].body["model"] == "faulty-1"
    assert "faulty-1" in result.stderr


def test_chat_answers_question_after_question_and_knows_its_commands(boxkit_command, scripted, sales: Path) -> None:
    llm = scripted(TOTAL, WRONG, reply("answer = len(sales)"))
    lines = "In all?\n/code\n\n/history\n/boxes\n/nonsense\nHow many?\n/explain\n/quit\nNever asked\n"
    result = boxkit_command("chat", sales, input=lines)
    assert result.exit_code == 0, result.stderr
    assert "40" in result.stdout
    assert "answer = sales['amount'].sum()\n" in result.stdout
    assert "sales: 3 rows" in result.stdout
    assert "In all?" in result.stderr
    assert "there is no command '/nonsense'" in result.stderr
    assert "KeyError" in result.stderr
    assert len(llm.requests) == 3
    assert all("In all?" not in request.last for request in llm.requests[1:]), "a question was remembered"


def test_chat_reads_a_source_again_that_has_changed(boxkit_command, scripted, sales: Path) -> None:
    def first(_: object) -> str:
        sales.write_text("month,amount\nMay,7\n", encoding="utf-8")
        return TOTAL

    llm = ScriptedLLM(lambda messages: first(messages) if not llm.requests[1:] else TOTAL)
    scripted(llm)
    result = boxkit_command("chat", sales, input="In all?\nAnd now?\n")
    assert "the sources have changed" in result.stderr
    assert result.stdout.split()[-1] == "7"


def test_the_same_question_twice_with_a_cache_asks_the_model_once(
    boxkit_command, scripted, sales: Path, tmp_path: Path
) -> None:
    llm = scripted(TOTAL)
    for _ in range(2):
        result = boxkit_command("ask", sales, "In all?", "--cache", tmp_path / "cache")
        assert result.exit_code == 0, result.stderr
    assert "(1 cached)" in result.stderr
    assert len(llm.requests) == 1


def test_what_failed_calls_cost_is_said(boxkit_command, scripted, sales: Path) -> None:
    scripted(RateLimited("slow down", usage=Usage(calls=3, prompt_tokens=900, dollars=0.5)))
    assert "spent: 3 calls, 900 + 0 tokens, $0.5000" in boxkit_command("ask", sales, "In all?").stderr


def test_chat_goes_on_after_a_question_that_failed(boxkit_command, scripted, sales: Path) -> None:
    scripted(RateLimited("slow down"), TOTAL)
    result = boxkit_command("chat", sales, input="First?\n/code\nSecond?\n")
    assert result.exit_code == 0
    assert "slow down" in result.stderr
    assert "nothing has been asked yet" in result.stderr
    assert "40" in result.stdout
