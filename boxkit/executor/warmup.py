"""A few ordinary operations, so that what they import and touch is there before the first run."""

from __future__ import annotations

__all__ = ["warm"]


def warm() -> None:
    """Do what generated code does, on a small frame."""
    import numpy as np
    import pandas as pd

    from boxkit.executor import codec

    frame = pd.DataFrame(
        {"a": ["x", "y"] * 20, "b": np.arange(40), "c": 1.5, "t": pd.Timestamp("2024-01-01"), "d": [None, "z"] * 20}
    )
    frame["e"] = frame["b"] * frame["c"]
    frame.loc[frame["b"] > 3, "c"] = 0
    totals = frame.groupby("a").agg({"b": "sum", "c": "mean"}).sort_values("b").reset_index()
    frame.merge(totals, on="a", how="left")
    frame[frame["a"].str.contains("x") & frame["d"].notna()].drop_duplicates().head()
    for value in (frame.head(), totals["b"], 1.5, np.int64(3), [("a", 1)]):
        codec.decode(*codec.encode(value))
