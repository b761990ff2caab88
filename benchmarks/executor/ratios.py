"""Speed and memory of the executor, as ratios of medians measured in one run, beside what people use instead.

    python benchmarks/executor/ratios.py                  # all of it, some minutes
    python benchmarks/executor/ratios.py held_data others # these parts

The others need ``pip install "boxkit[benchmark]"``. Exits with 1 where a ratio is over its bound.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parent))
from others import OTHERS, in_process
from snippets import SNIPPETS, frames

from boxkit.box import Box, BoxSet, Field, Reading
from boxkit.executor import Limits, Run
from boxkit.executor.execute import _execute
from boxkit.executor.layers import Layers
from boxkit.executor.pool import pool
from boxkit.executor.supply import supply

TRIVIAL = "answer = 1 + len(t.columns)"
OFF = Layers(False, False, False, False)
FRESH = Layers(False, False, False, False, forks=False)
STANDBY_S = 0.6
LIMITS = Limits(seconds=120, memory_mb=4096, allow_weak=True)


class Frame:
    """A reader of a frame in memory."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.frame = frame

    def read(self, columns: Sequence[str] | None = None, limit: int | None = None) -> Reading:
        """Some fields, some rows."""
        frame = self.frame if columns is None else self.frame[list(columns)]
        return Reading(frame if limit is None else frame.head(limit))

    def count(self) -> int:
        """The rows."""
        return len(self.frame)

    def fingerprint(self) -> str:
        """One a frame."""
        return str(id(self.frame))


def boxes(**named: pd.DataFrame) -> BoxSet:
    return BoxSet(Box(name, tuple(map(Field, frame.columns)), Frame(frame)) for name, frame in named.items())


def run(code: str, over: BoxSet, layers: Layers = Layers()) -> Run:
    done = _execute(code, supply(over), LIMITS, layers, None)
    assert done.error is None, done.error
    return done


def clocked(work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def alternating(works: dict[str, Callable[[], Any]], times: int, pause_s: float = 0.0) -> dict[str, float]:
    """The median seconds of each, measured in turns so that the machine's moods hit all alike."""
    for work in works.values():
        work()
    taken: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(times):
        for name, work in works.items():
            time.sleep(pause_s)
            taken[name].append(clocked(work))
    return {name: median(seconds) for name, seconds in taken.items()}


def numbers(megabytes: int) -> pd.DataFrame:
    rows = (megabytes << 20) // 32
    values = np.arange(rows, dtype="f8")
    text = pd.Series(
        np.char.add("k", (np.arange(rows) % 1000).astype("U4")) if megabytes < 100 else None, dtype="object"
    )
    frame = pd.DataFrame({"a": values, "b": values * 2, "c": np.arange(rows), "d": values + 1})
    return frame if megabytes >= 100 else frame.assign(s=text.astype("str"))


Row = tuple[str, float, float, str]


def held_data() -> list[Row]:
    small, large = boxes(t=numbers(1)), boxes(t=numbers(1024))
    rows = []
    for name, pause in (("forked", 0.0), ("standby ready", STANDBY_S)):
        seconds = alternating(
            {"small": lambda: run(TRIVIAL, small), "large": lambda: run(TRIVIAL, large)}, 30 if not pause else 8, pause
        )
        told = f"{seconds['large'] * 1e3:.1f} ms ÷ {seconds['small'] * 1e3:.1f} ms"
        rows.append(
            (f"a trivial run with 1 GB held ÷ with 1 MB, {name}", seconds["large"] / seconds["small"], 1.5, told)
        )
    added = {name: median(_added_mb(over) for _ in range(5)) for name, over in (("small", small), ("large", large))}
    told = f"{added['small']:.1f} MB at 1 MB, {added['large']:.1f} MB at 1 GB"
    rows.append(("memory a trivial run adds, in MB", max(added.values()), 8, told))
    pool().close()
    return rows


def _added_mb(over: BoxSet) -> float:
    """Memory that belongs to a run alone, pages copied on writing included, while it waits at its end."""
    wait = f"{TRIVIAL}\npd.io.common.os.sys.modules['time'].sleep(1)"
    caller = threading.Thread(target=run, args=(wait, over))
    before = set(_below(pool().nursery().process.pid))
    caller.start()
    time.sleep(0.7)
    new = set(_below(pool().nursery().process.pid)) - before
    if not new:  # it was the standby
        new = {max(before)}
    added = max(_memory_mb(pid, "Private_Dirty", "Private_Clean") for pid in new)
    caller.join()
    return added


def ten_snippets() -> list[Row]:
    over = boxes(**frames())
    fresh = median(clocked(lambda code=code: OTHERS["a fresh process"](code, frames())) for code in SNIPPETS.values())
    rows = []
    for name, pause, bound in (("forked", 0.0, 1 / 20), ("standby ready", STANDBY_S, 1 / 50)):
        works = {label: lambda code=code: run(code, over) for label, code in SNIPPETS.items()}
        seconds = median(alternating(works, 7 if not pause else 3, pause).values())
        told = f"{seconds * 1e3:.1f} ms ÷ {fresh * 1e3:.0f} ms"
        rows.append((f"ten snippets, {name} ÷ a fresh process", seconds / fresh, bound, told))
    return rows


def isolation() -> list[Row]:
    over = boxes(t=numbers(1))
    works = {"on": lambda: run(TRIVIAL, over), "off": lambda: run(TRIVIAL, over, OFF)}
    seconds = alternating(works, 60)
    told = f"{seconds['on'] * 1e3:.1f} ms ÷ {seconds['off'] * 1e3:.1f} ms"
    return [("isolation on ÷ off, forked", seconds["on"] / seconds["off"], 1.6, told)]


HEAVY = {
    "computing": "g = t.groupby('k')['v'].agg(['sum', 'mean', 'std'])\n"
    "answer = float(t.sort_values('v').v.head().sum())",
    "writing": "for i in range(8): t[f'n{i}'] = t['v'] * i\n"
    "t.loc[t['k'] > 5, 'v'] = 0\nanswer = float(t.sum(axis=1).sum())",
    "answering": "answer = t[t['k'] > 3].sort_values(['k', 'v'])",
}


def heavy_work() -> list[Row]:
    rows = 1_500_000
    dice = np.random.default_rng(2)
    frame = pd.DataFrame({"k": dice.integers(0, 50, rows), "v": dice.random(rows)})
    over = boxes(t=frame)
    found = []
    for name, code in HEAVY.items():
        works = {"here": lambda code=code: in_process(code, {"t": frame}), "there": lambda code=code: run(code, over)}
        seconds = alternating(works, 7)
        told = f"{seconds['there'] * 1e3:.0f} ms ÷ {seconds['here'] * 1e3:.0f} ms"
        found.append(
            (f"work of 100 ms and more ({name}) ÷ in this process", seconds["there"] / seconds["here"], 1.5, told)
        )
    return found


def thousand_runs() -> list[Row]:
    over = boxes(t=numbers(1))
    for _ in range(20):
        run(TRIVIAL, over)
    worker = pool().nursery().process.pid
    before = _held(worker)
    for _ in range(1000):
        run(TRIVIAL, over)
    time.sleep(1)
    gc.collect()
    after = _held(worker)
    rows: list[Row] = []
    for name, then, now, slack in zip(("descriptors", "processes", "MB"), before, after, (0, 1, 8), strict=True):
        rows.append((f"1,000 runs: {name} gained", float(now - then), slack, f"{then:g} before, {now:g} after"))
    return rows


def _held(worker: int) -> tuple[float, float, float]:
    pids = _below(worker)
    lasting = pids[:3]
    descriptors = len(os.listdir("/proc/self/fd")) + sum(len(os.listdir(f"/proc/{pid}/fd")) for pid in lasting)
    return descriptors, len(pids), sum(_memory_mb(pid, "Pss") for pid in lasting)


def _memory_mb(pid: int, *kinds: str) -> float:
    lines = (line.split() for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines())
    return sum(int(words[1]) for words in lines if words[0].rstrip(":") in kinds) / 1024


def _below(pid: int) -> list[int]:
    below = [pid]
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            below += _below(int(child))
    return below


def others() -> list[Row]:
    """The same snippets by what people use instead; printed, as these have no bound."""
    held = frames()
    over = boxes(**held)
    print(f"\n{'ten snippets, over two small boxes':48}{'p50':>10}  right")
    runners: dict[str, Callable[[str], Any]] = {
        **{name: lambda code, runner=runner: runner(code, held) for name, runner in OTHERS.items()},
        "boxkit, forked": lambda code: run(code, over).answer,
        "boxkit, standby ready": lambda code: (time.sleep(STANDBY_S), run(code, over).answer)[1],
    }
    for name, runner in runners.items():
        taken, right = [], 0
        for code in SNIPPETS.values():
            expected = in_process(code, held)
            try:
                answer = None
                for _ in range(1 if name == "a fresh process" else 3):
                    started = time.perf_counter()
                    answer = runner(code)
                    taken.append(time.perf_counter() - started - (STANDBY_S if "standby" in name else 0))
                right += repr(answer) == repr(expected)
            except Exception as error:
                print(f"    {name}: {type(error).__name__}: {str(error)[:90]}")
        print(
            f"{name:48}{median(taken) * 1e3 if taken else float('nan'):7.1f} ms  {right} of {len(SNIPPETS)}", flush=True
        )
    return []


PARTS = (held_data, ten_snippets, isolation, heavy_work, thousand_runs, others)


def main() -> None:
    """Measure, print, compare with the bounds."""
    chosen = [part for part in PARTS if part.__name__ in sys.argv[1:]] or PARTS
    over_bound = 0
    print(f"{'':62}{'ratio':>9}{'bound':>9}")
    for part in chosen:
        for name, ratio, bound, told in part():
            over_bound += ratio > bound
            print(f"{name:62}{ratio:9.3f}{bound:9.3f}{'  OVER' if ratio > bound else ''}   {told}", flush=True)
    raise SystemExit(1 if over_bound else 0)


if __name__ == "__main__":
    main()
