"""``boxkit ask`` with no model: an abstention names what it left over; ``--force`` shows a guess as a guess."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def trips(tmp_path: Path) -> Path:
    path = tmp_path / "trips.csv"
    path.write_text("start_town,end_town,cost\nUlm,Bonn,5\nBonn,Ulm,8\nUlm,Jena,9\n", encoding="utf-8")
    return path


def test_readings_that_differ_are_shown_as_choices_and_none_is_given(boxkit_command, trips):
    result = boxkit_command("ask", trips, "What is the average cost of the trips with Ulm?", "--model", "planner")
    assert result.exit_code != 0
    assert result.stdout == ""
    assert result.stderr.count("it could mean") == 2
    assert "(7.0)" in result.stderr and "(8.0)" in result.stderr


def test_a_forced_answer_says_that_it_is_a_guess_and_of_which_words(boxkit_command, trips):
    asked = ("ask", trips, "What is the average cost of the purple trips?", "--model", "planner")
    assert boxkit_command(*asked).stdout == ""
    forced = boxkit_command(*asked, "--force")
    assert forced.exit_code == 0
    assert forced.stdout.split()[-1].startswith("7.3")
    assert "guess" in forced.stderr and "'purple'" in forced.stderr


def test_a_sure_answer_is_no_guess_when_forced(boxkit_command, trips):
    result = boxkit_command("ask", trips, "What is the highest cost?", "--model", "planner", "--force")
    assert result.stdout.split()[-1] == "9"
    assert "guess" not in result.stderr


def test_force_with_a_model_is_a_mistake(boxkit_command, trips, monkeypatch):
    from boxkit.cli import strategies
    from boxkit.testing import ScriptedLLM

    monkeypatch.setattr(strategies, "model_for", lambda model, base_url: (ScriptedLLM([]), "scripted"))
    result = boxkit_command("ask", trips, "What is the highest cost?", "--force")
    assert result.exit_code == 2
    assert "--force" in result.stderr
