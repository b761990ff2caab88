# ruff: noqa: E501 - scripts and cells as they stand
"""DuckDB files and connections as boxes."""

from __future__ import annotations

import datetime
import decimal
from pathlib import Path

import pytest

import boxkit
from boxkit.box import ForeignKey
from boxkit.errors import UnreadableSource

duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")

SCRIPT = """
CREATE TABLE a(id BIGINT PRIMARY KEY, n VARCHAR, d DECIMAL(10, 2), t TIMESTAMP, l INTEGER[], b BLOB, big BIGINT);
COMMENT ON TABLE a IS 'things'; COMMENT ON COLUMN a.n IS 'its name';
CREATE SCHEMA other; CREATE TABLE other.b(x INTEGER, a_id BIGINT REFERENCES a(id)) ;
CREATE VIEW v AS SELECT id AS "the id" FROM a;
INSERT INTO a VALUES (1, 'x', 1.50, '2024-02-29 01:02:03', [1, 2], '\\x00\\xFF', 9007199254740993), (2, NULL, NULL, NULL, NULL, NULL, NULL);
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "made.db"
    with duckdb.connect(str(path)) as connection:
        connection.execute(SCRIPT.replace(" REFERENCES a(id)", ""))
        connection.execute("CREATE TABLE c(y INTEGER, a_id BIGINT REFERENCES a(id))")
    return path


def test_a_file_is_known_by_its_content_and_read_whole(path: Path) -> None:
    boxes = boxkit.load(path)
    assert set(boxes) == {"a", "c", "v", "other_b"} and boxes["other_b"].source_name == "other.b"
    assert boxes.foreign_keys == (ForeignKey("c", ("a_id",), "a", ("id",)),)
    assert boxes["a"].description == "things" and boxes["a"].field("n").description == "its name"
    first, second = boxes["a"].frame.astype(object).where(boxes["a"].frame.notna(), None).values.tolist()
    assert first[:3] == [1, "x", decimal.Decimal("1.50")] and first[4:] == ["[1, 2]", b"\x00\xff", 9007199254740993]
    assert first[3] == datetime.datetime(2024, 2, 29, 1, 2, 3) and second == [2, *[None] * 6]
    assert boxes["v"].read(["the id"], limit=1)["the id"].tolist() == [1] and boxes["a"].count() == 2


def test_a_connection_is_read_where_it_is(path: Path) -> None:
    with duckdb.connect(str(path), read_only=True) as connection:
        assert boxkit.from_database(connection)["a"].frame["id"].tolist() == [1, 2]


def test_a_damaged_file_is_named(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:100] + b"\x00" * 5000)
    with pytest.raises(UnreadableSource, match="DuckDB"):
        boxkit.load(path)
