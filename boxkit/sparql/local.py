"""Queries over a graph of this machine's: pyoxigraph in a process that is killed when a query's time is over."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from boxkit.converters.graph.endpoint import Endpoint
from boxkit.converters.graph.origin import Origin
from boxkit.converters.graph.store import XSD, Literal, Term, TripleStore
from boxkit.errors import ExecutorError
from boxkit.failure import Failure
from boxkit.process import end, killed_after
from boxkit.sparql.engine import Found
from boxkit.sparqlguard import CheckedQuery
from boxkit.sql.engine import SqlLimits

__all__ = ["LocalService", "local_service"]

#: What a query may add to the memory that the graph takes, in MiB.
MEMORY_MB = 2048

_SERVICES: weakref.WeakKeyDictionary[Origin, LocalService] = weakref.WeakKeyDictionary()
_TURN = threading.Lock()


def local_service(origin: Origin) -> LocalService:
    """The service of a graph: one for all questions about it, as loading it takes a while."""
    with _TURN:
        found = _SERVICES.get(origin)
        if found is None or found.owner != os.getpid():
            found = _SERVICES[origin] = LocalService(_lines(origin))
        return found


def _lines(origin: Origin) -> Callable[[], bytes]:
    """What gives the graph as N-Triples, without keeping its origin alive."""
    source, plain = origin.source, Origin(origin.label, origin.source, plain=origin.plain)

    def lines() -> bytes:
        assert not isinstance(source, Endpoint)
        store = source if isinstance(source, TripleStore) else source()
        return b"".join(plain.ntriples(store))

    return lines


@dataclass
class LocalService:
    """A process that holds one graph; started when it is first asked, and again after it was stopped.

    Attributes:
        graph: Gives the triples as N-Triples.
        owner: The process that may talk to it; a forked one starts its own.
    """

    graph: Callable[[], bytes] = field(repr=False)
    owner: int = field(default_factory=os.getpid)
    _process: subprocess.Popen[bytes] | None = field(default=None, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def find(self, query: str, checked: CheckedQuery, limits: SqlLimits) -> Found | bool | Failure:
        """Run a query that has been checked; see `GraphService.find`."""
        if checked.undeclared:
            names = ", ".join(f"{name}:" for name in sorted(checked.undeclared))
            hint = "write PREFIX lines for them, or whole IRIs in <…>"
            return Failure("exception", f"no PREFIX says what {names} stands for", source=query, hint=hint)
        with self._lock:
            process = self._running()
            reply = self._asked(process, {"query": query, "rows": limits.rows}, limits.seconds)
            if isinstance(reply, Failure):
                self._stop(process)
                return Failure(reply.kind, reply.message, source=query, hint=reply.hint)
        if "error" in reply:
            return Failure("exception", reply["error"], type=reply["type"], source=query)
        if "boolean" in reply:
            return bool(reply["boolean"])
        return Found(reply["variables"], [[_term(cell) for cell in row] for row in reply["rows"]], reply["more"])

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        import pyoxigraph

        from boxkit.sparql import worker

        graph = self.graph()
        process = subprocess.Popen(
            [sys.executable, "-I", str(worker.__file__)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"PATH": os.defpath, "LANG": "C.UTF-8"},
            start_new_session=True,  # Ctrl-C is for the host
        )
        assert process.stdin is not None and process.stdout is not None
        weakref.finalize(self, end, process)
        home = str(Path(pyoxigraph.__file__).resolve().parent.parent)
        head = {"bytes": len(graph), "memory_mb": MEMORY_MB, "paths": [home]}
        try:
            process.stdin.write(json.dumps(head).encode() + b"\n" + graph)
            process.stdin.flush()
            loaded = process.stdout.readline()
        except BrokenPipeError:
            loaded = b""
        if not loaded:
            end(process)
            raise ExecutorError("the process that holds the graph for SPARQL did not start")
        self._process = process
        return process

    def _asked(self, process: subprocess.Popen[bytes], request: dict[str, Any], seconds: float) -> Any:
        """The reply to one request; a `Failure` where none comes in time, or the process ends."""
        assert process.stdin is not None and process.stdout is not None
        started = time.monotonic()
        with killed_after(process, seconds):
            try:
                process.stdin.write(json.dumps(request).encode() + b"\n")
                process.stdin.flush()
                line = process.stdout.readline()
            except BrokenPipeError:
                line = b""
        if line.endswith(b"\n"):
            return json.loads(line)
        if time.monotonic() - started >= seconds:
            return Failure("timeout", f"the query took longer than {seconds:g} seconds")
        hint = "select less: fewer rows, fewer variables, no product of patterns that share no variable"
        return Failure("memory", f"the query needs more than {MEMORY_MB} MB of memory", hint=hint)

    def _stop(self, process: subprocess.Popen[bytes]) -> None:
        end(process)
        self._process = None


def _term(cell: list[str] | None) -> Term | None:
    if cell is None:
        return None
    kind, text, *rest = cell
    if kind == "iri":
        return text
    if kind == "blank":
        return f"_:{text}"
    datatype, language = rest
    return Literal(text, "" if language or datatype == XSD + "string" else datatype, language.lower())
