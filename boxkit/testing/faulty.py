"""A real HTTP server on this machine that answers as an OpenAI-compatible one would, on good days and bad ones."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, TypeAlias

from boxkit.testing.faults import Fault, ok, wrong_key

__all__ = ["FaultyServer", "SentRequest"]


@dataclass(frozen=True, slots=True)
class SentRequest:
    """What a client sent.

    Attributes:
        method: ``"POST"`` or ``"GET"``.
        path: With its query.
        headers: Names in lower case.
        body: The JSON body; empty where there was none.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]


Script: TypeAlias = Sequence[Fault | str] | Fault | str | Callable[[SentRequest], Fault | str]


class FaultyServer:
    """An HTTP server on 127.0.0.1 that answers as scripted, a thread a connection.

    Args:
        script: Answers in order (a text is a good completion); or one answer (a text too), given every time; or a
            function of the request. After the last of a list it answers 500 and counts that in ``unscripted``.
        models: The names that ``GET /v1/models`` lists.
        key: Where given, requests without this key get 401, and use nothing of the script.

    Attributes:
        requests: Every request for a completion, in order.
        unscripted: How many came after the script's end.

    >>> with FaultyServer(["42"]) as server:
    ...     server.base_url.startswith("http://127.0.0.1:")
    True
    """

    def __init__(self, script: Script, *, models: Sequence[str] = ("faulty-1",), key: str | None = None) -> None:
        self.requests: list[SentRequest] = []
        self.unscripted = 0
        self._script = script
        self._models = tuple(models)
        self._key = key
        self._given = 0
        self._lock = threading.Lock()
        self._ending = threading.Event()
        self._http = _Server(("127.0.0.1", 0), _Handler)
        self._http.owner = self
        self._thread = threading.Thread(
            target=self._http.serve_forever, args=(0.05,), name="faulty-server", daemon=True
        )

    @property
    def base_url(self) -> str:
        """The address to give to a client, ending in ``/v1``."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def __enter__(self) -> FaultyServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ending.set()
        self._http.shutdown()
        self._http.hang_up()
        self._http.server_close()
        self._thread.join(timeout=5)

    def answer(self, request: SentRequest) -> Fault:
        """What this request gets; takes it from the script."""
        if self._key is not None and request.headers.get("authorization") != f"Bearer {self._key}":
            return wrong_key()
        if request.method == "GET":
            return Fault(body={"object": "list", "data": [{"id": name, "object": "model"} for name in self._models]})
        with self._lock:
            self.requests.append(request)
            answer = self._script if callable(self._script) else self._next(self._script)
        if callable(answer):  # outside the lock: it may take its time
            answer = answer(request)
        return ok(answer) if isinstance(answer, str) else answer

    def _next(self, script: Sequence[Fault | str] | Fault | str) -> Fault | str:
        if isinstance(script, (Fault, str)):  # a text is a sequence too: of its letters
            return script
        if self._given >= len(script):
            self.unscripted += 1
            return Fault(500, {"error": {"message": f"the script's {len(script)} answers are used up"}})
        self._given += 1
        return script[self._given - 1]

    @property
    def ended(self) -> bool:
        """Whether the server is shutting down."""
        return self._ending.is_set()

    def wait(self, seconds: float) -> None:
        """Sleep, but no longer than the server lives."""
        if seconds > 0:
            self._ending.wait(seconds)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    owner: FaultyServer

    def __init__(self, *args: Any, **options: Any) -> None:
        self._connections: set[socket.socket] = set()
        super().__init__(*args, **options)

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        self._connections.add(connection)
        return connection, address

    def shutdown_request(self, request: Any) -> None:
        self._connections.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        """Break every connection still open, so that no thread waits for its next request."""
        for connection in list(self._connections):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hung up is no news here."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = 60
    server: _Server

    def do_GET(self) -> None:
        self._answer({})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        with suppress(ValueError):
            body = json.loads(raw)
            self._answer(body if isinstance(body, dict) else {})
            return
        self._answer({})

    def _answer(self, body: Mapping[str, Any]) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        fault = self.server.owner.answer(SentRequest(self.command, self.path, headers, body))
        streamed = (
            bool(body.get("stream")) and fault.as_stream and isinstance(fault.body, dict) and "choices" in fault.body
        )
        payload = _as_stream(fault.body) if streamed and isinstance(fault.body, dict) else fault.payload()
        self.server.owner.wait(fault.pause_s)
        broken = fault.send_bytes is not None or fault.pause_s >= 5
        self.send_response(fault.status)
        kind = "text/event-stream" if streamed else "application/json"
        for name, value in {"Content-Type": kind, **fault.headers, "Content-Length": str(len(payload))}.items():
            self.send_header(name, value)
        if broken:
            self.send_header("Connection", "close")
            self.close_connection = True
        self.end_headers()
        self._write(payload if fault.send_bytes is None else payload[: fault.send_bytes], fault)

    def _write(self, payload: bytes, fault: Fault) -> None:
        size = 1 if fault.drip_s else max(1, len(payload))
        for at in range(0, len(payload), size):
            self.wfile.write(payload[at : at + size])
            self.wfile.flush()
            self.server.owner.wait(fault.drip_s)
            if self.server.owner.ended:
                return
        self.server.owner.wait(fault.stall_s)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Nothing: a test's output is the test's."""


def _as_stream(body: Mapping[str, Any]) -> bytes:
    """A completion as a stream of its pieces, a word each, then the usage, then the end."""
    base = {name: body[name] for name in ("id", "created", "model") if name in body} | {
        "object": "chat.completion.chunk"
    }
    events: list[dict[str, Any]] = []
    for choice in body["choices"]:
        message = choice["message"]
        words = (message.get("content") or "").split(" ")
        deltas: list[dict[str, Any]] = [{"content": word if at == 0 else f" {word}"} for at, word in enumerate(words)]
        if message.get("refusal"):
            deltas.append({"refusal": message["refusal"]})
        events += [base | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
        events.append(base | {"choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]})
    if "usage" in body:
        events.append(base | {"choices": [], "usage": body["usage"]})
    return b"".join(f"data: {json.dumps(event)}\n\n".encode() for event in events) + b"data: [DONE]\n\n"
