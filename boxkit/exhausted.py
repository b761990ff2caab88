"""A machine that opens no more files or connections: no fault of a server's, a source's or a question's."""

from __future__ import annotations

import errno

__all__ = ["FEWER_AT_ONCE", "is_exhausted"]

#: What to do about it.
FEWER_AT_ONCE = "ask fewer questions at once (concurrency, --concurrency), or allow more open files (ulimit -n)"

_NUMBERS = (errno.EMFILE, errno.ENFILE)


def is_exhausted(error: BaseException) -> bool:
    """Whether an error, or one that led to it, is that too many files are open."""
    waiting, seen = [error], set[int]()
    while waiting:
        each = waiting.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        if isinstance(each, OSError) and each.errno in _NUMBERS:
            return True
        waiting += each.exceptions if isinstance(each, BaseExceptionGroup) else ()
        waiting += [led for led in (each.__cause__, each.__context__) if led is not None]
    return False
