"""The zygote: a process that holds one BoxSet's frames and forks a confined child for each run.

It never runs foreign code. It has one thread, keeps every run's deadline, and alone says how a child ended.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import resource
import selectors
import signal
import socket
import time
from dataclasses import dataclass, field
from typing import Any

from boxkit.executor import confine, frames, program, warmup, wire
from boxkit.executor.confine import Confinement
from boxkit.executor.gauge import Gauge

__all__ = ["Zygote"]

_ADDRESS_SLACK = 32 << 20
_LINGER_S = 5.0
#: One run after another is served sooner by a fresh fork than by a child that is still warming up.
_BEFORE_STANDBY_S = 0.02


@dataclass(slots=True)
class Child:
    """A forked child: waiting for code, or running it.

    Attributes:
        pid: Its number here.
        handle: Its pidfd; readable once it has ended.
        request: Where its code is written.
        reply: The read end of its answer, until that is handed to the host.
        keys: The frames it was forked with.
        status: Where the host hears how it ended; None while it waits.
        started: When it got its code, by the monotonic clock.
        deadline: When it is killed.
        killed: Why the zygote killed it.
        reported: Whether the host has been told how it ended.
        base_mb: Memory of the zygote's own when it got its code, in MiB; it shares that.
        peak_mb: The most it had beyond that, as far as was seen.
    """

    pid: int
    handle: int
    request: int
    reply: int
    keys: frozenset[str]
    status: socket.socket | None = None
    started: float = 0.0
    deadline: float = float("inf")
    killed: str = ""
    reported: bool = False
    base_mb: float = 0.0
    peak_mb: float = 0.0


@dataclass(slots=True)
class Zygote:
    """Serves one host over ``control`` until that hangs up."""

    control: socket.socket
    confinement: Confinement
    gauge: Gauge
    standby_wanted: bool = True
    _frames: dict[str, Any] = field(default_factory=dict)
    _running: dict[int, Child] = field(default_factory=dict)
    _standby: Child | None = None
    _selector: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)

    def serve(self) -> None:
        """Answer requests until the host is gone, then end with all children."""
        self._selector.register(self.control, selectors.EVENT_READ, self._on_control)
        gc.disable()
        with contextlib.suppress(wire.Hangup):
            while True:
                self._step()
        for child in [*self._running.values(), *([self._standby] if self._standby else [])]:
            self._kill(child, "hangup")
        os._exit(0)

    def _step(self) -> None:
        now = time.monotonic()
        nearest = min((child.deadline for child in self._running.values()), default=float("inf"))
        idle = self.standby_wanted and not self._standby and not self._running
        wait = _BEFORE_STANDBY_S if idle else max(0.0, nearest - now) if nearest < float("inf") else None
        events = self._selector.select(wait)
        for key, _ in events:
            key.data()
        now = time.monotonic()
        for child in self._running.values():
            if now >= child.deadline and not child.killed:
                self._kill(child, "timeout")
        if idle and not events:
            self._standby = self._fork(warm=True)

    def _on_control(self) -> None:
        message, descriptors = wire.receive(self.control)
        try:
            if message["op"] == "load":
                self._load(message, descriptors[0])
            elif message["op"] == "drop":
                self._frames.pop(message["key"], None)
                self._drop_standby()
            else:
                self._run(message, socket.socket(fileno=os.dup(descriptors[0])))
        finally:
            for descriptor in descriptors:
                os.close(descriptor)

    def _load(self, message: dict[str, Any], descriptor: int) -> None:
        self._drop_standby()
        try:
            self._frames[message["key"]] = frames.load(message["head"], message["places"], descriptor)
        except (ValueError, OSError) as error:
            wire.send(self.control, {"error": f"{type(error).__name__}: {error}"})
            return
        gc.collect()
        gc.freeze()
        wire.send(self.control, {"ok": True})

    # Children.

    def _fork(self, *, warm: bool) -> Child:
        request_out, request_in = os.pipe2(os.O_CLOEXEC)
        reply_out, reply_in = os.pipe2(os.O_CLOEXEC)
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            try:
                self.confinement.enter(request_out, reply_in, parent)
                self._live(warm=warm)
            finally:
                os._exit(70)
        os.close(request_out)
        os.close(reply_in)
        child = Child(pid, os.pidfd_open(pid), request_in, reply_out, frozenset(self._frames))
        self._selector.register(child.handle, selectors.EVENT_READ, lambda: self._on_end(child))
        return child

    def _live(self, *, warm: bool) -> None:
        """A child's whole life after it is confined."""
        if warm:
            warmup.warm()
        request = json.loads(_read_request())
        os.close(confine.REQUEST)
        chosen = {name: self._frames[key] for name, key in request["frames"].items()}
        gc.enable()
        reply = program.run(
            request["code"],
            chosen,
            output_chars=request["output"],
            packages=tuple(request["packages"]),
            call=request["call"],
        )
        reply.write(lambda data: os.write(confine.REPLY, data))
        # The zygote ends it, once it has seen how much memory it had.
        time.sleep(_LINGER_S)
        os._exit(0)

    def _run(self, message: dict[str, Any], status: socket.socket) -> None:
        keys = frozenset(message["frames"].values())
        child, self._standby = self._standby, None
        if child is not None and not keys <= child.keys:
            self._kill(child, "stale")
            child = None
        child = child or self._fork(warm=False)
        self._running[child.pid] = child
        child.status = status
        self._limit(child, message)
        self._selector.register(status, selectors.EVENT_READ, lambda: self._on_status(child))
        with contextlib.suppress(wire.Hangup):
            wire.send(status, {"started": True}, [child.reply])
        os.close(child.reply)
        packet = json.dumps({name: message[name] for name in ("code", "frames", "output", "packages", "call")}).encode()
        child.started = time.monotonic()
        child.deadline = child.started + message["seconds"]
        with contextlib.suppress(BrokenPipeError):
            _write_all(child.request, len(packet).to_bytes(8, "little") + packet)
        os.close(child.request)

    def _limit(self, child: Child, message: dict[str, Any]) -> None:
        child.base_mb = self.gauge.own_mb()
        if not self.confinement.layers.rlimits:
            return
        space = self.gauge.address_space() + _ADDRESS_SLACK + (message["memory_mb"] << 20)
        seconds = int(message["cpu"]) + 1
        with contextlib.suppress(ProcessLookupError):
            resource.prlimit(child.pid, resource.RLIMIT_AS, (space, space))
            resource.prlimit(child.pid, resource.RLIMIT_CPU, (seconds, seconds + 1))

    def _on_status(self, child: Child) -> None:
        """The host says that it has its answer, or it hung up: either way the child has no more to do."""
        assert child.status is not None
        data = b""
        with contextlib.suppress(ConnectionError):
            data = child.status.recv(1)
        self._selector.unregister(child.status)
        self._kill(child, "done" if data else "cancelled")
        if data:
            # The answer is there: whoever waits for it need not wait for the kernel to clear the process away.
            self._report(child, 0, 0.0)

    def _kill(self, child: Child, why: str) -> None:
        if child.killed:
            return
        child.killed = why
        child.peak_mb = self.gauge.peak_mb(child.handle, child.base_mb)
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(child.handle, signal.SIGKILL)

    def _drop_standby(self) -> None:
        if self._standby:
            self._kill(self._standby, "stale")
            self._standby = None

    def _on_end(self, child: Child) -> None:
        _, status, usage = os.wait4(child.pid, 0)
        self._selector.unregister(child.handle)
        os.close(child.handle)
        if self._standby is child:
            self._standby = None
        self._running.pop(child.pid, None)
        if child.reported:
            return
        if child.status is None:
            os.close(child.request)
            os.close(child.reply)
            return
        with contextlib.suppress(KeyError):
            self._selector.unregister(child.status)
        child.peak_mb = child.peak_mb or max(0.0, usage.ru_maxrss / 1024 - self.gauge.resident_mb())
        self._report(child, os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime)

    def _report(self, child: Child, code: int, cpu_seconds: float) -> None:
        """Tell the host how the run ended."""
        assert child.status is not None
        message = {
            "exit": code,
            "killed": child.killed,
            "seconds": time.monotonic() - child.started,
            "cpu": cpu_seconds,
            "peak_mb": child.peak_mb,
        }
        with contextlib.suppress(wire.Hangup, OSError):
            wire.send(child.status, message)
        child.status.close()
        child.reported = True


def _read_request() -> bytes:
    size = int.from_bytes(_read_exactly(8), "little")
    return _read_exactly(size)


def _read_exactly(count: int) -> bytes:
    data = b""
    while len(data) < count:
        chunk = os.read(confine.REQUEST, min(1 << 20, count - len(data)))
        if not chunk:
            os._exit(0)
        data += chunk
    return data


def _write_all(descriptor: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]
