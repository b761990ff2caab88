"""boxkit's own time: importing it, from a database to a prompt, in one question, and the whole demo.

Run with ``python benchmarks/overhead.py``. Each line has the median of several runs, what it may cost, and the same
beside what a user would do instead, measured in the same run.
"""

from __future__ import annotations

import os
import sqlite3
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from data_folder import needed

DATA = Path(os.environ.get("BOXKIT_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
CHINOOK = DATA / "sample_dbs" / "chinook" / "Chinook_Sqlite.sqlite"
CODE = 'answer = Album.merge(Artist, on="ArtistId").groupby("Name").size().nlargest(3)'


def median_ms(work: Callable[[], object], runs: int = 9) -> float:
    """The median time of ``work`` in milliseconds."""
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        work()
        times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times)


def shell(*arguments: str) -> None:
    """Run Python with these arguments, quietly."""
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True)


def row(what: str, ours: float, most: float | None, beside: str, theirs: float) -> None:
    """Print one line."""
    bound = f"at most {most:g}" if most else ""
    print(f"{what:44} {ours:9.1f} ms  {bound:14} {beside:38} {theirs:9.1f} ms  ratio {ours / theirs:6.2f}")


def imports() -> None:
    """``import boxkit`` against an interpreter that imports nothing, and against pandas."""
    nothing = median_ms(lambda: shell("-c", "pass"))
    ours = median_ms(lambda: shell("-c", "import boxkit")) - nothing
    row("import boxkit", ours, 150, "import pandas", median_ms(lambda: shell("-c", "import pandas"), 5) - nothing)


def prompt() -> None:
    """From a path to the text that a model sees, against pandas reading the same tables."""
    import pandas as pd

    import boxkit

    def with_pandas() -> None:
        database = sqlite3.connect(CHINOOK)
        names = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for name in names:
            pd.read_sql(f'SELECT * FROM "{name}"', database).head(3).to_string()
        database.close()

    boxkit.load(CHINOOK).to_prompt()
    ours = median_ms(lambda: boxkit.load(CHINOOK).to_prompt())
    row("load Chinook, write the prompt", ours, 50, "pandas.read_sql of each table, head", median_ms(with_pandas))


def question() -> None:
    """One question with a model that costs nothing, worker warm, against the bare code in process."""
    import pandas as pd

    import boxkit
    from boxkit.testing import ScriptedLLM

    boxes = boxkit.load(CHINOOK)
    agent = boxkit.Pandora(ScriptedLLM(lambda _: f"So.\n```python\n{CODE}\n```"), boxkit.Memory.starter())
    frames = {"pd": pd, **{name: boxes[name].frame for name in ("Album", "Artist")}}
    for _ in range(3):
        agent.ask("Which artists have most albums?", boxes).check()
    ours = median_ms(lambda: agent.ask("Which artists have most albums?", boxes), 21)
    row(
        "one question (10 demonstrations)",
        ours,
        60,
        "the bare pandas in process",
        median_ms(lambda: exec(CODE, dict(frames)), 21),
    )
    plain = boxkit.Pandora(agent.llm)
    row("the same without demonstrations", median_ms(lambda: plain.ask("Which?", boxes), 21), 60, "", 1.0)
    planner = boxkit.Planner()
    planner.ask("How many albums are there?", boxes)
    row("the Planner", median_ms(lambda: planner.ask("How many albums are there?", boxes), 21), 60, "", 1.0)


def demo() -> None:
    """The demo from the shell's prompt to its last answer, against a process that imports what it needs."""
    ours = median_ms(lambda: shell("-m", "boxkit", "demo"), 3)
    needed = median_ms(lambda: shell("-c", "import pandas, pyarrow, rdflib"), 3)
    row("boxkit demo, four questions", ours, 3000, "import pandas, pyarrow, rdflib", needed)


if __name__ == "__main__":
    needed(DATA)
    for part in (imports, prompt, question, demo):
        part()
