"""``boxkit models``, ``boxkit doctor`` and who answers: what this machine has."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from boxkit.cli import doctor as doctor_module
from boxkit.testing import FaultyServer

REPLY = "The table has it.\n\n```python\nanswer = sales['amount'].sum()\n```"


@pytest.fixture(autouse=True)
def _bare_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No key, no server, no model file."""
    from boxkit.llm import models

    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "BOXKIT_GGUF"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("BOXKIT_MODELS", str(tmp_path / "models"))
    monkeypatch.setattr(models.available, "__kwdefaults__", {"servers": (), "timeout_s": 0.4})
    monkeypatch.setattr(models.choose, "__kwdefaults__", {"servers": (), "timeout_s": 0.4})


def test_models_says_what_is_missing_and_what_answers(boxkit_command) -> None:
    result = boxkit_command("models")
    assert result.exit_code == 0
    assert "OPENAI_API_KEY" in result.stdout
    assert "BOXKIT_GGUF is not set" in result.stdout
    assert "`boxkit ask` takes planner" in result.stderr
    assert "qwen2.5-coder-1.5b" in result.stderr


def test_models_as_json_are_in_the_order_in_which_they_are_taken(
    boxkit_command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    places = json.loads(boxkit_command("models", "--json").stdout)["places"]
    assert [place["kind"] for place in places if place["usable"]] == ["openai", "planner"]
    assert "sk-test" not in json.dumps(places)


def test_an_unknown_model_cannot_be_fetched_and_the_known_are_named(boxkit_command) -> None:
    result = boxkit_command("models", "pull", "qwen2.5-coder-15b")
    assert result.exit_code == 4
    assert "qwen2.5-coder-1.5b" in result.stderr


def test_a_checksum_that_is_none_is_wrong_usage(boxkit_command) -> None:
    assert boxkit_command("models", "pull", "qwen2.5-coder-1.5b", "--sha256", "xyz").exit_code == 2


def test_with_nothing_here_the_planner_answers_and_says_why(boxkit_command, sales: Path) -> None:
    result = boxkit_command("ask", sales, "How many sales are there?", "--csv")
    assert "answering with the planner (no language model is here" in result.stderr
    assert result.stdout.splitlines()[-1:] == ["3"], result.stderr


def test_the_planner_can_be_asked_for_by_name(boxkit_command, sales: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    result = boxkit_command("ask", sales, "How many sales are there?", "--model", "planner", "--json")
    assert json.loads(result.stdout)["strategy"] == "Planner"


def test_abstaining_ends_with_1_and_names_the_words(boxkit_command, sales: Path) -> None:
    result = boxkit_command("ask", sales, "Why do zebras hum?")
    assert result.exit_code == 1
    assert result.stdout == ""
    assert "abstained" in result.stderr
    assert "zebras" in result.stderr


def test_a_server_without_a_named_model_is_asked_for_its_first(boxkit_command, sales: Path) -> None:
    with FaultyServer([REPLY], models=["first-coder", "second"]) as server:
        result = boxkit_command("ask", sales, "In all?", "--base-url", server.base_url, "--csv")
        assert result.exit_code == 0, result.stderr
        assert server.requests[0].body["model"] == "first-coder"
    assert result.stdout.splitlines()[-1] == "40"


def test_a_server_that_is_not_there_is_said_to_be(boxkit_command, sales: Path) -> None:
    with FaultyServer([]) as server:
        address = server.base_url
    result = boxkit_command("ask", sales, "In all?", "--base-url", address)
    assert result.exit_code == 2
    assert "nothing answers" in result.stderr


def test_a_model_that_is_not_here_ends_with_4(boxkit_command, sales: Path) -> None:
    result = boxkit_command("ask", sales, "In all?", "--model", "qwen2.5-coder-7b")
    assert result.exit_code == 4
    assert "boxkit models pull qwen2.5-coder-7b" in result.stderr


def test_a_file_that_is_no_model_ends_with_4(boxkit_command, sales: Path, tmp_path: Path) -> None:
    path = tmp_path / "fake.gguf"
    path.write_bytes(b"no model")
    result = boxkit_command("ask", sales, "In all?", "--model", path)
    assert result.exit_code == 4
    assert "fake.gguf" in result.stderr


def test_doctor_tells_versions_sandbox_memory_and_models(boxkit_command) -> None:
    result = boxkit_command("doctor", "--json")
    assert result.exit_code == 0, result.stdout
    told = json.loads(result.stdout)
    assert set(told) == {"versions", "extras", "sandbox", "memory", "models"}
    assert told["sandbox"]["isolation"] in ("full", "strict", "weak")
    assert told["sandbox"]["layers"]
    assert told["sandbox"]["next run"].endswith(" ms")
    assert int(told["memory"]["demonstrations"]) >= 60


def test_doctor_names_the_command_for_a_missing_extra(boxkit_command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(doctor_module.EXTRAS, "excel", "no-such-distribution")
    assert 'missing: pip install "boxkit[excel]"' in boxkit_command("doctor").stdout


def test_every_extra_that_doctor_knows_is_one_of_the_packages() -> None:
    from importlib.metadata import metadata

    offered = set(metadata("boxkit").get_all("Provides-Extra") or [])
    assert set(doctor_module.EXTRAS) <= offered
    assert offered - set(doctor_module.EXTRAS) <= {"all", "test", "dev", "benchmark"}


@pytest.mark.model
@pytest.mark.timeout(300)
def test_a_real_model_file_goes_the_whole_way(boxkit_command, small_model: Path, sales: Path) -> None:
    pytest.importorskip("xllamacpp")
    given = ("--model", small_model, "--k", "0", "--attempts", "1", "--json")
    result = boxkit_command("ask", sales, "How many rows are there?", *given)
    told = json.loads(result.stdout)
    assert result.exit_code == (0 if told["ok"] else 1)
    assert told["strategy"] == "Pandora"
    assert len(told["attempts"]) == 1
    assert all(attempt["reply"] and attempt["usage"]["completion_tokens"] for attempt in told["attempts"])
    assert told["usage"]["dollars"] == 0


def test_a_model_of_openais_without_a_key_is_told_the_key_first(boxkit_command, sales: Path) -> None:
    result = boxkit_command("ask", sales, "In all?", "--model", "gpt-4o-mini")
    assert result.exit_code == 4
    assert result.stderr.startswith("Error: OPENAI_API_KEY is not set")


def test_a_server_on_this_machine_is_free_however_it_is_named(
    boxkit_command, sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FaultyServer([REPLY, REPLY], models=["gpt-4o-mini"]) as server:
        named = boxkit_command("ask", sales, "In all?", "--base-url", server.base_url, "--json")
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        found = boxkit_command("ask", sales, "In all?", "--json")
    dollars = [json.loads(each.stdout)["usage"]["dollars"] for each in (named, found)]
    assert dollars == [0, 0]
