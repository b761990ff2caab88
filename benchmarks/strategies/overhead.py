"""boxkit's own time in one question, against the time that the model takes: every strategy, 500 ms a call.

    python benchmarks/strategies/overhead.py [--latency 0.5] [--questions 5] [--only hybrid]

A scripted model takes a fixed time for each call, and its replies are right. The model's time is that in which at least
one call is under way (the samples of a vote run at once); the rest of the question's time is ours, the work that was
asked for included: prompts, queries, the confined run, votes. The data are the shop of ``shop.py`` as a SQLite file
and as four frames, and a graph of its orders. Medians of warm questions; the first one of each strategy is told apart.
"""

from __future__ import annotations

import argparse
import itertools
import sqlite3
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import shop

import boxkit
from boxkit.strategies import Decompose, Select
from boxkit.testing import ScriptedLLM

if TYPE_CHECKING:
    from boxkit.llm.protocol import LLM, Completion, Message, Parameters, PromptLayoutName
    from boxkit.strategies import Strategy

BOUND = 0.05

SQL = """SELECT name, ROUND(SUM(price * quantity), 2) AS spent
FROM order_line JOIN product USING (product_id) JOIN orders USING (order_id) JOIN customer USING (customer_id)
WHERE category = 'book' AND ordered_on LIKE '2023%' GROUP BY customer_id ORDER BY spent DESC LIMIT 5"""

ROWS = """SELECT name, price * quantity AS spent
FROM order_line JOIN product USING (product_id) JOIN orders USING (order_id) JOIN customer USING (customer_id)
WHERE category = 'book' AND ordered_on LIKE '2023%'"""

SPARQL = """SELECT ?name (SUM(?amount) AS ?spent)
WHERE { ?order shop:by ?customer ; shop:amount ?amount . ?customer rdfs:label ?name }
GROUP BY ?name ORDER BY DESC(?spent) LIMIT 5"""

SINGLE = f'''import sqlite3

def compute_result(database_path):
    with sqlite3.connect(database_path) as database:
        return database.execute("""{SQL}""").fetchall()'''

OVER_FRAMES = """def compute_result(frames):
    totals = frames[0].groupby("name")["spent"].sum().sort_values(ascending=False).head(5).round(2)
    return list(totals.items())"""

DECOMPOSITION = "Decomposition:\nText2SQL: name and amount of each line of books in 2023\nPython: sum and take five"


def block(code: str, language: str = "python") -> str:
    """A reply."""
    return f"So.\n```{language}\n{code}\n```"


def reply(messages: Sequence[Message]) -> str:
    """What a good model says to each prompt of ours, told by what the prompt asks for."""
    prompt = messages[-1].content
    if "one ```json block: {" in prompt:
        return block('{"subquestions": ["Which?"], "values": []}', "json")
    if "Decomposition:\nText2SQL: <" in prompt:
        return DECOMPOSITION
    if "def compute_result(frames)" in prompt:
        return block(OVER_FRAMES)
    if "compute_result(database_path)" in prompt:
        return block(SINGLE)
    if "SPARQL query" in prompt:
        return block(SPARQL, "sparql")
    if "DuckDB query" in prompt:
        return block(SQL.replace("SELECT name", "SELECT MAX(name) AS name"), "sql")
    if "SQLite query" in prompt:
        return block(ROWS if "one step" in prompt else SQL, "sql")
    return block(shop.CODE)


def undecided() -> Callable[[Sequence[Message]], str]:
    """The same, but no two of its queries give the same rows, so that a hybrid falls back."""
    numbers = itertools.cycle(range(1, 6))

    def other(messages: Sequence[Message]) -> str:
        return reply(messages).replace("LIMIT 5\n```", f"LIMIT {next(numbers)}\n```")

    return other


@dataclass
class Timed:
    """A model around another that notes when its calls are under way."""

    llm: LLM
    spans: list[tuple[float, float]]
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def name(self) -> str:
        """The model's name."""
        return self.llm.name

    @property
    def layout(self) -> PromptLayoutName:
        """The model's layout."""
        return self.llm.layout

    def complete(self, messages: Sequence[Message], parameters: Parameters) -> Completion:
        """The model's reply."""
        started = time.perf_counter()
        completion = self.llm.complete(messages, parameters)
        with self.lock:
            self.spans.append((started, time.perf_counter()))
        return completion

    async def acomplete(self, messages: Sequence[Message], parameters: Parameters) -> Completion:
        """Not used here."""
        raise NotImplementedError

    def busy_s(self) -> float:
        """Seconds in which at least one call was under way; forgets them."""
        total, until = 0.0, 0.0
        for start, end in sorted(self.spans):
            total += max(0.0, end - max(start, until))
            until = max(until, end)
        self.spans.clear()
        return total


def strategies(llm: LLM, unsure: LLM, folder: Path) -> Iterator[tuple[str, Strategy, Path | dict[str, object]]]:
    """Each strategy, and what it is asked of."""
    database, graph = folder / "shop.sqlite", folder / "shop.nt"
    sql, single = boxkit.Text2SQL(llm), boxkit.Text2SQLCode(llm, calls="single")
    pandora = boxkit.Pandora(llm)
    yield "Pandora", pandora, database
    yield "Pandora, 10 demonstrations", boxkit.Pandora(llm, memory=boxkit.Memory.starter()), database
    yield "Text2SQL", sql, database
    yield "Text2SQL, four frames", sql, dict(shop.frames())
    yield "Text2SQLCode, single", single, database
    yield "Text2SQLCode, multi", boxkit.Text2SQLCode(llm, calls="multi"), database
    yield "SelfConsistency of 3", boxkit.SelfConsistency(sql, samples=3), database
    yield "Hybrid, agreeing", boxkit.Hybrid(sql, single), database
    yield "Hybrid, falling back", boxkit.Hybrid(boxkit.Text2SQL(unsure), single), database
    yield "Select of two", Select((sql, pandora), llm), database
    yield "Decompose", Decompose(llm), database
    yield "Text2SPARQL", boxkit.Text2SPARQL(llm), graph


@contextmanager
def written() -> Iterator[Path]:
    """A folder with the shop as a SQLite file, and its orders as a graph."""
    with tempfile.TemporaryDirectory() as name:
        folder, frames = Path(name), shop.frames()
        database = sqlite3.connect(folder / "shop.sqlite")
        for table, frame in frames.items():
            frame.to_sql(table, database, index=False)
        database.close()
        (folder / "shop.nt").write_text("\n".join(_triples(frames["customer"], frames["orders"])))
        yield folder


def _triples(customer: object, orders: object) -> Iterator[str]:
    base, label = "http://example.org/shop/", "http://www.w3.org/2000/01/rdf-schema#label"
    kind, number = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type", "http://www.w3.org/2001/XMLSchema#integer"
    for row in customer.itertuples():
        yield f'<{base}c{row.customer_id}> <{label}> "{row.name}" .'
        yield f"<{base}c{row.customer_id}> <{kind}> <{base}Customer> ."
    for row in orders.itertuples():
        yield f"<{base}o{row.order_id}> <{kind}> <{base}Order> ."
        yield f"<{base}o{row.order_id}> <{base}by> <{base}c{row.customer_id}> ."
        yield f'<{base}o{row.order_id}> <{base}amount> "{row.order_id % 97}"^^<{number}> .'


def measured(ask: Callable[[], object], llm: Timed) -> tuple[float, float, int]:
    """Our seconds, the model's, and its calls."""
    llm.busy_s()
    started = time.perf_counter()
    ask()
    taken = time.perf_counter() - started
    calls = len(llm.spans)
    busy = llm.busy_s()
    return taken - busy, busy, calls


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--latency", type=float, default=0.5, help="seconds that a call takes (0.5)")
    parser.add_argument("--questions", type=int, default=5, help="warm questions for each strategy (5)")
    parser.add_argument("--only", default="", help="only the strategies whose name contains this")
    options = parser.parse_args()
    spans: list[tuple[float, float]] = []
    llm = Timed(ScriptedLLM(reply, latency_s=options.latency), spans)
    unsure = Timed(ScriptedLLM(undecided(), latency_s=options.latency), spans)
    print("| strategy | calls | the model, ms | boxkit, ms | boxkit ÷ the model | at most | the first question, ms |")
    print("|---|---|---|---|---|---|---|")
    with written() as folder:
        for name, strategy, path in strategies(llm, unsure, folder):
            if options.only.casefold() not in name.casefold():
                continue
            boxes = boxkit.load(path)
            first, _, _ = measured(lambda: strategy.ask(shop.QUESTION, boxes).check(), llm)  # noqa: B023 - called within this turn
            runs = [
                measured(lambda: strategy.ask(shop.QUESTION, boxes), llm)  # noqa: B023 - called within this turn
                for _ in range(options.questions)
            ]
            ours, busy, calls = (statistics.median(each[at] for each in runs) for at in range(3))
            print(
                f"| {name} | {calls:.0f} | {busy * 1e3:.0f} | {ours * 1e3:.0f} | {ours / busy:.1%} | {BOUND:.0%} "
                f"| {first * 1e3:.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
