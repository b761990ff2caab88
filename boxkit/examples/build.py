"""Makes geography.sqlite from geography.sql, where its facts are written: ``python -m boxkit.examples.build``."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from boxkit.examples import GEOGRAPHY

__all__ = ["build"]


def build(path: Path) -> None:
    """Write the database to ``path``, in place of what was there.

    Raises:
        sqlite3.IntegrityError: A fact contradicts the declared keys.
    """
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.executescript(GEOGRAPHY.with_suffix(".sql").read_text(encoding="utf-8"))
        connection.execute("VACUUM")


if __name__ == "__main__":
    build(GEOGRAPHY)
