"""SPARQL services on loopback: a small one over pyoxigraph with faults and a row cap, rdflib-endpoint, Virtuoso."""

from __future__ import annotations

import importlib.util
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs

import pyoxigraph
import pytest

ROOT = Path(__file__).resolve().parents[2]


class Service(ThreadingHTTPServer):
    """pyoxigraph's engine behind HTTP. ``faults`` holds what the next requests meet in place of an answer."""

    daemon_threads = True

    def __init__(self, nt: str, row_cap: int | None = None) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.store = pyoxigraph.Store()
        self.store.load(nt.encode(), format=pyoxigraph.RdfFormat.N_TRIPLES)
        self.row_cap = row_cap
        self.faults: list[str] = []
        self.queries: list[str] = []
        self.authorizations: list[str | None] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/sparql"


class Handler(BaseHTTPRequestHandler):
    server: Service

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        query = parse_qs(body)["query"][0]
        self.server.queries.append(query)
        self.server.authorizations.append(self.headers.get("Authorization"))
        fault = self.server.faults.pop(0) if self.server.faults else ""
        if fault:
            self.fail(fault)
            return
        try:
            found = self.server.store.query(query)
        except SyntaxError as error:
            self.answer(400, "text/plain", f"MALFORMED QUERY: {error}".encode())
            return
        data = found.serialize(format=pyoxigraph.QueryResultsFormat.JSON)
        if self.server.row_cap is not None and b'"bindings"' in data:
            data = cut(data, self.server.row_cap)
        self.answer(200, "application/sparql-results+json", data)

    def fail(self, fault: str) -> None:
        if fault == "drop":
            self.connection.shutdown(socket.SHUT_RDWR)
        elif fault == "hang":
            time.sleep(1.5)
        elif fault == "html":
            self.answer(
                200, "text/html", b"<html><head><title>Welcome</title></head><body>Our data portal</body></html>"
            )
        elif fault == "half":
            self.answer(200, "application/sparql-results+json", b'{"head": {"vars": ["s"]}, "results": {"bind')
        elif fault == "json":
            self.answer(200, "application/json", b'{"message": "hello"}')
        else:
            self.answer(int(fault), "text/html", b"<html><body>The server is <b>not well</b></body></html>")

    def answer(self, status: int, kind: str, data: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args: object) -> None:
        pass


def cut(data: bytes, rows: int) -> bytes:
    import json

    body = json.loads(data)
    body["results"]["bindings"] = body["results"]["bindings"][:rows]
    return json.dumps(body).encode()


@contextmanager
def oxigraph(nt: str, row_cap: int | None = None) -> Iterator[Service]:
    with Service(nt, row_cap) as service:
        thread = threading.Thread(target=service.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield service
        finally:
            service.shutdown()
            thread.join()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def rdflib_endpoint(file: Path) -> Iterator[str]:
    program = Path(sys.executable).with_name("rdflib-endpoint")
    if not program.exists() or importlib.util.find_spec("uvicorn") is None:
        pytest.skip("no rdflib-endpoint here: pip install 'rdflib-endpoint[cli]' uvicorn")
    port = free_port()
    command = [str(program), "serve", "--host", "127.0.0.1", "--port", str(port), str(file)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(f"http://127.0.0.1:{port}/?query=ASK%20%7B%7D", process)
        yield f"http://127.0.0.1:{port}/"
    finally:
        process.terminate()
        process.wait(20)


@contextmanager
def virtuoso(file: Path, folder: Path, row_cap: int) -> Iterator[str]:
    if shutil.which("virtuoso-t") is None or shutil.which("isql-vt") is None:
        pytest.skip("no Virtuoso here: apt-get install virtuoso-opensource-7")
    http, isql = free_port(), free_port()
    start = [str(ROOT / ".ci" / "start-virtuoso"), str(folder), str(http), str(isql), str(row_cap), str(file)]
    try:
        subprocess.run(start, check=True, capture_output=True, timeout=110)
        yield f"http://127.0.0.1:{http}/sparql"
    finally:
        if (folder / "pid").exists():
            subprocess.run(["kill", (folder / "pid").read_text().strip()], check=False)


def wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(400):
        if process.poll() is not None:
            pytest.fail(f"the server ended with status {process.returncode}")
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except OSError:
            time.sleep(0.1)
    pytest.fail("the server did not start")
