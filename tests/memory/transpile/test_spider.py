"""A fixed sample of Spider's development set, where it is on the machine."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

import boxkit
from boxkit.memory.transpile import sql_to_pandas

from .oracle import comparable, engine, run


@pytest.mark.slow
def test_every_tenth_question_of_spider_gives_the_engines_rows(data: Path) -> None:
    folder = data / "spider"
    if not (folder / "dev.json").is_file():
        pytest.skip("no Spider among the benchmark data")
    loaded = {}
    wrong = []
    for row in json.loads((folder / "dev.json").read_text())[::10]:
        path = folder / "database" / row["db_id"] / f"{row['db_id']}.sqlite"
        if not path.is_file():
            continue
        if path not in loaded:
            loaded[path] = boxkit.load(path)
        sql = row["query"]
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
            expected = engine(sql, connection)
        ordered = "order by" in sql.lower()
        answer = run(sql_to_pandas(sql, loaded[path]), loaded[path])
        if comparable(answer, ordered=ordered) != comparable(expected, ordered=ordered):
            wrong.append(sql)
    assert not wrong
