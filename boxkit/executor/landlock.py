"""Landlock: which files a process may read, enforced by the kernel for the rest of its life."""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable

from boxkit.executor.kernel import supported, syscall

__all__ = ["MINIMUM_ABI", "abi", "restrict", "ruleset"]

#: From this ABI on, truncating a file is guarded too.
MINIMUM_ABI = 3

_READ_FILE = 1 << 2
_READ_DIR = 1 << 3
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}  # how many rights each ABI knows; 16 from 5 on
_NETWORK_RIGHTS = 0b11  # bind and connect TCP
_SCOPES = 0b11  # abstract UNIX sockets, signals
_RULE_PATH_BENEATH = 1
_CREATE_VERSION = 1


def abi() -> int:
    """The kernel's Landlock version; 0 where there is none."""
    if not supported():
        return 0
    try:
        return syscall("landlock_create_ruleset", None, 0, _CREATE_VERSION)
    except OSError:
        return 0


def ruleset(readable: Iterable[str]) -> int:
    """A ruleset that lets these files and folders be read and denies all else: a descriptor for `restrict`.

    Paths that do not exist are passed over.
    """
    version = abi()
    handled = (1 << _FILE_RIGHTS.get(version, 16)) - 1
    attributes = struct.pack("=QQQ", handled, _NETWORK_RIGHTS, _SCOPES)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    descriptor = syscall("landlock_create_ruleset", ctypes.create_string_buffer(attributes, 24), size, 0)
    os.set_inheritable(descriptor, False)
    for path in readable:
        _allow(descriptor, path)
    return descriptor


def _allow(descriptor: int, path: str) -> None:
    try:
        beneath = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        rights = _READ_FILE | _READ_DIR if os.path.isdir(path) else _READ_FILE
        rule = ctypes.create_string_buffer(struct.pack("=Qi", rights, beneath), 12)
        syscall("landlock_add_rule", descriptor, _RULE_PATH_BENEATH, rule, 0)
    finally:
        os.close(beneath)


def restrict(descriptor: int) -> None:
    """Confine this thread, and all that it starts, to a ruleset."""
    syscall("landlock_restrict_self", descriptor, 0)
