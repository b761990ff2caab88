"""Reading a memory's folder: what belongs together, what is damaged, what can be made again from the lines."""

from __future__ import annotations

import mmap
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from boxkit.errors import BoxkitError, MemoryStoreError
from boxkit.memory.catalog import Catalog
from boxkit.memory.demonstration import Demonstration
from boxkit.memory.embedding import Embedding, default_embedding, embedding_named
from boxkit.memory.index import IndexKind, VectorIndex
from boxkit.memory.lock import LEARNING
from boxkit.memory.shelf import Shelf
from boxkit.memory.store import (
    DamagedManifest,
    Manifest,
    Record,
    check_record,
    file_bytes,
    generations,
    lines_of,
    manifest_of,
)

__all__ = ["Opened", "StoredIndex", "opened", "read_lines"]

#: A manifest can be replaced between reading it and opening its files; then the new one is read.
TRIES = 10


@dataclass(frozen=True, slots=True)
class StoredIndex:
    """An index that is read, and checked, when it is first searched."""

    content: bytes | mmap.mmap
    record: Record
    dimension: int
    kind: IndexKind

    def load(self) -> VectorIndex | None:
        """The index; None where it is damaged."""
        if not check_record(self.content, self.record):
            return None
        return VectorIndex.from_bytes(self.content, self.dimension, self.kind)


@dataclass(frozen=True, slots=True)
class Opened:
    """What a folder held.

    Attributes:
        shelf: The demonstrations.
        catalog: Their catalog.
        indexes: The vectors of each view that could be read; the rest are made when needed.
        embedding: The embedding that made them.
        generation: The manifest's; 0 where there is none.
        repairs: What was damaged or missing and has been made again, in words.
    """

    shelf: Shelf
    catalog: Catalog
    indexes: Mapping[str, VectorIndex | StoredIndex]
    embedding: Embedding
    generation: int = 0
    repairs: tuple[str, ...] = ()


def opened(
    folder: Path,
    embedding: Embedding | None = None,
    *,
    reembed: bool = False,
    repair: bool = False,
    index: IndexKind = "auto",
) -> Opened:
    """Read a folder; see `Memory.open`."""
    if folder.is_file():
        hint = "Memory.from_lines(path) reads a file with one demonstration a line"
        raise MemoryStoreError("a memory is a folder, and this is a file", where=str(folder), hint=hint)
    for _ in range(TRIES):
        try:
            manifest = manifest_of(folder)
        except DamagedManifest as error:
            return _from_lines(folder, embedding, repair, str(error))
        if manifest is None:
            return _from_lines(folder, embedding, repair, "the manifest was missing")
        try:
            return _Opening(folder, manifest, reembed, repair, index).read(embedding)
        except FileNotFoundError:
            if _generation(folder) == manifest.generation:
                return _Opening(folder, manifest, reembed, repair, index, lost=True).read(embedding)
    raise MemoryStoreError("it is being saved faster than it can be read", where=str(folder))


def _generation(folder: Path) -> int:
    try:
        manifest = manifest_of(folder)
    except DamagedManifest:
        return -1
    return -1 if manifest is None else manifest.generation


@dataclass(slots=True)
class _Opening:
    """One try at a manifest's generation."""

    folder: Path
    manifest: Manifest
    reembed: bool
    repair: bool
    index: IndexKind
    lost: bool = False
    repairs: list[str] = field(default_factory=list)

    def read(self, embedding: Embedding | None) -> Opened:
        chosen = self._embedding(embedding)
        lines = self._content("demonstrations")
        if lines is None:
            name = self.manifest.files["demonstrations"].name
            raise MemoryStoreError("the demonstrations are missing", where=str(self.folder / name))
        whole = check_record(lines, self.manifest.files["demonstrations"])
        read = self._catalogued(lines) if whole else None
        shelf, catalog = read or self._read_again(lines, whole)
        indexes = {}
        if chosen.name == self.manifest.embedding and len(shelf) == self.manifest.count and whole:
            indexes = {part: index for part in ("question", "masked") if (index := self._index(part))}
        return Opened(shelf, catalog, indexes, chosen, self.manifest.generation, tuple(self.repairs))

    def _embedding(self, embedding: Embedding | None) -> Embedding:
        made_with = self.manifest.embedding
        if embedding is not None:
            if embedding.name != made_with and not self.reembed:
                raise MemoryStoreError(
                    f"this memory was made with the embedding {made_with!r}, not {embedding.name!r}",
                    where=str(self.folder),
                    hint="Memory.open(path, embedding=…, reembed=True) makes its vectors anew",
                )
            return embedding
        try:
            return embedding_named(made_with)
        except (BoxkitError, ValueError) as error:
            raise MemoryStoreError(
                f"this memory was made with the embedding {made_with!r}, which is not to be had here: {error}",
                where=str(self.folder),
                hint="Memory.open(path, embedding='lexical', reembed=True) does without it",
            ) from None

    def _content(self, part: str) -> bytes | mmap.mmap | None:
        record = self.manifest.files.get(part)
        if record is None:
            return None
        try:
            return file_bytes(self.folder / record.name)
        except FileNotFoundError:
            if not self.lost:
                raise
            return None

    def _catalogued(self, lines: bytes | mmap.mmap) -> tuple[Shelf, Catalog] | None:
        content = self._content("catalog")
        if content is None or not check_record(content, self.manifest.files["catalog"]):
            self.repairs.append("the catalog was damaged or missing: made again from the lines")
            return None
        catalog, spans = Catalog.from_text(bytes(content).decode())
        return Shelf(lines, spans, str(self.folder / self.manifest.files["demonstrations"].name)), catalog

    def _read_again(self, lines: bytes | mmap.mmap, whole: bool) -> tuple[Shelf, Catalog]:
        path = self.folder / self.manifest.files["demonstrations"].name
        shelf, catalog = read_lines(lines, path, self.repair, self.repairs)
        if not whole:
            if len(shelf) < self.manifest.count and not self.repair:
                raise MemoryStoreError(
                    f"it holds {len(shelf)} demonstrations; there were {self.manifest.count}",
                    where=str(path),
                    hint="Memory.open(path, repair=True) takes what is there",
                )
            self.repairs.append("the lines are not those that were saved: vectors made again")
        return shelf, catalog

    def _index(self, part: str) -> StoredIndex | None:
        record = self.manifest.files.get(part)
        if record is None:
            return None
        content = self._content(part)
        if content is None:
            self.repairs.append(f"the index {record.name} was missing: made again from the lines")
            return None
        return StoredIndex(content, record, self.manifest.dimension, self.index)


def _from_lines(folder: Path, embedding: Embedding | None, repair: bool, why: str) -> Opened:
    """A folder without a manifest: its newest lines, which are whole or would not have their name."""
    found = generations(folder)
    chosen = embedding or default_embedding()
    if not found:
        others = (
            [path.name for path in folder.iterdir() if path.name not in (".lock", LEARNING, "learning.jsonl")]
            if folder.is_dir()
            else []
        )
        if others or folder.is_file():
            raise MemoryStoreError(
                f"no memory is here, but {others[0] if others else 'a file'}",
                where=str(folder),
                hint="name a folder of its own; Memory.from_lines(file) reads a file of lines",
            )
        return Opened(Shelf(), Catalog(), {}, chosen)
    path = found[0][1]
    repairs = [f"{why}: all made again from {path.name}"]
    shelf, catalog = read_lines(file_bytes(path), path, repair, repairs)
    return Opened(shelf, catalog, {}, chosen, 0, tuple(repairs))


def read_lines(
    content: bytes | mmap.mmap, path: Path, repair: bool = False, repairs: list[str] | None = None
) -> tuple[Shelf, Catalog]:
    """The demonstrations on lines of JSON, and their catalog.

    Args:
        content: The lines.
        path: Where they are from, for messages.
        repair: Whether to leave out lines that are no demonstrations.
        repairs: Where to note what was left out.

    Raises:
        MemoryStoreError: A line is no demonstration, or an id occurs twice; it names the line.
    """
    starts, ends, catalog, seen = [], [], Catalog(), dict[str, int]()
    for number, (start, end) in enumerate(lines_of(content), start=1):
        try:
            demonstration = Demonstration.from_line(bytes(content[start:end]).decode())
            if demonstration.id in seen:
                raise ValueError(f"the id {demonstration.id!r} stands on line {seen[demonstration.id]} too")
        except ValueError as error:
            problem = MemoryStoreError(
                f"line {number} is no demonstration: {error}",
                where=str(path),
                hint="Memory.open(path, repair=True) leaves such lines out",
            )
            if not repair:
                raise problem from None
            if repairs is not None:
                repairs.append(f"line {number} left out: {error}")
            continue
        seen[demonstration.id] = number
        starts.append(start)
        ends.append(end)
        catalog.add(demonstration)
    return Shelf(content, (starts, ends), str(path)), catalog
