"""Numbers that bound something: what is none, or bounds nothing, is refused with what is wanted."""

from __future__ import annotations

import math
from numbers import Integral, Real

__all__ = ["LONGEST_S", "MOST_MB", "check_count", "check_number"]

#: The longest time that a run of code may be given: eleven days, below what the system's clocks and waits hold.
LONGEST_S = 1_000_000.0
#: The most memory: a pebibyte, below what the system's limits hold.
MOST_MB = 2**30


def check_count(name: str, value: object, least: int = 1, most: int | None = None) -> None:
    """Whether a value is a whole number within bounds.

    Raises:
        ValueError: It is not; the message says what is wanted.
    """
    whole = int(value) if isinstance(value, Integral) and not isinstance(value, bool) else None
    if whole is None or whole < least or (most is not None and whole > most):
        upto = "" if most is None else f" to {most}"
        raise ValueError(f"{name} is a whole number from {least}{upto}, not {value!r}")


def check_number(name: str, value: object, *, positive: bool = True, most: float | None = None) -> None:
    """Whether a value is a finite number above 0 (or from 0), and no more than it may be.

    Raises:
        ValueError: It is not; the message says what is wanted.
    """
    wanted = f"a number {'above' if positive else 'from'} 0" + ("" if most is None else f" to {most:g}")
    number = float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan
    is_within = 0 <= number <= (math.inf if most is None else most) and not (positive and number == 0)
    if not math.isfinite(number) or not is_within:
        raise ValueError(f"{name} is {wanted}, not {value!r}")
