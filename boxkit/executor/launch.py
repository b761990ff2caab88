"""The host's side of the nursery: starting it, asking it for zygotes, ending it."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import boxkit
from boxkit.errors import ExecutorError
from boxkit.executor import wire
from boxkit.executor.layers import Layers

__all__ = ["Nursery", "command", "environment"]

_START_S = 120.0
#: The worker runs the very boxkit that started it, wherever that lies, without the folder around it on its path.
_BOOT = (
    "import sys; sys.path.extend(p for p in {paths!r} if p not in sys.path);"
    " from importlib.util import module_from_spec as module, spec_from_file_location as at;"
    " spec = at('boxkit', {init!r}, submodule_search_locations=[{folder!r}]);"
    " sys.modules['boxkit'] = boxkit = module(spec); spec.loader.exec_module(boxkit);"
    " from boxkit.executor.{module} import main; main({arguments})"
)


def environment() -> dict[str, str]:
    """The whole environment of a worker: no keys, no proxies, one thread a library."""
    scrubbed = {"LANG": "C.UTF-8", "PATH": os.defpath, "MPLBACKEND": "Agg"}
    scrubbed |= dict.fromkeys(
        ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"), "1"
    )
    scrubbed |= {"ARROW_DEFAULT_MEMORY_POOL": "system", "JE_ARROW_MALLOC_CONF": "background_thread:false"}
    with contextlib.suppress(RuntimeError):  # no home folder
        cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        scrubbed["MPLCONFIGDIR"] = os.path.join(cache, "boxkit", "matplotlib")  # else fonts are searched each time
    if sys.platform == "win32":
        scrubbed |= {name: os.environ[name] for name in ("SYSTEMROOT", "SYSTEMDRIVE") if name in os.environ}
    return {**scrubbed, "MALLOC_ARENA_MAX": "2"}


def command(module: str, arguments: str) -> list[str]:
    """The command that calls ``main`` of an executor's module in an isolated Python (``-I``).

    Such a Python sees neither the current folder nor PYTHONPATH; where packages were found that way, it is told where.
    """
    if not sys.executable:
        raise ExecutorError("this Python does not know its own program file, so no worker can be started")
    specs = [importlib.util.find_spec(name) for name in ("pandas", "numpy", "pyarrow", "dateutil")]
    origins = [Path(spec.origin).resolve() for spec in specs if spec is not None and spec.origin]
    paths = list(dict.fromkeys(str(origin.parent.parent) for origin in origins))
    init = Path(boxkit.__file__).resolve()
    boot = _BOOT.format(paths=paths, init=str(init), folder=str(init.parent), module=module, arguments=arguments)
    return [sys.executable, "-I", "-c", boot]


def _started(descriptor: int, layers: Layers, said: IO[bytes]) -> subprocess.Popen[bytes]:
    arguments = f"{descriptor}, {json.dumps(layers.to_json())!r}"
    return subprocess.Popen(
        command("nursery", arguments),
        pass_fds=[descriptor],
        env=environment(),
        cwd=os.path.abspath(os.sep),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=said,
        start_new_session=True,  # Ctrl-C is for the host, which then ends its runs
    )


def _greeting(process: subprocess.Popen[bytes], control: socket.socket, said: IO[bytes]) -> dict[str, Any]:
    """The worker's first message, once it has imported everything."""
    control.settimeout(_START_S)
    try:
        return wire.receive(control)[0]
    except OSError as error:  # it hung up, it was late, or another thread closed it
        process.kill()
        process.wait()
        said.seek(0)
        last_words = said.read().decode(errors="replace").strip()[-2000:]
        raise ExecutorError(f"the worker did not start: {last_words or error}") from error
    except BaseException:
        process.kill()
        process.wait()
        raise


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
    _said: IO[bytes] | None = None

    @classmethod
    def start(cls, layers: Layers) -> Nursery:
        """Start one. It is not `ready` yet: whoever must may close it until then."""
        ours, theirs = socket.socketpair()
        with theirs:
            said = tempfile.TemporaryFile()  # noqa: SIM115 - until it has said that it is ready
            try:
                process = _started(theirs.fileno(), layers, said)
            except BaseException:
                ours.close()
                said.close()
                raise
        return cls(process, ours, layers, _said=said)

    def ready(self) -> Nursery:
        """Wait until it has imported everything (about a second), and told which layers there are.

        Raises:
            ExecutorError: It did not come up.
        """
        with self._lock:
            if self._said is not None:
                if self._said.closed:
                    raise ExecutorError("the worker did not start: another caller was told why")
                with self._said:
                    hello = _greeting(self.process, self.control, self._said)
                self.layers, self.reasons = Layers.from_json(hello["layers"]), tuple(hello["reasons"])
                self._said = None
        return self

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
        with self._lock, contextlib.suppress(OSError):
            wire.send(self.control, {"op": "kill", "id": number})

    def preload(self, packages: frozenset[str]) -> None:
        """Import these packages, so that zygotes from now on have them."""
        with self._lock:
            missing = packages - self.packages
            if missing:
                try:
                    wire.send(self.control, {"op": "preload", "packages": sorted(missing)})
                    answer, _ = wire.receive(self.control)
                    if "error" in answer:
                        raise ExecutorError(f"{', '.join(sorted(missing))} cannot be used: {answer['error']}")
                except BaseException:
                    self.close()  # its answer is still to come, and would be taken for another's
                    raise
                self.packages |= missing

    def close(self) -> None:
        """End it and all its zygotes; whoever waits for it is told that it is gone."""
        self.process.kill()
        self.process.wait()
        self.control.close()

    def abandon(self) -> None:
        """Let go of it in a process that inherited it by fork: it belongs to the parent."""
        self.control.close()
        self.process.returncode = 0  # so that nobody here takes it for a child left running
