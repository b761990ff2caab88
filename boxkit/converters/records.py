"""Lists of dicts (and of dataclass-like tuples' dicts): the same boxes that the JSON text of them would give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from boxkit.box import BoxSet
from boxkit.converters.nested import boxes_of
from boxkit.naming import box_name

__all__ = ["accepts", "convert", "name"]

name = "records"


def accepts(source: Any) -> float:
    """A list or tuple of mappings."""
    is_records = isinstance(source, (list, tuple)) and source and all(isinstance(each, Mapping) for each in source)
    return 0.9 if is_records else 0.0


def convert(source: Any, *, table: str | None = None) -> BoxSet:
    """The boxes of a list of dicts.

    Args:
        source: The records; nested lists become boxes of their own.
        table: The outermost box's name; ``table`` where None.
    """
    state = f"records {id(source)} {len(source)}"
    return boxes_of(source, box_name(table or "table"), [], "a list of dicts", lambda: state)
