"""Whether an answer is empty: no rows, or nothing but missing values."""

from __future__ import annotations

import math
from typing import Any

__all__ = ["is_empty"]


def is_empty(value: Any) -> bool:
    """True for None, every kind of missing, nothing in a container, and containers of nothing but missing values.

    >>> is_empty([None, float("nan")]), is_empty([0]), is_empty("")
    (True, False, True)
    """
    if value is None:
        return True
    if isinstance(value, float):
        return math.isnan(value)
    if isinstance(value, (str, bytes, int)):
        return value in ("", b"")
    import numpy as np
    import pandas as pd

    if value is pd.NA or value is pd.NaT:
        return True
    if isinstance(value, (pd.DataFrame, pd.Series)):
        return value.size == 0 or bool(value.isna().to_numpy().all())
    if isinstance(value, (pd.Index, np.ndarray, pd.api.extensions.ExtensionArray)):
        return len(value) == 0 if getattr(value, "ndim", 1) else False
    if isinstance(value, dict):
        return all(map(is_empty, value.values()))
    if isinstance(value, (list, tuple, set, frozenset)):
        return all(map(is_empty, value))
    return False
