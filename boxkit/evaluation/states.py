"""Whether a run's sources are still what they were when it began: answers of other data do not mix unseen."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from boxkit.evaluation.datasets import Task
from boxkit.evaluation.datasets.databases import NamedBoxes
from boxkit.evaluation.records import Record

__all__ = ["changed_sources", "with_states"]

#: Files up to this size are told by their content; larger ones, which take long to read, by size and time.
_READ_BYTES = 2**24
#: So many files of a folder are looked at.
_FILES = 1000


def with_states(
    about: Mapping[str, Any], tasks: Sequence[Task], earlier: Mapping[str, Any], records: Iterable[Record]
) -> dict[str, Any]:
    """What a run keeps of itself, with the state of each source of files (``sources``), by its name in the dataset.

    It is the state of the first call that has a finished question of it; ``changed`` names those that have had another
    since.

    Args:
        about: What the run keeps else.
        tasks: What it is to ask.
        earlier: What its folder had of it before; empty where it begins.
        records: What is finished.
    """
    now = _states(tasks)
    answered = {record.source for record in records}
    was = {name: state for name, state in earlier.get("sources", {}).items() if name in answered}
    # What has changed once stays so, though it be put back: questions may have been answered meanwhile.
    told = {*earlier.get("changed", ()), *(name for name, state in now.items() if was.get(name, state) != state)}
    return {**about, "sources": {**now, **was}, "changed": sorted(told & answered)}


def changed_sources(about: Mapping[str, Any]) -> list[str]:
    """The sources that have had another state since than when the run began."""
    return [str(name) for name in about.get("changed", ())]


def _states(tasks: Iterable[Task]) -> dict[str, str]:
    sources = {task.source: task.boxes.sources for task in tasks if isinstance(task.boxes, NamedBoxes)}
    return {name: _state(paths) for name, paths in sources.items()}


def _state(paths: Iterable[str]) -> str:
    told = hashlib.sha256()
    for path in map(Path, paths):
        for file in sorted(path.rglob("*"))[:_FILES] if path.is_dir() else [path]:
            try:
                if file.is_file():
                    found = file.stat()
                    is_read = found.st_size <= _READ_BYTES
                    told.update(file.read_bytes() if is_read else repr((found.st_size, found.st_mtime_ns)).encode())
            except OSError as error:  # whoever asks of it is told
                told.update(str(error.errno).encode())
            told.update(b"\0")
    return told.hexdigest()[:16]
