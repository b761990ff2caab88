"""Every strategy with a real small model: ten questions over Chinook, right, wrong or no answer.

    BOXKIT_GGUF=model.gguf python benchmarks/strategies/chinook.py --out runs.jsonl
    python benchmarks/strategies/chinook.py --out runs.jsonl --report

The questions are our own; gold is what the SQL beside each gives in sqlite3 when this runs. An answer is right where
StarQA's scorer calls it so; no rows are no answer. A line is appended for each question as soon as it is answered, so
that the same command goes on where it was stopped. Greedy, except where a strategy samples.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import boxkit
from boxkit.evaluation.scorers import score
from boxkit.strategies import Decompose, Select

if TYPE_CHECKING:
    from boxkit.answer import Answer
    from boxkit.llm.protocol import LLM
    from boxkit.strategies import Strategy

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("BOXKIT_DATA", ROOT.parent / "shared" / "data"))
CHINOOK = DATA / "sample_dbs" / "chinook" / "Chinook_Sqlite.sqlite"


class Question(NamedTuple):
    """A question and the SQL that a person wrote for it."""

    text: str
    sql: str


QUESTIONS = (
    Question("How many customers are from Brazil?", "SELECT COUNT(*) FROM Customer WHERE Country = 'Brazil'"),
    Question(
        "What is the title of the employee Nancy Edwards?", "SELECT Title FROM Employee WHERE LastName = 'Edwards'"
    ),
    Question(
        "How many tracks belong to the genre Jazz?",
        "SELECT COUNT(*) FROM Track JOIN Genre USING (GenreId) WHERE Genre.Name = 'Jazz'",
    ),
    Question(
        "Which albums are by the artist Audioslave?",
        "SELECT Title FROM Album JOIN Artist USING (ArtistId) WHERE Name = 'Audioslave'",
    ),
    Question("What is the sum of all invoice totals?", "SELECT SUM(Total) FROM Invoice"),
    Question(
        "Which artist has the most albums?",
        "SELECT Name FROM Artist JOIN Album USING (ArtistId) GROUP BY ArtistId ORDER BY COUNT(*) DESC LIMIT 1",
    ),
    Question("How many tracks are longer than ten minutes?", "SELECT COUNT(*) FROM Track WHERE Milliseconds > 600000"),
    Question(
        "Which billing countries have invoices of more than 100 in total?",
        "SELECT BillingCountry FROM Invoice GROUP BY BillingCountry HAVING SUM(Total) > 100",
    ),
    Question(
        "What is the median invoice total?",
        """WITH ranked AS (SELECT Total, ROW_NUMBER() OVER (ORDER BY Total) AS at, COUNT(*) OVER () AS n FROM Invoice)
        SELECT AVG(Total) FROM ranked WHERE at IN ((n + 1) / 2, (n + 2) / 2)""",
    ),
    Question(
        "How many playlists have no track?",
        "SELECT COUNT(*) FROM Playlist WHERE PlaylistId NOT IN (SELECT PlaylistId FROM PlaylistTrack)",
    ),
)


def strategies(llm: LLM, corrections: int) -> Mapping[str, Strategy]:
    """Each strategy by its name in the table."""
    sql = boxkit.Text2SQL(llm, corrections=corrections)
    single = boxkit.Text2SQLCode(llm, calls="single", corrections=corrections)
    return {
        "Knowledge": boxkit.Knowledge(llm, attempts=corrections + 1),
        "Text2SQL": sql,
        "Text2SQLCode, single": single,
        "SelfConsistency": boxkit.SelfConsistency(sql, samples=3),
        "Hybrid": boxkit.Hybrid(sql, single, samples=3, agree=2),
        "Text2SQLCode, multi": boxkit.Text2SQLCode(llm, calls="multi", corrections=corrections),
        "Select": Select((sql, single), llm),
        "Pandora": boxkit.Pandora(llm, memory=boxkit.Memory.starter(), k=3, attempts=corrections + 1),
        "Decompose": Decompose(llm, attempts=corrections + 1),
    }


def answered(path: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """What is on file, by strategy and question; a line that a kill cut short is asked again."""
    records: dict[tuple[str, str], dict[str, Any]] = {}
    for line in path.read_text().splitlines() if path.exists() else ():
        try:
            record = json.loads(line)
        except json.JSONDecodeError:
            continue
        records[record["strategy"], record["question"]] = record
    return records


def gold(sql: str) -> list[tuple[Any, ...]]:
    """What the engine itself answers."""
    with sqlite3.connect(f"file:{CHINOOK}?mode=ro", uri=True) as connection:
        return connection.execute(sql).fetchall()


def record(name: str, question: Question, answer: Answer) -> dict[str, Any]:
    """One line of the file."""
    if not answer.ok or not answer.rows:
        verdict = "none"
    else:
        verdict = "right" if score("starqa_tolerant", answer.rows, gold(question.sql)).correct else "wrong"
    return {
        "strategy": name,
        "question": question.text,
        "verdict": verdict,
        "calls": answer.usage.calls,
        "tokens": answer.usage.prompt_tokens + answer.usage.completion_tokens,
        "seconds": round(answer.usage.seconds, 1),
        "rows": repr(answer.rows[:3]),
        "failure": str(answer.failure or ""),
        "replies": [attempt.reply for attempt in answer.attempts],
    }


def run(path: Path, corrections: int, only: str, questions: int) -> None:
    """Ask what is not on file yet. Strategy by strategy, so that the model keeps what prompts begin with."""
    llm = boxkit.LocalLLM(os.environ["BOXKIT_GGUF"])
    boxes = boxkit.load(CHINOOK)
    known = answered(path)
    with path.open("a") as file:
        for name, strategy in strategies(llm, corrections).items():
            for question in QUESTIONS[:questions]:
                if (name, question.text) in known or only.casefold() not in name.casefold():
                    continue
                file.write(json.dumps(record(name, question, strategy.ask(question.text, boxes))) + "\n")
                file.flush()


def report(path: Path) -> str:
    """The table of what is on file: verdicts in questions; calls, tokens and seconds a question."""
    lines = [
        "| strategy | right | wrong | no answer | calls | tokens | seconds |",
        "|---|---|---|---|---|---|---|",
    ]
    records = answered(path)
    for name in dict.fromkeys(key[0] for key in records):
        own = [each for key, each in records.items() if key[0] == name]
        counts = [sum(each["verdict"] == verdict for each in own) for verdict in ("right", "wrong", "none")]
        calls, tokens, seconds = (sum(each[what] for each in own) / len(own) for what in ("calls", "tokens", "seconds"))
        lines.append(f"| {name} | {' | '.join(map(str, counts))} | {calls:.1f} | {tokens:.0f} | {seconds:.0f} |")
    return "\n".join(lines)


def main() -> int:
    """Ask, or only report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="the file of answers, gone on with where it exists")
    parser.add_argument("--corrections", type=int, default=1, help="corrections of a failed reply (1)")
    parser.add_argument("--questions", type=int, default=len(QUESTIONS), help="only the first so many")
    parser.add_argument("--only", default="", help="only the strategies whose name contains this")
    parser.add_argument("--report", action="store_true", help="only print the table of what is on file")
    options = parser.parse_args()
    if not options.report:
        if "BOXKIT_GGUF" not in os.environ:
            parser.error("set BOXKIT_GGUF to a model file")
        run(options.out, options.corrections, options.only, options.questions)
    print(report(options.out))
    return 0


if __name__ == "__main__":
    sys.exit(main())
