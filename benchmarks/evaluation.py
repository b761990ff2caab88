"""The runner's throughput: a scripted model that takes 200 ms, many questions, many at once, against the ideal.

    python benchmarks/evaluation.py [--questions 1000] [--concurrency 64] [--strategy text2sql|knowledge|pandora]

The ideal is the model's latency alone: rounds of questions that each wait for it. Text2SQL prompts, asks, checks the
query and runs it in SQLite; each answer is scored against freshly executed gold and synced to disk. Pandora also runs
each answer's code in the sandbox, so that its ideal is bounded by what this machine's sandboxes do: both are printed.
One interpreter answers all questions: at 5 ms a question it is busy all the time that 64 questions at once wait for the
model, so that the ratio falls with whatever else the machine does. The processor's time a question tells more there.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sqlite3
import tempfile
import time
from contextlib import closing
from pathlib import Path

import boxkit
from boxkit.evaluation.datasets import Dataset, open_dataset
from boxkit.profile import PROFILES
from boxkit.testing import ScriptedLLM

LATENCY_S = 0.2
SQL = "SELECT name FROM item WHERE price > 97"
CODE = "answer = item.loc[item['price'] > 97, ['name']]"
REPLIES = {
    "text2sql": f"```sql\n{SQL}\n```",
    "knowledge": '[["n98"], ["n99"]]',
    "pandora": f"```python\n{CODE}\n```",
}


def dataset(folder: Path, questions: int) -> Dataset:
    """A benchmark in Spider's layout."""
    home = folder / "database" / "shop"
    home.mkdir(parents=True)
    with closing(sqlite3.connect(home / "shop.sqlite")) as connection:
        connection.execute("CREATE TABLE item (name TEXT, price REAL)")
        connection.executemany("INSERT INTO item VALUES (?, ?)", [(f"n{at}", at) for at in range(100)])
        connection.commit()
    rows = [{"db_id": "shop", "question": f"Which items cost more, {at}?", "query": SQL} for at in range(questions)]
    (folder / "dev.json").write_text(json.dumps(rows))
    return open_dataset("spider", folder)


def strategy(name: str, latency_s: float) -> boxkit.Pandora | boxkit.Text2SQL | boxkit.Knowledge:
    llm = ScriptedLLM(lambda _: REPLIES[name], latency_s=latency_s)
    kinds = {"text2sql": boxkit.Text2SQL, "knowledge": boxkit.Knowledge, "pandora": boxkit.Pandora}
    return kinds[name](llm, profile=PROFILES["spider"])


async def sandboxes(boxes: boxkit.BoxSet, runs: int, concurrency: int) -> float:
    """Seconds that this machine takes to run the code alone so often."""
    gate = asyncio.Semaphore(concurrency)

    async def one() -> None:
        async with gate:
            await boxkit.aexecute(CODE, boxes)

    started = time.perf_counter()
    await asyncio.gather(*(one() for _ in range(runs)))
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description="The runner's throughput.")
    parser.add_argument("--questions", type=int, default=1000)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--strategy", choices=REPLIES, default="text2sql")
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
        started, used = time.perf_counter(), time.process_time()
        out = Path(scratch) / "run"
        report = boxkit.evaluate(strategy(options.strategy, LATENCY_S), asked, out, concurrency=options.concurrency)
        took, used = time.perf_counter() - started, time.process_time() - used
    print(
        f"{options.strategy}: {report.done} questions, {options.concurrency} at once, in {took:.2f} s "
        f"(CPU {1000 * used / report.done:.2f} ms a question; load of the machine {os.getloadavg()[0]:.1f}); "
        f"ideal {ideal:.2f} s: {ideal / took:.2f} of the ideal; score {report.summary()}"
    )


if __name__ == "__main__":
    main()
