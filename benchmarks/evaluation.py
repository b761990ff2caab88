"""The runner's throughput: a scripted model that takes 200 ms, many questions, many at once, against the ideal.

    python benchmarks/evaluation.py [--questions 1000] [--concurrency 64] [--strategy knowledge|text2sql|pandora]

The ideal is the model's latency alone: rounds of questions that each wait for it. Knowledge asks once and runs nothing,
so that it measures the runner: each answer is judged by four scorers against gold, executed once for the two questions
that share it, and synced to disk. Text2SQL also prompts with a schema, checks the query and runs it in SQLite; Pandora
runs each answer's code in the sandbox, so that its ideal is bounded by what this machine's sandboxes do: both are
printed. One interpreter answers all questions: at 3.1 ms a question it is busy all the time that 64 questions at once
wait for the model, so that Text2SQL is bound by it, and the ratio falls with whatever else the machine does. To compare
two versions, run them in turns, several times, and compare the processor's time a question.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import sqlite3
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import boxkit
from boxkit.evaluation.datasets import Dataset, open_dataset
from boxkit.llm import Message
from boxkit.profile import PROFILES
from boxkit.testing import ScriptedLLM

LATENCY_S = 0.2

#: Each query is the gold of two questions, as it mostly is in Spider.
SQL = "SELECT name FROM item WHERE price > {least} AND price < {least} + 3"
CODE = "answer = item.loc[(item['price'] > {least}) & (item['price'] < {least} + 3), ['name']]"


def reply(name: str, messages: Sequence[Message]) -> str:
    """What a model that is always right says to the question at the end of a prompt."""
    least = int(re.findall(r"dearer than (\d+)", messages[-1].content)[-1])
    if name == "knowledge":
        return json.dumps([[f"n{least + 1}"], [f"n{least + 2}"]])
    language, code = ("sql", SQL) if name == "text2sql" else ("python", CODE)
    return f"```{language}\n{code.format(least=least)}\n```"


def dataset(folder: Path, questions: int) -> Dataset:
    """A benchmark in Spider's layout."""
    home = folder / "database" / "shop"
    home.mkdir(parents=True)
    with closing(sqlite3.connect(home / "shop.sqlite")) as connection:
        connection.execute("CREATE TABLE item (name TEXT, price REAL)")
        connection.executemany("INSERT INTO item VALUES (?, ?)", [(f"n{at}", at) for at in range(1000)])
        connection.commit()
    rows = [
        {
            "db_id": "shop",
            "question": f"{'Which' if at % 2 else 'What'} two items are just dearer than {at // 2}?",
            "query": SQL.format(least=at // 2),
        }
        for at in range(questions)
    ]
    (folder / "dev.json").write_text(json.dumps(rows))
    return open_dataset("spider", folder)


KINDS: dict[str, Any] = {
    "text2sql": boxkit.Text2SQL,
    "knowledge": boxkit.Knowledge,
    "pandora": boxkit.Pandora,
}


def strategy(name: str, latency_s: float) -> Any:
    llm = ScriptedLLM(lambda messages: reply(name, messages), latency_s=latency_s)
    return KINDS[name](llm, profile=PROFILES["spider"])


def processor_s() -> tuple[float, float]:
    """Seconds of the processor that this process has used, and that those which it started have."""
    own, begun = time.process_time(), os.times()
    below = begun.children_user + begun.children_system
    waiting = [str(os.getpid())]
    while waiting:
        for task in Path("/proc", waiting.pop(), "task").glob("*"):
            with suppress(FileNotFoundError):  # a thread or a process that has just ended
                for child in (task / "children").read_text().split():
                    waiting.append(child)
                    fields = Path("/proc", child, "stat").read_text().rpartition(")")[2].split()
                    below += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return own, below


async def sandboxes(boxes: boxkit.BoxSet, runs: int, concurrency: int) -> float:
    """Seconds that this machine takes to run the code alone so often."""
    gate = asyncio.Semaphore(concurrency)

    async def one() -> None:
        async with gate:
            await boxkit.aexecute(CODE.format(least=7), boxes)

    started = time.perf_counter()
    await asyncio.gather(*(one() for _ in range(runs)))
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description="The runner's throughput.")
    parser.add_argument("--questions", type=int, default=1000)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--strategy", choices=KINDS, default="knowledge")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        asked = dataset(Path(scratch), options.questions)
        boxkit.evaluate(strategy(options.strategy, 0.0), asked.head(5))  # imports, and the first sandbox
        rounds = -(-options.questions // options.concurrency)
        ideal = rounds * LATENCY_S
        if options.strategy == "pandora":
            alone = asyncio.run(sandboxes(asked[0].boxes(), options.questions, options.concurrency))
            print(f"the sandboxes alone take {alone:.2f} s, the model alone {ideal:.2f} s")
            ideal = max(ideal, alone)
        started, before = time.perf_counter(), processor_s()
        out = Path(scratch) / "run"
        report = boxkit.evaluate(strategy(options.strategy, LATENCY_S), asked, out, concurrency=options.concurrency)
        took = time.perf_counter() - started
        own, below = (1000 * (now - then) / report.done for now, then in zip(processor_s(), before, strict=True))
    print(
        f"{options.strategy}: {report.done} questions, {options.concurrency} at once, in {took:.2f} s "
        f"(processor: {own:.2f} ms a question, and {below:.2f} in the processes it started; load of the machine "
        f"{os.getloadavg()[0]:.1f}); ideal {ideal:.2f} s: {ideal / took:.2f} of the ideal; score {report.summary()}"
    )


if __name__ == "__main__":
    main()
