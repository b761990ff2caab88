"""Whatever a table holds, its box holds: random tables of SQLite, and random frames through the disk and the worker."""

from __future__ import annotations

import datetime
import math
import sqlite3
import tempfile
from pathlib import Path
from typing import Any

import pandas as pd
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import boxkit
from boxkit.box import BoxSet

QUICK = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
TYPES = [
    "",
    "INTEGER",
    "INT",
    "REAL",
    "TEXT",
    "NUMERIC",
    "BLOB",
    "BOOLEAN",
    "DATE",
    "DECIMAL(10,2)",
    "VARCHAR(3)",
    "ANY",
]
TEXTS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\x00"), max_size=8) | st.sampled_from(
    ["", "NA", "None", "null", "007", "1,234", "2024-02-30", "9007199254740993", "1e5", " x ", "\n", "nan", "0x1f"]
)
NUMBERS = st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3) | st.sampled_from([2**53 + 1, 305184080441754059])
CELLS = st.none() | NUMBERS | st.floats(allow_nan=False) | TEXTS | st.binary(max_size=6)
NAMES = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=12) | st.sampled_from(
    [
        "order",
        "group",
        "a b",
        't"q',
        "t'q",
        "[x]",
        "1",
        "index",
        "pd",
        "日付",
        "x" * 200,
        "rowid",
        "a-b",
        "é",
        "e\u0301",
    ]
)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[tuple[str, str]], str, list[tuple[Any, ...]]]:
    """Columns with their types, a suffix of the table, and rows that mostly keep to a kind of value a column."""
    names = draw(st.lists(NAMES.filter(bool), min_size=1, max_size=5, unique_by=_sqlite_case))
    columns = [(name, draw(st.sampled_from(TYPES))) for name in names]
    kinds = [
        draw(st.sampled_from([CELLS, NUMBERS, NUMBERS | st.none(), TEXTS, st.floats(allow_nan=False)])) for _ in names
    ]
    rows = draw(st.lists(st.tuples(*kinds), max_size=8))
    return (
        columns,
        draw(st.sampled_from(["", "", " STRICT"]) if all(_is_strict(kind) for _, kind in columns) else st.just("")),
        rows,
    )


def _sqlite_case(name: str) -> str:
    return "".join(char.lower() if char.isascii() else char for char in name)


def _is_strict(kind: str) -> bool:
    return kind in ("INTEGER", "INT", "REAL", "TEXT", "BLOB", "ANY")


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def same(ours: Any, theirs: Any) -> bool:
    """Equal in value and in kind; a number and a truth value may be one."""
    if theirs is None or (isinstance(theirs, float) and math.isnan(theirs)):
        return bool(pd.isna(ours))
    kinds = (str, bytes)
    return [isinstance(ours, kind) for kind in kinds] == [isinstance(theirs, kind) for kind in kinds] and ours == theirs


def check(frame: pd.DataFrame, rows: list[tuple[Any, ...]]) -> None:
    assert len(frame) == len(rows)
    for at in range(frame.shape[1]):
        ours = frame.iloc[:, at].tolist()
        assert all(map(same, ours, [row[at] for row in rows])), (ours, [row[at] for row in rows])


@QUICK
@given(
    table=tables(), name=NAMES.filter(lambda name: name and not name.lower().startswith("sqlite_")), twice=st.booleans()
)
def test_a_sqlite_table_is_the_same_cell_by_cell(table, name: str, twice: bool) -> None:
    columns, suffix, rows = table
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made.sqlite"
        connection = sqlite3.connect(path)
        fields = ", ".join(f"{quoted(label)} {kind}" for label, kind in columns)
        connection.execute(f"CREATE TABLE {quoted(name)} ({fields}){suffix}")
        with connection:
            for row in rows:
                try:
                    connection.execute(f"INSERT INTO {quoted(name)} VALUES ({', '.join('?' * len(row))})", row)
                except sqlite3.IntegrityError:
                    assert suffix  # a strict table refused it
        theirs = connection.execute(f"SELECT * FROM {quoted(name)}").fetchall()
        connection.close()
        (box,) = boxkit.load(path).values()
        assert box.source_name == name and [field.source_name for field in box.fields] == [
            label for label, _ in columns
        ]
        if twice:
            check(box.read([box.labels[-1]]), [(row[-1],) for row in theirs])
        check(box.frame, theirs)
        assert box.count() == len(theirs)


KEYS = st.integers(1, 4) | st.none()


@QUICK
@given(
    parents=st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), max_size=6, unique=True),
    children=st.lists(st.tuples(KEYS, KEYS), max_size=6),
)
def test_a_declared_key_dangles_where_sqlite_says_so(parents, children) -> None:
    connection = sqlite3.connect(":memory:")
    connection.executescript(
        "CREATE TABLE p(a INT, b INT, PRIMARY KEY(a, b)); CREATE TABLE c(x INT, y INT, FOREIGN KEY(x, y) REFERENCES p)"
    )
    connection.executemany("INSERT INTO p VALUES (?, ?)", parents)
    connection.executemany("INSERT INTO c VALUES (?, ?)", children)
    lost = connection.execute("PRAGMA foreign_key_check").fetchall()
    (key,) = boxkit.load(connection).foreign_keys
    assert (key.fields, key.parent_fields, key.dangling) == (("x", "y"), ("a", "b"), bool(lost))
    connection.close()


SERIES = {
    "integers": NUMBERS | st.none(),
    "floats": st.floats(allow_nan=False),
    "texts": TEXTS | st.none(),
    "bytes": st.binary(max_size=4),
    "mixed": NUMBERS | TEXTS | st.none(),
    "booleans": st.booleans() | st.none(),
    "dates": st.dates() | st.none(),
    "moments": st.datetimes(datetime.datetime(1700, 1, 1), datetime.datetime(2200, 1, 1)),
    "decimals": st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-9999, max_value=9999),
}


@QUICK
@given(data=st.data(), length=st.integers(0, 6))
def test_a_frame_is_the_same_after_the_disk(data: st.DataObject, length: int) -> None:
    chosen = data.draw(st.lists(st.sampled_from(sorted(SERIES)), min_size=1, max_size=5))
    columns = [data.draw(st.lists(SERIES[kind], min_size=length, max_size=length)) for kind in chosen]
    frame = pd.DataFrame({at: pd.Series(values, dtype=object) for at, values in enumerate(columns)})
    boxes = boxkit.load(frame)
    rows = list(zip(*columns, strict=True))
    check(boxes["table"].frame, rows)
    with tempfile.TemporaryDirectory() as folder:
        boxes.save(Path(folder) / "saved")
        again = BoxSet.open(Path(folder) / "saved")
        check(again["table"].frame, rows)
        assert again["table"].fields == boxes["table"].fields


def test_a_frame_comes_whole_through_the_worker() -> None:
    columns: dict[str, list[Any]] = {
        "integers": [2**53 + 1, None, -(2**63), 0],
        "floats": [0.1, -0.0, 1e308, float("inf")],
        "texts": ["", "NA", "é\n\u2028", None],
        "bytes": [b"\x00\xff", b"", None, b"a"],
        "mixed": [1, "1", None, 2**60],
        "booleans": [True, None, False, True],
    }
    boxes = boxkit.load({"t": pd.DataFrame({kind: pd.Series(each, dtype=object) for kind, each in columns.items()})})
    run = boxkit.execute("answer = t", boxes)
    assert run.error is None and isinstance(run.answer, pd.DataFrame)
    check(run.answer, list(zip(*columns.values(), strict=True)))
