"""The state that code had reached when it failed: its new frames and values, briefly. Runs beside the code."""

from __future__ import annotations

import types
from collections.abc import Collection, Mapping
from typing import Any

import pandas as pd

__all__ = ["state"]

_MAX_VARIABLES = 12
_MAX_COLUMNS = 15
_MAX_CHARS = 4000
_MAX_CELL = 80


def state(scope: Mapping[str, Any], known: Collection[str]) -> str:
    """Each variable that is not ``known``: a frame's shape, dtypes and three rows; a value's type and beginning."""
    lines = []
    for name, value in scope.items():
        if name in known or name.startswith("_") or isinstance(value, (types.ModuleType, types.FunctionType, type)):
            continue
        lines.append(_described(name, value))
    left_out = len(lines) - _MAX_VARIABLES
    text = "\n".join(lines[-_MAX_VARIABLES:])
    if left_out > 0:
        text = f"({left_out} earlier variables left out)\n{text}"
    return text if len(text) <= _MAX_CHARS else text[:_MAX_CHARS] + "\n(cut)"


def _described(name: str, value: Any) -> str:
    if isinstance(value, pd.DataFrame):
        rows, columns = value.shape
        dtypes = [f"{label!r} {dtype}" for label, dtype in zip(value.columns, value.dtypes, strict=True)]
        more = f" and {columns - _MAX_COLUMNS} more" if columns > _MAX_COLUMNS else ""
        head = f"{name}: DataFrame of {rows} rows, {columns} columns: {', '.join(dtypes[:_MAX_COLUMNS])}{more}"
        if not rows:
            return head
        shown = value.iloc[:3, :_MAX_COLUMNS]
        return f"{head}\n{_indented(shown.to_string(max_colwidth=_MAX_CELL))}"
    if isinstance(value, pd.Series):
        head = f"{name}: Series of {len(value)} values, {value.dtype}"
        return f"{head}\n{_indented(value.iloc[:3].to_string())}" if len(value) else head
    text = repr(value)
    return f"{name}: {type(value).__name__} = {text[:_MAX_CELL]}{'…' if len(text) > _MAX_CELL else ''}"


def _indented(text: str) -> str:
    return "\n".join("    " + line for line in text.splitlines())
