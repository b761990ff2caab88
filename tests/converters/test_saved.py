# ruff: noqa: E501 - scripts and cells as they stand
"""BoxSets on disk come back as they were."""

from __future__ import annotations

import datetime
import decimal
import json
import sqlite3
from pathlib import Path

import pandas as pd
import pytest

import boxkit
from boxkit.box import BoxSet
from boxkit.errors import SourceError, UnreadableSource


@pytest.fixture
def boxes() -> BoxSet:
    frame = pd.DataFrame(
        {
            "id": pd.array([1, None, 9007199254740993], dtype="Int64"),
            "text": ["é", None, ""],
            "mixed": [1, "x", b"\x00"],
            "big": [2**70, 1.5, None],
            "money": [decimal.Decimal("1.10"), None, decimal.Decimal("2")],
            "day": [datetime.date(2024, 2, 29), None, datetime.date(1, 1, 1)],
            "at": pd.to_datetime(["2024-01-01", None, "2024-01-03"]).tz_localize("UTC"),
            "ok": pd.array([True, None, False], dtype="boolean"),
            "float": [0.1, None, -0.0],
            "none": [None, None, None],
        }
    )
    return boxkit.load({"all kinds": frame, "empty": pd.DataFrame({"a": pd.Series([], dtype="int64")})})


def test_a_saved_set_is_the_same_set(boxes: BoxSet, tmp_path: Path) -> None:
    boxes = boxes.with_descriptions({"all_kinds": {"id": "who"}})
    boxes.save(tmp_path / "kept")
    for opened in (BoxSet.open(tmp_path / "kept"), boxkit.load(tmp_path / "kept")):
        assert list(opened) == list(boxes) and opened.notes == boxes.notes and opened.sources == boxes.sources
        for name, box in boxes.items():
            assert opened[name].fields == box.fields and not opened[name].is_read
            pd.testing.assert_frame_equal(opened[name].frame, box.frame)
            assert [list(map(type, opened[name].frame[label])) for label in box.labels] == [
                list(map(type, box.frame[label])) for label in box.labels
            ]
    assert opened["all_kinds"].read(["text"], limit=1).shape == (1, 1)


def test_keys_and_a_database_survive(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "x.sqlite") as connection:
        connection.executescript(
            "CREATE TABLE p(a INTEGER, b TEXT, PRIMARY KEY(a, b)); CREATE TABLE c(x INTEGER, y TEXT, FOREIGN KEY(x, y) REFERENCES p);"
            "INSERT INTO p VALUES (1, 'k'); INSERT INTO c VALUES (1, 'k');"
        )
    connection.close()
    before = boxkit.load(tmp_path / "x.sqlite")
    before.save(tmp_path / "kept")
    after = BoxSet.open(tmp_path / "kept")
    assert after.foreign_keys == before.foreign_keys and after["p"].primary_key == ("a", "b")


def test_nothing_of_the_users_is_overwritten(boxes: BoxSet, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(UnreadableSource, match="other files"):
        boxes.save(tmp_path)
    boxes.save(tmp_path / "kept")
    boxes.only(["empty"]).save(tmp_path / "kept")
    assert list(BoxSet.open(tmp_path / "kept")) == ["empty"]


@pytest.mark.parametrize("damage", ["version", "json", "missing", "parquet"])
def test_damage_is_named(boxes: BoxSet, tmp_path: Path, damage: str) -> None:
    boxes.save(tmp_path / "kept")
    manifest = tmp_path / "kept" / "boxes.json"
    if damage == "version":
        manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "boxkit": 99}))
    elif damage == "json":
        manifest.write_text(manifest.read_text()[:-30])
    elif damage == "missing":
        (tmp_path / "kept" / "box0.parquet").unlink()
    else:
        (tmp_path / "kept" / "box0.parquet").write_bytes(b"PAR1 no PAR1")
    with pytest.raises(SourceError):
        _ = BoxSet.open(tmp_path / "kept")["all_kinds"].frame
