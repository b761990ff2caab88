"""The host's side of one zygote: frames sent once, runs, and what came of each."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from boxkit.errors import ExecutorError
from boxkit.executor import frames, wire
from boxkit.executor.claims import CorruptValue
from boxkit.executor.launch import Nursery
from boxkit.executor.limits import Limits
from boxkit.executor.reply import Incoming, TooLarge

__all__ = ["Ending", "Order", "Session", "ZygoteLost"]

_GRACE_S = 2.0


class ZygoteLost(Exception):
    """The zygote died, or did not answer in time and was killed."""


@dataclass(frozen=True, slots=True)
class Order:
    """One run to be made.

    Attributes:
        code: What to run.
        frames: For each name, the key of the frame that it stands for.
        limits: What it may use.
        packages: The analytics packages that it names.
        call: The argument of ``compute_result``; empty where the answer is a variable.
    """

    code: str
    frames: Mapping[str, str]
    limits: Limits
    packages: tuple[str, ...] = ()
    call: str = ""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended, as the zygote and the host saw it.

    Attributes:
        reply: The whole reply; None where none came.
        exit: The child's exit code, negative for a signal.
        killed: Why the zygote killed it; empty where it did not.
        seconds: Wall clock.
        cpu_seconds: Processor time.
        peak_mb: Memory of its own, at its most, in MiB.
        too_large: Whether its reply was over the limit.
        damaged: Why its reply is none; empty where it is one, or did not come.
    """

    reply: Incoming | None
    exit: int = 0
    killed: str = ""
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_mb: float = 0.0
    too_large: bool = False
    damaged: str = ""


@dataclass(slots=True)
class Session:
    """One zygote, the analytics packages that it was forked with, and the frames that it holds."""

    nursery: Nursery
    number: int
    control: socket.socket
    packages: frozenset[str] = frozenset()
    loaded: set[str] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)
    lost: bool = False
    _retired: bool = False
    _runs: int = 0

    @classmethod
    def open(cls, nursery: Nursery, readable: tuple[str, ...] = (), *, standby: bool = True) -> Session:
        """Fork a zygote.

        Raises:
            ZygoteLost: The nursery is gone.
        """
        packages = nursery.packages
        try:
            number, control = nursery.zygote(readable, standby=standby)
        except (wire.Hangup, OSError) as error:
            raise ZygoteLost(str(error)) from error
        return cls(nursery, number, control, packages)

    def load(self, key: str, packed: frames.Packed) -> None:
        """Send a frame, unless it is there already.

        Raises:
            ZygoteLost: The zygote is gone.
            ExecutorError: It could not read the frame.
        """
        with self.lock:
            if key in self.loaded:
                return
            message = {"op": "load", "key": key, "head": packed.head, "places": packed.places}
            try:
                wire.send(self.control, message, [packed.descriptor])
                answer, _ = wire.receive(self.control)
            except (wire.Hangup, OSError) as error:
                raise ZygoteLost(str(error)) from error
            except BaseException:
                self.close()  # half a message was sent, or an answer is still to come: neither can be undone
                raise
            if "error" in answer:
                raise ExecutorError(f"the worker could not read a frame: {answer['error']}")
            self.loaded.add(key)

    def run(self, order: Order, cancel: Cancel | None = None) -> Ending:
        """Make one run, and wait for its end.

        Raises:
            ZygoteLost: The zygote died under it.
        """
        with self.lock:
            self._runs += 1
        try:
            return self._run(order, cancel)
        finally:
            with self.lock:
                self._runs -= 1
                over = self._retired and not self._runs
            if over:
                self.close()

    def retire(self) -> None:
        """Close it as soon as its last run has ended."""
        with self.lock:
            self._retired = True
            over = not self._runs
        if over:
            self.close()

    def _run(self, order: Order, cancel: Cancel | None) -> Ending:
        ours, theirs = socket.socketpair()
        try:
            if cancel is not None:
                cancel.watch(lambda: _hang_up(ours))
            limits = order.limits
            message = {
                "op": "run",
                "code": order.code,
                "frames": dict(order.frames),
                "seconds": limits.seconds,
                "cpu": limits.cpu_seconds or limits.seconds,
                "memory_mb": limits.memory_mb,
                "output": limits.output_kb << 10,
                "packages": order.packages,
                "call": order.call,
            }
            try:
                self._order(message, theirs.fileno())
                theirs.close()
                return self._follow(ours, limits)
            except (wire.Hangup, TimeoutError, OSError) as error:
                if cancel is not None and cancel.cancelled:
                    return Ending(None, killed="cancelled")
                self.close()
                raise ZygoteLost(str(error)) from error
        finally:
            ours.close()
            theirs.close()

    def _order(self, message: dict[str, Any], descriptor: int) -> None:
        with self.lock:
            try:
                wire.send(self.control, message, [descriptor])
            except BaseException:
                self.close()
                raise

    def _follow(self, status: socket.socket, limits: Limits) -> Ending:
        deadline = time.monotonic() + limits.seconds + _GRACE_S
        status.settimeout(limits.seconds + _GRACE_S)
        _, descriptors = wire.receive(status)
        incoming = Incoming(limits.reply_mb << 20)
        complete, too_large, damaged = False, False, ""
        try:
            complete = _read_reply(descriptors[0], status, incoming, deadline)
        except TooLarge:
            too_large = True
        except CorruptValue as error:
            damaged = str(error)
        finally:
            os.close(descriptors[0])
        if complete or too_large or damaged:
            with contextlib.suppress(OSError):
                status.send(b"d")
        status.settimeout(_GRACE_S + max(0.0, deadline - time.monotonic()))
        end, _ = wire.receive(status)
        return Ending(
            incoming if complete else None,
            end["exit"],
            "" if end["killed"] == "done" else end["killed"],
            end["seconds"],
            end["cpu"],
            end["peak_mb"],
            too_large,
            damaged,
        )

    def close(self) -> None:
        """End the zygote and every run in it."""
        self.lost = True
        self.control.close()
        self.nursery.kill_zygote(self.number)


def _read_reply(descriptor: int, status: socket.socket, incoming: Incoming, deadline: float) -> bool:
    """Read until the reply is whole (True) or its writer is gone (False)."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    poll.register(status, select.POLLIN)
    while not incoming.complete:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("the worker did not keep the deadline")
        ready = {number for number, _ in poll.poll(left * 1000)}
        if descriptor in ready:
            chunk = os.read(descriptor, 1 << 20)
            if not chunk:
                return False
            incoming.feed(chunk)
        elif status.fileno() in ready:
            if not status.recv(1, socket.MSG_PEEK):
                raise wire.Hangup("the run was cancelled, or the zygote is gone")
            poll.unregister(status)
    return True


def _hang_up(status: socket.socket) -> None:
    with contextlib.suppress(OSError):
        status.shutdown(socket.SHUT_RDWR)


@dataclass(slots=True)
class Cancel:
    """Ends a run from another thread."""

    cancelled: bool = False
    _end: Callable[[], None] | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def watch(self, end: Callable[[], None]) -> None:
        """``end`` ends the run."""
        with self._lock:
            self._end = end
            if self.cancelled:
                end()

    def __call__(self) -> None:
        """End the run: now, or as soon as it starts."""
        with self._lock:
            self.cancelled = True
            if self._end is not None:
                self._end()
