from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from boxkit.evaluation.folder import RunFolder, read_run
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
