"""Reading N-Triples and a first subgraph, beside rdflib's parser and oxigraph's store; hubs; memory.

    python benchmarks/graphs_speed.py [triples]

Each measure runs in a process of its own, so that its peak memory is its own; times are processor time, which other
work on the machine disturbs little.
"""

from __future__ import annotations

import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

EX = "http://example.org/"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
INTEGER = "http://www.w3.org/2001/XMLSchema#integer"
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"


def write(path: Path, triples: int) -> None:
    """A random graph: per entity a type, a label, a number and four links, and one node that a fifth of all link to."""
    dice = random.Random(7)
    entities = triples // 7
    with path.open("w", encoding="utf-8") as file:
        for at in range(entities):
            me = f"<{EX}entity/e{at}>"
            file.write(f"{me} <{TYPE}> <{EX}Kind{at % 12}> .\n")
            file.write(f'{me} <{LABEL}> "Entity number {at}"@en .\n')
            file.write(f'{me} <{EX}size> "{dice.randrange(10**6)}"^^<{INTEGER}> .\n')
            for _ in range(3):
                file.write(f"{me} <{EX}link{dice.randrange(40)}> <{EX}entity/e{dice.randrange(entities)}> .\n")
            far = 0 if dice.random() < 0.2 else dice.randrange(entities)
            file.write(f"{me} <{EX}at> <{EX}entity/e{far}> .\n")


def star(path: Path, edges: int) -> None:
    """One node with so many edges."""
    with path.open("w", encoding="utf-8") as file:
        for at in range(edges):
            file.write(f"<{EX}e{at}> <{EX}at> <{EX}hub> .\n")


def rdflib_parse(path: Path) -> str:
    import rdflib

    started = time.process_time()
    graph = rdflib.Graph()
    graph.parse(path, format="nt")
    return f"{time.process_time() - started:.2f}"


def oxigraph_load(path: Path) -> str:
    import pyoxigraph

    started = time.process_time()
    store = pyoxigraph.Store()
    store.bulk_load(path=str(path), format=pyoxigraph.RdfFormat.N_TRIPLES)
    return f"{time.process_time() - started:.2f}"


def boxkit_read(path: Path) -> str:
    from boxkit.converters.graph import Graph
    from boxkit.converters.graph.parse import parse_file

    started = time.process_time()
    store, _ = parse_file(path, "nt", "graph")
    read = time.process_time() - started
    graph = Graph(store, "graph")
    topic = "hub" if path.stem == "star" else "e17"
    started = time.process_time()
    boxes = graph.boxes(topics=[topic], hops=2)
    first = time.process_time() - started
    started = time.process_time()
    graph.boxes(topics=[topic if path.stem == "star" else "e18"], hops=2)
    second = time.process_time() - started
    rows = sum(len(box.frame) for box in boxes.values())
    return f"{read:.2f} {first:.2f} {second:.3f} {rows}"


def slices(path: Path) -> str:
    """Seconds for the triples that leave and enter one entity, on average over a thousand; the first makes indexes."""
    import numpy as np

    from boxkit.converters.graph.parse import parse_file

    store, _ = parse_file(path, "nt", "graph")
    found = [store.number(f"{EX}entity/e{at}") for at in range(1, 1001)]
    nodes = [np.array([number], dtype=np.int64) for number in found if number is not None]
    store.out_of(nodes[0]), store.into(nodes[0])
    started = time.process_time()
    for node in nodes:
        store.out_of(node), store.into(node)
    return f"{(time.process_time() - started) / len(nodes):.9f}"


MEASURES = {"rdflib": rdflib_parse, "oxigraph": oxigraph_load, "boxkit": boxkit_read, "slices": slices}


def measure(name: str, path: Path) -> tuple[list[float], float]:
    done = subprocess.run(
        [sys.executable, __file__, "--one", name, str(path)], capture_output=True, text=True, check=True
    )
    *seconds, memory = done.stdout.split()
    return [float(each) for each in seconds], float(memory)


def one(name: str, path: Path) -> None:
    import numpy  # noqa: F401 - what every user of boxes has in memory already
    import pandas  # noqa: F401 - likewise

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    figures = MEASURES[name](path)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(figures, f"{grown:.0f}")


def main(triples: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path, hub, small = (Path(folder) / f"{name}.nt" for name in ("graph", "star", "small"))
        write(path, triples)
        write(small, max(triples // 10, 8_000))
        star(hub, 100_000)
        (theirs,), their_memory = measure("rdflib", path)
        (oxigraph,), oxigraph_memory = measure("oxigraph", path)
        (read, first, second, _), memory = measure("boxkit", path)
        per_million = 1e6 / triples
        print(f"{triples:,} N-Triples: rdflib parses in {theirs:.1f} s, oxigraph loads in {oxigraph:.1f} s")
        print(f"boxkit reads in {read:.1f} s, first boxes {first:.2f} s, the next {1000 * second:.0f} ms")
        print(f"rdflib's parser alone / boxkit's reading and first boxes: {theirs / (read + first):.1f}")
        memories = (("boxkit", memory), ("rdflib", their_memory), ("oxigraph", oxigraph_memory))
        listed = ", ".join(f"{name} {grown * per_million:.0f}" for name, grown in memories)
        print(f"peak memory per million triples, MiB: {listed}")
        micro = [1e6 * measure("slices", each)[0][0] for each in (small, path)]
        print(f"a 1-hop slice: {micro[0]:.1f} µs of a tenth of the triples, {micro[1]:.1f} µs of all")
        (read, first, second, rows), memory = measure("boxkit", hub)
        print(f"a node with 100,000 edges: read {read:.1f} s, boxes {first:.2f} s, {rows:.0f} rows, {memory:.0f} MiB")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        one(sys.argv[2], Path(sys.argv[3]))
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 500_000)
