"""Reading tables: boxkit beside what a user would use instead, as ratios of the best of several runs.

python benchmarks/loading.py [ROWS]          (default 1,000,000; the catalogue is measured on five times as many)
python benchmarks/loading.py --memory FILE   (the peak of one file of your own beside pandas', as below)

Ratios above 1 say how many times as long (or as much processor time) the other takes. Processor time is steadier on a
machine that does other work too. Polars and connectorx are measured where they are installed (`pip install polars
connectorx`, which boxkit itself does not need).

Memory is how much a fresh process grows at its peak while it reads, as the kernel tells it, beside what
`DataFrame.memory_usage(deep=True)` says of the finished frame. With pandas 2, whose texts are Python objects, that
counts a text as often as it occurs, though it is held once.
"""

from __future__ import annotations

import importlib.util
import json
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

RUNS = 3
SMALL_FILES = 100
MEMORY = """
import sys, resource, json
import pandas as pd, pyarrow.compute, pyarrow.csv, pyarrow.parquet, boxkit
def now(): return int(open('/proc/self/statm').read().split()[1]) * resource.getpagesize()
def by_pandas(path):
    if path.endswith('.jsonl'):
        return pd.read_json(path, lines=True)
    return getattr(pd, 'read_' + path.removesuffix('.gz').rpartition('.')[2])(path)
def by_boxkit(path): return next(box for box in boxkit.load(path).values() if box.name in ('big', 'small')).frame
read = by_pandas if sys.argv[3] == 'pandas' else by_boxkit
# What is imported on first use is no memory of the table's.
read(sys.argv[2])
before = now()
open('/proc/self/clear_refs', 'w').write('5')
frame = read(sys.argv[1])
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


def make_wide_texts(path: Path, rows: int) -> None:
    chosen = random.Random(2)
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE big(id INTEGER PRIMARY KEY, text TEXT, other TEXT)")
        connection.executemany(
            "INSERT INTO big VALUES (?, ?, ?)",
            ((at, "word " * chosen.randrange(100), None if at % 3 else f"é {at}") for at in range(rows)),
        )
    connection.close()


def seconds(action: Callable[[], object]) -> tuple[float, float]:
    """The best wall time and the best processor time."""
    walls, processors = [], []
    for _ in range(RUNS):
        wall, processor = time.perf_counter(), time.process_time()
        action()
        walls.append(time.perf_counter() - wall)
        processors.append(time.process_time() - processor)
    return min(walls), min(processors)


def compare(ours: Callable[[], object], others: dict[str, Callable[[], object]]) -> None:
    wall, processor = seconds(ours)
    print(f"  boxkit: {wall:.2f} s, {processor:.2f} s of processor")
    for name, action in others.items():
        if importlib.util.find_spec(name.split(".")[0]) is None:
            print(f"  {name}: not installed")
            continue
        theirs, their_processor = seconds(action)
        print(f"  {name} ÷ boxkit: {theirs / wall:.2f} (processor {their_processor / processor:.2f})")


def from_sqlite(path: Path) -> None:
    import pandas as pd

    import boxkit

    def connected(read: Callable[[sqlite3.Connection], object]) -> object:
        connection = sqlite3.connect(path)
        try:
            return read(connection)
        finally:
            connection.close()

    def by_polars() -> object:
        import polars

        return connected(lambda connection: polars.read_database("SELECT * FROM big", connection))

    def by_connectorx() -> object:
        import connectorx

        return connectorx.read_sql(f"sqlite://{path}", "SELECT * FROM big")

    compare(
        lambda: boxkit.load(path)["big"].frame,
        {
            "pandas.read_sql": lambda: connected(lambda connection: pd.read_sql("SELECT * FROM big", connection)),
            "polars.read_database": by_polars,
            "connectorx": by_connectorx,
        },
    )


def from_csv(path: Path) -> None:
    import pandas as pd

    import boxkit

    def by_polars() -> object:
        import polars

        return polars.read_csv(path)

    compare(
        lambda: boxkit.load(path)["big"].frame,
        {"pandas.read_csv": lambda: pd.read_csv(path), "polars.read_csv": by_polars},
    )


def from_json(path: Path) -> None:
    import pandas as pd

    import boxkit

    def by_polars() -> object:
        import polars

        return polars.read_ndjson(path)

    compare(
        lambda: boxkit.load(path)["big"].frame,
        {"pandas.read_json": lambda: pd.read_json(path, lines=True), "polars.read_ndjson": by_polars},
    )


def from_small_files(folder: Path) -> None:
    """Tables of 30 rows each, as people keep them in folders: one by one, and all at once with their keys."""
    import pandas as pd

    import boxkit

    chosen = random.Random(3)
    folder.mkdir()
    for at in range(SMALL_FILES):
        names = [f"name {chosen.randrange(1000)}" for _ in range(30)]
        frame = pd.DataFrame(
            {"rank": range(1, 31), f"person {at}": names, "city": chosen.choices(["Oslo", "Rome"], k=30)}
        )
        frame[f"score {at}"] = [round(chosen.random() * 100, 1) for _ in range(30)]
        frame.to_csv(folder / f"table_{at}.csv", index=False)
    paths = sorted(folder.iterdir())
    print(f"{SMALL_FILES} CSV files of 30 rows, one by one")
    compare(
        lambda: [boxkit.load(path).values() for path in paths],
        {"pandas.read_csv": lambda: [pd.read_csv(path) for path in paths]},
    )
    print("the same as one folder, its keys looked for")
    compare(lambda: boxkit.load(folder), {"pandas.read_csv": lambda: [pd.read_csv(path) for path in paths]})


def memory(path: Path, small: Path, reader: str = "boxkit") -> None:
    command = [sys.executable, "-c", MEMORY, str(path), str(small), reader]
    peak, held = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    what = f"{reader} {''.join(path.suffixes)}"
    print(f"  {what}: {peak / held:.2f} ({peak / 2**20:.0f} of {held / 2**20:.0f} MiB)")


def memory_of(path: Path) -> None:
    """The peak of one file, in a process that has read its first lines before, where it has lines."""
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / f"small{''.join(path.suffixes)}"
        if path.suffix in (".csv", ".jsonl"):
            with path.open("rb") as file:
                small.write_bytes(b"".join(islice(file, 100)))
        big = Path(folder) / f"big{''.join(path.suffixes)}"
        big.symlink_to(path.resolve())
        for reader in ("boxkit", "pandas"):
            started = time.perf_counter()
            memory(big, small if small.exists() else big, reader)
            print(f"    {time.perf_counter() - started:.0f} s")


def catalogue(path: Path, rows: int) -> None:
    import boxkit

    wall, _ = seconds(lambda: boxkit.load(path))
    print(f"catalogue of {rows:,} rows: {wall * 1000:.1f} ms")
    boxes = boxkit.load(path)
    one, _ = seconds(lambda: boxes["small"].read())
    print(f"  the table of 1,000 rows beside them: {one * 1000:.1f} ms; the large one is read: {boxes['big'].is_read}")


def main() -> None:
    import pandas as pd

    import boxkit

    if sys.argv[1:2] == ["--memory"]:
        memory_of(Path(sys.argv[2]))
        return
    rows = int(sys.argv[1].replace(",", "")) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        path, small = Path(folder) / "big.sqlite", Path(folder) / "small.sqlite"
        make(path, rows)
        make(small, 2_000)
        print(f"SQLite, {rows:,} rows, {path.stat().st_size / 2**20:.0f} MiB, pandas {pd.__version__}")
        from_sqlite(path)
        all_columns, _ = seconds(lambda: boxkit.load(path)["big"].frame)
        one, _ = seconds(lambda: boxkit.load(path)["big"].read(["a"]))
        print(f"  one column ÷ all: {one / all_columns:.2f}")
        wide = Path(folder) / "wide.sqlite"
        make_wide_texts(wide, rows // 5)
        print(f"SQLite, {rows // 5:,} rows of texts of up to 500 characters, {wide.stat().st_size / 2**20:.0f} MiB")
        from_sqlite(wide)
        for source in (path, small):
            frame = boxkit.load(source)["big"].frame
            frame.to_csv(source.with_suffix(".csv"), index=False)
            frame.to_csv(source.with_suffix(".csv.gz"), index=False)
            frame.to_parquet(source.with_suffix(".parquet"))
            frame.to_feather(source.with_suffix(".feather"))
            frame.to_json(source.with_suffix(".jsonl"), orient="records", lines=True)
        del frame
        for what, suffix, read in (("CSV", ".csv", from_csv), ("JSON Lines", ".jsonl", from_json)):
            file = path.with_suffix(suffix)
            print(f"{what}, {rows:,} rows, {file.stat().st_size / 2**20:.0f} MiB")
            read(file)
        print("peak memory ÷ the finished frame's")
        memory(path, small)
        for suffix in (".csv", ".csv.gz", ".parquet", ".feather", ".jsonl"):
            for reader in ("boxkit", "pandas"):
                memory(path.with_suffix(suffix), small.with_suffix(suffix), reader)
        from_small_files(Path(folder) / "tables")
        large = Path(folder) / "large.sqlite"
        make(large, 5 * rows)
        catalogue(large, 5 * rows)


if __name__ == "__main__":
    main()
