"""SQL to pandas: the code as people read it, and its rows against SQLite's own."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from boxkit.box import BoxSet
from boxkit.errors import MissingExtra, UnsupportedQuery
from boxkit.memory.transpile import sql_to_pandas

from .oracle import comparable, engine, run

GOLDEN = Path(__file__).parent / "golden"


def _read() -> Iterator[tuple[str, str, str]]:
    """File, query and expected code; a query ends with a semicolon at a line's end, its code with an empty line."""
    for file in sorted(GOLDEN.glob("*.txt")):
        lines = file.read_text().splitlines()
        starts = [at for at, line in enumerate(lines) if line.endswith(";")]
        for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
            yield file.name, lines[start].rstrip(";"), "\n".join(lines[start + 1 : end]).strip() + "\n"


CASES = list(_read())


@pytest.mark.parametrize(("file", "sql", "expected"), CASES, ids=lambda value: str(value)[:60])
def test_code_is_the_golden_one_and_gives_the_engines_rows(
    file: str, sql: str, expected: str, boxes: BoxSet, library: Path, request: pytest.FixtureRequest
) -> None:
    code = sql_to_pandas(sql, boxes)
    connection = sqlite3.connect(library)
    ordered = "ORDER BY" in sql and "OVER" not in sql
    assert comparable(run(code, boxes), ordered=ordered) == comparable(engine(sql, connection), ordered=ordered)
    if not request.config.getoption("--rewrite-golden"):
        assert code == expected, "pytest tests/memory/transpile --rewrite-golden, and review the difference"


def test_golden_files_are_rewritten_on_demand(boxes: BoxSet, request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("--rewrite-golden"):
        pytest.skip("only with --rewrite-golden")
    texts: dict[str, list[str]] = {}
    for file, sql, _ in CASES:
        texts.setdefault(file, []).append(f"{sql};\n{sql_to_pandas(sql, boxes)}")
    for file, blocks in texts.items():
        (GOLDEN / file).write_text("\n".join(blocks))


REFUSED = {
    "WITH RECURSIVE n AS (SELECT 1 AS x UNION SELECT x + 1 FROM n WHERE x < 5) SELECT * FROM n": "RECURSIVE CTE",
    "SELECT nothing FROM book": "unknown column",
    "SELECT * FROM shelf": "unknown table",
    "SELECT id FROM book, author": "ambiguous column",
    "DELETE FROM book": "DELETE",
    "SELECT 1; SELECT 2": "2 statements",
    "SELECT FROM WHERE": "parse",
    "SELECT hex(title) FROM book": "function HEX",
    "SELECT title FROM book LIMIT (SELECT 1)": "LIMIT",
    "SELECT date(day, 'weekday 0') FROM loan": "date modifier",
    "SELECT title FROM book WHERE title LIKE genre": "LIKE",
    "SELECT strftime('%Y', reader) FROM loan": "YYYY-MM-DD",
    "SELECT genre, title, min(price), max(price) FROM book GROUP BY genre": "bare column",
    "SELECT title FROM book WHERE title LIKE 'é%'": "ASCII",
    "SELECT a.id FROM author AS a FULL JOIN book AS b ON a.born < b.year": "full join",
    "SELECT title, nth_value(id, 2) OVER (ORDER BY id) FROM book": "NTHVALUE",
    "SELECT id FROM author RIGHT JOIN book USING (id)": "right or full join takes together",
}


@pytest.mark.parametrize(("sql", "construct"), REFUSED.items(), ids=lambda value: str(value)[:40])
def test_what_cannot_be_written_is_refused_by_name(sql: str, construct: str, boxes: BoxSet) -> None:
    with pytest.raises(UnsupportedQuery, match=construct):
        sql_to_pandas(sql, boxes)


def test_an_unknown_dialect_is_the_callers_slip(boxes: BoxSet) -> None:
    with pytest.raises(ValueError, match="sqlite, postgres, mysql"):
        sql_to_pandas("SELECT 1", boxes, dialect="oracle")


def test_without_the_parser_the_extra_is_named(boxes: BoxSet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    with pytest.raises(MissingExtra, match=r"sqlglot"):
        sql_to_pandas("SELECT 1", boxes)


def test_the_boxes_frames_stay_as_they_are(boxes: BoxSet) -> None:
    before = {name: box.frame.copy() for name, box in boxes.items()}
    for _, sql, _ in CASES:
        run(sql_to_pandas(sql, boxes), boxes)
    for name, frame in before.items():
        assert frame.equals(boxes[name].frame)
