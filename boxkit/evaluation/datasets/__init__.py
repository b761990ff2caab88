"""Benchmarks, read in their published layouts from a path."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any, cast

from boxkit.errors import SourceError, UnreadableSource, nearest
from boxkit.evaluation.datasets.protocol import BadRow, Dataset, Reader, Task
from boxkit.evaluation.datasets.rows import json_rows_or_lines

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
        TypeError: The dataset has no such option; the message names those that it has.
    """
    if name not in DATASETS:
        close = nearest(name, DATASETS)
        told = f"nearest: {', '.join(close)}" if close else f"there are {', '.join(DATASETS)}"
        raise ValueError(f"no dataset {name!r}; {told}")
    module, _, function = DATASETS[name].partition(":")
    reader = cast(Reader, getattr(import_module(f"boxkit.evaluation.datasets.{module}"), function))
    known = _options(reader)
    for option in options:
        if option not in known:
            has = f"it has {', '.join(known)}" if known else "it has none"
            raise TypeError(f"the dataset {name!r} has no option {option!r}; {has}")
    try:
        return reader(path, split=split, skip_bad=skip_bad, **options)
    except SourceError as error:
        if name == "own" or not _is_own(path):
            raise
        raise UnreadableSource(
            f"this seems to be a file of one's own, with question and source in each row, and is not {name} as it is "
            f"published: {error.what}",
            where=str(path),
            hint=f"ask it as such: boxkit eval own={path} (in Python open_dataset('own', …)); or give {name}'s folder "
            "or file in its published layout",
        ) from error


def _is_own(path: str | Path) -> bool:
    """Whether a file that is no benchmark's begins as data of one's own do."""
    try:
        first = next(json_rows_or_lines(Path(path)), None)
    except SourceError:
        return False
    return first is not None and {"question", "source"} <= first.values.keys()


def _options(reader: Callable[..., Dataset]) -> list[str]:
    """What a reader takes beside the path, the split and ``skip_bad``; what it hands on too."""
    names = list(signature(reader).parameters.values())
    if any(each.kind is each.VAR_KEYWORD for each in names):
        module = import_module(reader.__module__)
        handed_to = getattr(module, "graph_dataset", None) or getattr(module, "sql_dataset", None)
        names += signature(handed_to).parameters.values() if handed_to else ()
    return [each.name for each in names if each.kind is each.KEYWORD_ONLY and each.name not in ("split", "skip_bad")]
