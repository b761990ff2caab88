"""What demonstrations are worth to a model: right answers by their number and choice (Pandora, figures 5 to 7).

    BOXKIT_GGUF=model.gguf python benchmarks/demonstrations.py --out runs.jsonl
    python benchmarks/demonstrations.py --out runs.jsonl --report

Questions: library40 of ``BOXKIT_QUESTIONS``, over one database; gold is the SQL's answer by sqlite3. Demonstrations:
the starter memory, which knows nothing of that database. Greedy, one attempt. Every answer is appended at once, so that
the same command goes on where it was stopped. Rows are compared as bags, in any order of columns.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

from demo_score import same

from boxkit import LocalLLM, Memory, Pandora, load
from boxkit.evaluation.statistics import wilson
from boxkit.memory.selection import Mode

ROOT = Path(__file__).resolve().parent.parent
QUESTIONS = Path(os.environ.get("BOXKIT_QUESTIONS", ROOT.parent / "shared" / "questions"))
DATABASE = QUESTIONS / "library.sqlite"

Key = tuple[str, int, int]


def configurations(counts: list[int], modes: list[str]) -> list[tuple[str, int]]:
    """Mode and k; without demonstrations there is only one."""
    return [(mode if k else "none", k) for k in counts for mode in (modes if k else ["none"])]


def answered(path: Path) -> dict[Key, dict[str, Any]]:
    """What is on file; a line that a kill cut short is asked again."""
    records: dict[Key, dict[str, Any]] = {}
    for line in path.read_text().splitlines() if path.exists() else ():
        try:
            record = json.loads(line)
        except json.JSONDecodeError:
            continue
        records[record["mode"], record["k"], record["id"]] = record
    return records


def asked(every: int) -> Iterator[tuple[int, str, list[tuple[Any, ...]]]]:
    """Number, question and gold rows of every so-manieth question."""
    with sqlite3.connect(f"file:{DATABASE}?mode=ro", uri=True) as connection:
        for question in json.loads((QUESTIONS / "library40.json").read_text())[::every]:
            yield question["id"], question["question"], connection.execute(question["sql"]).fetchall()


def run(path: Path, every: int, pairs: list[tuple[str, int]]) -> None:
    """Ask what is not on file yet, a question at a time in every configuration, so that a stop leaves them alike."""
    model, memory, boxes = LocalLLM(os.environ["BOXKIT_GGUF"]), Memory.starter(), load(DATABASE)
    known = answered(path)
    with path.open("a") as file:
        for number, question, gold in asked(every):
            for mode, k in pairs:
                if (mode, k, number) in known:
                    continue
                answer = Pandora(model, memory, k=k, attempts=1, select="similar" if mode == "none" else mode).ask(
                    question, boxes
                )
                failed = answer.failure is not None
                record = {
                    "mode": mode,
                    "k": k,
                    "id": number,
                    "verdict": "failed" if failed else "right" if same(answer.rows, gold) else "wrong",
                    "tokens": answer.usage.prompt_tokens,
                    "seconds": round(answer.usage.seconds, 1),
                    "code": answer.code,
                    "why": str(answer.failure) if failed else str(answer.rows[:3]),
                }
                file.write(json.dumps(record) + "\n")
                file.flush()


def report(path: Path) -> str:
    """The table, over the questions that every configuration has answered."""
    records = answered(path)
    pairs = sorted({key[:2] for key in records}, key=lambda pair: (pair[1], pair[0]))
    common = set.intersection(*({key[2] for key in records if key[:2] == pair} for pair in pairs))
    lines = ["| k | chosen | right | 95 % | wrong | failed | prompt tokens |", "|---|---|---|---|---|---|---|"]
    for mode, k in pairs:
        own = [records[mode, k, number] for number in sorted(common)]
        count = {verdict: sum(each["verdict"] == verdict for each in own) for verdict in ("right", "wrong", "failed")}
        low, high = wilson(count["right"], len(own))
        tokens = sum(each["tokens"] for each in own) // max(1, len(own))
        shown = f"| {k} | {mode} | {count['right']} of {len(own)} | {low:.0%} to {high:.0%} "
        lines.append(f"{shown}| {count['wrong']} | {count['failed']} | {tokens} |")
    return "\n".join(lines)


def main() -> int:
    """Ask, or only report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="the file of answers, gone on with where it exists")
    parser.add_argument("--k", type=int, nargs="+", default=[0, 3, 6, 10])
    parser.add_argument("--select", nargs="+", default=["similar", "masked", "random"], choices=get_args(Mode))
    parser.add_argument("--every", type=int, default=1, help="only every so-manieth question")
    parser.add_argument("--report", action="store_true", help="only print the table of what is on file")
    options = parser.parse_args()
    if not options.report and "BOXKIT_GGUF" not in os.environ:
        parser.error("set BOXKIT_GGUF to a model file")
    if not options.report:
        run(options.out, options.every, configurations(options.k, options.select))
    print(report(options.out))
    return 0


if __name__ == "__main__":
    sys.exit(main())
