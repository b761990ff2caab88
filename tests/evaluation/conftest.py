"""A small benchmark in Spider's layout."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from boxkit.evaluation.datasets import Dataset, open_dataset


@pytest.fixture
def shop(tmp_path: Path) -> Dataset:
    """Forty questions, each with another answer: the items dearer than so much."""
    home = tmp_path / "spider"
    (home / "database" / "shop").mkdir(parents=True)
    with closing(sqlite3.connect(home / "database" / "shop" / "shop.sqlite")) as connection:
        connection.execute("CREATE TABLE item (name TEXT, price REAL)")
        connection.executemany("INSERT INTO item VALUES (?, ?)", [(f"n{at}", at) for at in range(40)])
        connection.commit()
    rows = [
        {
            "db_id": "shop",
            "question": f"Which items cost more than {at} crowns?",
            "query": f"SELECT name FROM item WHERE price > {at}",
            "hardness": "easy" if at % 2 else "hard",
        }
        for at in range(40)
    ]
    (home / "dev.json").write_text(json.dumps(rows))
    return open_dataset("spider", home)
