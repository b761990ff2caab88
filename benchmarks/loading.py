"""Reading tables: boxkit beside what a user would use instead, as ratios of medians in one run.

python benchmarks/loading.py [ROWS]          (default 1,000,000)
"""

from __future__ import annotations

import importlib.util
import json
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

RUNS = 3
MEMORY = """
import sys, resource, json
import pandas as pd, pyarrow, boxkit
from boxkit.converters import sqlite_fast
import adbc_driver_sqlite.dbapi, pyarrow.compute
def now(): return int(open('/proc/self/statm').read().split()[1]) * resource.getpagesize()
boxes = boxkit.load(sys.argv[1])
before = now()
open('/proc/self/clear_refs', 'w').write('5')
frame = boxes['big'].frame
peak = next(int(line.split()[1]) * 1024 for line in open('/proc/self/status') if line.startswith('VmHWM')) - before
print(json.dumps([peak, int(frame.memory_usage(deep=True).sum())]))
"""


def make(path: Path, rows: int) -> None:
    chosen = random.Random(1)
    cities = ["Oslo", "Paris", "Rome", None]
    with sqlite3.connect(path) as connection:
        connection.execute(
            "CREATE TABLE big(id INTEGER PRIMARY KEY, a INTEGER, b REAL, name TEXT, city TEXT, day TEXT, n NUMERIC,"
            " k INT)"
        )
        connection.execute("CREATE TABLE small(id INTEGER PRIMARY KEY, big_id INTEGER REFERENCES big(id))")
        connection.executemany(
            "INSERT INTO big VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (
                    at,
                    chosen.randrange(10**6),
                    chosen.random() * 1000,
                    f"name {at % 5000}",
                    chosen.choice(cities),
                    f"20{at % 25:02d}-0{1 + at % 9}-1{at % 10}",
                    chosen.randrange(100),
                    None if at % 7 == 0 else at * 3,
                )
                for at in range(rows)
            ),
        )
        connection.executemany("INSERT INTO small VALUES (?, ?)", ((at, at) for at in range(1000)))
    connection.close()


def seconds(action: Callable[[], object]) -> float:
    taken = []
    for _ in range(RUNS):
        started = time.perf_counter()
        action()
        taken.append(time.perf_counter() - started)
    return statistics.median(taken)


def main() -> None:
    import pandas as pd

    import boxkit

    rows = int(sys.argv[1].replace(",", "")) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "big.sqlite"
        make(path, rows)
        boxkit.load(path)
        print(f"{rows:,} rows, {path.stat().st_size / 2**20:.0f} MiB, pandas {pd.__version__}")
        print(f"catalogue only: {seconds(lambda: boxkit.load(path)) * 1000:.1f} ms")
        ours = seconds(lambda: boxkit.load(path)["big"].frame)
        print(f"boxkit, all columns: {ours:.2f} s")

        def by_pandas() -> object:
            connection = sqlite3.connect(path)
            try:
                return pd.read_sql("SELECT * FROM big", connection)
            finally:
                connection.close()

        print(f"pandas.read_sql ÷ boxkit: {seconds(by_pandas) / ours:.2f}")
        if importlib.util.find_spec("polars"):
            import polars

            def by_polars() -> object:
                connection = sqlite3.connect(path)
                try:
                    return polars.read_database("SELECT * FROM big", connection)
                finally:
                    connection.close()

            print(f"polars.read_database ÷ boxkit: {seconds(by_polars) / ours:.2f}")
        if importlib.util.find_spec("connectorx"):
            import connectorx

            def by_connectorx() -> object:
                return connectorx.read_sql(f"sqlite://{path}", "SELECT * FROM big")

            print(f"connectorx ÷ boxkit: {seconds(by_connectorx) / ours:.2f}")
        one = seconds(lambda: boxkit.load(path)["big"].read(["a"]))
        print(f"one column ÷ all: {one / ours:.2f}")
        peak, held = json.loads(
            subprocess.run([sys.executable, "-c", MEMORY, str(path)], check=True, capture_output=True).stdout
        )
        print(f"peak memory ÷ the finished frame's: {peak / held:.2f} ({peak / 2**20:.0f} of {held / 2**20:.0f} MiB)")


if __name__ == "__main__":
    main()
