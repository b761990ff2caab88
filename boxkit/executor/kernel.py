"""The kernel calls that confinement needs and Python does not offer, through ctypes. Linux on x86-64 and aarch64."""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys
from functools import cache
from typing import Any

from boxkit.executor.syscalls import SYSCALLS

__all__ = [
    "description",
    "drop_capabilities",
    "machine",
    "mount",
    "pivot_root",
    "prctl",
    "set_dumpable",
    "set_no_new_privs",
    "set_parent_death_signal",
    "supported",
    "syscall",
    "unmount",
    "unshare",
]

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_CLEAR_ALL = 4
MNT_DETACH = 2
_CAPABILITY_VERSION_3 = 0x20080522


def machine() -> str:
    """The processor's name as the tables have it: ``x86_64``, ``aarch64``, or another that has none."""
    return {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine().lower())


def supported() -> bool:
    """Whether this is Linux on a processor that the tables know, and a 64-bit process."""
    return sys.platform == "linux" and machine() in SYSCALLS and sys.maxsize > 2**32


def description() -> str:
    """The system and processor in words."""
    return f"{platform.system() or sys.platform} {platform.release()} on {platform.machine()}"


@cache
def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    return libc


def syscall(name: str, *arguments: Any) -> int:
    """Make the call ``name``; integers are passed as C longs.

    Raises:
        OSError: The kernel refused; ``errno`` says why.
    """
    number = SYSCALLS[machine()][name]
    values = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    result = int(_libc().syscall(ctypes.c_long(number), *values))
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")
    return result


def prctl(option: int, *arguments: int) -> int:
    """The call ``prctl``; missing arguments are 0."""
    return syscall("prctl", option, *arguments, *[0] * (4 - len(arguments)))


def set_no_new_privs() -> None:
    """Nothing this process starts may gain privileges; Landlock and seccomp need it."""
    prctl(PR_SET_NO_NEW_PRIVS, 1)


def set_dumpable(dumpable: bool) -> None:
    """Whether others of the same user may trace this process or read its memory."""
    prctl(PR_SET_DUMPABLE, int(dumpable))


def set_parent_death_signal(signal_number: int) -> None:
    """The signal that this process gets when the thread that forked it ends."""
    prctl(PR_SET_PDEATHSIG, signal_number)


def drop_capabilities() -> None:
    """Give up every capability, for good."""
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL)
    header = ctypes.create_string_buffer(struct.pack("=II", _CAPABILITY_VERSION_3, 0), 8)
    syscall("capset", ctypes.byref(header), ctypes.byref(ctypes.create_string_buffer(24)))


def unshare(flags: int) -> None:
    """Move this process into new namespaces."""
    syscall("unshare", flags)


def mount(source: str, target: str, kind: str = "", flags: int = 0) -> None:
    """Mount ``source`` on ``target``."""
    syscall("mount", _text(source), _text(target), _text(kind), flags, None)


def unmount(target: str, flags: int = MNT_DETACH) -> None:
    """Unmount ``target``, lazily unless told otherwise."""
    syscall("umount2", _text(target), flags)


def pivot_root(new: str, old: str) -> None:
    """Make ``new`` the root and put the old one at ``old``."""
    syscall("pivot_root", _text(new), _text(old))


def _text(text: str) -> ctypes.c_char_p:
    return ctypes.c_char_p(os.fsencode(text))
