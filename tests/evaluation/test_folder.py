from __future__ import annotations

import datetime
import json
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from boxkit.errors import BoxkitError, UnreadableSource
from boxkit.evaluation import folder as folder_module
from boxkit.evaluation.folder import RunFolder, read_run, rewrite
from boxkit.evaluation.records import Record


def record(number: int) -> Record:
    return Record(f"k{number}", str(number), number, f"question {number}?", "", "shop", {}, rows=((number,),))


def test_questions_that_end_at_the_same_moment_are_each_on_disk_once_when_they_count(tmp_path: Path) -> None:
    with RunFolder(tmp_path / "run", {}) as folder, ThreadPoolExecutor(16) as pool:

        def kept(number: int) -> bool:
            folder.keep(record(number))
            return number in {each.rows[0][0] for each in read_run(tmp_path / "run").records}

        assert all(pool.map(kept, range(100)))
    assert sorted(each.line for each in read_run(tmp_path / "run").records) == list(range(100))


@pytest.mark.parametrize(
    "cell",
    [
        10**5000,
        -(2**70),
        "\ud800\0\r\n\u2028",
        {"$decimal": "a cell of JSON"},
        [{"$float": "nan", "day": datetime.date(2020, 1, 2)}, [b"\xff"]],
        datetime.timedelta(days=999_999, microseconds=1),
        Decimal("1E+999999"),
        float("-inf"),
    ],
    ids=lambda cell: type(cell).__name__,
)
def test_an_answer_of_any_value_is_judged_anew_as_it_was_given(tmp_path: Path, cell: Any) -> None:
    with RunFolder(tmp_path / "run", {}) as folder:
        folder.keep(replace(record(1), rows=((cell, 1),)))
    assert rewrite(tmp_path / "run", lambda each: each, scorers=()).records[0].rows == ((cell, 1),)
    assert read_run(tmp_path / "run").records[0].rows == ((cell, 1),)


def test_a_number_of_ten_thousand_digits_among_an_answers_details_ends_no_run(tmp_path: Path) -> None:
    with RunFolder(tmp_path / "run", {}) as folder:
        folder.keep(replace(record(1), answer={"details": {"candidates": [10**10_000]}}))
    # As a command writes it, for which Python allows more digits.
    path = tmp_path / "run" / "records.jsonl"
    path.write_text(
        path.read_text() + path.read_text().replace("k1", "k2").replace(f'"{hex(10**10_000)}"', "9" * 10_000)
    )
    one, other = read_run(tmp_path / "run").records
    assert one.answer["details"]["candidates"] == [hex(10**10_000)]
    assert other.answer["details"]["candidates"] == [10**10_000 - 1]


def test_a_run_below_a_folder_whose_name_is_no_utf_8_goes_on(tmp_path: Path) -> None:
    settings, about = {"dataset": "own\udce9"}, {"source": os.fsdecode(b"caf\xe9/own.jsonl")}
    with RunFolder(tmp_path / "run", settings, about) as folder:
        folder.keep(record(1))
    with RunFolder(tmp_path / "run", settings, about) as folder:
        assert len(folder.records) == 1
    assert read_run(tmp_path / "run").about == about


def test_a_run_in_which_nothing_was_answered_yet_goes_on_after_it_was_rescored(tmp_path: Path) -> None:
    with RunFolder(tmp_path / "run", {}):
        pass
    rewrite(tmp_path / "run", lambda each: each, scorers=("spider",))
    with RunFolder(tmp_path / "run", {}) as folder:
        folder.keep(record(1))
    assert len(read_run(tmp_path / "run").records) == 1


def test_what_a_run_ends_with_is_not_lost_to_a_rescoring_that_began_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with RunFolder(tmp_path / "run", {}) as folder:
        folder.keep(record(1))
    claim = folder_module._claim

    def claimed(file: Any, path: Path) -> None:
        monkeypatch.setattr(folder_module, "_claim", claim)
        with RunFolder(tmp_path / "run", {}) as running:  # another process, whose last question ends just now
            running.keep(record(2))
        claim(file, path)

    monkeypatch.setattr(folder_module, "_claim", claimed)
    rewrite(tmp_path / "run", lambda each: each, scorers=())
    assert [each.key for each in read_run(tmp_path / "run").records] == ["k1", "k2"]


def test_no_run_is_kept_in_a_file_that_a_rescoring_has_just_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("fcntl")
    with RunFolder(tmp_path / "run", {}):
        pass
    claim = folder_module._claim

    def claimed(file: Any, path: Path) -> None:
        (path / "new").write_bytes(b"")
        os.replace(path / "new", path / "records.jsonl")
        claim(file, path)

    monkeypatch.setattr(folder_module, "_claim", claimed)
    with pytest.raises(BoxkitError, match="another process"), RunFolder(tmp_path / "run", {}):
        pass


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no full device here")
def test_a_full_disk_is_told_as_what_it_is(tmp_path: Path) -> None:
    def kept() -> None:
        with RunFolder(tmp_path / "run", {}) as folder:
            assert folder._file is not None
            folder._file.close()
            folder._file = open("/dev/full", "ab")  # noqa: SIM115 - the folder closes it
            folder.keep(record(1))

    with pytest.raises(BoxkitError, match=r"(?s)cannot be kept: .*the same command then goes on"):
        kept()


@pytest.mark.parametrize(
    "damage",
    [
        *("5", "[]", '"lost"', '{"lost": {"key": "k", "message": "", "usage": {"steps": []}}}', "[" * 200_000, "\0\0"),
        *({"rows": 5}, {"rows": [[{"$decimal": "x"}]]}, {"rows": [[{"$seconds": 1e300}]]}, {"columns": None}),
        *({"scores": []}, {"scores": {"spider": {"correct": True, "value": "1"}}}, {"usage": {"steps": 5}}),
        *({"usage": {"dollars": "1", "steps": {}}}, {"groups": {"level": 5}}, {"answer": None}, {"failure": []}),
        *({"key": None}, {"seconds": "1"}, {"unknown": 1}),
    ],
    ids=lambda damage: repr(damage)[:40],
)
def test_a_damaged_record_is_named_by_its_line(tmp_path: Path, damage: Any) -> None:
    with RunFolder(tmp_path / "run", {}) as folder:
        folder.keep(record(1))
        folder.keep(record(2))
    path = tmp_path / "run" / "records.jsonl"
    line = damage if isinstance(damage, str) else json.dumps({"record": {**record(3).to_json(), **damage}})
    path.write_text(path.read_text().replace("\n", f"\n{line}\n", 1))
    with pytest.raises(UnreadableSource, match="line 2 is no record"):
        read_run(tmp_path / "run")


@pytest.mark.parametrize(
    "text",
    [
        *("", "[]", "{}", '{"settings": null, "about": {}}', "[" * 200_000),
        '{"settings": {}, "about": {"labels": [1]}}',
        '{"settings": {}, "about": {"scorers": null}}',
        '{"settings": {"dataset": 7}, "about": {}}',
    ],
)
def test_damaged_settings_are_said(tmp_path: Path, text: str) -> None:
    with RunFolder(tmp_path / "run", {}):
        pass
    (tmp_path / "run" / "run.json").write_text(text)
    with pytest.raises(UnreadableSource, match=r"(?s)run\.json: this is no run's settings"):
        read_run(tmp_path / "run")
