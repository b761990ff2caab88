# ruff: noqa: E501 - scripts and cells as they stand
"""DuckDB files and connections as boxes."""

from __future__ import annotations

import datetime
import decimal
import subprocess
import sys
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


@pytest.mark.parametrize(
    ("kind", "value", "held"),
    [
        ("UHUGEINT", "340282366920938463463374607431768211455", "340282366920938463463374607431768211455"),
        ("BIT", "'0101'", "0101"),
        ("TIMETZ", "'10:00:00+02:30'", "10:00:00+02:30"),
        ("TIMESTAMP", "'infinity'", "infinity"),
        ("TIMESTAMPTZ", "'-infinity'", "-infinity"),
        ("DATE", "'infinity'", "infinity"),
        ("DATE", "'29000-01-01'", "29000-01-01"),
        ("TIME", "'24:00:00'", "24:00:00"),
        ("INTERVAL", "'1 month 2 days'", "1 month 2 days"),
        ("BIGINT[]", "[9007199254740993, NULL]", "[9007199254740993, null]"),
        ("STRUCT(a DATE)", "{'a': 'infinity'}", '{"a":"infinity"}'),
    ],
)
def test_values_that_pandas_has_not_become_text_with_a_note(tmp_path: Path, kind: str, value: str, held: str) -> None:
    with duckdb.connect(str(tmp_path / "odd.db")) as connection:
        connection.execute(f"CREATE TABLE t(x {kind}, n INTEGER); INSERT INTO t VALUES ({value}, 1), (NULL, 2)")
    box = boxkit.load(tmp_path / "odd.db")["t"]
    reading = box.reader.read()
    assert reading.frame["x"].tolist()[0] == held and reading.frame["x"].isna().tolist() == [False, True]
    assert reading.frame["n"].tolist() == [1, 2] and [note.field for note in reading.notes] == ["x"]


def test_damage_and_a_lock_are_told_apart_and_hide_no_other_table(path: Path, tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "big.db")) as connection:
        connection.execute("CREATE TABLE one AS SELECT hash(range) x FROM range(200000); CREATE TABLE two AS FROM one")
    content = bytearray((tmp_path / "big.db").read_bytes())
    content[500_000:500_400] = b"\xee" * 400
    (tmp_path / "big.db").write_bytes(content)
    boxes = boxkit.load(tmp_path / "big.db")
    failed = []
    for box in boxes.values():
        try:
            _ = box.frame
        except UnreadableSource as error:
            failed.append(str(error))
    assert len(failed) == 1 and "backup" in failed[0]
    script = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('open', flush=True); sys.stdin.read()"
    holder = subprocess.Popen([sys.executable, "-c", script, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        assert holder.stdout is not None and holder.stdout.readline()
        with pytest.raises(UnreadableSource, match="close the program"):
            boxkit.load(path)
    finally:
        holder.communicate()


def test_a_view_over_a_table_that_is_gone_hides_no_other() -> None:
    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE gone(x INTEGER); CREATE TABLE kept AS SELECT 1 AS y; CREATE VIEW v AS FROM gone; DROP TABLE gone"
    )
    boxes = boxkit.load(connection)
    assert boxes["kept"].frame["y"].tolist() == [1]
    with pytest.raises(UnreadableSource, match="gone"):
        _ = boxes["v"].frame


@pytest.mark.parametrize(("kind", "value"), [("HUGEINT", 2**126), ("DECIMAL(20, 0)", 12345678901234567890)])
def test_whole_numbers_past_64_bits_are_integers(kind: str, value: int) -> None:
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE t(x {kind}); INSERT INTO t VALUES ({value}), (NULL)")
    box = boxkit.load(connection)["t"]
    assert (
        box.frame["x"].tolist() == [value, None] and type(box.frame["x"][0]) is int and box.field("x").type == "integer"
    )
