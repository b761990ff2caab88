"""The nursery: the first worker process. It imports everything once and forks a zygote for each BoxSet.

It is started as ``python -I`` with a scrubbed environment and one socket; it holds no data and runs no foreign code.
"""

from __future__ import annotations

import contextlib
import dataclasses
import gc
import importlib
import importlib.abc
import json
import os
import pkgutil
import select
import signal
import socket
import sys
import time
from collections.abc import Callable
from typing import Any

from boxkit.executor import kernel, namespaces, wire
from boxkit.executor.layers import Layers, available

__all__ = ["main"]

#: What other packages import where it is installed, and what then starts threads; a process with threads cannot fork.
_THREADED = ("polars", "_polars_runtime", "torch", "tensorflow", "jax", "dask", "duckdb")


def main(descriptor: int, options: str) -> None:
    """Serve the host over the socket ``descriptor`` until it hangs up."""
    started = time.perf_counter()
    control = socket.socket(fileno=descriptor)
    os.set_inheritable(descriptor, False)
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    layers, reasons = available(Layers.from_json(json.loads(options)))
    if layers.namespaces and not namespaces.enter(control.close):
        layers = dataclasses.replace(layers, namespaces=False)
        reasons = (*reasons, "the machine does not allow namespaces of one's own")
    _Nursery(control, layers).serve(reasons, started)


class _Nursery:
    def __init__(self, control: socket.socket, layers: Layers) -> None:
        from boxkit.executor.gauge import Gauge

        self._control = control
        self._layers = layers
        self._gauge = Gauge.open()
        self._zygotes: dict[int, int] = {}

    def serve(self, reasons: tuple[str, ...], started: float) -> None:
        _import_everything(self._end_if_alone)
        if self._layers.preloaded:
            _import_zones()  # without Landlock, no file can be opened later on
        if kernel.supported():
            kernel.set_no_new_privs()
            kernel.set_dumpable(False)
        self._settle()
        hello = {"layers": self._layers.to_json(), "reasons": reasons, "seconds": time.perf_counter() - started}
        wire.send(self._control, hello)
        signal.signal(signal.SIGCHLD, lambda *_: None)  # so that the call below is interrupted
        with contextlib.suppress(wire.Hangup):
            while True:
                self._answer(*wire.receive(self._control))
                self._reap()
        os._exit(0)

    def _end_if_alone(self) -> None:
        """End where the host is gone already: importing takes longer than it may have lived."""
        poll = select.poll()
        poll.register(self._control, 0)
        if poll.poll(0):
            os._exit(0)

    def _settle(self) -> None:
        threads = self._gauge.threads()
        if threads > 1:
            raise RuntimeError(f"the worker has {threads} threads; a library started some, and forking would hang")
        gc.collect()
        gc.freeze()
        gc.disable()

    def _answer(self, message: dict[str, Any], descriptors: list[int]) -> None:
        if message["op"] == "preload":
            from boxkit.executor.environment import preload

            preload(message["packages"])
            try:
                self._settle()
            except RuntimeError as error:
                wire.send(self._control, {"error": str(error)})
                raise
            wire.send(self._control, {"ok": True})
        elif message["op"] == "kill":
            pid = self._zygotes.pop(message["id"], None)
            if pid is not None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        elif message["op"] == "zygote":
            self._fork(message, descriptors[0])
        for descriptor in descriptors:
            with contextlib.suppress(OSError):
                os.close(descriptor)

    def _fork(self, message: dict[str, Any], descriptor: int) -> None:
        parent = os.getpid()
        pid = os.fork()
        if pid:
            self._zygotes[message["id"]] = pid
            return
        try:
            if kernel.supported():
                kernel.set_parent_death_signal(signal.SIGKILL)
            if os.getppid() != parent:
                os._exit(1)
            self._control.close()
            self._become_zygote(message, socket.socket(fileno=descriptor))
        except BaseException:  # the border: a process that is no zygote must not become a nursery
            sys.excepthook(*sys.exc_info())
        finally:
            os._exit(71)

    def _become_zygote(self, message: dict[str, Any], control: socket.socket) -> None:
        from boxkit.executor.confine import Confinement, readable_paths
        from boxkit.executor.zygote import Zygote

        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        readable = [*readable_paths(), *message["readable"]]
        empty = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        if self._layers.namespaces:
            namespaces.private_root(readable)
        confinement = Confinement.prepare(self._layers, readable, empty, locks=bool(message["readable"]))
        wire.send(control, {"ready": True})
        Zygote(control, confinement, self._gauge, message["standby"]).serve()

    def _reap(self) -> None:
        with contextlib.suppress(ChildProcessError):
            while True:
                pid, _ = os.waitpid(-1, os.WNOHANG)
                if not pid:
                    return
                self._zygotes = {key: value for key, value in self._zygotes.items() if value != pid}


class _NotHere(importlib.abc.MetaPathFinder):
    """Lets packages that start threads seem not to be installed."""

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> None:
        """Refuse those, and leave all others to the next finder."""
        del path, target
        if fullname.partition(".")[0] in _THREADED:
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)


def _import_everything(end_if_alone: Callable[[], None]) -> None:
    """pandas with every sub-module, and whatever the warm-up pulls in: a confined child may not be able to."""
    sys.meta_path.insert(0, _NotHere())
    import pandas
    import pyarrow
    import pyarrow.compute

    from boxkit.executor import environment, program, warmup, zygote

    del pyarrow, environment, program, zygote
    for module in pkgutil.walk_packages(pandas.__path__, "pandas."):
        if ".tests" in module.name or module.name.endswith((".conftest", "._testing")):
            continue
        end_if_alone()
        with contextlib.suppress(Exception):  # optional parts say in many ways that something is not installed
            importlib.import_module(module.name)
    warmup.warm()


def _import_zones() -> None:
    """Every time zone, held for good; pandas asks the module's C class and its Python twin."""
    import zoneinfo

    twin = importlib.import_module("zoneinfo._zoneinfo").ZoneInfo
    for name in zoneinfo.available_timezones():
        with contextlib.suppress(zoneinfo.ZoneInfoNotFoundError):
            _ZONES.extend((zoneinfo.ZoneInfo(name), twin(name)))
    with contextlib.suppress(ImportError):
        pytz = importlib.import_module("pytz")  # what pandas 2 asks
        _ZONES.extend(map(pytz.timezone, pytz.all_timezones))


_ZONES: list[object] = []
