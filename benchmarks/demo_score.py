"""The forty questions of the example world: how many are answered right, wrong, or not at all.

    python benchmarks/demo_score.py                           # the Planner
    BOXKIT_GGUF=model.gguf python benchmarks/demo_score.py    # and Pandora, k = 0 and 6, attempts = 1 and 3

An answer is right where its rows are the gold rows: as a bag (order does not count, repetition does), whatever the
order of the columns, numbers to six digits. Entities are answered by their names; an answer that gives ids, or
columns that were not asked for, is wrong and said to be so. Abstaining, and failing every attempt, count as abstained.
"""

from __future__ import annotations

import argparse
import datetime
import itertools
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from boxkit import load
from boxkit.answer import Answer, Usage
from boxkit.box import BoxSet
from boxkit.examples import ExampleQuestion, questions

if TYPE_CHECKING:
    from boxkit.strategies import Strategy

Rows = Sequence[Sequence[Any]]
VERDICTS = ("right", "wrong", "abstained")


def same(rows: Rows, gold: Rows) -> bool:
    """Whether the rows are the gold rows, in any order of rows and columns."""
    width = len(gold[0])
    if len(rows) != len(gold) or any(len(row) != width for row in rows):
        return False
    wanted = Counter(tuple(map(_cell, row)) for row in gold)
    return any(
        Counter(tuple(_cell(row[at]) for at in order) for row in rows) == wanted
        for order in itertools.permutations(range(width))
    )


def _cell(value: Any) -> Any:
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, (int, float)):
        return float(f"{value:.6g}")
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    return str(value).strip()


def verdict(answer: Answer, question: ExampleQuestion) -> tuple[str, str]:
    """``right``, ``wrong`` or ``abstained``, and why in words."""
    if answer.failure is not None:
        return "abstained", f"{answer.failure.kind}: {answer.failure.message}"
    if same(answer.rows, question.rows):
        return "right", ""
    named = [[_id(cell, answer) for cell in row] for row in question.rows]
    if same(answer.rows, named):
        return "wrong", "ids instead of names"
    width = max(map(len, answer.rows), default=0)
    for kept in itertools.combinations(range(width), len(question.rows[0])):
        if all(len(row) == width for row in answer.rows) and same(
            [[row[at] for at in kept] for row in answer.rows], question.rows
        ):
            return "wrong", f"right but for columns that were not asked for: {', '.join(answer.columns)}"
    shown = str(answer.rows[:4])
    return "wrong", f"{len(answer.rows)} rows, gold {len(question.rows)}: {shown[:200]}"


def _id(cell: Any, answer: Answer) -> Any:
    """The id behind a name, where the answer knows it."""
    ids = answer.entities.get(str(cell), ())
    return ids[0] if len(ids) == 1 else cell


def strategies() -> Iterator[tuple[str, Strategy]]:
    """The Planner, and Pandora's variants where there is a model."""
    from boxkit import LocalLLM, Memory, Pandora, Planner

    yield "Planner", Planner()
    path = os.environ.get("BOXKIT_GGUF")
    if not path:
        return
    model, memory = LocalLLM(path), Memory.starter()
    for k, attempts in itertools.product((0, 6), (1, 3)):
        yield f"Pandora k={k} attempts={attempts}", Pandora(model, memory, k=k, attempts=attempts)


def main() -> int:
    """Ask, compare, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="only the questions whose id starts so: c, d, g, j or one id")
    parser.add_argument("--strategy", default="", help="only the strategies whose name contains this")
    parser.add_argument("--all", action="store_true", help="print the right answers too")
    options = parser.parse_args()
    asked = [question for question in questions() if question.id.startswith(options.only)]
    boxes: dict[tuple[str, ...], BoxSet] = {}
    for question in asked:
        boxes.setdefault(question.sources, load(*question.paths))
    for name, strategy in strategies():
        if options.strategy.casefold() in name.casefold():
            _score(name, strategy, asked, boxes, show_right=options.all)
    return 0


def _score(
    name: str,
    strategy: Strategy,
    asked: Sequence[ExampleQuestion],
    boxes: dict[tuple[str, ...], BoxSet],
    *,
    show_right: bool,
) -> None:
    started = time.perf_counter()
    counts: Counter[str] = Counter()
    usage = Usage()
    for question in asked:
        answer = strategy.ask(question.question, boxes[question.sources])
        usage += answer.usage
        found, why = verdict(answer, question)
        counts[found] += 1
        if found != "right" or show_right:
            print(f"  {question.id} {found:9} {question.question}  {why}", file=sys.stderr, flush=True)
    seconds = time.perf_counter() - started
    told = ", ".join(f"{counts[each]} {each}" for each in VERDICTS)
    cost = f"{seconds / len(asked):.2f} s"
    if usage.calls:
        cost += f", {usage.prompt_tokens // len(asked)} + {usage.completion_tokens // len(asked)} tokens"
    print(f"{name}: {told} of {len(asked)} ({cost} a question)", flush=True)


if __name__ == "__main__":
    sys.exit(main())
