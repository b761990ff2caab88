"""The process that holds a graph for queries: pyoxigraph cannot be stopped in the middle of a query, a process can.

Run as a script, so that nothing but pyoxigraph is imported. Standard input brings one JSON line with the limits and the
graph's length in bytes, the graph as N-Triples, then a JSON line a query; each is answered by a JSON line.
"""

from __future__ import annotations

import contextlib
import json
import sys
from typing import Any


def main() -> None:
    """Load the graph, give up what is not needed, answer."""
    head = json.loads(sys.stdin.buffer.readline())
    sys.path.extend(path for path in head["paths"] if path not in sys.path)
    import pyoxigraph

    store = pyoxigraph.Store()
    data = sys.stdin.buffer.read(head["bytes"])
    store.bulk_load(data, format=pyoxigraph.RdfFormat.N_TRIPLES, lenient=True)
    del data
    _confine(head["memory_mb"])
    _say({"triples": len(store)})
    for line in sys.stdin.buffer:
        request = json.loads(line)
        try:
            _say(_answer(store, request["query"], request["rows"]))
        except (SyntaxError, ValueError, OSError, RuntimeError) as error:
            _say({"error": str(error), "type": type(error).__name__})


def _confine(memory_mb: int) -> None:
    """No more descriptors (and so neither files nor sockets), and no more than so much memory."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        with open("/proc/self/statm") as file:
            held = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (held + (memory_mb << 20),) * 2)
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        # Those that are open (input, output, errors) stay so.
        resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))


def _answer(store: Any, query: str, most: int) -> dict[str, Any]:
    found = store.query(query)
    if not hasattr(found, "variables"):
        return {"boolean": bool(found)}
    variables = [each.value for each in found.variables]
    rows: list[list[Any]] = []
    for solution in found:
        if len(rows) == most:
            return {"variables": variables, "rows": rows, "more": True}
        rows.append([_written(solution[name]) for name in variables])
    return {"variables": variables, "rows": rows, "more": False}


def _written(term: Any) -> list[str] | None:
    """A term as kind and texts; None for nothing."""
    if term is None:
        return None
    kind = type(term).__name__
    if kind == "NamedNode":
        return ["iri", term.value]
    if kind == "Literal":
        return ["literal", term.value, term.datatype.value, term.language or ""]
    return ["blank", str(term).removeprefix("_:")]


def _say(reply: dict[str, Any]) -> None:
    sys.stdout.buffer.write(json.dumps(reply).encode() + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
