"""Spider's first execution match (``evaluation.py --etype exec``), by which older papers report."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from boxkit.evaluation.scorers.score import Score
from boxkit.evaluation.scorers.spider_grammar import Schema, Unit, Unreadable, read_select
from boxkit.evaluation.sqlite_files import connected, stamp

__all__ = ["spider_exec"]


def spider_exec(predicted: str, gold: str, *, database: str | Path) -> Score:
    """Whether two queries select equal columns, each known by what is selected, row by row in order.

    Rows must come in the same order always, columns in any. A unit that is selected twice counts once (its last column
    does), and the aggregate around a unit is no part of what it is known by. A query that the script's own grammar does
    not read is wrong, whatever it gives.

    Args:
        predicted: SQL.
        gold: SQL.
        database: The SQLite file. Foreign keys are those of ``tables.json`` beside the folder of databases, else the
            file's own.
    """
    path = Path(database)
    state = stamp(path)
    if not state:
        return Score.none(f"there is no database {path}")
    schema = _schema(path, state, _keys_file(path))
    try:
        wanted = read_select(gold, schema)
    except Unreadable as error:
        return Score.none(f"a gold query that its grammar does not read ends the official script: {error}")
    try:
        units = read_select(predicted, schema)
    except Unreadable as error:
        return Score.of(False, f"the script's grammar does not read the query: {error}")
    with connected(path) as connection:
        try:
            own = connection.execute(predicted).fetchall()
        except (sqlite3.Error, sqlite3.Warning) as error:
            return Score.of(False, f"the query fails: {error}")
        try:
            theirs = connection.execute(gold).fetchall()
        except (sqlite3.Error, sqlite3.Warning) as error:
            return Score.none(f"a gold query that fails ends the official script: {error}")
    equal = _by_unit(own, units) == _by_unit(theirs, wanted)
    return Score.of(equal, "" if equal else "the selected units or their columns differ")


def _by_unit(rows: Sequence[Sequence[Any]], units: Sequence[Unit]) -> dict[Unit, list[Any]]:
    return {unit: [row[at] for row in rows] for at, unit in enumerate(units)}


@lru_cache(maxsize=64)
def _schema(path: Path, _state: object, keys: tuple[str, object] | None) -> Schema:
    """A database's schema: a benchmark asks hundreds of questions of each, and its file of keys is long."""
    with connected(path) as connection:
        listed = _listed(Path(keys[0]), path.stem) if keys else []
        return Schema(_columns(connection), _tied(listed or _declared(connection)))


def _columns(connection: sqlite3.Connection) -> dict[str, list[str]]:
    names = [str(row[0]) for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    pragma = "SELECT name FROM pragma_table_info(?)"
    return {name.lower(): [str(row[0]).lower() for row in connection.execute(pragma, (name,))] for name in names}


def _tied(keys: Sequence[tuple[str, str]]) -> dict[str, str]:
    """For each column in a foreign key, the first column of all that are tied to it."""
    groups: list[list[str]] = []
    for one, other in keys:
        group = next((each for each in groups if one in each or other in each), None)
        if group is None:
            group = []
            groups.append(group)
        group.extend(name for name in (one, other) if name not in group)
    # A column in two groups belongs to the last, as in the script.
    return {name: min(group) for group in groups for name in group}


def _keys_file(path: Path) -> tuple[str, object] | None:
    """The ``tables.json`` of a database's benchmark, with its state; None where there is none."""
    return next(((name, state) for name in _keys_files(path) if (state := stamp(name))), None)


@lru_cache(maxsize=64)
def _keys_files(path: Path) -> list[str]:
    return [str(folder / "tables.json") for folder in list(path.parents)[1:4]]


def _listed(file: Path, name: str) -> list[tuple[str, str]]:
    """The foreign keys of ``tables.json``, where it knows the database."""
    entries: list[Mapping[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
    entry = next((each for each in entries if each.get("db_id") == name), None)
    return [] if entry is None else _of_entry(entry)


def _of_entry(entry: Mapping[str, Any]) -> list[tuple[str, str]]:
    tables, columns = entry["table_names_original"], entry["column_names_original"]

    def name(at: int) -> str:
        table, column = columns[at]
        return f"{tables[table]}.{column}".lower()

    return [(name(one), name(other)) for one, other in entry["foreign_keys"]]


def _declared(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    query = """SELECT m.name, k."from", k."table", k."to" FROM sqlite_master AS m, pragma_foreign_key_list(m.name) AS k
        WHERE m.type = 'table'"""
    found = connection.execute(query).fetchall()
    return [(f"{one}.{own}".lower(), f"{other}.{theirs or own}".lower()) for one, own, other, theirs in found]
