"""A few ordinary operations, so that what they import and touch is there before the first run."""

from __future__ import annotations

__all__ = ["warm"]


def warm() -> None:
    """Do what generated code does, on a small frame.

    A forked child maps each page of code that it runs anew, and copies each page that it writes to. Comparing text and
    reading dates alone took 250 faults, a millisecond and more, out of an ordinary run.
    """
    import numpy as np
    import pandas as pd

    from boxkit.executor import codec

    frame = pd.DataFrame(
        {
            "a": ["x", "y"] * 20,
            "b": np.arange(40),
            "c": 1.5,
            "d": [None, "z"] * 20,
            "s": "2024-01-31",
            "t": pd.Timestamp("2024-01-01"),
        }
    )
    frame["e"] = frame["b"] * frame["c"]
    frame.loc[frame["b"] > 3, "c"] = 0
    totals = frame.groupby("a").agg({"b": "sum", "c": "mean"}).sort_values("b").reset_index()
    frame.merge(totals, on="a", how="left")
    days = pd.to_datetime(frame["s"])
    named = (frame["a"] == "x") | frame["a"].str.contains("z")
    frame[named & (days.dt.year == 2024) & frame["d"].notna()].drop_duplicates().head()
    for value in (frame.head(), totals["b"], 1.5, np.int64(3), [("a", 1)]):
        codec.decode(*codec.encode(value))
