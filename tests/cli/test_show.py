"""``boxkit show``: what a source turns into."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from boxkit.examples import COUNTRIES, GEOGRAPHY, ORGANISATIONS


def test_fields_types_examples_and_keys_are_shown(boxkit_command) -> None:
    result = boxkit_command("show", GEOGRAPHY)
    assert result.exit_code == 0, result.stderr
    assert "city: 234 rows, database" in result.stdout
    assert "Tokyo | Delhi | Shanghai" in result.stdout
    assert "city['iso_code'] -> country['iso_code']" in result.stdout
    assert "['river_id', 'iso_code']" in result.stdout, "the composite key is gone"


def test_a_graph_shows_where_its_fields_come_from(boxkit_command) -> None:
    result = boxkit_command("show", ORGANISATIONS)
    assert "https://example.org/world/foundedYear" in result.stdout


def test_only_the_boxes_asked_for(boxkit_command) -> None:
    result = boxkit_command("show", GEOGRAPHY, COUNTRIES, "--box", "countries")
    assert "countries: 193 rows, table" in result.stdout
    assert "river" not in result.stdout


def test_an_unknown_box_names_the_nearest(boxkit_command) -> None:
    result = boxkit_command("show", GEOGRAPHY, "--box", "ctiy")
    assert result.exit_code == 3
    assert "'city'" in result.stderr


def test_json_holds_the_same(boxkit_command) -> None:
    told = json.loads(boxkit_command("show", GEOGRAPHY, "--json").stdout)
    boxes = {box["name"]: box for box in told["boxes"]}
    assert boxes["river_country"]["primary_key"] == ["river_id", "iso_code"]
    assert boxes["lake"]["rows"] == 32
    composite = [key for key in told["foreign_keys"] if len(key["fields"]) == 2]
    assert [(key["box"], key["parent"]) for key in composite] == [("dam", "river_country")]


def test_prompt_is_what_a_model_sees_and_keeps_to_its_budget(boxkit_command) -> None:
    whole = boxkit_command("show", GEOGRAPHY, "--prompt").stdout
    short = boxkit_command("show", GEOGRAPHY, "--prompt", "--budget", "400").stdout
    assert "population_2020" in whole
    assert 0 < len(short) < len(whole)


def test_notes_and_hostile_headers_are_shown_as_data(boxkit_command, tmp_path: Path) -> None:
    path = tmp_path / "class.csv"
    path.write_text("id,id,[red]\x1b[31m\n1,2,3\n", encoding="utf-8")
    result = boxkit_command("show", path)
    assert "note: " in result.stdout
    assert "[red]\\x1b[31m" in result.stdout
    assert "\x1b" not in result.stdout


def test_a_source_that_is_not_there_or_not_readable_is_a_message(boxkit_command, tmp_path: Path) -> None:
    assert boxkit_command("show", tmp_path / "none.csv").exit_code == 3
    broken = tmp_path / "broken.sqlite"
    broken.write_bytes(b"SQLite format 3\x00" + b"\xff" * 400)
    result = boxkit_command("show", broken)
    assert result.exit_code == 3
    assert "broken.sqlite" in result.stderr
    assert "Traceback" not in result.output


def test_no_source_is_wrong_usage(boxkit_command) -> None:
    assert boxkit_command("show").exit_code == 2


@pytest.mark.parametrize(
    ("ending", "starts"), [(".mmd", b"graph LR"), (".md", b"```mermaid"), (".svg", b"<?xml"), (".png", b"\x89PNG")]
)
def test_a_graph_is_drawn_around_a_topic(boxkit_command, tmp_path, ending, starts):
    if ending in (".svg", ".png"):
        pytest.importorskip("matplotlib", reason="needs the extra `eval`")
    file = tmp_path / f"drawn{ending}"
    done = boxkit_command("show", ORGANISATIONS, "--topic", "France", "--hops", "1", "--draw", str(file))
    assert done.exit_code == 0, done.stderr
    assert file.read_bytes().startswith(starts)


def test_a_drawing_of_an_unknown_kind_is_a_slip_of_the_user(boxkit_command, tmp_path):
    done = boxkit_command("show", ORGANISATIONS, "--draw", str(tmp_path / "x.bmp"))
    assert done.exit_code == 2
    assert ".bmp" in done.stderr
