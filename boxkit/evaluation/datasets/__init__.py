"""Benchmarks, read in their published layouts from a path."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, cast

from boxkit.errors import nearest
from boxkit.evaluation.datasets.protocol import BadRow, Dataset, Reader, Task

__all__ = ["DATASETS", "BadRow", "Dataset", "Reader", "Task", "open_dataset"]

#: Dataset name → module and function.
DATASETS: dict[str, str] = {
    "spider": "spider:spider",
    "spider-syn": "spider:spider_syn",
    "spider-realistic": "spider:spider_realistic",
    "spider-dk": "spider:spider_dk",
    "machinespider-de": "sql:machinespider_de",
    "bird": "sql:bird",
    "kaggledbqa": "sql:kaggledbqa",
    "archer": "sql:archer",
    "starqa": "answers:starqa",
    "dabench": "answers:dabench",
    "wikitq": "tables:wikitq",
    "wikisql": "wikisql:wikisql",
    "grailqa": "freebase:grailqa",
    "webqsp": "freebase:webqsp",
    "cwq": "freebase:cwq",
    "qald-10": "wikidata:qald10",
    "ck25": "ck25:ck25",
    "own": "answers:own",
}


def open_dataset(
    name: str, path: str | Path, *, split: str | None = None, skip_bad: bool = False, **options: Any
) -> Dataset:
    """Read a benchmark.

    Args:
        name: One of `DATASETS`.
        path: Its folder (or file) as published.
        split: Which part; the one that papers report where None.
        skip_bad: Whether rows that do not fit are left out, and listed in ``skipped``, instead of an error.
        options: What else the benchmark's reader takes, such as ``databases``.

    Raises:
        SourceError: A file is not there, cannot be read, or has a row that does not fit; each with its line.
        ValueError: There is no such dataset or split; the message names the nearest.
    """
    if name not in DATASETS:
        close = nearest(name, DATASETS)
        known = f"nearest: {', '.join(close)}" if close else f"there are {', '.join(DATASETS)}"
        raise ValueError(f"no dataset {name!r}; {known}")
    module, _, function = DATASETS[name].partition(":")
    reader = cast(Reader, getattr(import_module(f"boxkit.evaluation.datasets.{module}"), function))
    return reader(path, split=split, skip_bad=skip_bad, **options)
