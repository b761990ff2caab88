"""What older pandas had and newer pandas lacks, and what to write instead."""

from __future__ import annotations

__all__ = ["FREQUENCIES", "REMOVED", "fix_for_attribute"]

#: Frequencies of dates: the old name, and the one that pandas has had since 2.2.
FREQUENCIES = {
    "M": "ME",
    "Q": "QE",
    "Y": "YE",
    "A": "YE",
    "BM": "BME",
    "BQ": "BQE",
    "BA": "BYE",
    "BY": "BYE",
    "SM": "SME",
    "H": "h",
    "T": "min",
    "S": "s",
    "L": "ms",
    "U": "us",
    "N": "ns",
    "A-DEC": "YE-DEC",
    "Q-DEC": "QE-DEC",
}

#: Attributes that nothing but old pandas had.
REMOVED = frozenset({"applymap"})

_FIXES = {
    "applymap": "use .map(function) on the frame",
    "append": "use pd.concat([first, second], ignore_index=True)",
    "iteritems": "use .items()",
    "ix": "use .loc or .iloc",
    "lookup": "use .to_numpy() with row and column positions",
    "week": "use .dt.isocalendar().week",
    "weekofyear": "use .dt.isocalendar().week",
    "mad": "use (s - s.mean()).abs().mean()",
    "is_monotonic": "use .is_monotonic_increasing",
    "swapaxes": "use .T",
    "first": "use .loc with a boundary, or .head(n)",
    "last": "use .loc with a boundary, or .tail(n)",
    "pad": "use .ffill()",
    "backfill": "use .bfill()",
}


def fix_for_attribute(name: str) -> str:
    """What to write instead of ``.name``; empty where nothing is known."""
    return _FIXES.get(name, "")
