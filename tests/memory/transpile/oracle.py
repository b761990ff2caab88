"""The engine's own rows, and the rows of generated code."""

from __future__ import annotations

import re
import sqlite3
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from boxkit.box import BoxSet
from boxkit.canonical import canonical_rows

Rows = list[tuple[Any, ...]]


def run(code: str, boxes: BoxSet) -> Rows:
    """The canonical rows of the code's answer; the boxes are named as in generated code."""
    space: dict[str, Any] = {"pd": pd, "np": np, "re": re, "Decimal": Decimal}
    space |= {name: box.frame for name, box in boxes.items()}
    exec(code, space)
    return canonical_rows(space["answer"])[0]


def engine(sql: str, connection: sqlite3.Connection) -> Rows:
    """SQLite's rows."""
    return connection.execute(sql).fetchall()


def comparable(rows: Rows, *, ordered: bool) -> Rows:
    """Rows with numbers to nine digits, sorted where their order is nobody's business."""
    plain = [tuple(float(f"{cell:.9g}") if isinstance(cell, (int, float)) else cell for cell in row) for row in rows]
    return plain if ordered else sorted(plain, key=_order)


def _order(row: tuple[Any, ...]) -> list[tuple[str, Any]]:
    return [("", 0) if cell is None else (type(cell).__name__, cell) for cell in row]
