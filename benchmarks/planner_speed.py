"""What a question costs the Planner, and what its index costs in time and memory by a million cells."""

from __future__ import annotations

import json
import statistics
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd

from boxkit import BoxSet, load
from boxkit.strategies.planner.index import index_of
from boxkit.strategies.planner.reading import read

CHINOOK = (
    "How many tracks are there?",
    "Which artist has the most albums?",
    "What is the average length of the tracks in milliseconds?",
    "How many customers are from Brazil?",
    "List the names of the tracks on the album Let There Be Rock.",
    "How many tracks are there per genre?",
    "Which customers live in Paris?",
    "What is the total of all invoices?",
    "Which employees were hired after 2003?",
    "How many Jazz tracks are there?",
)

MILLION = 1_000_000


def speed(questions: Path, data: Path) -> None:
    """Print the time from a question to its code, and what an index costs."""
    library = [each["question"] for each in json.loads((questions / "library40.json").read_text())]
    for path, asked in (
        (questions / "library.sqlite", library),
        (data / "sample_dbs" / "chinook" / "Chinook_Sqlite.sqlite", CHINOOK),
    ):
        boxes = load(path)
        _cost_of_questions(path.name, boxes, asked)
    # The last of them: the other database is too small for its cells to count.
    _cost_of_index(path.name, boxes)
    for rows in (MILLION // 8, MILLION // 2):
        _cost_of_index(f"made up, {rows} rows of 8 fields", load({"sale": made_up(rows)}))


def _cost_of_questions(name: str, boxes: BoxSet, asked: list[str] | tuple[str, ...]) -> None:
    read(asked[0], boxes)
    clock, processor = [], []
    for question in asked:
        at_clock, at_processor = time.perf_counter(), time.process_time()
        read(question, boxes)
        clock.append(1e3 * (time.perf_counter() - at_clock))
        processor.append(1e3 * (time.process_time() - at_processor))
    print(
        f"{name}: {len(asked)} questions to their code: p50 {statistics.median(processor):.1f} ms of processor time "
        f"({statistics.median(clock):.1f} by the clock), at most {max(processor):.1f}"
    )


def _cost_of_index(name: str, boxes: BoxSet) -> None:
    """The frames are read before, so that only the index is measured; the memory is taken in a second round."""
    frames = [box.frame for box in boxes.values()]
    cells = sum(frame.size for frame in frames)
    own = sum(int(frame.memory_usage(deep=True).sum()) for frame in frames)
    started = time.process_time()
    index_of(boxes)
    seconds = time.process_time() - started
    tracemalloc.start()
    index = index_of(boxes)
    kept, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    del index
    share = cells / MILLION
    print(
        f"{name}: {cells} cells, index in {seconds:.2f} s of processor time; a million cells: {seconds / share:.2f} s, "
        f"{kept / 2**20 / share:.0f} MiB kept, {peak / 2**20 / share:.0f} MiB at most while it is built; "
        f"kept are {kept / own:.1f} times the frames' own memory"
    )


def made_up(rows: int) -> pd.DataFrame:
    """A table as many are: a key, names that hardly repeat, hundreds of places, a dozen kinds, amounts, days, gaps."""
    draw = np.random.default_rng(0)
    syllables = np.array("ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu".split())

    def words(count: int, length: int) -> np.ndarray:
        return np.array(["".join(each).title() for each in syllables[draw.integers(0, 20, (count, length))]])

    return pd.DataFrame(
        {
            "sale_id": np.arange(rows),
            "customer": np.char.add(np.char.add(words(rows, 3), " "), words(rows, 4)),
            "city": words(400, 3)[draw.integers(0, 400, rows)],
            "kind": words(12, 2)[draw.integers(0, 12, rows)],
            "amount": draw.gamma(2, 50, rows).round(2),
            "pieces": draw.integers(1, 40, rows),
            "sold_on": pd.Timestamp("2015-01-01") + pd.to_timedelta(draw.integers(0, 3650, rows), unit="D"),
            "remark": np.where(draw.random(rows) < 0.8, None, words(rows, 5)),
        }
    )
