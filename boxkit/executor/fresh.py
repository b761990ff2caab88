"""The ``weak`` level: a fresh process for each run, with a scrubbed environment, killed at its deadline. Nothing more.

For systems that cannot confine code (macOS, Windows, kernels without seccomp). Host and worker speak over pipes; the
worker's side is `main`.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from boxkit.executor import codec
from boxkit.executor.claims import CorruptValue
from boxkit.executor.reply import Incoming, TooLarge
from boxkit.process import killed_after

if TYPE_CHECKING:
    from boxkit.executor.session import Cancel, Ending, Order

__all__ = ["main", "run"]

_CHUNK = 1 << 16
_START_S = 60.0


def run(order: Order, frames: Mapping[str, Any], cancel: Cancel | None = None) -> Ending:
    """Make one run in a process of its own, and wait for its end.

    Args:
        order: The run; the keys of its frames are keys of ``frames``.
        frames: The frames.
        cancel: Ends the run from another thread.
    """
    from boxkit.executor.launch import command, environment
    from boxkit.executor.session import Ending

    incoming = Incoming(order.limits.reply_mb << 20)
    started = time.monotonic()
    with subprocess.Popen(
        command("fresh", ""),
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=sys.platform != "win32",
    ) as process:
        if cancel is not None:
            cancel.watch(process.kill)
        complete = too_large = timed_out = False
        damaged = ""
        try:
            with killed_after(process, _START_S):
                _send(process, order, frames)
                assert process.stdout is not None
                process.stdout.read(1)  # it has started, and the code runs from here on
            started = time.monotonic()
            with killed_after(process, order.limits.seconds) as passed:
                complete = _receive(process, incoming)
                timed_out = passed.is_set() and not complete
        except TooLarge:
            too_large = True
        except CorruptValue as error:
            damaged = str(error)
        finally:
            process.kill()
    why = "cancelled" if cancel is not None and cancel.cancelled else "timeout" if timed_out else ""
    return Ending(
        incoming if complete else None,
        process.returncode or 0,
        why,
        time.monotonic() - started,
        too_large=too_large,
        damaged=damaged,
    )


def _send(process: subprocess.Popen[bytes], order: Order, frames: Mapping[str, Any]) -> None:
    assert process.stdin is not None
    head, parts = codec.encode({name: frames[key] for name, key in order.frames.items()})
    request = {
        "code": order.code,
        "frames": head,
        "parts": [memoryview(part).nbytes for part in parts],
        "output": order.limits.output_kb << 10,
        "packages": order.packages,
        "call": order.call,
        "seconds": order.limits.seconds,
        "cpu": order.limits.cpu_seconds or order.limits.seconds,
        "memory_mb": order.limits.memory_mb,
    }
    text = json.dumps(request).encode()
    with contextlib.suppress(BrokenPipeError, OSError):
        for piece in (len(text).to_bytes(8, "little"), text, *parts):
            process.stdin.write(piece)
        process.stdin.close()


def _receive(process: subprocess.Popen[bytes], incoming: Incoming) -> bool:
    assert process.stdout is not None
    while not incoming.complete:
        chunk = process.stdout.read1(_CHUNK)  # type: ignore[attr-defined]  # a pipe is a BufferedReader, which IO does not say
        if not chunk:
            return False
        incoming.feed(chunk)
    return True


def main() -> None:
    """The worker: one request from standard input, one reply to standard output."""
    import os

    from boxkit.executor import environment, program

    source, target = os.dup(0), os.dup(1)
    for number in (0, 1):
        os.dup2(os.open(os.devnull, os.O_RDWR), number)
    with os.fdopen(source, "rb") as stream:
        request = json.loads(stream.read(int.from_bytes(stream.read(8), "little")))
        parts = [bytearray(stream.read(size)) for size in request["parts"]]
    frames = codec.decode(request["frames"], parts)
    environment.preload(request["packages"])
    _limit(request)
    os.write(target, b"r")
    reply = program.run(
        request["code"],
        frames,
        output_chars=request["output"],
        packages=tuple(request["packages"]),
        call=request["call"],
    )
    reply.write(lambda data: os.write(target, data[: 1 << 20]))
    os._exit(0)


def _limit(request: dict[str, Any]) -> None:
    """The limits that the system knows."""
    try:
        import resource
    except ImportError:
        return
    cpu = int(request["cpu"]) + int(time.process_time()) + 1
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if sys.platform == "linux":
            from boxkit.executor.gauge import Gauge

            space = Gauge.open().address_space() + (request["memory_mb"] << 20)
            resource.setrlimit(resource.RLIMIT_AS, (space, space))
