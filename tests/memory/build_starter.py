"""Builds the starter memory from tests/data/starter: runs each demonstration and its gold query, and writes the lines.

Run it after a change there: ``python tests/memory/build_starter.py``.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boxkit
from boxkit.memory.demonstration import Demonstration
from boxkit.memory.written import Written, demonstrated, read_written

WORLDS = Path(__file__).resolve().parent.parent / "data" / "starter"
LINES = Path(boxkit.__file__).parent / "memory" / "starter" / "demonstrations.jsonl"


class World:
    """The sources of one file of demonstrations, its boxes, and the engines that give the gold answers."""

    def __init__(self, file: Path, folder: Path) -> None:
        self.name = file.stem
        text = file.read_text("utf-8")
        head = dict(line.split(": ", 1) for line in text.split("---\n")[1].splitlines())
        self.kind = head["kind"]
        self.written = read_written(text)
        self.paths = [_made(WORLDS / name, folder) for name in head["sources"].split()]
        self.boxes = boxkit.load(*map(str, self.paths))

    def gold(self, written: Written) -> list[tuple[Any, ...]]:
        if written.language == "json":
            return [tuple(row) for row in json.loads(written.gold)]
        return self._sparql(written.gold) if written.language == "sparql" else self._sql(written.gold)

    def _sql(self, query: str) -> list[tuple[Any, ...]]:
        databases = [path for path in self.paths if path.suffix == ".sqlite"]
        connection = sqlite3.connect(databases[0] if databases else ":memory:")
        try:
            for name, box in self.boxes.items():
                if box.kind != "database":
                    _copy(name, box.frame, connection)
            return connection.execute(query).fetchall()
        finally:
            connection.rollback()
            connection.close()

    def _sparql(self, query: str) -> list[tuple[Any, ...]]:
        import rdflib

        graph = rdflib.Graph()
        for path in self.paths:
            if path.suffix == ".ttl":
                graph.parse(path)
        result = graph.query(query)
        if result.type == "ASK":
            return [(bool(result.askAnswer),)]
        return [tuple(None if cell is None else cell.toPython() for cell in row) for row in result]


def _copy(name: str, frame: Any, connection: sqlite3.Connection) -> None:
    columns = ", ".join(f'"{label}"' for label in frame.columns)
    connection.execute(f'CREATE TEMP TABLE "{name}" ({columns})')
    rows = [tuple(None if cell != cell else cell for cell in row) for row in frame.astype(object).values.tolist()]
    rows = [
        tuple(cell if isinstance(cell, (int, float, str, type(None))) else str(cell) for cell in row) for row in rows
    ]
    connection.executemany(f'INSERT INTO "{name}" VALUES ({", ".join("?" * frame.shape[1])})', rows)


def _made(path: Path, folder: Path) -> Path:
    if path.suffix != ".sql":
        return path
    made = folder / f"{path.stem}.sqlite"
    if not made.exists():
        connection = sqlite3.connect(made)
        connection.executescript(path.read_text("utf-8"))
        connection.close()
    return made


def worlds(folder: Path) -> list[World]:
    return [World(file, folder) for file in sorted(WORLDS.glob("*.md"))]


def built(world: World) -> Iterator[Demonstration]:
    about = {"dataset": "starter", "kind": world.kind, "source": world.name, "split": "train"}
    for number, written in enumerate(world.written, start=1):
        gold = world.gold(written)
        made = demonstrated(written, world.boxes, gold, **about)
        yield made.renamed(f"starter-{world.name}-{number:02}")


def main() -> int:
    lines, failed = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for world in worlds(Path(folder)):
            for number, written in enumerate(world.written, start=1):
                try:
                    about = {"dataset": "starter", "kind": world.kind, "source": world.name, "split": "train"}
                    made = demonstrated(written, world.boxes, world.gold(written), **about)
                    lines.append(made.renamed(f"starter-{world.name}-{number:02}").to_line())
                except Exception as error:
                    failed += 1
                    print(f"{world.name}: {type(error).__name__}: {error}", file=sys.stderr)
    if not failed:
        LINES.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    print(f"{len(lines)} demonstrations verified, {failed} failed", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
