"""The record of a learning run: one line an example, on disk before the next begins, so that a kill loses none."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from boxkit.errors import MemoryStoreError
from boxkit.memory.demonstration import Demonstration
from boxkit.memory.learning.report import Finished

__all__ = ["Journal"]


class Journal:
    """Finished examples on disk.

    Args:
        path: The file; made where it is not there. None keeps nothing.
        settings: What shapes the outcome; a file with other settings is refused.

    Raises:
        MemoryStoreError: The file is of a run with other settings, or no journal.
    """

    def __init__(self, path: Path | None, settings: Mapping[str, Any]) -> None:
        self._path = path
        self._lock = threading.Lock()
        self.finished: list[Finished] = []
        self.demonstrations: list[Demonstration] = []
        if path is None:
            return
        if path.exists() and path.stat().st_size:
            self._read(path, dict(settings))
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._write({"settings": dict(settings)})

    def _read(self, path: Path, settings: dict[str, Any]) -> None:
        content = path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        if len(whole) < len(content):
            # A kill in the middle of a line: that example is done again.
            with path.open("rb+") as file:
                file.truncate(len(whole))
        lines = whole.decode().splitlines()
        for number, line in enumerate(lines, start=1):
            try:
                values = json.loads(line)
                if number == 1:
                    self._check(values["settings"], settings)
                    continue
                self.finished.append(Finished(**values["finished"]))
                if values["demonstration"] is not None:
                    self.demonstrations.append(Demonstration.from_json(values["demonstration"]))
            except (ValueError, KeyError, TypeError) as error:
                raise MemoryStoreError(f"line {number} is no record of learning: {error}", where=str(path)) from None
        if not lines:
            self._write({"settings": settings})

    def _check(self, theirs: Mapping[str, Any], ours: Mapping[str, Any]) -> None:
        changed = sorted(name for name in {*theirs, *ours} if theirs.get(name) != ours.get(name))
        if changed:
            name = changed[0]
            raise MemoryStoreError(
                f"this run was begun with {name} {theirs.get(name)!r}, not {ours.get(name)!r}",
                where=str(self._path),
                hint="go on with the same settings, or learn into another folder",
            )

    def add(self, finished: Finished, demonstration: Demonstration | None) -> None:
        """Record one; it is on disk when this returns."""
        with self._lock:
            self.finished.append(finished)
            kept = demonstration.to_json() if demonstration else None
            self._write({"finished": asdict(finished), "demonstration": kept})

    def _write(self, values: Mapping[str, Any]) -> None:
        if self._path is None:
            return
        with self._path.open("ab") as file:
            file.write(json.dumps(values, ensure_ascii=False).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
