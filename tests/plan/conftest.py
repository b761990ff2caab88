"""Two boxes from different kinds of sources."""

from __future__ import annotations

import pandas as pd
import pytest

import boxkit
from boxkit.box import BoxSet


@pytest.fixture(scope="session")
def boxes() -> BoxSet:
    """Singers and their concerts; one name of each is also a name in the other."""
    singer = pd.DataFrame(
        {
            "id": [1, 2, 3, 4],
            "name": ["Ana", "Bo", "Cleo", "Dag"],
            "country": ["France", "Peru", None, "France"],
            "age": [30, 50, 50, 41],
        }
    )
    concert = pd.DataFrame(
        {
            "singer_id": pd.array([1, 1, 2, None], dtype="Int64"),
            "name": ["Opening", "Encore", "Gala", "Open air"],
            "seats": [100.0, 250.0, None, 80.0],
            "order": ["b", "a", "c", "a"],
        }
    )
    return boxkit.load({"singer": singer, "concert": concert})
