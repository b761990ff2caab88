"""The Planner: right, wrong and abstained on library40, Spider and rewordings; its time; its worth as a draft.

    python benchmarks/planner.py library
    python benchmarks/planner.py rewordings [--file own.jsonl]
    python benchmarks/planner.py spider-train [--show wrong] [--limit 200]
    python benchmarks/planner.py spider-dev [--plot docs/planner-confidence.svg]
    python benchmarks/planner.py speed
    python benchmarks/planner.py drafts --memory memory/ [--queries train] [--every 4]

``BOXKIT_QUESTIONS`` and ``BOXKIT_DATA`` say where the questions and the data lie. Rows are compared as bags, columns in
any order; Spider's by its own comparison. Code that the Planner wrote itself runs in this process here, so that
thousands of questions take minutes; rewordings go all the way through ``Planner.ask``. A file of rewordings has a line
for each: ``id`` (``l01`` to ``l40`` of library40, or that of an example question) and ``question``; the right answer is
that of the question with that id. Of ours, the Planner was developed on set 1 and on the kinds of faults in sets 2
and 3; set 4 was written apart, and is scored when that is over.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from planner_calibration import binned, plot, table
from planner_drafts import drafts, library_queries, spider_queries
from planner_speed import speed

from boxkit import BoxSet, Planner, load
from boxkit.canonical import canonical_rows
from boxkit.evaluation.scorers import score
from boxkit.evaluation.scorers.spider import order_matters
from boxkit.examples import questions
from boxkit.strategies.planner.confidence import THRESHOLD
from boxkit.strategies.planner.reading import Planned, Reading, read
from boxkit.strategies.planner.units import clash

ROOT = Path(__file__).resolve().parent.parent
QUESTIONS = Path(os.environ.get("BOXKIT_QUESTIONS", ROOT.parent / "shared" / "questions"))
DATA = Path(os.environ.get("BOXKIT_DATA", ROOT.parent / "shared" / "data"))

Rows = list[tuple[Any, ...]]


@dataclass
class Outcome:
    """One question's outcome: ``right``, ``wrong`` or ``abstained``, and what the best candidate would have been."""

    question: str
    verdict: str
    guess_right: bool
    confidence: float
    why: str = ""
    reading: Reading | None = None
    gold: Any = None
    group: str = ""
    rows: Rows | None = None
    #: Whether confidence alone decided, and neither a rival nor a doubt.
    by_confidence: bool = False


def run_here(code: str, boxes: BoxSet) -> Rows:
    """Run code that the Planner wrote; in this process."""
    scope = {name: box.frame for name, box in boxes.items()} | {"pd": pd, "np": np, "boxes": boxes}
    exec(code, scope)
    return canonical_rows(scope["answer"])[0]


def same(one: Rows, two: Rows) -> bool:
    """Whether the rows are the same bag, with the columns in some order."""
    if len(one) != len(two):
        return False
    if not one:
        return True
    if len(one[0]) != len(two[0]):
        return False
    left = Counter(tuple(map(_cell, row)) for row in one)
    width = len(one[0])
    orders = itertools.permutations(range(width)) if width <= 5 else [tuple(range(width))]
    return any(left == Counter(tuple(_cell(row[at]) for at in order) for row in two) for order in orders)


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, (int, float)):
        return round(float(value), 4)
    return value if value is None else str(value)


def judged(
    question: str,
    boxes: BoxSet,
    gold: Rows,
    ties: str,
    compare: Callable[[Rows, Rows], bool] = same,
    empty_abstains: bool = False,
) -> Outcome:
    """Ask, and compare with the gold rows."""
    try:
        reading = read(question, boxes, ties)
    except Exception as error:
        return Outcome(question, "abstained", False, 0.0, f"{type(error).__name__}: {error}", None, gold)
    if not reading.best:
        return Outcome(question, "abstained", False, 0.0, "no reading", reading, gold)
    best = reading.best[0]
    try:
        rows = [run_here(planned.code, boxes) for planned in reading.best]
    except Exception as error:
        return Outcome(question, "abstained", False, best.confidence, f"{type(error).__name__}: {error}", reading, gold)
    right = compare(rows[0], gold)
    rivals = any(not same(other, rows[0]) for other in rows[1:])
    stopped = rivals or reading.doubt is not None or clash(question, best.code) is not None
    abstains = stopped or best.confidence < THRESHOLD or (empty_abstains and not rows[0])
    verdict = "abstained" if abstains else "right" if right else "wrong"
    return Outcome(
        question,
        verdict,
        right,
        best.confidence,
        "rivals" if rivals else reading.doubt or "",
        reading,
        gold,
        rows=rows[0],
        by_confidence=not stopped,
    )


def library() -> Iterator[Outcome]:
    """The 40 questions over library.sqlite."""
    boxes = load(QUESTIONS / "library.sqlite")
    for each in json.loads((QUESTIONS / "library40.json").read_text()):
        outcome = judged(each["question"], boxes, _gold_rows(each["gold"], each["kind"]), "all")
        outcome.group = each["shape"]
        yield outcome


def _gold_rows(gold: Any, kind: str) -> Rows:
    if kind == "map":
        return [(key, value) for key, value in gold.items()]
    return [(value,) for value in gold] if isinstance(gold, list) else [(gold,)]


def spider(split: str, limit: int | None) -> Iterator[Outcome]:
    """Spider's questions whose database is here; gold rows from running the gold SQL."""
    folder = DATA / "spider"
    name = {"train": "train_spider.json", "dev": "ic_spider_dev.json"}[split]
    examples = json.loads((folder / name).read_text())
    loaded: dict[str, BoxSet] = {}
    for each in examples[:limit]:
        database, question, sql = _fields(each)
        path = folder / "database" / database / f"{database}.sqlite"
        if not path.is_file():
            continue
        gold = _executed(path, sql)
        if gold is None:
            continue
        if database not in loaded:
            loaded = {database: load(path)}
        outcome = judged(question, loaded[database], gold, "first", _as_spider(sql))
        outcome.group = each.get("hardness", database)
        outcome.gold = f"{database}: {sql}"
        yield outcome


def _as_spider(sql: str) -> Callable[[Rows, Rows], bool]:
    """Spider's comparison: a bag of rows, in order where the gold SQL orders; an extra or a lost DISTINCT is wrong."""
    return lambda rows, gold: score("spider_strict", rows, gold, ordered=order_matters(sql)).correct


def _fields(example: dict[str, Any]) -> tuple[str, str, str]:
    """Database, question and SQL; the copy with the hardness names them otherwise."""
    if "db_id" in example:
        return example["db_id"], example["question"], example["query"]
    return example["db"], example["query"], example["gold"]


def _executed(path: Path, sql: str) -> Rows | None:
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
        connection.text_factory = lambda raw: raw.decode(errors="replace")
        try:
            return connection.execute(sql).fetchall()
        except sqlite3.Error:
            return None


def rewordings(file: Path) -> Iterator[Outcome]:
    """The questions of ``file``, asked as a user would ask them."""
    library40 = {f"l{each['id']:02}": each for each in json.loads((QUESTIONS / "library40.json").read_text())}
    examples = {each.id: each for each in questions()}
    loaded: dict[tuple[Path, ...], BoxSet] = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        known = library40.get(record["id"])
        paths = (QUESTIONS / "library.sqlite",) if known else examples[record["id"]].paths
        gold = _gold_rows(known["gold"], known["kind"]) if known else list(examples[record["id"]].rows)
        if paths not in loaded:
            loaded[paths] = load(*paths)
        answer = Planner().ask(record["question"], loaded[paths])
        verdict = "abstained" if answer.failure else "right" if same(answer.rows, gold) else "wrong"
        why = f"{answer.failure.message}; " if answer.failure else ""
        confidence = answer.details.get("confidence", 0.0)
        outcome = Outcome(record["question"], verdict, verdict == "right", confidence, f"{why}{answer.rationale}")
        outcome.gold, outcome.rows = f"{record['id']} {gold[:4]}", answer.rows
        outcome.group = f"set {record.get('set', 1)}, {'library40' if known else 'examples'}"
        yield outcome


def report(outcomes: Iterable[Outcome], show: str) -> list[Outcome]:
    """Print the counts, by group too, and the questions of one verdict."""
    done = list(outcomes)
    for group in ("", *sorted({each.group for each in done})):
        some = [each for each in done if not group or each.group == group]
        counts = Counter(each.verdict for each in some)
        answered = counts["right"] + counts["wrong"]
        precision = counts["right"] / answered if answered else 0.0
        print(
            f"{group or 'all':28} {len(some):5} questions  right {counts['right']:4}  wrong {counts['wrong']:4}  "
            f"abstained {counts['abstained']:4}  answered {answered / len(some):6.1%}  precision {precision:6.1%}  "
            f"best guess right {sum(each.guess_right for each in some):4}"
        )
    for each in done:
        if each.verdict == show:
            _show(each)
    return done


def calibration(outcomes: Iterable[Outcome], path: Path | None, data: str) -> None:
    """Print confidence against truth, and draw it; left out is what would not be answered at any confidence."""
    pairs = [(each.confidence, each.guess_right) for each in outcomes if each.by_confidence]
    bins = list(binned(pairs))
    print(f"\n{table(bins)}")
    if path is not None:
        plot(bins, THRESHOLD, path, data)


def _show(each: Outcome) -> None:
    print(f"\n{each.question}\n    gold: {each.gold}\n    {each.why} confidence {each.confidence:.2f}")
    if each.reading and each.reading.best:
        best: Planned = each.reading.best[0]
        costs = {name: round(cost, 2) for name, cost in best.candidate.costs.items() if cost}
        print(f"    {' '.join(best.sentences)}\n    {costs} unplaced {each.reading.unplaced}")
        print(f"    would be right: {each.guess_right} rows {(each.rows or [])[:4]}")
    elif not each.reading:
        print(f"    rows {(each.rows or [])[:4]}")
    else:
        print(f"    {[(item.kind, item.text) for item in each.reading.items if item.kind not in ('empty', 'mark')]}")


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["library", "rewordings", "spider-train", "spider-dev", "speed", "drafts"])
    parser.add_argument("--show", default="", choices=["", "right", "wrong", "abstained"])
    parser.add_argument("--limit", type=int)
    parser.add_argument("--file", type=Path, default=ROOT / "benchmarks" / "planner_rewordings.jsonl")
    parser.add_argument("--plot", type=Path, help="for Spider: draw confidence against truth into this SVG file")
    parser.add_argument("--memory", type=Path, help="for drafts: a folder that `boxkit learn` wrote")
    parser.add_argument("--queries", default="rewordings", choices=["rewordings", "train", "dev"])
    parser.add_argument("--every", type=int, default=1, help="for drafts: only every so-manieth question")
    options = parser.parse_args()
    if options.what == "drafts" and options.memory is None:
        parser.error("drafts needs --memory: a folder that `boxkit learn` wrote")
    if options.what == "speed":
        speed(QUESTIONS, DATA)
    elif options.what == "drafts":
        own = options.queries == "rewordings"
        drafts(
            options.memory,
            library_queries(QUESTIONS, options.file) if own else spider_queries(DATA, options.queries, options.every),
        )
    elif options.what == "rewordings":
        report(rewordings(options.file), options.show)
    elif options.what == "library":
        report(library(), options.show)
    else:
        split = options.what.removeprefix("spider-")
        done = report(spider(split, options.limit), options.show)
        calibration(done, options.plot, f"Spider {split}: {len(done)} questions")


if __name__ == "__main__":
    main()
