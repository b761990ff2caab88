"""What bytes from outside claim to be, checked: the errors of the codec and its smallest tests."""

from __future__ import annotations

from typing import Any

__all__ = ["CorruptValue", "Unsupported", "list_of", "text_of", "whole_of"]


class Unsupported(TypeError):
    """A value that cannot leave the sandbox unchanged."""


class CorruptValue(ValueError):
    """Bytes that `encode` did not write."""


def text_of(value: Any) -> str:
    """``value`` if it is text."""
    if type(value) is not str:
        raise CorruptValue(f"text expected, not {type(value).__name__}")
    return value


def whole_of(value: Any) -> int:
    """``value`` if it is a whole number of at most 64 bits."""
    if type(value) is not int or not -(1 << 63) <= value < 1 << 64:
        raise CorruptValue("a whole number expected")
    return value


def list_of(value: Any, length: int | None = None) -> list[Any]:
    """``value`` if it is a list (of ``length`` items)."""
    if type(value) is not list or (length is not None and len(value) != length):
        raise CorruptValue("a list expected")
    return value
