"""The Planner's code as a draft: how many of the demonstrations that `masked` chooses have the right program's shape.

    boxkit learn spider=DATA/spider --out memory/
    python benchmarks/planner.py drafts --memory memory/ [--queries train] [--every 4]

Questions whose gold SQL is known are asked of a memory learned from Spider's train questions; the gold SQL as pandas
has the skeleton that a demonstration's code should have. ``rewordings``: ours of library40. ``dev``: Spider's dev
questions that say in other words what the question before them asked. ``train``: the same of its train questions, over
a memory without the question's own database: to develop on.
"""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from boxkit import BoxSet, Memory, load
from boxkit.errors import BoxkitError
from boxkit.memory import Drafted
from boxkit.memory.masking import likeness, skeleton
from boxkit.memory.transpile import sql_to_pandas
from boxkit.strategies.planner.reading import read

FIRST = 6


@dataclass(frozen=True)
class Query:
    """A question, its boxes, the code of its gold SQL, and the database that must not show its own demonstrations."""

    question: str
    boxes: BoxSet
    code: str
    source: str


def planned(question: str, boxes: BoxSet | None) -> str:
    """The code of the Planner's best reading, whether it would answer or abstain; nothing is run.

    Of ties one is taken, as the gold SQL's ``limit 1`` does.
    """
    best = read(question, boxes, "first").best if boxes is not None else ()
    return best[0].code if best else ""


def drafts(folder: Path, queries: Iterator[Query]) -> None:
    """Print, for each way to choose, what the first demonstrations have in common with the right program."""
    memory = Memory.open(folder)
    asked = list(queries)
    gold = {each.question: each.code for each in asked}
    ways: dict[str, tuple[Callable[[str, BoxSet | None], str], str]] = {
        "random": (lambda *_: "", "random"),
        "similar": (lambda *_: "", "similar"),
        "masked, no draft": (lambda *_: "", "masked"),
        "masked, Planner's draft": (planned, "masked"),
        "masked, the gold program as draft": (lambda question, _: gold[question], "masked"),
    }
    drafted = [planned(each.question, each.boxes) for each in asked]
    wanted = [skeleton(each.code) for each in asked]
    exact = sum(skeleton(draft) == own for draft, own in zip(drafted, wanted, strict=True))
    print(
        f"{len(asked)} questions, {len(memory)} demonstrations, {memory.embedding.name}; the Planner's draft: of the "
        f"right shape {exact / len(asked):.1%}, none {sum(not each for each in drafted) / len(asked):.1%}"
    )
    print(f"| first {FIRST} chosen by | same skeleton | questions with one | likeness |")
    print("|---|---|---|---|")
    shapes, others = cache(skeleton), cache(lambda source: _without(memory, source))
    for name, (draft, mode) in ways.items():
        same = some = likeness_sum = total = 0.0
        for each, own in zip(asked, wanted, strict=True):
            chosen = Drafted(others(each.source), draft).select(each.question, FIRST, mode, boxes=each.boxes)
            found = [one.demonstration for one in chosen]
            equal = sum(shapes(one.code) == own for one in found)
            same, some, total = same + equal, some + bool(equal), total + len(found)
            likeness_sum += sum(likeness(shapes(one.code), own) for one in found)
        print(f"| {name} | {same / total:.1%} | {some / len(asked):.1%} | {likeness_sum / total:.2f} |", flush=True)


def _without(memory: Memory, source: str) -> Memory:
    """The memory without the demonstrations of one database."""
    return memory.only(source={each.source for each in memory} - {source}) if source else memory


def library_queries(questions: Path, rewordings: Path) -> Iterator[Query]:
    """Our rewordings of library40."""
    boxes = load(questions / "library.sqlite")
    sql = {f"l{each['id']:02}": each["sql"] for each in json.loads((questions / "library40.json").read_text())}
    for line in rewordings.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if record["id"] in sql:
            yield from _query(record["question"], boxes, sql[record["id"]], "")


def spider_queries(data: Path, split: str, every: int) -> Iterator[Query]:
    """Every so-manieth question of Spider that asks in other words what the one before it asked."""
    name = {"train": "train_spider.json", "dev": "dev.json"}[split]
    examples = json.loads((data / "spider" / name).read_text())
    pairs = itertools.pairwise(examples)
    reworded = [two for one, two in pairs if (one["db_id"], one["query"]) == (two["db_id"], two["query"])]
    loaded: dict[Path, BoxSet] = {}
    for each in reworded[::every]:
        path = data / "spider" / "database" / each["db_id"] / f"{each['db_id']}.sqlite"
        if path.is_file():
            if path not in loaded:
                loaded = {path: load(os.fspath(path))}
            yield from _query(each["question"], loaded[path], each["query"], each["db_id"])


def _query(question: str, boxes: BoxSet, sql: str, source: str) -> Iterator[Query]:
    try:
        yield Query(question, boxes, sql_to_pandas(sql, boxes), source)
    except BoxkitError:
        return
