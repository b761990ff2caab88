"""Code that queries a database itself reads that one file, and nothing else."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from boxkit.errors import SourceNotFound
from boxkit.executor import acompute_result, compute_result

HEAD = "import sqlite3\ndef compute_result(database_path):\n    con = sqlite3.connect(database_path)\n"


@pytest.fixture(params=["delete", "wal"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "a shop.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute(f"pragma journal_mode={request.param}")
        connection.executescript("create table t(a); insert into t values (1), ('x'), (null), (2.5), (x'ff');")
    connection.close()
    other = tmp_path / "other.sqlite"
    with sqlite3.connect(other) as connection:
        connection.executescript("create table s(a); insert into s values ('secret');")
    connection.close()
    path.chmod(0o644)
    return path


def test_the_function_is_called_with_the_database(database: Path) -> None:
    run = compute_result(HEAD + "    return con.execute('select a from t').fetchall()", database)
    assert run.error is None and run.answer == [(1,), ("x",), (None,), (2.5,), (b"\xff",)]
    frame = compute_result(HEAD + "    return pd.read_sql('select a from t where a = 1', con)", str(database)).answer
    assert frame.to_dict("list") == {"a": [1]}


@pytest.mark.parametrize(
    "code",
    [
        "con.execute('insert into t values (9)'); con.commit(); return 1",
        "con.execute('create table u(a)'); return 1",
        "con.execute(\"attach '{other}' as o\"); return con.execute('select a from o.s').fetchall()",
        "return sqlite3.connect('{other}').execute('select a from s').fetchall()",
        "return sqlite3.connect('file:{other}?mode=ro', uri=True).execute('select a from s').fetchall()",
        "con.execute(\"vacuum into '{other}.copy'\"); return 1",
        "con.execute(\"attach '{other}.new' as o\"); con.execute('create table o.x(a)'); return 1",
        "con.enable_load_extension(True); con.load_extension('{other}'); return 1",
    ],
)
def test_nothing_else_can_be_read_and_nothing_written(code: str, database: Path) -> None:
    before = database.read_bytes()
    run = compute_result(HEAD + "    " + code.replace("{other}", str(database.parent / "other.sqlite")), database)
    assert run.error is not None and run.error.kind == "exception"
    assert database.read_bytes() == before
    assert sorted(path.name for path in database.parent.iterdir()) == ["a shop.sqlite", "other.sqlite"]


def test_code_without_the_function_gives_no_answer(database: Path) -> None:
    run = compute_result("answer = 1", database)
    assert run.error is not None and run.error.kind == "no answer" and "compute_result" in run.error.message


def test_a_missing_database_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceNotFound, match=r"none\.sqlite"):
        compute_result(HEAD, tmp_path / "none.sqlite")


async def test_it_runs_beside_the_event_loop(database: Path) -> None:
    run = await acompute_result(HEAD + "    return con.execute('select count(*) from t').fetchone()[0]", database)
    assert run.answer == 5
