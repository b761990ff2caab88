"""A memory on disk: lines of JSON, a catalog and FAISS indexes, and a manifest that says which of them belong together.

Files are never changed in place. A save writes a new generation of files, each under a temporary name until it is
whole, and then replaces the manifest in one step: a reader sees the old memory or the new one, and a kill at any moment
leaves one of the two. The lines are the memory; whatever else is damaged or missing is made again from them.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import mmap
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from boxkit.errors import MemoryStoreError
from boxkit.memory.lock import only_writer

__all__ = [
    "FORMAT",
    "MANIFEST",
    "DamagedManifest",
    "Manifest",
    "Record",
    "check_record",
    "file_bytes",
    "generations",
    "lines_of",
    "manifest_of",
    "write_generation",
]

FORMAT = 1

MANIFEST = "manifest.json"

_NAME = re.compile(r"(demonstrations|catalog|question|masked)-(\d{6,})\.(jsonl|json|faiss)")

_CHUNK = 1 << 22


class DamagedManifest(MemoryStoreError):
    """A manifest that cannot be read; what it describes may still be whole."""


@dataclass(frozen=True, slots=True)
class Record:
    """A file of a generation: its name, its size in bytes, its SHA-256."""

    name: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a memory's folder holds.

    Attributes:
        format: Of this layout; raised when it changes.
        generation: Raised by one with each save.
        embedding: The name of the embedding that made the vectors.
        dimension: Numbers a vector.
        count: How many demonstrations.
        files: The record of each part: ``"demonstrations"``, ``"catalog"``, ``"question"``, ``"masked"``.
    """

    format: int
    generation: int
    embedding: str
    dimension: int
    count: int
    files: Mapping[str, Record]


def manifest_of(folder: Path) -> Manifest | None:
    """The folder's manifest; None where it has none.

    Raises:
        DamagedManifest: It cannot be read.
        MemoryStoreError: It is of a later format.
    """
    file = folder / MANIFEST
    try:
        values = json.loads(file.read_text("utf-8"))
        files = {part: Record(**record) for part, record in values.pop("files").items()}
        manifest = Manifest(files=files, **values)
    except FileNotFoundError:
        return None
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise DamagedManifest(f"the manifest is damaged ({error})", where=str(file)) from None
    if manifest.format > FORMAT:
        raise MemoryStoreError(
            f"this memory has format {manifest.format}; this boxkit reads up to {FORMAT}",
            where=str(file),
            hint="upgrade boxkit",
        )
    return manifest


def generations(folder: Path, part: str = "demonstrations") -> list[tuple[int, Path]]:
    """The whole files of one part that lie in a folder, with their generations, newest first."""
    found = []
    for file in folder.iterdir() if folder.is_dir() else ():
        if (match := _NAME.fullmatch(file.name)) and match[1] == part:
            found.append((int(match[2]), file))
    return sorted(found, reverse=True)


def file_bytes(path: Path) -> bytes | mmap.mmap:
    """A file's content, mapped: still readable when a later save removes the file."""
    with path.open("rb") as file:
        if not os.fstat(file.fileno()).st_size:
            return b""
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def check_record(content: bytes | mmap.mmap, record: Record) -> bool:
    """Whether the content is what the manifest recorded."""
    return len(content) == record.bytes and hashlib.sha256(content).hexdigest() == record.sha256


def write_generation(
    folder: Path,
    based_on: int,
    parts: Mapping[str, Callable[[Path], None]],
    **about: Any,
) -> int:
    """Write all parts and then the manifest. Returns the new generation.

    Args:
        folder: Made where it is not there.
        based_on: The generation that was read; 0 for none.
        parts: For each part, what writes it to a path.
        about: The rest of the manifest.

    Raises:
        MemoryStoreError: Someone else has saved since.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with only_writer(folder):
        _check_generation(folder, based_on)
        generation = max([based_on, *(number for number, _ in generations(folder))]) + 1
        records = {part: _written(folder, part, generation, write) for part, write in parts.items()}
        manifest = Manifest(format=FORMAT, generation=generation, files=records, **about)
        _replace(folder / MANIFEST, lambda path: path.write_text(json.dumps(asdict(manifest), indent=1), "utf-8"))
        _sync_folder(folder)
        _remove_old(folder, keep=(generation, based_on))
    return generation


def _check_generation(folder: Path, based_on: int) -> None:
    try:
        now = manifest_of(folder)
    except DamagedManifest:
        return  # What is there was read from its lines; saving makes it whole.
    if now is None or now.generation == based_on:
        return
    raise MemoryStoreError(
        f"this memory has been saved by someone else since (generation {now.generation}, yours is {based_on})"
        if based_on
        else "there is another memory in this folder",
        where=str(folder),
        hint="open it, add to it and save it; or save to another folder",
    )


def _written(folder: Path, part: str, generation: int, write: Callable[[Path], None]) -> Record:
    ending = {"demonstrations": "jsonl", "catalog": "json"}.get(part, "faiss")
    path = folder / f"{part}-{generation:06}.{ending}"
    _replace(path, write)
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return Record(path.name, path.stat().st_size, digest.hexdigest())


def _replace(path: Path, write: Callable[[Path], Any]) -> None:
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.unfinished")
    try:
        write(unfinished)
        with unfinished.open("rb+") as file:
            os.fsync(file.fileno())
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    with contextlib.suppress(OSError):  # Windows opens no folders.
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _remove_old(folder: Path, keep: Iterable[int]) -> None:
    """Remove other generations, and what killed saves left; the one before stays for readers that are opening it."""
    kept = set(keep)
    for file in folder.iterdir():
        match = _NAME.fullmatch(file.name)
        if (match and int(match[2]) not in kept) or file.name.endswith(".unfinished"):
            with contextlib.suppress(OSError):  # Windows keeps what is open; the next save tries again.
                file.unlink()


def lines_of(content: bytes | mmap.mmap) -> Iterator[tuple[int, int]]:
    """Where each line that is not blank starts and ends."""
    start, size = 0, len(content)
    while start < size:
        end = content.find(b"\n", start)
        end = size if end < 0 else end
        if content[start:end].strip():
            yield start, end
        start = end + 1
