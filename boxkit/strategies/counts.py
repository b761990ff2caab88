"""Settings that count something."""

from __future__ import annotations

from numbers import Integral

__all__ = ["check_count"]


def check_count(strategy: str, name: str, value: object, least: int = 1) -> None:
    """Whether a setting is a whole number, and no less than it may be.

    Raises:
        ValueError: It is not.
    """
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise ValueError(f"{name} of {strategy} is a whole number, not {value!r}")
    if int(value) < least:
        raise ValueError(f"{name} of {strategy} is at least {least}, not {value}")
