"""How much memory this process and its children have, read through a /proc that outlives a change of root."""

from __future__ import annotations

import os
import resource
from dataclasses import dataclass

__all__ = ["Gauge"]

_PAGE = resource.getpagesize()


@dataclass(frozen=True, slots=True)
class Gauge:
    """Reads ``/proc``; every figure is 0 where that cannot be read.

    Attributes:
        proc: A descriptor of ``/proc``, or -1.
    """

    proc: int

    @classmethod
    def open(cls) -> Gauge:
        """A gauge; to be opened before the root changes."""
        try:
            return cls(os.open("/proc", os.O_PATH | os.O_CLOEXEC))
        except OSError:
            return cls(-1)

    def _read(self, path: str) -> str:
        if self.proc < 0:
            return ""
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC, dir_fd=self.proc)
        except OSError:
            return ""
        try:
            return os.read(descriptor, 8192).decode()
        except OSError:
            return ""
        finally:
            os.close(descriptor)

    def _kilobytes(self, path: str) -> dict[str, int]:
        lines = (line.split() for line in self._read(path).splitlines())
        return {words[0].rstrip(":"): int(words[1]) for words in lines if len(words) == 3 and words[2] == "kB"}

    def threads(self) -> int:
        """The number of this process's threads; 0 where unknown."""
        for line in self._read("self/status").splitlines():
            if line.startswith("Threads:"):
                return int(line.split()[1])
        return 0

    def address_space(self) -> int:
        """This process's address space, in bytes."""
        words = self._read("self/statm").split()
        return int(words[0]) * _PAGE if words else 0

    def resident_mb(self) -> float:
        """This process's memory, shared or not, in MiB."""
        words = self._read("self/statm").split()
        return int(words[1]) * _PAGE / (1 << 20) if words else 0.0

    def own_mb(self) -> float:
        """This process's memory that no file stands behind, in MiB."""
        return self._kilobytes("self/status").get("RssAnon", 0) / 1024

    def peak_mb(self, handle: int, base_mb: float) -> float:
        """The most memory of its own that the child of that pidfd has had, beyond ``base_mb``, in MiB."""
        number = ""
        for line in self._read(f"self/fdinfo/{handle}").splitlines():
            if line.startswith("Pid:"):
                number = line.split()[1]
        if not number.isdecimal():
            return 0.0
        sizes = self._kilobytes(f"{number}/status")
        shared = sizes.get("RssFile", 0) + sizes.get("RssShmem", 0)
        return max(0.0, (sizes.get("VmHWM", 0) - shared) / 1024 - base_mb)
