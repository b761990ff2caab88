"""The host's side of the nursery: starting it, asking it for zygotes, ending it."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import socket
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path

from boxkit.errors import ExecutorError
from boxkit.executor import wire
from boxkit.executor.layers import Layers

__all__ = ["Nursery", "command", "environment"]

_START_S = 120.0
_BOOT = (
    "import sys; sys.path.extend(p for p in {paths!r} if p not in sys.path);"
    " from boxkit.executor.{module} import main; main({arguments})"
)


def environment() -> dict[str, str]:
    """The whole environment of a worker: no keys, no proxies, one thread a library."""
    scrubbed = {"LANG": "C.UTF-8", "PATH": os.defpath, "MPLBACKEND": "Agg", "MPLCONFIGDIR": os.devnull}
    scrubbed |= dict.fromkeys(
        ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1"
    )
    scrubbed |= {"ARROW_DEFAULT_MEMORY_POOL": "system", "JE_ARROW_MALLOC_CONF": "background_thread:false"}
    if sys.platform == "win32":
        scrubbed |= {name: os.environ[name] for name in ("SYSTEMROOT", "SYSTEMDRIVE") if name in os.environ}
    return {**scrubbed, "MALLOC_ARENA_MAX": "2"}


def command(module: str, arguments: str) -> list[str]:
    """The command that calls ``main`` of an executor's module in an isolated Python (``-I``).

    Such a Python sees neither the current folder nor PYTHONPATH; where packages were found that way, it is told where.
    """
    if not sys.executable:
        raise ExecutorError("this Python does not know its own program file, so no worker can be started")
    names = ("boxkit", "pandas", "numpy", "pyarrow", "dateutil")
    specs = [importlib.util.find_spec(name) for name in names]
    origins = [Path(spec.origin).resolve() for spec in specs if spec is not None and spec.origin]
    paths = list(dict.fromkeys(str(origin.parent.parent) for origin in origins))
    return [sys.executable, "-I", "-c", _BOOT.format(paths=paths, module=module, arguments=arguments)]


@dataclass(slots=True)
class Nursery:
    """A running worker process that forks zygotes.

    Attributes:
        process: The process that was started.
        control: The socket to it.
        layers: The layers of confinement that it applies.
        reasons: Why others are missing.
        packages: The analytics packages that it has imported.
    """

    process: subprocess.Popen[bytes]
    control: socket.socket
    layers: Layers
    reasons: tuple[str, ...] = ()
    packages: frozenset[str] = frozenset()
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _count: int = 0

    @classmethod
    def start(cls, layers: Layers) -> Nursery:
        """Start one, and wait until it has imported everything (about a second).

        Raises:
            ExecutorError: It did not come up.
        """
        ours, theirs = socket.socketpair()
        arguments = f"{theirs.fileno()}, {json.dumps(layers.to_json())!r}"
        process = subprocess.Popen(
            command("nursery", arguments),
            pass_fds=[theirs.fileno()],
            env=environment(),
            cwd=os.path.abspath(os.sep),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        theirs.close()
        ours.settimeout(_START_S)
        try:
            hello, _ = wire.receive(ours)
        except (wire.Hangup, TimeoutError) as error:
            ours.close()
            process.kill()
            said = process.communicate()[1].decode(errors="replace").strip()[-2000:]
            raise ExecutorError(f"the worker did not start: {said or error}") from error
        except BaseException:
            ours.close()
            process.kill()
            process.communicate()
            raise
        return cls(process, ours, Layers.from_json(hello["layers"]), tuple(hello["reasons"]))

    @property
    def alive(self) -> bool:
        """Whether the process still runs."""
        return self.process.poll() is None

    def zygote(self, readable: tuple[str, ...], *, standby: bool) -> tuple[int, socket.socket]:
        """A new zygote: its number and the socket to it.

        Raises:
            Hangup: The nursery, or the new zygote, is gone.
        """
        ours, theirs = socket.socketpair()
        try:
            with self._lock:
                self._count += 1
                number = self._count
                request = {"op": "zygote", "id": number, "readable": list(readable), "standby": standby}
                wire.send(self.control, request, [theirs.fileno()])
            theirs.close()
            ours.settimeout(_START_S)
            wire.receive(ours)
        except BaseException:
            ours.close()
            theirs.close()
            raise
        return number, ours

    def kill_zygote(self, number: int) -> None:
        """End a zygote and everything below it."""
        with self._lock, contextlib.suppress(wire.Hangup):
            wire.send(self.control, {"op": "kill", "id": number})

    def preload(self, packages: frozenset[str]) -> None:
        """Import these packages, so that zygotes from now on have them."""
        with self._lock:
            missing = packages - self.packages
            if missing:
                wire.send(self.control, {"op": "preload", "packages": sorted(missing)})
                wire.receive(self.control)
                self.packages |= missing

    def close(self) -> None:
        """End it and all its zygotes."""
        self.control.close()
        self.process.kill()
        self.process.wait()
        if self.process.stderr:
            self.process.stderr.close()

    def abandon(self) -> None:
        """Let go of it in a process that inherited it by fork: it belongs to the parent."""
        self.control.detach()
