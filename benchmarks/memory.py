"""How fast a memory finds ten demonstrations, beside brute force in NumPy.

    python benchmarks/memory.py [--counts 10000,100000,1000000] [--dimension 384] [--queries 100]

Prints ratios and times of one run; vectors are clustered, as questions are (uniform random vectors have no neighbours
worth finding).
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from boxkit.memory import Demonstration, Memory
from boxkit.memory.embedding import LexicalEmbedding
from boxkit.memory.embedding.protocol import unit
from boxkit.memory.index import VectorIndex

K = 10


def clustered(count: int, dimension: int, seed: int = 0) -> np.ndarray:
    """(count, dimension) float32 unit vectors around count / 50 centres."""
    random = np.random.default_rng(seed)
    centres = random.standard_normal((max(1, count // 50), dimension), dtype=np.float32)
    vectors = centres[random.integers(0, len(centres), count)]
    vectors += 0.7 * random.standard_normal((count, dimension), dtype=np.float32)
    return unit(vectors)


def timed(search: Callable[[Any], Any], queries: np.ndarray) -> tuple[float, float, list[set[int]]]:
    """p50 and p99 in milliseconds, and the positions found."""
    search(queries[:1])
    seconds, found = [], []
    for at in range(len(queries)):
        started = time.perf_counter()
        positions = search(queries[at : at + 1])
        seconds.append(time.perf_counter() - started)
        found.append(set(map(int, positions)))
    return float(np.percentile(seconds, 50)) * 1e3, float(np.percentile(seconds, 99)) * 1e3, found


def numpy_search(vectors: np.ndarray) -> Callable[[Any], Any]:
    def search(query: Any) -> Any:
        similarities = vectors @ query[0]
        best = np.argpartition(similarities, -K)[-K:]
        return best[np.argsort(-similarities[best])]

    return search


def searches(count: int, dimension: int, query_count: int, kinds: list[str]) -> None:
    vectors = clustered(count, dimension)
    picked = np.random.default_rng(1).integers(0, count, query_count)
    noise = np.random.default_rng(2).standard_normal((query_count, dimension), dtype=np.float32)
    queries = unit(vectors[picked] + 0.5 / np.sqrt(dimension) * noise)
    p50, p99, exact = timed(numpy_search(vectors), queries)
    print(f"{count:>9,} {'NumPy':8} {p50:9.2f} {p99:9.2f} {1:7.2f}  {1:9.3f} {0:8.1f}", flush=True)
    for kind in kinds:
        started = time.perf_counter()
        index = VectorIndex(dimension, kind)
        index.add(vectors)
        built = time.perf_counter() - started
        ours50, ours99, found = timed(lambda query, index=index: index.search(query, K)[0], queries)
        recall = sum(len(one & other) for one, other in zip(exact, found, strict=True)) / (K * len(exact))
        print(
            f"{count:>9,} {kind:8} {ours50:9.2f} {ours99:9.2f} {ours50 / p50:7.2f}  {recall:9.3f} {built:8.1f}",
            flush=True,
        )


class Ready:
    """An embedding whose vectors are there already: what is timed is the memory."""

    name = "ready"

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension

    def documents(self, texts: Any) -> Any:
        """As many vectors as texts."""
        return clustered(len(texts), self.dimension)

    queries = documents


def opening(count: int, dimension: int) -> None:
    code = "chosen = box[box['price'] > 1]\n" * 8
    boxes = 'box = pd.DataFrame({\n    "price": [],  # integer\n})\n' * 4
    memory = Memory(
        (
            Demonstration(f"d{at}", f"How many things cost more than {at}?", boxes, "Count.", code, ((at,),), "bench")
            for at in range(count)
        ),
        Ready(dimension),
    )
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        memory.save(folder)
        saved = time.perf_counter() - started
        started = time.perf_counter()
        opened = Memory.open(folder, Ready(dimension))
        ready = time.perf_counter() - started
        started = time.perf_counter()
        opened.select("How many things are dear?")
        first = time.perf_counter() - started
        size = sum(file.stat().st_size for file in Path(folder).iterdir()) / 2**20
    print(
        f"{count:,} demonstrations ({size:.0f} MiB): save {saved:.2f} s, open {ready:.2f} s, first search {first:.2f} s"
    )


def embedding() -> None:
    questions = [f"Which of the {at} shops sold the most lamps in 20{at % 100:02}?" for at in range(2000)]
    started = time.perf_counter()
    LexicalEmbedding().queries(questions)
    print(f"lexical embedding: {(time.perf_counter() - started) / len(questions) * 1e3:.2f} ms a question")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--counts", default="10000,100000,1000000")
    parser.add_argument("--dimension", type=int, default=384)
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--kinds", default="flat,ivf,hnsw")
    parser.add_argument("--hnsw-up-to", type=int, default=100_000, help="building HNSW takes minutes beyond")
    arguments = parser.parse_args()
    embedding()
    opening(100_000, arguments.dimension)
    print(f"{'vectors':>9} {'search':8} {'p50 ms':>9} {'p99 ms':>9} {'ratio':>7}  {'recall@10':>9} {'build s':>8}")
    for count in map(int, arguments.counts.split(",")):
        kinds = [kind for kind in arguments.kinds.split(",") if kind != "hnsw" or count <= arguments.hnsw_up_to]
        searches(count, arguments.dimension, arguments.queries, kinds)


if __name__ == "__main__":
    main()
