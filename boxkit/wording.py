"""Numbers of things in words, alike in every message."""

from __future__ import annotations

__all__ = ["counted"]


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun, in the plural (an *s* behind it, where no other is given) but for one.

    >>> counted(1, "row"), counted(2, "row"), counted(1, "row does", "rows do")
    ('1 row', '2 rows', '1 row does')
    """
    return f"{number} {noun if number == 1 else plural or noun + 's'}"
