"""What a forked child gives up before it runs foreign code: capabilities, files, descriptors, limits, system calls."""

from __future__ import annotations

import fcntl
import os
import random
import resource
import signal
import site
import sys
import sysconfig
from dataclasses import dataclass

from boxkit.executor import kernel, landlock, seccomp
from boxkit.executor.layers import Layers

__all__ = ["REPLY", "REQUEST", "Confinement", "readable_paths", "reseed"]

#: The two descriptors that a child keeps.
REQUEST, REPLY = 3, 4

_OPEN_FILES = 64
_PACKAGE_FOLDERS = ("site-packages", "dist-packages", "lib-dynload")
_PACKAGES = ("boxkit", "pandas", "numpy", "pyarrow", "dateutil", "pytz", "tzdata")
_ALL_DESCRIPTORS = 1 << 20


def readable_paths() -> list[str]:
    """The folders that code may read: the standard library, installed packages, zone data.

    Never a folder merely because modules are found in it: that may be somebody's project, with all that lies there.
    """
    wanted = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    wanted += [*site.getsitepackages(), "/usr/share/zoneinfo"]
    wanted += [path for path in sys.path if os.path.basename(path) in _PACKAGE_FOLDERS]
    for name in _PACKAGES:
        wanted += list(getattr(sys.modules.get(name), "__path__", ()))
    return sorted({path for path in wanted if path and path != "/" and os.path.exists(path)})


def reseed() -> None:
    """Give this process random numbers of its own, not those of every other fork."""
    random.seed()
    if "numpy" in sys.modules:
        import numpy as np

        np.random.seed(int.from_bytes(os.urandom(4), "little"))


@dataclass(slots=True)
class Confinement:
    """What each child of one zygote gives up. The ruleset is made once and shared.

    Attributes:
        layers: Which layers are applied.
        ruleset: Landlock's descriptor; None without that layer.
        empty: A descriptor of ``/dev/null``.
        locks: Whether files may be locked, as SQLite does to read one.
    """

    layers: Layers
    ruleset: int | None
    empty: int
    locks: bool = False

    @classmethod
    def prepare(cls, layers: Layers, readable: list[str], empty: int, *, locks: bool) -> Confinement:
        """Make ready what children share."""
        return cls(layers, landlock.ruleset(readable) if layers.landlock else None, empty, locks)

    def enter(self, request: int, reply: int, parent: int) -> None:
        """Confine this process, which was just forked, for good.

        Args:
            request: Where its code will come from; becomes descriptor `REQUEST`.
            reply: Where its answer goes; becomes descriptor `REPLY`.
            parent: Its parent's number, to notice that the parent is gone already.
        """
        os.setpgid(0, 0)
        kernel.set_parent_death_signal(signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        kernel.set_no_new_privs()
        kernel.drop_capabilities()
        if self.layers.landlock and self.ruleset is not None:
            landlock.restrict(self.ruleset)
        self._keep(request, reply)
        sys.argv = [""]
        reseed()
        if self.layers.rlimits:
            self._limit()
        if self.layers.seccomp:
            seccomp.install(seccomp.program(os.getpid(), files=not self.layers.preloaded, locks=self.locks))

    def _keep(self, request: int, reply: int) -> None:
        # Via higher numbers: one of the two may hold the place that the other is to take.
        high_request = fcntl.fcntl(request, fcntl.F_DUPFD, REPLY + 1)
        high_reply = fcntl.fcntl(reply, fcntl.F_DUPFD, REPLY + 1)
        for number in (0, 1, 2):
            os.dup2(self.empty, number)
        os.dup2(high_request, REQUEST)
        os.dup2(high_reply, REPLY)
        os.closerange(REPLY + 1, _ALL_DESCRIPTORS)

    @staticmethod
    def _limit() -> None:
        for what, bound in (
            (resource.RLIMIT_FSIZE, 0),
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_NOFILE, _OPEN_FILES),
            (resource.RLIMIT_MEMLOCK, 0),
            (resource.RLIMIT_MSGQUEUE, 0),
        ):
            resource.setrlimit(what, (bound, bound))
