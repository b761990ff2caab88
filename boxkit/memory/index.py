"""Nearest vectors by inner product, with FAISS: exact by default, approximate from a size on."""

from __future__ import annotations

import contextlib
import importlib
import io
import mmap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from boxkit.errors import MemoryStoreError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from boxkit.memory.embedding.protocol import Vectors

    Positions = npt.NDArray[np.int64]

__all__ = ["INDEX_KINDS", "IndexKind", "VectorIndex"]

#: ``flat`` is exact. ``ivf`` and ``hnsw`` are approximate. ``auto`` is flat up to `EXACT_UP_TO` vectors, then ivf.
IndexKind = Literal["auto", "flat", "ivf", "hnsw"]

INDEX_KINDS: tuple[IndexKind, ...] = ("auto", "flat", "ivf", "hnsw")

EXACT_UP_TO = 200_000

#: IVF: about this many vectors a list, and this share of the lists is searched (recall in docs/memory.md).
VECTORS_A_LIST, PROBED_LISTS = 400, 48

#: Bytes of a file read at once.
CHUNK = 1 << 20

HNSW_NEIGHBOURS, HNSW_BUILD_DEPTH, HNSW_SEARCH_DEPTH = 32, 120, 160


class VectorIndex:
    """Vectors by position, and a search over them.

    Args:
        dimension: Numbers a vector.
        kind: How to search; ``auto`` decides by the number of vectors when built.
    """

    def __init__(self, dimension: int, kind: IndexKind = "auto") -> None:
        if kind not in INDEX_KINDS:
            raise ValueError(f"an index is one of {', '.join(INDEX_KINDS)}, not {kind!r}")
        self.dimension = dimension
        self.kind = kind
        self._faiss: Any = None

    def __len__(self) -> int:
        return 0 if self._faiss is None else int(self._faiss.ntotal)

    def add(self, vectors: Vectors) -> None:
        """Append vectors: (n, dimension) float32, L2-normalised."""
        if self._faiss is None:
            self._faiss = _made(self.dimension, self.kind, vectors)
        self._faiss.add(vectors)

    def vectors(self) -> Vectors:
        """All vectors, by position; a copy."""
        import numpy as np

        if not len(self):
            return np.zeros((0, self.dimension), dtype=np.float32)
        all_vectors: Vectors = self._faiss.reconstruct_n(0, len(self))
        return all_vectors

    def at(self, positions: Positions) -> Vectors:
        """The vectors at some positions."""
        found: Vectors = self._faiss.reconstruct_batch(positions)
        return found

    def search(
        self, query: Vectors, k: int, allowed: npt.NDArray[np.bool_] | None = None
    ) -> tuple[Positions, npt.NDArray[np.float32]]:
        """The positions and inner products of the ``k`` nearest (all, where there are fewer).

        Best first; equals stand by position.

        Args:
            query: (1, dimension) float32.
            k: How many.
            allowed: Which positions may be found, (n,) bool; None for all.
        """
        import numpy as np

        wanted = min(k, len(self) if allowed is None else int(allowed.sum()))
        if wanted <= 0:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)
        with _one_thread():
            similarities, positions = self._faiss.search(query, wanted, params=_parameters(self._faiss, allowed))
        found = positions[0] >= 0
        positions, similarities = positions[0][found], similarities[0][found]
        order = np.lexsort((positions, -similarities))
        return positions[order], similarities[order]

    def write(self, path: Path) -> None:
        """Write the index to a file, in FAISS's own format."""
        faiss = _library()

        faiss.write_index(self._faiss if self._faiss is not None else faiss.IndexFlatIP(self.dimension), str(path))

    @classmethod
    def from_bytes(cls, content: bytes | mmap.mmap, dimension: int, kind: IndexKind = "auto") -> VectorIndex:
        """The index of a file that `write` wrote.

        Raises:
            MemoryStoreError: It is no index, or holds vectors of another size.
        """
        index = cls(dimension, kind)
        try:
            index._faiss = _library().read_index(_library().PyCallbackIOReader(_reader(content), CHUNK))
        except RuntimeError as error:
            raise MemoryStoreError(f"not a FAISS index: {str(error).splitlines()[0]}") from None
        if index._faiss.d != dimension:
            raise MemoryStoreError(f"an index of vectors of {index._faiss.d} numbers, not {dimension}")
        return index


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """One question is searched faster by one thread than by several that wait for each other, and a fork stays safe."""
    faiss = _library()
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)


def _reader(content: bytes | mmap.mmap) -> Callable[[int], bytes]:
    if isinstance(content, bytes):
        return io.BytesIO(content).read
    content.seek(0)
    return content.read


def _library() -> Any:
    """FAISS; untyped here, since its stubs say less than it can."""
    return importlib.import_module("faiss")


def _made(dimension: int, kind: IndexKind, vectors: Vectors) -> Any:
    faiss = _library()
    count = len(vectors)
    if kind == "hnsw":
        graph = faiss.IndexHNSWFlat(dimension, HNSW_NEIGHBOURS, faiss.METRIC_INNER_PRODUCT)
        graph.hnsw.efConstruction = HNSW_BUILD_DEPTH
        graph.hnsw.efSearch = HNSW_SEARCH_DEPTH
        return graph
    if kind == "ivf" or (kind == "auto" and count > EXACT_UP_TO):
        lists = max(1, count // VECTORS_A_LIST)
        inverted = faiss.IndexIVFFlat(faiss.IndexFlatIP(dimension), dimension, lists, faiss.METRIC_INNER_PRODUCT)
        inverted.nprobe = min(lists, PROBED_LISTS)
        # A few rounds on a sample place the lists well enough; FAISS's defaults take ten times as long.
        inverted.cp.niter, inverted.cp.max_points_per_centroid = 10, 64
        inverted.train(vectors)
        inverted.make_direct_map()
        return inverted
    return faiss.IndexFlatIP(dimension)


def _parameters(index: Any, allowed: npt.NDArray[np.bool_] | None) -> Any:
    """Search parameters; they hold the index's own depth, since FAISS takes defaults where parameters are given."""
    import numpy as np

    faiss = _library()

    if allowed is None:
        return None
    selector = faiss.IDSelectorBitmap(np.packbits(allowed, bitorder="little"))
    if isinstance(index, faiss.IndexIVF):
        return faiss.SearchParametersIVF(sel=selector, nprobe=index.nprobe)
    if isinstance(index, faiss.IndexHNSW):
        return faiss.SearchParametersHNSW(sel=selector, efSearch=index.hnsw.efSearch)
    return faiss.SearchParameters(sel=selector)
