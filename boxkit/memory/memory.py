"""A memory: demonstrations, kept in a folder, found by similarity."""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from boxkit.bounds import check_count
from boxkit.errors import MemoryStoreError
from boxkit.memory.catalog import Catalog, as_set
from boxkit.memory.demonstration import Demonstration
from boxkit.memory.embedding import Embedding, default_embedding, embedding_named
from boxkit.memory.index import IndexKind, VectorIndex
from boxkit.memory.masking import labels_of, mask, masked_question
from boxkit.memory.opening import Opened, StoredIndex, opened, read_lines
from boxkit.memory.selection import Mode, Selected, Selection, check_mode
from boxkit.memory.shelf import Shelf
from boxkit.memory.store import file_bytes, write_generation

if TYPE_CHECKING:
    from boxkit.box import BoxSet

__all__ = ["Memory"]

#: What is embedded of a demonstration in each view of a memory.
_VIEWS = {"question": lambda demonstration: demonstration.question, "masked": masked_question}


class Memory:
    """Demonstrations and the indexes that find them. Safe to use from several threads.

    Args:
        demonstrations: What it holds.
        embedding: How questions are compared: an `Embedding`, or the name of one; the default where None.
        index: How vectors are searched: exactly up to a size by default.

    >>> memory = Memory([Demonstration("", "How many lamps are there?", "", "", "answer = len(lamp)")], "lexical")
    >>> memory.select("How many doors are there?")[0].demonstration.code
    'answer = len(lamp)'
    """

    def __init__(
        self,
        demonstrations: Iterable[Demonstration] = (),
        embedding: Embedding | str | None = None,
        index: IndexKind = "auto",
    ) -> None:
        self._index_kind = index
        self._lock = threading.RLock()
        self._folder: Path | None = None
        self._hold(Opened(Shelf(), Catalog(), {}, _embedding(embedding) or default_embedding()))
        self.add(demonstrations)

    def _hold(self, content: Opened) -> None:
        self.embedding = content.embedding
        self.repairs = content.repairs
        self._generation = content.generation
        self._shelf = content.shelf
        self._catalog = content.catalog
        self._indexes = dict(content.indexes)
        self._known: dict[str, int] | None = None

    @classmethod
    def starter(cls, embedding: Embedding | str | None = None) -> Memory:
        """The memory that comes with boxkit: every common shape of question over small worlds, each verified."""
        lines = files("boxkit.memory").joinpath("starter/demonstrations.jsonl").read_bytes()
        memory = cls((), embedding)
        shelf, catalog = read_lines(lines, Path("starter"))
        memory._hold(Opened(shelf, catalog, {}, memory.embedding))
        return memory

    @classmethod
    def open(
        cls,
        path: str | Path,
        embedding: Embedding | str | None = None,
        *,
        reembed: bool = False,
        repair: bool = False,
        index: IndexKind = "auto",
    ) -> Memory:
        """The memory in a folder; an empty one, to be saved there, where nothing is there yet.

        Damaged or missing vectors are made again from the lines, and ``memory.repairs`` says so.

        Args:
            path: The folder.
            embedding: How questions are compared; None for the embedding that the memory was made with.
            reembed: Whether to make the vectors anew with another embedding than the memory's.
            repair: Whether to leave out lines that are no demonstrations, rather than refuse.
            index: How vectors are searched.

        Raises:
            MemoryStoreError: The folder holds something else, its lines are damaged, or another embedding made it.
        """
        memory = cls((), "lexical", index)
        folder = Path(path)
        memory._hold(opened(folder, _embedding(embedding), reembed=reembed, repair=repair, index=index))
        memory._folder = folder
        return memory

    @classmethod
    def from_lines(cls, path: str | Path, embedding: Embedding | str | None = None) -> Memory:
        """The memory of a file with one demonstration a line.

        Raises:
            MemoryStoreError: A line is no demonstration; it is named.
        """
        memory = cls((), embedding)
        shelf, catalog = read_lines(file_bytes(Path(path)), Path(path))
        memory._hold(Opened(shelf, catalog, {}, memory.embedding))
        return memory

    def save(self, path: str | Path | None = None) -> None:
        """Write the memory to its folder, or to another. Whole or not at all: a kill in the middle loses nothing.

        Raises:
            MemoryStoreError: Someone else has saved there since this memory was opened, or it has no folder.
        """
        folder = Path(path) if path is not None else self._folder
        if folder is None:
            raise MemoryStoreError("this memory has no folder yet", hint="memory.save('memory/')")
        with self._lock:
            views = ["question", *(["masked"] if "masked" in self._indexes else [])]
            parts = {"demonstrations": self._shelf.write, "catalog": self._write_catalog}
            parts |= {view: self._index(view).write for view in views}
            self._generation = write_generation(
                folder,
                self._generation if folder == self._folder else 0,
                parts,
                embedding=self.embedding.name,
                dimension=self.embedding.dimension,
                count=len(self),
            )
            self._folder = folder

    def _write_catalog(self, path: Path) -> None:
        path.write_text(self._catalog.to_text(self._shelf.written), "utf-8")

    @property
    def folder(self) -> Path | None:
        """Where it is kept; None where it has not been saved."""
        return self._folder

    @property
    def _positions(self) -> dict[str, int]:
        with self._lock:
            if self._known is None:
                self._known = {identifier: at for at, identifier in enumerate(self._catalog.ids)}
            return self._known

    def __len__(self) -> int:
        return len(self._shelf)

    def __iter__(self) -> Iterator[Demonstration]:
        return iter(self._shelf.take(range(len(self))))

    def __contains__(self, identifier: object) -> bool:
        return identifier in self._positions

    def __getitem__(self, identifier: str) -> Demonstration:
        try:
            return self._shelf[self._positions[identifier]]
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
                if demonstration.id in self._positions:
                    if self[demonstration.id] != demonstration:
                        raise ValueError(f"another demonstration has the id {demonstration.id!r}")
                    continue
                self._positions[demonstration.id] = len(self)
                self._shelf.append(demonstration)
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
            self._take([at for at, identifier in enumerate(self._catalog.ids) if identifier not in gone])
        return len(gone)

    def only(
        self,
        dataset: str | Iterable[str] | None = None,
        kind: str | Iterable[str] | None = None,
        source: str | Iterable[str] | None = None,
        split: str | Iterable[str] | None = None,
    ) -> Memory:
        """A memory of those of some datasets, kinds, sources or splits; this one stays as it is."""
        wanted = {
            "datasets": as_set(dataset),
            "kinds": as_set(kind),
            "sources": as_set(source),
            "splits": as_set(split),
        }
        with self._lock:
            return self._copy(self._catalog.where(**wanted))

    def excluding(self, splits: str | Iterable[str]) -> Memory:
        """A memory without some splits: ``"dev"``, or ``"spider/dev"`` for one dataset's; this one stays as it is."""
        with self._lock:
            return self._copy(self._catalog.outside(as_set(splits) or frozenset()))

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
        mode: Mode | str = "similar",
        *,
        exclude: str | Iterable[str] = (),
        seed: int = 0,
        boxes: BoxSet | str | None = None,
        draft: str | None = None,
    ) -> list[Selected]:
        """The demonstrations to show for a question, best first; never the question's own.

        Args:
            question: In words.
            k: How many at most.
            mode: ``"similar"``: nearest questions (Pandora, eq. 2). ``"masked"``: nearest when values, names and field
                names are masked. ``"diverse"``: near, but unlike each other. ``"random"``: drawn.
            exclude: Splits under evaluation: ``"dev"``, or ``"spider/dev"`` for one dataset's.
            seed: For ``"random"``; the same seed and question give the same choice.
            boxes: For ``"masked"``: what the question is asked of, as boxes or BOX code; their names are masked.
            draft: For ``"masked"``: a program that may answer the question; demonstrations whose code is like it gain.
        """
        check_mode(mode)
        check_count("k", k, least=0)
        text = mask(question, labels_of(boxes)) if mode == "masked" else question
        query = self.embedding.queries([text])
        with self._lock:
            index = self._index("masked" if mode == "masked" else "question")
            allowed = self._catalog.allowed(question, as_set(exclude) or frozenset())
            selection = Selection(index, query, max(k, 0), allowed)
            if mode == "random":
                found = selection.random(question, seed)
            elif mode == "diverse":
                found = selection.diverse()
            elif mode == "masked" and draft:
                found = selection.drafted(draft, lambda at: self._shelf[at].code)
            else:
                found = selection.similar()
            return [Selected(self._shelf[position], similarity) for position, similarity in found]

    def read_indexes(self) -> None:
        """Read the stored indexes now, not when they are first searched; damaged ones are made again (``repairs``)."""
        with self._lock:
            for view in list(self._indexes):
                self._index(view)

    def _index(self, view: str) -> VectorIndex:
        """The view's index, with whatever was added since."""
        index = self._indexes.get(view)
        if isinstance(index, StoredIndex):
            name, index = index.record.name, index.load()
            if index is None:
                self.repairs += (f"the index {name} was damaged: made again from the lines",)
        if index is None:
            index = VectorIndex(self.embedding.dimension, self._index_kind)
        self._indexes[view] = index
        if len(index) < len(self):
            new = [_VIEWS[view](self._shelf[at]) for at in range(len(index), len(self))]
            index.add(self.embedding.documents(new))
        return index

    def _copy(self, positions: Collection[int]) -> Memory:
        self._index("question")
        copy = Memory((), self.embedding, self._index_kind)
        copy._hold(Opened(self._shelf, self._catalog, self._indexes, self.embedding))
        copy._take(list(positions))
        return copy

    def _take(self, positions: list[int]) -> None:
        import numpy as np

        indexes = {}
        for view in list(self._indexes):
            index = self._index(view)
            known = [at for at in positions if at < len(index)]
            indexes[view] = VectorIndex(self.embedding.dimension, self._index_kind)
            if known:
                indexes[view].add(index.at(np.asarray(known, dtype=np.int64)))
        self._hold(
            Opened(
                self._shelf.take(positions),
                self._catalog.take(positions),
                indexes,
                self.embedding,
                self._generation,
                self.repairs,
            )
        )


def _embedding(embedding: Embedding | str | None) -> Embedding | None:
    return embedding_named(embedding) if isinstance(embedding, str) else embedding
