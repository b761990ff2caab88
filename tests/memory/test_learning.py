"""Learning keeps what is right, says what is not, and goes on after a kill."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

import boxkit
from boxkit.answer import Answer, Attempt, Usage
from boxkit.errors import LLMTimeout, MemoryStoreError, SourceNotFound
from boxkit.failure import Failure
from boxkit.memory import Memory
from boxkit.memory.learning import Annotation, Ask, Example, InTurn, Transpile, learn

QUERIES = {
    "How many lamps are there?": "SELECT COUNT(*) FROM lamp",
    "Which lamps cost more than 20?": "SELECT name FROM lamp WHERE price > 20",
    "What is the average price by maker?": "SELECT maker, AVG(price) FROM lamp GROUP BY maker",
    "Which lamp is the dearest?": "SELECT name FROM lamp ORDER BY price DESC LIMIT 1",
}


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "shop.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript("""
        CREATE TABLE lamp (id INTEGER PRIMARY KEY, name TEXT, maker TEXT, price REAL);
        INSERT INTO lamp VALUES (1, 'Glow', 'A', 12.5), (2, 'Beam', 'B', 30.0), (3, 'Ray', 'A', 21.0);
    """)
    connection.close()
    return path


def examples(database: Path, queries: dict[str, str] = QUERIES) -> list[Example]:
    boxes = boxkit.load(str(database))

    def gold(sql: str) -> list[tuple]:
        with contextlib.closing(sqlite3.connect(database)) as connection:
            return connection.execute(sql).fetchall()

    return [
        Example(str(at), question, lambda: boxes, lambda sql=sql: gold(sql), sql, "sql", dataset="lamps", source="shop")
        for at, (question, sql) in enumerate(queries.items())
    ]


def test_gold_sql_becomes_verified_demonstrations_without_a_model(database: Path, tmp_path: Path) -> None:
    memory = Memory.open(tmp_path / "memory", "lexical")
    report = learn(examples(database), Transpile(), memory)
    assert (report.kept, report.done, report.yield_, report.dollars) == (4, 4, 1.0, 0.0)
    kept = Memory.open(tmp_path / "memory")["lamps/train/1"]
    assert kept.answer == (("Beam",), ("Ray",))
    assert (kept.verification.annotator, kept.verification.attempts) == ("transpile", 0)
    assert "price is more than 20" in kept.rationale and "lamp = pd.DataFrame(" in kept.boxes
    assert kept.provenance["program"] == QUERIES[kept.question]
    assert list(boxkit.execute(kept.code, boxkit.load(str(database))).answer.iloc[:, 0]) == ["Beam", "Ray"]


def test_gold_sparql_becomes_verified_demonstrations_too() -> None:
    import rdflib

    path = Path(__file__).parent.parent / "data" / "starter" / "orchestra.ttl"
    graph, boxes = rdflib.Graph().parse(path), boxkit.load(str(path))
    start = "PREFIX : <http://example.org/orchestra/> PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> "
    queries = {
        "How many musicians are there?": "SELECT (COUNT(?m) AS ?n) { ?m a :Musician }",
        "What do those born in Old Quay play?": "SELECT DISTINCT ?l { ?m :birthplace :OldQuay ; :plays/rdfs:label ?l }",
        "Which pieces are longer than 20 minutes?": "SELECT ?l { ?p :minutes ?m; rdfs:label ?l FILTER(?m > 20) }",
    }

    def gold(query: str) -> list[tuple]:
        return [tuple(cell.toPython() for cell in row) for row in graph.query(start + query)]

    learned = [
        Example(question, question, lambda: boxes, lambda q=query: gold(q), start + query, "sparql", kind="graph")
        for question, query in queries.items()
    ]
    memory = Memory((), "lexical")
    report = learn(learned, Transpile(), memory)
    assert (report.kept, report.count("wrong")) == (3, 0), report.finished
    assert all(each.kind == "graph" and each.rationale and each.answer for each in memory)


def test_what_is_refused_is_counted_by_the_constructs_name(database: Path) -> None:
    memory = Memory((), "lexical")
    odd = {"Spell it": "SELECT load_extension('x') FROM lamp", "How many?": "SELECT COUNT(*) FROM lamp"}
    report = learn(examples(database, odd), Transpile(), memory)
    assert (report.count("refused"), report.kept) == (1, 1)
    assert report.reasons("refused")[0][1] == 1 and report.reasons("refused")[0][0]
    assert next(iter(report.rows()))["refused"] == 1


class Scripted:
    """A strategy that gives the code it was given, and records what it was asked."""

    def __init__(self, code: str, rows: list[tuple], failure: Failure | None = None) -> None:
        self.code, self.rows, self.failure = code, rows, failure
        self.asked: list[str] = []

    def ask(self, question, boxes):
        self.asked.append(question)
        usage = Usage(calls=2, dollars=0.25, prompt_tokens=10)
        attempts = (Attempt(1, failure=Failure("exception", "x")), Attempt(2))
        rows = [] if self.failure else self.rows
        return Answer(
            question, rows=rows, code=self.code, rationale="r", attempts=attempts, usage=usage, failure=self.failure
        )


def test_a_models_answer_is_kept_only_where_it_is_right(database: Path) -> None:
    strategy = Scripted("answer = len(lamp)", [(3,)])
    memory = Memory((), "lexical")
    report = learn(examples(database), Ask(lambda shown: strategy, "scripted"), memory, concurrency=2)
    assert (report.kept, report.count("wrong"), report.dollars) == (1, 3, 1.0)
    assert [each.question for each in memory] == ["How many lamps are there?"]
    assert next(iter(memory)).verification == boxkit.memory.Verification("rows", 2, "scripted")


def test_the_model_is_asked_only_what_the_transpiler_refused(database: Path) -> None:
    queries = {**QUERIES, "Spell it": "SELECT load_extension('x') FROM lamp"}
    strategy = Scripted("answer = 1", [(1,)], Failure("no code", "no code in the reply"))
    report = learn(examples(database, queries), InTurn(Transpile(), Ask(lambda shown: strategy)), Memory((), "lexical"))
    assert strategy.asked == ["Spell it"]
    assert (report.kept, report.count("failed")) == (4, 1)


def test_tables_and_graphs_are_shown_what_was_learned_from_databases(database: Path) -> None:
    first, second = examples(database)[0], examples(database)[1]
    table = Example("9", second.question, second.boxes, second.gold, kind="table", dataset="lamps")
    shown: list[list[str] | None] = []

    def make(memory: Memory | None) -> Scripted:
        shown.append(None if memory is None else [each.question for each in memory])
        return Scripted("answer = len(lamp)", [(3,)])

    learn([table, first], Ask(make), Memory((), "lexical"), concurrency=1)
    assert shown == [None, [first.question]]


def test_a_source_that_cannot_be_read_costs_one_example(database: Path) -> None:
    def missing():
        raise SourceNotFound("no such file", where="gone.sqlite")

    broken = Example("gone", "What?", missing, list, "SELECT 1", "sql", dataset="lamps")
    report = learn([broken, *examples(database)], Transpile(), Memory((), "lexical"))
    assert (report.kept, report.count("unreadable")) == (4, 1)


class Counting:
    name = "counting"

    def __init__(self, fails: int = 0) -> None:
        self.seen: list[str] = []
        self.fails = fails

    def annotate(self, example, boxes, shown=None):
        self.seen.append(example.id)
        if len(self.seen) <= self.fails:
            raise LLMTimeout("no answer in time")
        return Annotation("answer = len(lamp)", "Count.", ((3,),), usage=Usage(dollars=1.0))


def test_nothing_is_done_twice(database: Path, tmp_path: Path) -> None:
    first, again = Counting(), Counting()
    learn(examples(database)[:2], first, Memory.open(tmp_path / "m", "lexical"))
    report = learn(examples(database), again, Memory.open(tmp_path / "m"))
    assert sorted(first.seen + again.seen) == ["0", "1", "2", "3"]
    assert report.done == 4 and report.dollars == 4.0


def test_a_run_with_other_settings_is_refused(database: Path, tmp_path: Path) -> None:
    learn(examples(database)[:1], Counting(), Memory.open(tmp_path / "m", "lexical"))
    with pytest.raises(MemoryStoreError, match="annotator 'counting', not 'transpile'"):
        learn(examples(database), Transpile(), Memory.open(tmp_path / "m"))


def test_it_stops_at_the_budget_and_at_the_target(database: Path) -> None:
    report = learn(examples(database), Counting(), Memory((), "lexical"), dollars=2.0, concurrency=1)
    assert report.done == 2 and "2.00 dollars" in report.stopped
    report = learn(examples(database), Transpile(), Memory((), "lexical"), target=1, concurrency=1)
    assert report.kept == 1 and report.stopped


def test_a_passing_outage_loses_no_example_and_a_lasting_one_ends_the_run(database: Path, tmp_path: Path) -> None:
    report = learn(examples(database), Counting(fails=1), Memory.open(tmp_path / "m", "lexical"), concurrency=1)
    assert report.done == 3
    assert learn(examples(database), Counting(), Memory.open(tmp_path / "m")).done == 4
    many = [example for at in range(2) for example in examples(database, {f"{q} {at}": s for q, s in QUERIES.items()})]
    many = [Example(str(at), each.question, each.boxes, each.gold) for at, each in enumerate(many)]
    with pytest.raises(LLMTimeout):
        learn(many, Counting(fails=99), Memory((), "lexical"))


def test_progress_tells_yield_and_cost_so_far_and_to_come(database: Path) -> None:
    seen = []
    learn(
        examples(database),
        Counting(),
        Memory((), "lexical"),
        concurrency=1,
        on_progress=lambda report: seen.append((report.done, report.kept, report.dollars, report.dollars_to_come)),
    )
    assert seen == [(1, 1, 1.0, 3.0), (2, 1, 2.0, 2.0), (3, 1, 3.0, 1.0), (4, 1, 4.0, 0.0)]


KILLED = """
    import sys, time
    sys.path.insert(0, sys.argv[3])
    from test_learning import Counting, examples
    from boxkit.memory import Memory
    from boxkit.memory.learning import learn
    from pathlib import Path

    class Slow(Counting):
        def annotate(self, example, boxes, shown=None):
            time.sleep(0.05)
            return super().annotate(example, boxes, shown)

    queries = {f"How many lamps, asked {at} times?": "SELECT COUNT(*) FROM lamp" for at in range(60)}
    learn(examples(Path(sys.argv[1]), queries), Slow(), Memory.open(sys.argv[2], "lexical"), concurrency=2,
          on_progress=lambda report: print(report.done, flush=True))
"""


def test_a_killed_run_goes_on_where_it_stopped(database: Path, tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    command = [sys.executable, "-c", textwrap.dedent(KILLED), str(database), str(folder), str(Path(__file__).parent)]
    reported = 0
    for _ in range(2):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=dict(os.environ))
        assert process.stdout is not None
        for line in process.stdout:
            reported = int(line)
            if reported % 20 >= 12:
                break
        process.kill()
        process.communicate()
        time.sleep(0.01)
    journal = (folder / "learning.jsonl").read_bytes().splitlines()
    keys = [json.loads(line)["finished"]["key"] for line in journal[1:] if line.endswith(b"}")]
    assert len(keys) == len(set(keys)) >= reported > 12
    again = Counting()
    queries = {f"How many lamps, asked {at} times?": "SELECT COUNT(*) FROM lamp" for at in range(60)}
    report = learn(examples(database, queries), again, Memory.open(folder, "lexical"))
    assert report.done == report.kept == 60 == len(Memory.open(folder))
    assert len(again.seen) == 60 - len(keys)
