"""seccomp: which system calls a process may make. A small BPF program that allows a list and refuses the rest."""

from __future__ import annotations

import ctypes
import errno
import os
import struct

from boxkit.executor.kernel import machine, prctl, supported
from boxkit.executor.syscalls import ALLOWED, AUDIT_ARCHITECTURE, FILE_CALLS, SYSCALLS

__all__ = ["available", "install", "program"]

_LOAD_WORD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_DENY = _ERRNO | errno.EPERM
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_X32_BIT = 0x40000000
_CLONE_THREAD = 0x00010000
_CLONE_NEW = 0x7E020000  # every kind of namespace
_PR_SET_SECCOMP, _PR_GET_SECCOMP, _MODE_FILTER = 22, 21, 2
_TERMINAL_QUERY, _CLOSE_ON_EXEC = 0x5401, 0x5451
_GET_FLAGS, _GET_STATUS, _DUPLICATE_CLOEXEC = 1, 3, 1030
_LOCKS = (5, 6, 7)


def available() -> bool:
    """Whether this kernel filters system calls."""
    if not supported():
        return False
    try:
        prctl(_PR_GET_SECCOMP)
    except OSError:
        return False
    return os.path.exists("/proc/sys/kernel/seccomp/actions_avail") or not os.path.exists("/proc/self")


def program(process: int, *, files: bool, threads: bool = True, locks: bool = False) -> bytes:
    """The filter for the process of that number: BPF instructions of 8 bytes each.

    Args:
        process: The only one that may be signalled (``abort`` signals itself).
        files: Whether calls that open or look at files pass (Landlock must then guard them).
        threads: Whether threads may be started; processes never.
        locks: Whether open files may be locked.
    """
    numbers = SYSCALLS[machine()]
    names = [name for name in ALLOWED if name in numbers]
    if files:
        names += [name for name in FILE_CALLS if name in numbers]
    # Another architecture's, or x32's, numbers mean other calls: whoever makes them is not confused but attacking.
    code = [
        _step(_LOAD_WORD, _ARCHITECTURE),
        _step(_EQUAL, AUDIT_ARCHITECTURE[machine()], 1, 0),
        _step(_RETURN, _KILL),
        _step(_LOAD_WORD, _NUMBER),
        _step(_AT_LEAST, _X32_BIT, 0, 1),
        _step(_RETURN, _KILL),
    ]
    for name in names:
        code += [_step(_EQUAL, numbers[name], 0, 1), _step(_RETURN, _ALLOW)]
    # clone3 hides its flags in memory: with ENOSYS the C library falls back on clone, whose flags can be seen.
    code += [_step(_EQUAL, numbers["clone3"], 0, 1), _step(_RETURN, _ERRNO | errno.ENOSYS)]
    code += _guarded(
        numbers["clone"],
        [
            *(_load(0), _step(_ANY_BIT, _CLONE_NEW, 2, 0), _step(_ANY_BIT, _CLONE_THREAD, 0, 1)),
            _step(_RETURN, _ALLOW if threads else _DENY),
        ],
    )
    code += _guarded(numbers["tgkill"], [_load(0), _step(_EQUAL, process, 0, 1), _step(_RETURN, _ALLOW)])
    # prlimit64 may read limits, of itself, and set none.
    code += _guarded(
        numbers["prlimit64"],
        [
            *(_load(0), _step(_EQUAL, 0, 0, 5)),
            *(_load(2), _step(_EQUAL, 0, 0, 3)),
            *(_load(2, high=True), _step(_EQUAL, 0, 0, 1)),
            _step(_RETURN, _ALLOW),
        ],
    )
    code += _guarded(numbers["ioctl"], _any_of(1, (_TERMINAL_QUERY, _CLOSE_ON_EXEC)), errno.ENOTTY)
    controls = (_GET_FLAGS, _GET_STATUS, _DUPLICATE_CLOEXEC, *(_LOCKS if locks else ()))
    code += _guarded(numbers["fcntl"], _any_of(1, controls))
    code += [_step(_RETURN, _DENY)]
    return b"".join(code)


def _step(operation: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", operation, if_true, if_false, value & 0xFFFFFFFF)


def _load(argument: int, *, high: bool = False) -> bytes:
    return _step(_LOAD_WORD, _ARGUMENTS + 8 * argument + (4 if high else 0))


def _any_of(argument: int, values: tuple[int, ...]) -> list[bytes]:
    left = range(len(values) - 1, -1, -1)
    tests = [_step(_EQUAL, value, more, 0 if more else 1) for value, more in zip(values, left, strict=True)]
    return [_load(argument), *tests, _step(_RETURN, _ALLOW)]


def _guarded(number: int, tests: list[bytes], refusal: int = errno.EPERM) -> list[bytes]:
    """``tests`` on the arguments of call ``number``; whatever falls through them is refused."""
    return [_step(_EQUAL, number, 0, len(tests) + 1), *tests, _step(_RETURN, _ERRNO | refusal)]


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def install(instructions: bytes) -> None:
    """Put the filter on this thread, for good; `set_no_new_privs` comes first."""
    buffer = ctypes.create_string_buffer(instructions, len(instructions))
    filter_program = _Program(len(instructions) // 8, ctypes.cast(buffer, ctypes.c_void_p))
    prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.addressof(filter_program))
