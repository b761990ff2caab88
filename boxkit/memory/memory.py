"""A memory: demonstrations, kept in a folder, found by similarity."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from boxkit.errors import MemoryStoreError
from boxkit.memory.catalog import Catalog, as_set
from boxkit.memory.demonstration import Demonstration
from boxkit.memory.embedding import Embedding, default_embedding, embedding_named
from boxkit.memory.index import IndexKind, VectorIndex
from boxkit.memory.selection import Mode, Selected, Selection

if TYPE_CHECKING:
    from boxkit.memory.embedding.protocol import Vectors

__all__ = ["Memory"]


class Memory:
    """Demonstrations and the index that finds them. Safe to use from several threads.

    Args:
        demonstrations: What it holds.
        embedding: How questions are compared: an `Embedding`, or the name of one; the default where None.
        index: How vectors are searched.
    """

    def __init__(
        self,
        demonstrations: Iterable[Demonstration] = (),
        embedding: Embedding | str | None = None,
        index: IndexKind = "auto",
    ) -> None:
        self.embedding = _embedding(embedding)
        self._items: list[Demonstration] = []
        self._catalog = Catalog()
        self._positions: dict[str, int] = {}
        self._index = VectorIndex(self.embedding.dimension, index)
        self._lock = threading.RLock()
        self.add(demonstrations)

    @classmethod
    def starter(cls, embedding: Embedding | str | None = None) -> Memory:
        """The memory that comes with boxkit: every common shape of question over small worlds, each verified."""
        lines = files("boxkit.memory").joinpath("starter/demonstrations.jsonl").read_text("utf-8")
        return cls(map(Demonstration.from_line, lines.splitlines()), embedding)

    @classmethod
    def open(cls, path: str | Path, embedding: Embedding | str | None = None) -> Memory:
        """The memory in a folder; an empty one where there is none yet."""
        file = Path(path) / "demonstrations.jsonl"
        lines = file.read_text("utf-8").splitlines() if file.exists() else []
        memory = cls(map(Demonstration.from_line, lines), embedding)
        memory._folder = Path(path)
        return memory

    _folder: Path | None = None

    def save(self, path: str | Path | None = None) -> None:
        """Write the memory to its folder."""
        folder = Path(path) if path is not None else self._folder
        if folder is None:
            raise MemoryStoreError("this memory has no folder yet", hint="memory.save('memory/')")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "demonstrations.jsonl").write_text("".join(f"{item.to_line()}\n" for item in self), "utf-8")
        self._folder = folder

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Demonstration]:
        return iter(list(self._items))

    def __contains__(self, identifier: object) -> bool:
        return identifier in self._positions

    def __getitem__(self, identifier: str) -> Demonstration:
        try:
            return self._items[self._positions[identifier]]
        except KeyError:
            raise KeyError(f"no demonstration {identifier!r} in this memory") from None

    def __repr__(self) -> str:
        return f"Memory({len(self)} demonstrations, {self.embedding.name})"

    def add(self, demonstrations: Demonstration | Iterable[Demonstration]) -> int:
        """Add demonstrations; one that is there already is passed over. Returns how many were new.

        Raises:
            ValueError: Another demonstration has the same id.
        """
        new = [demonstrations] if isinstance(demonstrations, Demonstration) else list(demonstrations)
        added = 0
        with self._lock:
            for demonstration in new:
                if (known := self._positions.get(demonstration.id)) is not None:
                    if self._items[known] != demonstration:
                        raise ValueError(f"another demonstration has the id {demonstration.id!r}")
                    continue
                self._positions[demonstration.id] = len(self._items)
                self._items.append(demonstration)
                self._catalog.add(demonstration)
                added += 1
        return added

    def remove(self, ids: str | Iterable[str]) -> int:
        """Take demonstrations out by id. Returns how many.

        Raises:
            KeyError: There is no demonstration of that id.
        """
        gone = as_set(ids) or frozenset()
        with self._lock:
            for identifier in gone:
                self[identifier]
            kept = [at for at, identifier in enumerate(self._catalog.ids) if identifier not in gone]
            self._take(kept)
        return len(gone)

    def only(
        self,
        dataset: str | Iterable[str] | None = None,
        kind: str | Iterable[str] | None = None,
        source: str | Iterable[str] | None = None,
        split: str | Iterable[str] | None = None,
    ) -> Memory:
        """A memory of those of some datasets, kinds, sources or splits; this one stays as it is."""
        with self._lock:
            self._embed_new()
            kept = self._catalog.where(
                datasets=as_set(dataset), kinds=as_set(kind), sources=as_set(source), splits=as_set(split)
            )
            copy = Memory((), self.embedding, self._index.kind)
            copy._items, copy._catalog, copy._index = self._items, self._catalog, self._index
            copy._take(kept)
        return copy

    def merge(self, *others: Memory) -> Memory:
        """A memory of this one's demonstrations and the others'; all stay as they are.

        Raises:
            ValueError: Two of them have different demonstrations of one id.
        """
        merged = self.only()
        for other in others:
            merged.add(other)
        return merged

    def select(
        self,
        question: str,
        k: int = 10,
        mode: Mode = "similar",
        *,
        exclude: str | Iterable[str] = (),
        seed: int = 0,
    ) -> list[Selected]:
        """The demonstrations to show for a question, best first; never the question's own.

        Args:
            question: In words.
            k: How many at most.
            mode: ``"similar"``: nearest questions; ``"diverse"``: near, but unlike each other; ``"random"``.
            exclude: Splits under evaluation: ``"dev"``, or ``"spider/dev"`` for one dataset's.
            seed: For ``"random"``; the same seed and question give the same choice.
        """
        with self._lock:
            self._embed_new()
            allowed = self._catalog.allowed(question, as_set(exclude) or frozenset())
            found = Selection(self._index, self.embedding, mode, seed).choose(question, k, allowed)
            return [Selected(self._items[position], similarity) for position, similarity in found]

    def _embed_new(self) -> None:
        new = self._items[len(self._index) :]
        if new:
            self._index.add(self.embedding.documents([item.question for item in new]))

    def _take(self, positions: list[int]) -> None:
        import numpy as np

        self._embed_new()
        index = VectorIndex(self.embedding.dimension, self._index.kind)
        if positions:
            vectors: Vectors = self._index.at(np.asarray(positions, dtype=np.int64))
            index.add(vectors)
        self._items = [self._items[at] for at in positions]
        self._catalog = self._catalog.take(positions)
        self._positions = {identifier: at for at, identifier in enumerate(self._catalog.ids)}
        self._index = index


def _embedding(embedding: Embedding | str | None) -> Embedding:
    if embedding is None:
        return default_embedding()
    return embedding_named(embedding) if isinstance(embedding, str) else embedding
