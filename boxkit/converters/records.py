"""Lists of dicts, and dicts of lists: the same boxes that the JSON text of them would give."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from boxkit.box import BoxSet
from boxkit.converters.nested import boxes_of

__all__ = ["accepts", "convert", "name"]

name = "records"


def accepts(source: Any) -> float:
    """A list or tuple of mappings, or a mapping of equally long lists."""
    if isinstance(source, (list, tuple)):
        return 0.9 if source and all(isinstance(each, Mapping) for each in source) else 0.0
    return 0.5 if _is_columns(source) else 0.0


def _is_columns(source: Any) -> bool:
    """A dict of columns: lists of one length, none of which holds records."""
    if (
        not isinstance(source, Mapping)
        or not source
        or not all(isinstance(each, (list, tuple)) for each in source.values())
    ):
        return False
    lengths = {len(each) for each in source.values()}
    return len(lengths) == 1 and not any(isinstance(cell, (Mapping, list)) for each in source.values() for cell in each)


def convert(source: Any, *, table: str | None = None) -> BoxSet:
    """The boxes of a list of dicts.

    Args:
        source: The records; nested lists become boxes of their own.
        table: The outermost box's name; ``table`` where None.
    """
    records = source
    if isinstance(source, Mapping):
        records = [dict(zip(source, row, strict=True)) for row in zip(*source.values(), strict=True)]
    state = hashlib.sha256(repr(records).encode("utf-8", "replace")).hexdigest()[:32]
    return boxes_of([(table or "table", records)], [], "a list of dicts", lambda: state)
