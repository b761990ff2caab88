"""Right, refused and wrong of `sql_to_pandas`, by execution against SQLite itself.

    python benchmarks/transpile.py spider-dev spider-train archer-dev archer-train kaggledbqa machinespider-de

Rows are compared as Spider's test-suite evaluation compares them: as a bag, in order where the gold query orders, under
any order of the columns. ``exact`` counts those that agree without that last leave. Gold queries that SQLite itself
refuses are left out and counted. The data folder is `BOXKIT_DATA`, else ``../shared/data``.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import sqlite3
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from data_folder import needed

import boxkit
from boxkit.box import BoxSet
from boxkit.canonical import canonical_rows
from boxkit.errors import UnsupportedQuery
from boxkit.memory.transpile import sql_to_pandas

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("BOXKIT_DATA", ROOT.parent / "shared" / "data"))

DATASETS = {
    "spider-dev": ("spider/dev.json", ("spider/database",)),
    "spider-train": ("spider/train_spider.json", ("spider/database",)),
    "archer-dev": ("archer/dev.json", ("archer/database", "spider/database")),
    "archer-train": ("archer/train.json", ("archer/database", "spider/database")),
    "kaggledbqa": ("kaggledbqa/examples/{db}.json", ("kaggledbqa/databases",)),
    "machinespider-de": ("machinespider_de/train_dev/dev.json", ("machinespider_de/database",)),
}


def examples(dataset: str) -> Iterator[tuple[str, Path]]:
    """Each gold query with its database's file; those without a file are passed over."""
    pattern, folders = DATASETS[dataset]
    names = pattern.replace("{db}.json", "*[a-z].json") if "{db}" in pattern else pattern
    files = [f for f in sorted(DATA.glob(names)) if not f.stem.endswith(("_test", "_fewshot"))]
    for file in files:
        for row in json.loads(file.read_text()):
            database = row["db_id"]
            found = [DATA / folder / database / f"{database}.sqlite" for folder in folders]
            path = next((each for each in found if each.is_file()), None)
            if path is not None:
                yield row["query"], path


def gold_rows(sql: str, path: Path) -> list[tuple[Any, ...]] | None:
    """SQLite's own rows; None where it refuses the query."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    connection.text_factory = lambda raw: raw.decode(errors="ignore")
    try:
        return connection.execute(sql).fetchall()
    except sqlite3.Error:
        return None
    finally:
        connection.close()


def run(code: str, boxes: BoxSet) -> list[tuple[Any, ...]]:
    """The canonical rows of the code's answer."""
    import re
    from decimal import Decimal

    used = set(compile(code, "answer", "exec").co_names)
    space: dict[str, Any] = {"pd": pd, "np": np, "re": re, "Decimal": Decimal}
    space |= {name: box.frame for name, box in boxes.items() if name in used}
    exec(code, space)
    return canonical_rows(space["answer"])[0]


def _cell(value: Any) -> tuple[str, Any]:
    if value is None:
        return ("", "")
    if isinstance(value, (bool, int, float)):
        return ("number", float(value))
    return ("text", str(value))


def _order(row: tuple[Any, ...]) -> list[Any]:
    return [_cell(value) for value in row]


def _close(a: Any, b: Any) -> bool:
    if isinstance(a, (bool, int, float)) and isinstance(b, (bool, int, float)):
        return a == b or abs(a - b) <= 1e-9 * max(abs(a), abs(b))
    return bool(a == b)


def same(answer: list[Any], gold: list[Any], ordered: bool) -> bool:
    """Whether the rows agree, column by column in order."""
    if len(answer) != len(gold):
        return False
    if not ordered:
        answer, gold = sorted(answer, key=_order), sorted(gold, key=_order)
    return all(len(a) == len(b) and all(map(_close, a, b)) for a, b in zip(answer, gold, strict=True))


def agrees(answer: list[Any], gold: list[Any], ordered: bool) -> bool:
    """The same under some order of the columns."""
    if same(answer, gold, ordered):
        return True
    width = len(gold[0]) if gold else 0
    if len(answer) != len(gold) or not gold or len(answer[0]) != width or width > 6:
        return False
    return any(
        same([tuple(row[at] for at in order) for row in answer], gold, ordered)
        for order in itertools.permutations(range(width))
    )


def orders(sql: str) -> bool:
    """Whether the query itself, not one inside it, says in which order its rows come."""
    import sqlglot

    return sqlglot.parse_one(sql, read="sqlite").args.get("order") is not None


def verdict(sql: str, path: Path, boxes: BoxSet) -> tuple[str, str]:
    """``right``, ``exact``, ``refused``, ``wrong`` or ``skipped``, and why."""
    gold = gold_rows(sql, path)
    if gold is None:
        return "skipped", "SQLite refuses it"
    try:
        code = sql_to_pandas(sql, boxes)
    except UnsupportedQuery as error:
        return "refused", error.construct
    try:
        answer = run(code, boxes)
    except Exception as error:
        return "wrong", f"{type(error).__name__}: {error}\n{code}"
    ordered = orders(sql)
    if same(answer, gold, ordered):
        return "exact", code
    if agrees(answer, gold, ordered):
        return "right", code
    return "wrong", f"{answer[:4]} instead of {gold[:4]} ({len(answer)} and {len(gold)} rows)\n{code}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Right, refused and wrong of sql_to_pandas.")
    parser.add_argument("datasets", nargs="*", default=list(DATASETS), metavar="DATASET", help=", ".join(DATASETS))
    parser.add_argument("--show", choices=["wrong", "refused", "right", "exact"], action="append", default=[])
    parser.add_argument("--limit", type=int, help="the first queries of each dataset only")
    options = parser.parse_args()
    warnings.simplefilter("error")
    loaded: dict[Path, BoxSet] = {}
    heads = ("run", "right", "exact", "refused", "wrong", "right %", "skipped", "s")
    print(f"{'dataset':<18}" + "".join(f"{head:>9}" for head in heads))
    for dataset in options.datasets:
        started, counts = time.perf_counter(), Counter[str]()
        seen: dict[tuple[str, Path], tuple[str, str]] = {}
        for sql, path in itertools.islice(examples(dataset), options.limit):
            if path not in loaded:
                loaded[path] = boxkit.load(path)
            key = (sql, path)
            if key not in seen:
                seen[key] = verdict(sql, path, loaded[path])
                kind, detail = seen[key]
                if kind in options.show:
                    print(f"--- {kind} {path.stem}\n{sql}\n{detail}", file=sys.stderr)
            counts[seen[key][0]] += 1
        right = counts["exact"] + counts["right"]
        total = right + counts["refused"] + counts["wrong"]
        share = 100 * right / total if total else 0.0
        print(
            f"{dataset:<18}{total:>9}{right:>9}{counts['exact']:>9}{counts['refused']:>9}{counts['wrong']:>9}"
            f"{share:>9.2f}{counts['skipped']:>9}{time.perf_counter() - started:>9.1f}"
        )


if __name__ == "__main__":
    needed(DATA)
    main()
